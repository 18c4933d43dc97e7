"""The heads and neurons that matter least go, and nothing else changes."""

from __future__ import annotations

import copy
import math
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import pandas as pd
import torch
from hypothesis import given
from hypothesis import strategies as st

from model_build.profile import MINILM
from model_build.rows.kinds import KINDS
from model_build.training import checkpoint as checkpoints
from model_build.training import (
    distillation,
    finetuning,
    importance,
    pruning,
    refitting,
    slicing,
)
from model_build.training.checkpoint import Checkpoint
from model_build.training.loop import predict_logits
from model_build.training.pretrained import CheckpointError
from model_build.training.pruning import Settings, keep_most_important
from model_build.training.slicing import Kept
from model_build.work import MODEL, StepError, Work
from tests.model_build.tiny import TRAINING

TEXTS = ["you are a worthless idiot", "thanks for the review", "ok", "kill the process and wait"]
HEADS, NEURONS, HEAD_SIZE = 2, 64, 16
ALL_HEADS = (tuple(range(HEADS)),) * 2
ALL_NEURONS = (tuple(range(NEURONS)),) * 2


@pytest.fixture(params=[False, True], ids=["reads the first token", "reads the mean"])
def checkpoint(tiny_bert: Path, request: pytest.FixtureRequest) -> Checkpoint:
    """Return a classifier with large random weights, so that each head and neuron tells."""
    torch.manual_seed(5)
    loaded = checkpoints.load(
        str(tiny_bert), fresh_head=True, kinds=KINDS, mean_pooling=request.param
    )
    with torch.no_grad():
        for parameter in loaded.model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return loaded


@pytest.fixture
def rows() -> pd.DataFrame:
    return pd.DataFrame({"text": TEXTS, "target": [1.0, 0.0, 0.0, 0.0]})


@pytest.fixture
def work(built: tuple[Work, Path], tmp_path: Path) -> Work:
    """Return a work folder that has rows."""
    (tmp_path / "data").symlink_to(built[0].step("data").resolve(), target_is_directory=True)
    return Work(tmp_path)


def _silence(checkpoint: Checkpoint, layer: int, head: int | None, neuron: int | None) -> None:
    """Cut a head or a neuron off from what follows it."""
    block = slicing.layers(checkpoint.model)[layer]
    with torch.no_grad():
        if head is not None:
            channels = slice(head * HEAD_SIZE, (head + 1) * HEAD_SIZE)
            block.attention.output.dense.weight[:, channels] = 0
        if neuron is not None:
            block.output.dense.weight[:, neuron] = 0


def test_a_sliced_model_has_the_logits_of_one_whose_heads_and_neurons_are_masked(
    checkpoint: Checkpoint,
) -> None:
    whole = predict_logits(checkpoint, TEXTS, 32)
    _silence(checkpoint, 0, head=1, neuron=None)
    for neuron in (0, 7, 63):
        _silence(checkpoint, 1, head=None, neuron=neuron)
    masked = predict_logits(checkpoint, TEXTS, 32)
    neurons = tuple(n for n in range(NEURONS) if n not in (0, 7, 63))
    slicing.cut(checkpoint.model, Kept(((0,), (0, 1)), (ALL_NEURONS[0], neurons)))
    assert slicing.layer_sizes(checkpoint.model) == ((1, 2), (64, 61))
    assert predict_logits(checkpoint, TEXTS, 32) == pytest.approx(masked, abs=1e-5)
    assert np.abs(masked - whole).max() > 0.01


def test_a_model_of_which_nothing_is_removed_stays_as_it_is(checkpoint: Checkpoint) -> None:
    before = copy.deepcopy(checkpoint.model.state_dict())
    model = slicing.cut(checkpoint.model, Kept(ALL_HEADS, ALL_NEURONS))
    assert not slicing.is_pruned(model.config)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_what_is_cut_off_from_the_output_does_not_matter(
    checkpoint: Checkpoint, rows: pd.DataFrame
) -> None:
    _silence(checkpoint, 0, head=1, neuron=9)
    measured = importance.estimate(checkpoint, rows, 32)
    assert measured.heads[0][1] == measured.neurons[0][9] == 0
    assert (np.delete(measured.neurons[0], 9) > 0).all()
    assert (measured.heads[1] > 0).all()


