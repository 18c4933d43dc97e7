"""Training learns in every precision, leaves alone what it should, and outlives a kill."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import pandas as pd
import torch

from model_build.profile import Training
from model_build.rows import dataset as data
from model_build.training import checkpoint as checkpoints
from model_build.training import loop as fit
from model_build.training.checkpoint import Checkpoint
from model_build.training.precision import Precision
from model_build.work import Work

TRAINING = Training(rate=3e-3, decay=1.0, epochs=2, batch=32, tokens=32)
SEED = 5


@pytest.fixture(scope="module")
def rows(
    tmp_path_factory: pytest.TempPathFactory, texts: Path
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return rows to train on and rows to validate on."""
    work = Work(tmp_path_factory.mktemp("fit"))
    folder = data.run(work, data.Settings((str(texts),), templates=False))
    train, validation = (
        pd.read_parquet(folder / name) for name in ("train.parquet", "validation.parquet")
    )
    return train, validation


def _start(folder: Path) -> Checkpoint:
    torch.manual_seed(SEED)  # of the fresh head
    return checkpoints.load(str(folder), fresh_head=True)


def test_a_killed_training_goes_on_and_ends_with_the_weights_of_one_that_was_not(
    tmp_path: Path,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    tiny_bert: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = _start(tiny_bert)
    expected = fit.fit(whole, *rows, TRAINING, tmp_path / "whole", seed=SEED)

    monkeypatch.setattr(fit, "_SAVE_SECONDS", 0)
    one = fit._Loop._one
    made: list[int] = []

    def dies(loop: fit._Loop, places: list[int]) -> float:
        if len(made) == expected.steps // 2:
            raise KeyboardInterrupt
        made.append(loop.step)
        return one(loop, places)

    monkeypatch.setattr(fit._Loop, "_one", dies)
    with pytest.raises(KeyboardInterrupt):
        fit.fit(_start(tiny_bert), *rows, TRAINING, tmp_path / "killed", seed=SEED)
    monkeypatch.setattr(fit._Loop, "_one", one)

    resumed = _start(tiny_bert)
    found = fit.fit(resumed, *rows, TRAINING, tmp_path / "killed", seed=SEED)
    assert (found.steps, found.auc) == (expected.steps, expected.auc)
    assert _same(resumed.model, _state(whole.model))
    assert not (tmp_path / "killed" / fit.STATE).exists()


def test_frozen_layers_and_what_lies_below_them_stay_as_they_are(
    tmp_path: Path, rows: tuple[pd.DataFrame, pd.DataFrame], tiny_bert: Path
) -> None:
    trained = _start(tiny_bert)
    before = _state(trained.model)
    frozen = dataclasses.replace(TRAINING, epochs=0.2, frozen=1)
    fit.fit(trained, *rows, frozen, tmp_path, seed=SEED)
    moved = {n for n, v in trained.model.state_dict().items() if not torch.equal(v, before[n])}
    assert not [name for name in moved if "embeddings" in name or "layer.0." in name]
    for part in ("layer.1.", "classifier."):
        assert any(part in name for name in moved)


@pytest.mark.parametrize("half", [None, torch.bfloat16, torch.float16])
def test_training_learns_in_every_precision(
    tmp_path: Path,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    tiny_bert: Path,
    monkeypatch: pytest.MonkeyPatch,
    half: torch.dtype | None,
) -> None:
    precision = Precision(torch.device("cpu"), half)
    monkeypatch.setattr(Precision, "of_this_machine", classmethod(lambda _: precision))
    assert precision.scaler().is_enabled() == (half == torch.float16)
    found = fit.fit(_start(tiny_bert), *rows, TRAINING, tmp_path, seed=SEED)
    assert found.auc > 0.85


def test_a_step_that_overflows_in_fp16_is_left_out_and_the_scale_is_halved(
    tmp_path: Path,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    tiny_bert: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    precision = Precision(torch.device("cpu"), torch.float16)
    monkeypatch.setattr(Precision, "of_this_machine", classmethod(lambda _: precision))
    loop = fit._Loop(_start(tiny_bert), *rows, TRAINING, tmp_path, SEED, None)
    before = _state(loop.model)
    loop._one(loop._batch())
    assert not _same(loop.model, before)
    before = _state(loop.model)
    loop.scaler.update(2.0**60)
    loop._one(loop._batch())
    assert _same(loop.model, before)
    assert loop.scaler.get_scale() == 2.0**59


def _state(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


def _same(model: torch.nn.Module, state: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
