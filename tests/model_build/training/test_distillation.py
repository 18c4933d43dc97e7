"""A student learns the predictions of its teachers."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import pandas as pd

from model_build.profile import MINILM, Training
from model_build.rows import dataset
from model_build.rows.kinds import COLUMNS
from model_build.training import averaging, checkpoint, distillation, finetuning
from model_build.training.loop import predict_logits
from model_build.work import MODEL, StepError, Work

TRAINING = Training(learning_rate=3e-3, layer_decay=1.0, epochs=2, batch_size=32, max_tokens=32)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory, texts: Path, tiny_bert: Path) -> Work:
    """Return a work folder with rows and a trained teacher."""
    work = Work(tmp_path_factory.mktemp("distill"))
    dataset.run(work, dataset.Settings((str(texts),), templates=0, written=False))
    longer = dataclasses.replace(TRAINING, epochs=6, patience=99)
    finetuning.run(work, MINILM, checkpoint=str(tiny_bert), training=longer)
    return work


@pytest.mark.long
@pytest.mark.slow
def test_a_student_with_every_other_layer_learns_from_two_teachers(
    work: Work, caplog: pytest.LogCaptureFixture
) -> None:
    teacher = str(work.step("train") / MODEL)
    settings = distillation.Settings((teacher, teacher), student=distillation.EVERY_OTHER)
    folder = distillation.run(work, MINILM, settings, training=TRAINING)
    student = checkpoint.load(str(folder / MODEL), fresh_head=False)
    assert student.model.config.num_hidden_layers == 1
    assert work.record("distill")["results"]["auc"] > 0.85
    with caplog.at_level("INFO"):
        distillation.run(work, MINILM, settings, training=TRAINING, force=True)
    assert "using its cached logits" in caplog.text


@pytest.mark.long
@pytest.mark.slow
def test_a_student_can_start_from_a_checkpoint(work: Work, tiny_bert: Path) -> None:
    teacher = str(work.step("train") / MODEL)
    settings = distillation.Settings((teacher,), student=str(tiny_bert), alpha=1.0)
    brief = dataclasses.replace(TRAINING, epochs=0.2)
    folder = distillation.run(work, MINILM, settings, training=brief)
    student = checkpoint.load(str(folder / MODEL), fresh_head=False)
    assert student.model.config.num_hidden_layers == 2
    assert student.labels == checkpoint.LABELS


@pytest.mark.slow
def test_a_model_that_teaches_itself_stays_close_to_what_it_was(work: Work) -> None:
    teacher = str(work.step("train") / MODEL)
    settings = distillation.Settings((teacher,), student=distillation.SAME, alpha=1.0, max_rows=64)
    gentle = dataclasses.replace(TRAINING, learning_rate=1e-4)
    folder = distillation.run(work, MINILM, settings, training=gentle)
    texts = ["thanks for the review", "you are a worthless idiot"]
    before, after = (
        predict_logits(checkpoint.load(name, fresh_head=False), texts, 32)
        for name in (teacher, str(folder / MODEL))
    )
    assert after == pytest.approx(before, abs=0.3)
    results = work.record("distill")["results"]
    assert results["steps"] == 2 * 64 / 32
    assert results["earlier"][0]["step"] == "train"


@pytest.mark.slow
@pytest.mark.parametrize("student", [distillation.SAME, distillation.EVERY_OTHER])
def test_a_folder_that_the_bot_serves_can_teach(
    work: Work, built: tuple[Work, Path], student: str
) -> None:
    _, folder = built
    settings = distillation.Settings((str(folder),), student=student)
    brief = dataclasses.replace(TRAINING, epochs=0.2)
    distillation.run(work, MINILM, settings, training=brief, force=True)
    results = work.record("distill")["results"]
    assert results["steps"] > 0
    assert (results["checkpoint"] == MINILM.checkpoint) == (student != distillation.SAME)


def test_rows_that_show_no_kind_can_be_few() -> None:
    rows = pd.DataFrame({"text": [str(number) for number in range(40)]})
    rows = rows.assign(**dict.fromkeys(COLUMNS, np.nan))
    rows.loc[:9, "kind_threat"] = 1.0
    rows.loc[10:19, "kind_threat"] = 0.0
    settings = distillation.Settings(("teacher",), max_rows_without_kinds=8)
    few = distillation.sample(rows, settings, seed=1)
    assert few["kind_threat"].eq(1).sum() == 10
    assert len(few) == 18
    assert len(distillation.sample(rows, distillation.Settings(("teacher",)), seed=1)) == 40


@pytest.mark.parametrize("columns", [(), COLUMNS])
def test_rows_without_kinds_cannot_be_few_where_there_are_no_others(
    columns: tuple[str, ...],
) -> None:
    rows = pd.DataFrame({"text": ["a", "b"]}).assign(**dict.fromkeys(columns, 0.0))
    settings = distillation.Settings(("teacher",), max_rows_without_kinds=1)
    with pytest.raises(StepError, match="leave out --without-kinds"):
        distillation.sample(rows, settings, seed=1)


@pytest.mark.slow
def test_a_specialist_alone_teaches_the_rows_of_its_source(work: Work) -> None:
    teacher, specialist = str(work.step("train") / MODEL), str(work.folder / "specialist")
    other = checkpoint.load(teacher, fresh_head=False)
    other.model.classifier.weight.data.neg_()  # predicts the opposite of everything
    checkpoint.save(other, Path(specialist))
    rows = pd.DataFrame(
        {
            "text": ["thanks for the review", "you are a worthless idiot"] * 2,
            "source": ["talk", "talk", "tweets", "tweets"],
        }
    )
    settings = distillation.Settings((teacher,), alpha=0.5, specialists=(("tweets", specialist),))
    targets = distillation.compute_soft_targets(settings, rows, TRAINING, work.folder)
    assert list(targets.alpha) == [0.5, 0.5, 1, 1]
    assert targets.probabilities[0] < 0.5 < targets.probabilities[1]
    assert targets.probabilities[3] < targets.probabilities[2]
    with pytest.raises(StepError, match="no training row is from mail"):
        distillation.compute_soft_targets(
            dataclasses.replace(settings, specialists=(("mail", specialist),)),
            rows,
            TRAINING,
            work.folder,
        )


@pytest.mark.slow
def test_a_teacher_of_one_language_joins_the_others_on_its_rows_alone(work: Work) -> None:
    teacher, english = str(work.step("train") / MODEL), str(work.folder / "english")
    other = checkpoint.load(teacher, fresh_head=False)
    other.model.classifier.weight.data.neg_()
    other.model.classifier.bias.data.neg_()  # the mean of the two is 0.5
    checkpoint.save(other, Path(english))
    rows = pd.DataFrame({"text": ["you are a worthless idiot"] * 2, "lang": ["en", "de"]})
    settings = distillation.Settings((teacher,), in_language=(("en", english),))
    targets = distillation.compute_soft_targets(settings, rows, TRAINING, work.folder)
    assert targets.probabilities[0] == pytest.approx(0.5, abs=1e-4)
    assert targets.probabilities[1] > 0.6
    with pytest.raises(StepError, match="no training row is in fr"):
        distillation.compute_soft_targets(
            dataclasses.replace(settings, in_language=(("fr", english),)),
            rows,
            TRAINING,
            work.folder,
        )


@pytest.mark.slow
def test_labels_of_our_own_are_trusted_where_the_teachers_err(work: Work, tmp_path: Path) -> None:
    teacher = str(work.step("train") / MODEL)
    texts = ["you are a worthless idiot", "thanks for the review"] * 2
    rows = pd.DataFrame({"text": texts, "target": [1.0, 0.0, 0.0, 1.0], "strict": [1, 0, 0, 1]})
    rows = rows.assign(source=["de_written", "talk", "de_written", "talk"], read=False)
    rows.loc[3, "read"] = True
    settings = distillation.Settings((teacher,), trusts_labels=True)
    targets = distillation.compute_soft_targets(settings, rows, TRAINING, tmp_path)
    assert list(targets.alpha) == pytest.approx([0.7, 0.7, 0, 0])
    foreign = rows.assign(source="talk", read=False)
    targets = distillation.compute_soft_targets(settings, foreign, TRAINING, tmp_path)
    assert targets.alpha == pytest.approx(0.7)


@pytest.mark.slow
def test_teachers_that_tell_the_kinds_apart_teach_them_too(
    work: Work, tiny_bert: Path, tmp_path: Path
) -> None:
    teacher, ignorant = str(work.step("train") / MODEL), str(tmp_path / "ignorant")
    checkpoint.save(checkpoint.load(str(tiny_bert), fresh_head=True), tmp_path / "ignorant")
    teaching = checkpoint.load(teacher, fresh_head=False)
    kinds = teaching.kinds
    rows = pd.DataFrame({"text": ["you are a worthless idiot", "thanks"], "source": "talk"})
    settings = distillation.Settings((teacher, ignorant), teaches_kinds=True)
    targets = distillation.compute_soft_targets(settings, rows, TRAINING, tmp_path, kinds)
    logits = predict_logits(teaching, list(rows["text"]), 32)
    expected = 1 / (1 + np.exp(-logits[:, 2:]))
    assert targets.kinds == pytest.approx(expected, abs=1e-4)
    cached = distillation.compute_soft_targets(settings, rows, TRAINING, tmp_path, kinds)
    assert cached.kinds == pytest.approx(targets.kinds)
    settings = dataclasses.replace(settings, teachers=(ignorant,))
    refused = tmp_path / "refused"
    refused.mkdir()
    with pytest.raises(StepError, match="no teacher of all rows tells these kinds apart: insult"):
        distillation.compute_soft_targets(settings, rows, TRAINING, refused, kinds)
    assert not any(refused.iterdir())  # It was asked nothing first.


@pytest.mark.slow
def test_a_student_learns_from_its_teacher_what_rows_without_a_label_are(
    work: Work, tiny_bert: Path
) -> None:
    alone = Work(work.folder / "unlabeled")
    alone.step("data").mkdir(parents=True)
    rows = pd.read_parquet(work.require("data", "train.parquet"))
    for file, part in (("train.parquet", rows.head(32)), (dataset.UNLABELED, rows.tail(-32))):
        weight = part["weight"] if file == "train.parquet" else 0.0
        part.assign(weight=weight).to_parquet(alone.step("data") / file, index=False)
    validation = pd.read_parquet(work.require("data", "validation.parquet"))
    validation.to_parquet(alone.step("data") / "validation.parquet", index=False)
    teacher = str(work.step("train") / MODEL)
    settings = distillation.Settings((teacher,), student=str(tiny_bert), alpha=0.9)
    longer = dataclasses.replace(TRAINING, epochs=6, patience=99)
    distillation.run(alone, MINILM, settings, training=longer)
    results = alone.record("distill")["results"]
    assert results["steps"] == 6 * -(-len(rows) // 32)
    assert results["auc"] > 0.85


@pytest.mark.parametrize(
    ("student", "expected"),
    [
        (None, MINILM.training),
        (distillation.EVERY_OTHER, MINILM.training),
        (distillation.SAME, MINILM.continued_training),
    ],
)
def test_only_a_student_that_is_its_own_teacher_gets_gentler_training(
    student: str | None, expected: Training
) -> None:
    settings = distillation.Settings(("teacher",), student=student)
    assert distillation.default_training(MINILM, settings) == expected


def test_the_student_has_the_weights_of_every_other_layer(tiny_roberta: Path) -> None:
    teacher = checkpoint.load(str(tiny_roberta), fresh_head=False)
    student = distillation.every_other_layer(teacher)
    teacher_state, student_state = teacher.model.state_dict(), student.model.state_dict()
    assert set(student_state) < set(teacher_state)
    for name, value in student_state.items():
        assert (value == teacher_state[name]).all()
    with pytest.raises(StepError, match="one layer"):
        distillation.every_other_layer(student)


@pytest.mark.slow
def test_distillation_without_a_teacher_asks_for_one(work: Work) -> None:
    with pytest.raises(StepError, match="--teacher"):
        distillation.run(work, MINILM, distillation.Settings(()))


@pytest.mark.slow
def test_an_average_lies_between_its_checkpoints(work: Work, tiny_bert: Path) -> None:
    brief = dataclasses.replace(TRAINING, epochs=0.2)
    other = Work(work.folder / "other")
    data_folder = other.step("data")
    data_folder.parent.mkdir()
    data_folder.symlink_to(work.step("data"))
    finetuning.run(other, MINILM, checkpoint=str(tiny_bert), training=brief)
    names = tuple(str(w.step("train") / MODEL) for w in (work, other))
    folder = averaging.run(work, names)
    first, second, mean = (
        checkpoint.load(name, fresh_head=False).model.classifier.weight
        for name in (*names, str(folder / MODEL))
    )
    assert mean.detach().numpy() == pytest.approx(((first + second) / 2).detach().numpy())
    with pytest.raises(StepError, match="at least two"):
        averaging.run(work, names[:1])