def test_importance_is_how_the_loss_of_a_row_changes_with_a_mask(
    checkpoint: Checkpoint, rows: pd.DataFrame
) -> None:
    row = rows[:1]
    measured = importance.estimate(checkpoint, row, 32)
    weight = slicing.layers(checkpoint.model)[1].output.dense.weight
    step, losses = 0.01, []
    original = weight[:, 4].detach().clone()
    for mask in (1 - step, 1 + step):
        with torch.no_grad():
            weight[:, 4] = mask * original
        not_toxic, toxic = predict_logits(checkpoint, list(row["text"]), 32)[0, :2]
        losses.append(math.log1p(math.exp(not_toxic - toxic)))
    change = abs(losses[1] - losses[0]) / (2 * step)
    assert measured.neurons[1][4] == pytest.approx(change, rel=0.02)


def test_rows_that_pull_in_opposite_directions_do_not_cancel_out(checkpoint: Checkpoint) -> None:
    texts = pd.DataFrame({"text": [TEXTS[0]] * 2, "target": [1.0, 0.0]})
    measured = importance.estimate(checkpoint, texts, 32)
    apart = [importance.estimate(checkpoint, texts[n : n + 1], 32) for n in range(2)]
    mean = np.mean([one.neurons[0] for one in apart], axis=0)
    assert measured.neurons[0] == pytest.approx(mean, rel=1e-4)


def _with_copied_neurons(checkpoint: Checkpoint) -> None:
    """Let the upper half of the neurons of each layer do what the lower half does."""
    half = NEURONS // 2
    with torch.no_grad():
        for block in slicing.layers(checkpoint.model):
            block.intermediate.dense.weight[half:] = block.intermediate.dense.weight[:half]
            block.intermediate.dense.bias[half:] = block.intermediate.dense.bias[:half]


