"""A checkpoint and labelled texts become a folder that the handler serves."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import pandas as pd

from judge.classifier import load
from model_build import build
from model_build.evaluation import comparison as evaluate
from model_build.evaluation import latency as benchmark
from model_build.graph.parity import TOLERANCE
from model_build.graph.quantization import halve
from model_build.graph.runner import OnnxGraph
from model_build.profile import DISTILROBERTA, MINILM, Training
from model_build.rows import dataset as data
from model_build.rows.reading import DataError, read
from model_build.training import distillation as distill
from model_build.training import finetuning as train
from model_build.training.checkpoint import load as load_checkpoint
from model_build.training.pretrained import CheckpointError
from model_build.training.vocabulary import prune
from model_build.work import StepError, Work

TRAINING = Training(rate=3e-3, decay=1.0, epochs=6, batch=32, tokens=32)
TINY_BERT = dataclasses.replace(MINILM, window=64)
TINY_ROBERTA = dataclasses.replace(DISTILROBERTA, window=64)


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory, texts: Path, tiny_bert: Path
) -> tuple[Work, Path]:
    folder = tmp_path_factory.mktemp("built")
    work = Work(folder / "work")
    return work, _build(work, folder / "model", texts, tiny_bert)


def _build(
    work: Work,
    output: Path,
    texts: Path,
    checkpoint: Path,
    teaching: distill.Settings | None = None,
) -> Path:
    return build.run(
        work,
        TINY_BERT,
        output,
        settings=data.Settings((str(texts),), templates=False),
        checkpoint=str(checkpoint),
        training=TRAINING,
        teaching=teaching,
    )


def test_the_handler_serves_what_was_built(built: tuple[Work, Path]) -> None:
    classifier = load(built[1])
    assert classifier.classify("you are a worthless idiot").score > 0.5
    assert classifier.classify("thanks for the review").score < 0.5
    assert classifier.classify("thanks " * 400).windows > 1


def test_every_graph_answers_as_pytorch_does(built: tuple[Work, Path]) -> None:
    for step in ("export", "optimize"):
        assert built[0].record(step)["results"]["parity"] < TOLERANCE
    fused = built[0].record("optimize")["results"]["fused"]
    assert fused["Attention"] == 2
    assert fused["nodes for the first token alone"] >= 4


def test_the_graph_in_16_bits_answers_as_the_one_in_32(
    built: tuple[Work, Path], tmp_path: Path
) -> None:
    source = built[0].step("optimize") / "model.onnx"
    halve(source, tmp_path / "half.onnx")
    ids = np.array([[2, 17, 40, 5, 3]])
    assert OnnxGraph(tmp_path / "half.onnx").run(ids) == pytest.approx(
        OnnxGraph(source).run(ids), abs=0.02
    )
    assert (tmp_path / "half.onnx").stat().st_size < 0.8 * source.stat().st_size


def test_the_folder_says_where_it_comes_from(built: tuple[Work, Path]) -> None:
    config = json.loads((built[1] / "config.json").read_text())
    assert config["metrics"]["test"]["talk"]["AUC"] > 0.9
    assert 0 < config["threshold"] < 1
    assert config["provenance"]["settings"]["train"]["training"]["epochs"] == 6
    card = (built[1] / "README.md").read_text()
    assert "toxic-minilm-l6" in card
    assert "| talk |" in card


def test_a_second_leg_of_training_remembers_the_first(
    built: tuple[Work, Path], tmp_path: Path
) -> None:
    work = Work(tmp_path)
    shutil.copytree(built[0].step("data"), work.step("data"))
    first = built[0].step("train") / "model"
    leg = dataclasses.replace(TRAINING, epochs=0.1)
    train.run(work, TINY_BERT, checkpoint=str(first), training=leg)
    [earlier] = work.record("train")["results"]["earlier"]
    assert earlier["settings"]["training"]["epochs"] == 6
    assert earlier["results"]["steps"] > work.record("train")["results"]["steps"]


def test_a_build_with_a_teacher_serves_what_was_taught(
    built: tuple[Work, Path], texts: Path, tiny_bert: Path, tmp_path: Path
) -> None:
    work = Work(tmp_path / "work")
    for step in ("data", "train"):
        shutil.copytree(built[0].step(step), work.step(step))
    trained = built[0].step("train") / "model"
    teaching = distill.Settings((str(trained),), rows=32)
    output = _build(work, tmp_path / "model", texts, tiny_bert, teaching)
    assert len(list(work.step("distill").glob("teacher-*.npz"))) == 1  # the two are the same
    assert work.record("train") == built[0].record("train")
    provenance = json.loads((output / "config.json").read_text())["provenance"]
    assert provenance["made_from"] == "distill"
    assert load(output).classify("you are a worthless idiot").score > 0.5


def test_an_evaluation_holds_figures_plots_and_mistakes(built: tuple[Work, Path]) -> None:
    settings = evaluate.Settings(resamples=20, peers=False)
    folder = evaluate.run(built[0], built[1], settings)
    found = json.loads((folder / "figures.json").read_text())
    auc = found["judges"]["int8"]["all"]["AUC"]
    assert auc["low"] <= auc["value"] <= auc["high"]
    assert found["int8 against fp32"]["verdicts flipped"] < 0.05
    assert found["calibration error"]["after"]["value"] is not None
    for name in ("curves.png", "calibration.png", "scores.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    assert "Called toxic, but are not" in (folder / "mistakes.md").read_text()


def test_the_ladder_has_a_rung_for_every_form(built: tuple[Work, Path]) -> None:
    settings = benchmark.Settings(tokens=(12,), threads=(1,), rounds=1, seconds=0.01)
    folder = benchmark.run(built[0], settings)
    ladder = json.loads((folder / "ladder.json").read_text())["ladder"]
    assert list(ladder) == list(benchmark.CANDIDATES)
    assert ladder["PyTorch fp32"]["shapes"]["12 tokens, batch 1, 1 threads"]["ratio"] == 1
    assert ladder["ONNX Runtime int8"]["file MB"] <= ladder["ONNX Runtime fp32"]["file MB"]
    assert (folder / "ladder.png").read_bytes().startswith(b"\x89PNG")


def test_a_second_build_does_nothing_and_a_forced_one_gives_the_same_verdicts(
    built: tuple[Work, Path], texts: Path, tiny_bert: Path, tmp_path: Path
) -> None:
    work, output = built
    before = {name: work.record(name) for name in ("data", "train", "export", "quantize")}
    _build(work, output, texts, tiny_bert)
    assert {name: work.record(name) for name in before} == before
    again = _build(Work(tmp_path / "work"), tmp_path / "model", texts, tiny_bert)
    first, second = load(output), load(again)
    for text in ("you idiot", "thanks", "kill the process", "I will hurt you", "see you at lunch"):
        assert first.classify(text).score == pytest.approx(second.classify(text).score, abs=1e-6)


def test_a_checkpoint_of_the_reference_model_is_served_without_training(
    tmp_path: Path, tiny_roberta: Path
) -> None:
    work = Work(tmp_path / "work")
    output = build.run(work, TINY_ROBERTA, tmp_path / "model", checkpoint=str(tiny_roberta))
    assert work.record("export")["results"]["parity"] < TOLERANCE
    assert work.record("optimize")["results"]["parity"] < TOLERANCE
    fused = work.record("optimize")["results"]["fused"]
    assert fused["Attention"] == 2
    assert fused["nodes for the first token alone"] >= 4
    classifier = load(output)
    assert classifier.config.toxic_labels == ("HATE",)
    assert len({classifier.classify(t).score for t in ("hello", "you idiot", "good bye")}) == 3


def test_a_smaller_vocabulary_gives_ascii_texts_the_same_logits(tiny_bert: Path) -> None:
    from model_build.training.loop import logits

    whole = load_checkpoint(str(tiny_bert), fresh_head=True)
    texts = ["thanks for the patch", "you stupid idiot", "x", "kill -9 4242 & go"]
    expected = logits(whole, texts, 32)
    smaller = prune(whole)
    assert "日" not in smaller.tokenizer.get_vocab()
    assert smaller.model.config.vocab_size == smaller.tokenizer.get_vocab_size()
    assert logits(smaller, texts, 32) == pytest.approx(expected, abs=1e-5)


def test_no_test_text_is_trained_on(tmp_path: Path) -> None:
    rows = [
        {"text": f"Sentence {n % 40}", "label": n % 2, "split": "test" if n < 20 else "train"}
        for n in range(120)
    ] + [{"text": f"you fool {n}", "label": 1, "split": "train"} for n in range(9)]
    pd.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
    work = Work(tmp_path / "work")
    folder = data.run(work, data.Settings((str(tmp_path),), templates=False, disguises=0))
    train = set(pd.read_parquet(folder / "train.parquet")["text"].str.lower())
    test = set(pd.read_parquet(folder / "test.parquet")["text"].str.lower())
    assert test
    assert not train & test


def test_a_long_benign_text_is_trained_on_piece_by_piece(tmp_path: Path) -> None:
    rows = [
        {"text": " ".join(f"{start}{word}" for word in range(200)), "label": label}
        for start, label in (("fine", 0), ("bad", 1))
    ]
    pd.DataFrame(rows).assign(split="train").to_csv(tmp_path / "rows.csv", index=False)
    settings = data.Settings((str(tmp_path),), templates=False, disguises=0)
    made = pd.read_parquet(data.run(Work(tmp_path / "work"), settings) / "train.parquet")
    assert len(made[made["target"] == 1]) == 1
    benign = list(made.loc[made["target"] == 0, "text"])
    assert len(benign) == 3
    assert any("fine199" in text and "fine0 " not in text for text in benign)


@pytest.mark.parametrize(("own_labels", "toxic"), [(False, 1), (True, 2)])
def test_one_source_may_be_taken_by_its_own_labels(
    tmp_path: Path, own_labels: bool, toxic: int
) -> None:
    rows = [
        {"text": f"{source} {n}", "label": n % 2, "strict_label": int(n == 1), "source": source}
        for source in ("one", "other")
        for n in range(4)
    ]
    pd.DataFrame(rows).assign(split="train").to_csv(tmp_path / "rows.csv", index=False)
    settings = data.Settings(
        (str(tmp_path),), templates=False, disguises=0, only=("one",), own_labels=own_labels
    )
    made = pd.read_parquet(data.run(Work(tmp_path / "work"), settings) / "train.parquet")
    assert set(made["source"]) == {"one"}
    assert made["target"].sum() == toxic


def test_a_source_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "talk.csv").write_text("text,label\nhello,0\nyou fool,1\n")
    with pytest.raises(DataError, match="no source is called tweets: there are talk"):
        data.run(Work(tmp_path / "work"), data.Settings((str(tmp_path),), only=("tweets",)))


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("rows.csv", "text,verdict\nhello,1\n", "no column label"),
        ("rows.csv", "text,label\nhello,7\n", "0 or 1"),
        ("rows.csv", "text,label,split\nhello,1,dev\n", "split is one of"),
        ("rows.jsonl", '{"text": "hello"', "cannot be read"),
        ("rows.parquet", "no parquet", "cannot be read"),
        ("rows.txt", "hello", "holds no"),
    ],
)
def test_bad_data_is_refused_in_one_line(
    tmp_path: Path, name: str, content: str, told: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=told) as refused:
        read([tmp_path])
    assert "\n" not in str(refused.value)


def test_what_is_no_checkpoint_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no checkpoint") as refused:
        load_checkpoint(str(tmp_path), fresh_head=False)
    assert "\n" not in str(refused.value)


def test_a_step_names_the_step_it_waits_for(tmp_path: Path) -> None:
    from model_build.graph import export

    with pytest.raises(StepError, match="model_build train"):
        export.run(Work(tmp_path))
