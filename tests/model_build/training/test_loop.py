"""The training loop learns in every precision, respects frozen layers and resumes."""

from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import pandas as pd
import torch

from model_build import terminal
from model_build.profile import Training
from model_build.rows import dataset
from model_build.rows.ballots import FEEDBACK
from model_build.training import checkpoint as checkpoints
from model_build.training import loop as loops
from model_build.training.checkpoint import Checkpoint
from model_build.training.loop import TrainingLoop, train_model
from model_build.training.precision import Precision
from model_build.training.rating import Rating
from model_build.work import Work

TRAINING = Training(learning_rate=3e-3, layer_decay=1.0, epochs=2, batch_size=32, max_tokens=32)
SEED = 5


@pytest.fixture(scope="module")
def rows(
    tmp_path_factory: pytest.TempPathFactory, texts: Path
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return training rows and validation rows."""
    work = Work(tmp_path_factory.mktemp("training"))
    folder = dataset.run(work, dataset.Settings((str(texts),), templates=0, written=False))
    train, validation = (
        pd.read_parquet(folder / name) for name in ("train.parquet", "validation.parquet")
    )
    return train, validation


def _load(folder: Path) -> Checkpoint:
    torch.manual_seed(SEED)  # for the new head
    return checkpoints.load(str(folder), fresh_head=True)


@pytest.mark.slow
@pytest.mark.parametrize("exits", [False, True])
def test_a_share_of_the_initial_weights_is_kept(
    tmp_path: Path, rows: tuple[pd.DataFrame, pd.DataFrame], tiny_bert: Path, exits: bool
) -> None:
    initial = _state(_load(tiny_bert).model)
    training = dataclasses.replace(TRAINING, epochs=1, exits=exits)
    trained, mixed = _load(tiny_bert), _load(tiny_bert)
    train_model(trained, *rows, training, tmp_path / "trained", seed=SEED)
    some = dataclasses.replace(training, kept=0.25)
    train_model(mixed, *rows, some, tmp_path / "mixed", seed=SEED)
    expected = {
        name: value.lerp(initial[name], 0.25) if name in initial else value
        for name, value in _state(trained.model).items()
    }
    assert any(name.startswith("exits.") for name in expected) is exits
    assert _same(mixed.model, expected)
    assert not _same(mixed.model, _state(trained.model))


@pytest.mark.long
@pytest.mark.slow
def test_an_interrupted_training_resumes_and_ends_with_the_same_weights(
    tmp_path: Path,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    tiny_bert: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uninterrupted = _load(tiny_bert)
    expected = train_model(uninterrupted, *rows, TRAINING, tmp_path / "first", seed=SEED)

    monkeypatch.setattr(loops, "_SAVE_SECONDS", 0)
    train_step = TrainingLoop._train_step
    steps: list[int] = []

    def interrupted(loop: TrainingLoop, indices: list[int]) -> torch.Tensor:
        if len(steps) == expected.steps // 2:
            raise KeyboardInterrupt
        steps.append(loop.step)
        return train_step(loop, indices)

    monkeypatch.setattr(TrainingLoop, "_train_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train_model(_load(tiny_bert), *rows, TRAINING, tmp_path / "second", seed=SEED)
    monkeypatch.setattr(TrainingLoop, "_train_step", train_step)

    resumed = _load(tiny_bert)
    result = train_model(resumed, *rows, TRAINING, tmp_path / "second", seed=SEED)
    assert (result.steps, result.auc) == (expected.steps, expected.auc)
    assert _same(resumed.model, _state(uninterrupted.model))
    assert not (tmp_path / "second" / loops.STATE).exists()


def test_frozen_layers_and_the_embeddings_do_not_change(
    tmp_path: Path, rows: tuple[pd.DataFrame, pd.DataFrame], tiny_bert: Path
) -> None:
    trained = _load(tiny_bert)
    before = _state(trained.model)
    frozen = dataclasses.replace(TRAINING, epochs=0.2, frozen_layers=1)
    train_model(trained, *rows, frozen, tmp_path, seed=SEED)
    changed = {n for n, v in trained.model.state_dict().items() if not torch.equal(v, before[n])}
    assert not [name for name in changed if "embeddings" in name or "layer.0." in name]
    for part in ("layer.1.", "classifier."):
        assert any(part in name for name in changed)


@pytest.mark.parametrize(
    "half_dtype",
    [
        None,
        pytest.param(torch.bfloat16, marks=[pytest.mark.slow, pytest.mark.long]),
        pytest.param(torch.float16, marks=[pytest.mark.slow, pytest.mark.long]),
    ],
)
def test_training_learns_in_every_precision(
    tmp_path: Path,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    tiny_bert: Path,
    monkeypatch: pytest.MonkeyPatch,
    half_dtype: torch.dtype | None,
) -> None:
    precision = Precision(torch.device("cpu"), half_dtype)
    monkeypatch.setattr(Precision, "detect", classmethod(lambda _: precision))
    assert precision.scaler().is_enabled() == (half_dtype == torch.float16)
    result = train_model(_load(tiny_bert), *rows, TRAINING, tmp_path, seed=SEED)
    assert result.auc > 0.85


@pytest.mark.slow
def test_a_training_on_lent_time_ends_in_time_with_the_learning_rate_down(
    tmp_path: Path,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    tiny_bert: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = itertools.count(step=0.02)  # seconds pass by looking, on any machine alike
    monkeypatch.setattr(loops, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    hours = dataclasses.replace(TRAINING, epochs=100_000, minutes=0.1)
    train, validation = rows
    loop = TrainingLoop(_load(tiny_bert), train, validation, hours, tmp_path, SEED)
    result = loop.run()
    assert 10 < result.steps < loop.steps
    assert result.auc > 0.5
    assert loop.optimizer.param_groups[0]["lr"] < 0.05 * TRAINING.learning_rate


@pytest.mark.slow
def test_a_training_on_lent_time_that_resumes_has_what_was_left_of_it(
    tmp_path: Path,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    tiny_bert: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = itertools.count(step=0.02)
    monkeypatch.setattr(loops, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(loops, "_SAVE_SECONDS", 0)
    hours = dataclasses.replace(TRAINING, epochs=100_000, minutes=0.1)
    train, validation = rows
    killed = TrainingLoop(_load(tiny_bert), train, validation, hours, tmp_path, SEED)
    train_step = killed._train_step

    def stopping(indices: list[int]) -> torch.Tensor:
        if killed._progress(killed.step) > 0.8:
            raise KeyboardInterrupt
        return train_step(indices)

    monkeypatch.setattr(killed, "_train_step", stopping)
    with pytest.raises(KeyboardInterrupt):
        killed.run()
    resumed = TrainingLoop(_load(tiny_bert), train, validation, hours, tmp_path, SEED)
    result = resumed.run()
    assert killed.step < result.steps < 1.5 * killed.step


@pytest.mark.slow
def test_the_best_weights_are_picked_by_labels_of_our_own_where_there_are_any(
    tmp_path: Path, rows: tuple[pd.DataFrame, pd.DataFrame], tiny_bert: Path
) -> None:
    train, validation = rows
    read = validation.groupby("strict").head(10).assign(read=True)
    foreign = validation.assign(read=False, strict=1 - validation["strict"])
    brief = dataclasses.replace(TRAINING, epochs=6)
    both = pd.concat([read, foreign], ignore_index=True)
    result = train_model(_load(tiny_bert), train, both, brief, tmp_path, seed=SEED)
    assert result.auc > 0.7


def test_approval_is_the_probability_of_what_people_voted_for(
    tmp_path: Path, rows: tuple[pd.DataFrame, pd.DataFrame], tiny_bert: Path
) -> None:
    train, validation = rows

    def rating(target: float) -> Rating:
        votes = train[:9].assign(source=FEEDBACK, target=target, weight=range(1, 10))
        mixed = pd.concat([train, votes], ignore_index=True)
        return TrainingLoop(_load(tiny_bert), mixed, validation, TRAINING, tmp_path, SEED)._rate()

    toxic, fine = rating(1.0), rating(0.0)
    assert toxic.auc == fine.auc > 0
    assert 0 < toxic.approval < 1
    assert toxic.approval + fine.approval == pytest.approx(1)
    assert TrainingLoop(_load(tiny_bert), *rows, TRAINING, tmp_path, SEED)._rate().approval == 0


def test_a_step_that_overflows_in_fp16_is_skipped_and_the_loss_scale_is_halved(
    tmp_path: Path,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    tiny_bert: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    precision = Precision(torch.device("cpu"), torch.float16)
    monkeypatch.setattr(Precision, "detect", classmethod(lambda _: precision))
    loop = TrainingLoop(_load(tiny_bert), *rows, TRAINING, tmp_path, SEED, None)
    before = _state(loop.model)
    loop._train_step(loop._next_batch())
    assert not _same(loop.model, before)
    before = _state(loop.model)
    loop.scaler.update(2.0**60)
    loop._train_step(loop._next_batch())
    assert _same(loop.model, before)
    assert loop.scaler.get_scale() == 2.0**59


def test_training_without_a_terminal_logs_its_progress(
    tmp_path: Path,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    tiny_bert: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(terminal, "LOG_SECONDS", 0)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("TTY_COMPATIBLE", raising=False)
    brief = dataclasses.replace(TRAINING, epochs=0.1)
    with caplog.at_level("INFO", logger=loops.__name__):
        result = train_model(_load(tiny_bert), *rows, brief, tmp_path, seed=SEED)
    lines = [line for line in caplog.messages if "rows/s" in line]
    assert len(lines) == result.steps
    pattern = rf"step 1 of {result.steps}: loss \d\.\d{{4}}, \d+ rows/s, \d:\d\d:\d\d left"
    assert re.fullmatch(pattern, lines[0])


def _state(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


def _same(model: torch.nn.Module, state: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