def test_neurons_that_stay_take_over_what_their_doubles_did(checkpoint: Checkpoint) -> None:
    _with_copied_neurons(checkpoint)
    whole = predict_logits(checkpoint, TEXTS, 32)
    lower = (tuple(range(NEURONS // 2)),) * 2
    cut = copy.deepcopy(checkpoint)
    slicing.cut(cut.model, Kept(ALL_HEADS, lower))
    lost = np.abs(predict_logits(cut, TEXTS, 32) - whole).max()
    refitting.refit(checkpoint, TEXTS, 32, Kept(ALL_HEADS, lower))
    slicing.cut(checkpoint.model, Kept(ALL_HEADS, lower))
    assert np.abs(predict_logits(checkpoint, TEXTS, 32) - whole).max() < lost / 10


def test_padding_does_not_change_the_fit(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(((1,), (0, 1)), (tuple(range(40)), tuple(range(50))))
    alone = copy.deepcopy(checkpoint)
    refitting.refit(checkpoint, TEXTS, 32, kept)
    monkeypatch.setattr(refitting, "_BATCH", 1)
    refitting.refit(alone, TEXTS, 32, kept)
    slicing.cut(checkpoint.model, kept)
    slicing.cut(alone.model, kept)
    padded, unpadded = (predict_logits(one, TEXTS, 32) for one in (checkpoint, alone))
    assert padded == pytest.approx(unpadded, abs=1e-3)


def test_a_layer_makes_up_for_what_those_below_it_lost(checkpoint: Checkpoint) -> None:
    lost_above, lost_below = copy.deepcopy(checkpoint), copy.deepcopy(checkpoint)
    half = tuple(range(NEURONS // 2))
    refitting.refit(lost_above, TEXTS, 32, Kept(ALL_HEADS, (ALL_NEURONS[0], half)))
    refitting.refit(lost_below, TEXTS, 32, Kept(ALL_HEADS, (half, ALL_NEURONS[1])))
    before, above, below = (
        [block.output.dense.weight for block in slicing.layers(one.model)]
        for one in (checkpoint, lost_above, lost_below)
    )
    assert torch.allclose(above[0], before[0], atol=1e-5)
    assert (above[1][:, NEURONS // 2 :] == 0).all()
    assert not torch.allclose(below[1], before[1], atol=1e-5)


@given(
    seed=st.integers(0, 1000),
    block=st.integers(1, 5),
    share=st.floats(0, 0.999),
)
def test_neurons_go_in_blocks_that_matter_least(seed: int, block: int, share: float) -> None:
    random = np.random.default_rng(seed)
    scores = [random.random(8 * block) for _ in range(3)]
    kept = keep_most_important(scores, share, block)
    for layer_scores, indices in zip(scores, kept, strict=True):
        assert len(indices) % block == 0
        assert len(indices) > 0
        most_important = np.argsort(-layer_scores)[: len(indices)]
        assert set(indices) == set(most_important.tolist())
    removed = 24 * block - sum(map(len, kept))
    assert abs(removed - share * 24 * block) <= block / 2 or removed == 21 * block


@given(
    seed=st.integers(0, 1000),
    sizes=st.lists(st.integers(1, 8), min_size=1, max_size=4),
    share=st.floats(0, 0.999),
)
def test_the_least_important_go_and_every_layer_keeps_one(
    seed: int, sizes: list[int], share: float
) -> None:
    random = np.random.default_rng(seed)
    scores = [random.random(size) for size in sizes]
    kept = keep_most_important(scores, share)
    assert all(kept)
    count = min(round(share * sum(sizes)), sum(sizes) - len(sizes))
    assert sum(map(len, kept)) == sum(sizes) - count
    gone = [
        score
        for layer, layer_scores in enumerate(scores)
        for index, score in enumerate(layer_scores)
        if index not in kept[layer]
    ]
    not_last = [
        layer_scores[index]
        for layer_scores, indices in zip(scores, kept, strict=True)
        for index in indices
        if index != np.argmax(layer_scores)
    ]
    assert max(gone, default=-1) <= min(not_last, default=math.inf)


def test_a_pruned_checkpoint_is_saved_and_loaded_with_its_sizes(
    checkpoint: Checkpoint, tmp_path: Path
) -> None:
    slicing.cut(checkpoint.model, Kept(((1,), (0, 1)), (tuple(range(40)), ALL_NEURONS[1])))
    checkpoints.save(checkpoint, tmp_path)
    expected = predict_logits(checkpoint, TEXTS, 32)
    for fresh_head in (False, True):
        loaded = checkpoints.load(str(tmp_path), fresh_head=fresh_head, kinds=KINDS)
        assert slicing.layer_sizes(loaded.model) == ((1, 2), (40, 64))
        assert np.array_equal(predict_logits(loaded, TEXTS, 32), expected)


def test_a_pruned_model_can_be_pruned_further(checkpoint: Checkpoint) -> None:
    for kept in (range(50), range(30)):
        slicing.cut(checkpoint.model, Kept(ALL_HEADS, (tuple(kept), tuple(kept))))
    assert slicing.layer_sizes(checkpoint.model) == ((2, 2), (30, 30))


def test_only_bert_is_pruned(tiny_roberta: Path) -> None:
    loaded = checkpoints.load(str(tiny_roberta), fresh_head=False)
    with pytest.raises(CheckpointError, match="only BERT"):
        slicing.layers(loaded.model)


@pytest.mark.long
@pytest.mark.slow
def test_the_served_model_is_pruned_by_what_matters_least_in_it(
    built: tuple[Work, Path], work: Work
) -> None:
    folder = pruning.run(work, MINILM, Settings(0.25, 0.5, rows=50), checkpoint=str(built[1]))
    results = work.record("prune")["results"]
    assert sum(results["heads"]) == 3
    assert sum(results["neurons"]) == 64
    assert results["parameters"]["after"] < results["parameters"]["before"]
    assert results["earlier"][0]["step"] == "train"
    with np.load(work.step("importance") / "scores.npz") as scores:
        kept = keep_most_important([scores[f"neurons {n}"] for n in range(2)], 0.5)
    whole = checkpoints.load(str(work.step("encoder") / "served"), fresh_head=False).model
    pruned = checkpoints.load(str(folder / MODEL), fresh_head=False).model
    for before, after, indices in zip(
        slicing.layers(whole), slicing.layers(pruned), kept, strict=True
    ):
        expected = before.intermediate.dense.weight[list(indices)]
        assert torch.equal(after.intermediate.dense.weight, expected)


@pytest.mark.slow
def test_a_share_of_zero_leaves_the_weights_of_the_checkpoint(
    built: tuple[Work, Path], work: Work
) -> None:
    source = built[0].step("train") / MODEL
    folder = pruning.run(work, MINILM, Settings(rows=20), checkpoint=str(source))
    before = checkpoints.load(str(source), fresh_head=False).model.state_dict()
    after = checkpoints.load(str(folder / MODEL), fresh_head=False).model.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(value, before[name]) for name, value in after.items())


@pytest.mark.slow
def test_the_step_is_skipped_when_up_to_date_and_other_shares_reuse_the_importance(
    built: tuple[Work, Path], work: Work, caplog: pytest.LogCaptureFixture
) -> None:
    source = str(built[0].step("train") / MODEL)
    pruning.run(work, MINILM, Settings(0.25, rows=20), checkpoint=source)
    with caplog.at_level("INFO"):
        pruning.run(work, MINILM, Settings(0.25, rows=20), checkpoint=source)
        assert "prune: up to date" in caplog.text
        caplog.clear()
        pruning.run(work, MINILM, Settings(0.5, rows=20), checkpoint=source)
    assert "importance: up to date" in caplog.text
    assert "prune: finished" in caplog.text


@pytest.mark.long
@pytest.mark.slow
def test_a_pruned_model_is_trained_further_and_taught_by_the_whole_one(
    built: tuple[Work, Path], work: Work
) -> None:
    source = str(built[0].step("train") / MODEL)
    folder = pruning.run(work, MINILM, Settings(0.25, 0.25, rows=20), checkpoint=source)
    sizes = slicing.layer_sizes(checkpoints.load(str(folder / MODEL), fresh_head=False).model)
    student = str(folder / MODEL)
    finetuning.run(work, MINILM, checkpoint=student, training=TRAINING)
    teaching = distillation.Settings((source,), student=student)
    distillation.run(work, MINILM, teaching, training=TRAINING)
    for step in ("train", "distill"):
        trained = checkpoints.load(str(work.step(step) / MODEL), fresh_head=False)
        assert slicing.layer_sizes(trained.model) == sizes
        assert work.record(step)["results"]["auc"] > 0.9
        assert work.record(step)["results"]["earlier"][-1]["step"] == "prune"


def test_a_pruned_teacher_has_no_student_of_every_other_layer(checkpoint: Checkpoint) -> None:
    slicing.cut(checkpoint.model, Kept(((0,), (0,)), ALL_NEURONS))
    with pytest.raises(StepError, match="the teacher is pruned"):
        distillation.every_other_layer(checkpoint)


@pytest.mark.parametrize("settings", [Settings(rows=0), Settings(block=0)])
def test_no_rows_and_empty_blocks_are_refused(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(StepError, match="is too few"):
        pruning.run(Work(tmp_path), MINILM, settings)


@pytest.mark.parametrize("share", [1.0, -0.1, 25.0, math.nan])
def test_what_is_not_a_share_is_refused(share: float, tmp_path: Path) -> None:
    for name, settings in (("heads", Settings(heads=share)), ("neurons", Settings(neurons=share))):
        with pytest.raises(StepError, match=f"--{name} .* is not a share"):
            pruning.run(Work(tmp_path), MINILM, settings)
    assert not any(tmp_path.iterdir())


def test_a_missing_checkpoint_and_missing_rows_are_reported(tmp_path: Path) -> None:
    with pytest.raises(StepError, match="is not a folder"):
        pruning.run(Work(tmp_path), MINILM, Settings(0.1), checkpoint=str(tmp_path / "none"))
    with pytest.raises(StepError, match="model_build data"):
        pruning.run(Work(tmp_path / "work"), MINILM, Settings(0.1), checkpoint=str(tmp_path))
    with pytest.raises(StepError, match="--rows 0 is too few"):
        pruning.run(Work(tmp_path), MINILM, Settings(0.1, rows=0))
