"""A student learns what its teachers say."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from model_build.profile import MINILM, Training
from model_build.rows import dataset as data
from model_build.training import averaging as average
from model_build.training import checkpoint
from model_build.training import distillation as distill
from model_build.training import finetuning as train
from model_build.training.loop import logits
from model_build.work import MODEL, StepError, Work

TRAINING = Training(rate=3e-3, decay=1.0, epochs=2, batch=32, tokens=32)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory, texts: Path, tiny_bert: Path) -> Work:
    """Return a work folder with rows and a trained teacher in it."""
    made = Work(tmp_path_factory.mktemp("distill"))
    data.run(made, data.Settings((str(texts),), templates=False))
    train.run(made, MINILM, checkpoint=str(tiny_bert), training=TRAINING)
    return made


def test_a_student_of_every_other_layer_learns_from_two_teachers(
    work: Work, caplog: pytest.LogCaptureFixture
) -> None:
    teacher = str(work.step("train") / MODEL)
    settings = distill.Settings((teacher, teacher), student=distill.EVERY_OTHER)
    folder = distill.run(work, MINILM, settings, training=TRAINING)
    student = checkpoint.load(str(folder / MODEL), fresh_head=False)
    assert student.model.config.num_hidden_layers == 1
    assert work.record("distill")["results"]["auc"] > 0.85
    with caplog.at_level("INFO"):
        distill.run(work, MINILM, settings, training=TRAINING, force=True)
    assert "its logits were kept" in caplog.text


def test_a_student_may_start_from_a_checkpoint(work: Work, tiny_bert: Path) -> None:
    teacher = str(work.step("train") / MODEL)
    settings = distill.Settings((teacher,), student=str(tiny_bert), share=1.0)
    once = dataclasses.replace(TRAINING, epochs=0.2)
    folder = distill.run(work, MINILM, settings, training=once)
    student = checkpoint.load(str(folder / MODEL), fresh_head=False)
    assert student.model.config.num_hidden_layers == 2
    assert student.labels == checkpoint.LABELS


def test_a_model_taught_by_itself_stays_where_it_is_and_learns_to_be_rounded(work: Work) -> None:
    teacher = str(work.step("train") / MODEL)
    settings = distill.Settings((teacher,), student=distill.SAME, share=1.0, rows=64)
    gentle = dataclasses.replace(TRAINING, rate=1e-4)
    folder = distill.run(work, MINILM, settings, training=gentle)
    texts = ["thanks for the review", "you are a worthless idiot"]
    before, after = (
        logits(checkpoint.load(name, fresh_head=False), texts, 32)
        for name in (teacher, str(folder / MODEL))
    )
    assert after == pytest.approx(before, abs=0.3)
    results = work.record("distill")["results"]
    assert results["steps"] == 2 * 64 / 32
    assert results["earlier"][0]["step"] == "train"


def test_a_specialists_word_alone_counts_for_its_source(work: Work) -> None:
    teacher, specialist = str(work.step("train") / MODEL), str(work.folder / "specialist")
    other = checkpoint.load(teacher, fresh_head=False)
    other.model.classifier.weight.data.neg_()  # who says the contrary of everything
    checkpoint.save(other, Path(specialist))
    rows = pd.DataFrame(
        {"text": ["thanks a lot", "you idiot"] * 2, "source": ["talk", "talk", "tweets", "tweets"]}
    )
    settings = distill.Settings((teacher,), share=0.5, specialists=(("tweets", specialist),))
    taught = distill.teaching(settings, rows, TRAINING, work.folder)
    assert list(taught.shares) == [0.5, 0.5, 1, 1]
    assert taught.probabilities[0] < 0.5 < taught.probabilities[1]
    assert taught.probabilities[3] < taught.probabilities[2]
    with pytest.raises(StepError, match="no row to learn from is of the source mail"):
        distill.teaching(
            dataclasses.replace(settings, specialists=(("mail", specialist),)),
            rows,
            TRAINING,
            work.folder,
        )


@pytest.mark.parametrize(
    ("student", "expected"),
    [
        (None, MINILM.training),
        (distill.EVERY_OTHER, MINILM.training),
        (distill.SAME, MINILM.refining),
    ],
)
def test_only_a_whole_teacher_is_refined_any_other_student_is_trained(
    student: str | None, expected: Training
) -> None:
    assert distill.usual(MINILM, distill.Settings(("teacher",), student=student)) == expected


def test_every_other_layer_is_the_teachers_own(tiny_roberta: Path) -> None:
    teacher = checkpoint.load(str(tiny_roberta), fresh_head=False)
    student = distill.every_other(teacher)
    theirs, ours = teacher.model.state_dict(), student.model.state_dict()
    assert set(ours) < set(theirs)
    for name, value in ours.items():
        assert (value == theirs[name]).all()
    with pytest.raises(StepError, match="one layer"):
        distill.every_other(student)


def test_a_teacher_has_to_be_named(work: Work) -> None:
    with pytest.raises(StepError, match="--teacher"):
        distill.run(work, MINILM, distill.Settings(()))


def test_an_average_lies_between_its_checkpoints(work: Work, tiny_bert: Path) -> None:
    once = dataclasses.replace(TRAINING, epochs=0.2)
    other = Work(work.folder / "other")
    data_folder = other.step("data")
    data_folder.parent.mkdir()
    data_folder.symlink_to(work.step("data"))
    train.run(other, MINILM, checkpoint=str(tiny_bert), training=once)
    names = tuple(str(w.step("train") / MODEL) for w in (work, other))
    folder = average.run(work, names)
    first, second, mean = (
        checkpoint.load(name, fresh_head=False).model.classifier.weight
        for name in (*names, str(folder / MODEL))
    )
    assert mean.detach().numpy() == pytest.approx(((first + second) / 2).detach().numpy())
    with pytest.raises(StepError, match="at least two"):
        average.run(work, names[:1])
