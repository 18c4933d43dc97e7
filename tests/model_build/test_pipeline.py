"""The whole pipeline, from a tiny checkpoint and labeled texts to a model folder."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import onnx
import pandas as pd
import torch

from model_build import build
from model_build.evaluation import comparison, exit_rules, latency
from model_build.graph import export, kinds_head, optimization, quantization
from model_build.graph.parity import TOLERANCE
from model_build.graph.quantization import convert_to_fp16
from model_build.graph.runner import OnnxGraph
from model_build.package import recalibration, relearning, second_opinion
from model_build.profile import DISTILROBERTA
from model_build.rows import dataset
from model_build.rows.kinds import KINDS
from model_build.rows.reading import DataError, read
from model_build.training import distillation, finetuning
from model_build.training.checkpoint import load as load_checkpoint
from model_build.training.pretrained import CheckpointError
from model_build.training.vocabulary import prune
from model_build.work import GRAPH, StepError, Work
from tests.model_build.tiny import TINY_BERT, TRAINING, build_tiny
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import MULTILINGUAL_FOLDER
from toxic_bot.judge.errors import ModelError

TINY_ROBERTA = dataclasses.replace(DISTILROBERTA, window=64)


def assert_ranks(classifier: Classifier) -> None:
    """Assert that an insult scores far above thanks; a tiny model's threshold means little."""
    texts = ("you are a worthless idiot", "thanks for the review")
    insult, thanks = (classifier.classify(text).score for text in texts)
    assert insult is not None
    assert thanks is not None
    assert insult > thanks + 0.3


@pytest.mark.slow
def test_the_classifier_loads_and_uses_the_built_model(built: tuple[Work, Path]) -> None:
    classifier = load(built[1])
    assert_ranks(classifier)
    assert classifier.classify("thanks " * 400).windows > 1


@pytest.mark.slow
def test_every_graph_has_the_same_logits_as_pytorch(built: tuple[Work, Path]) -> None:
    for step in ("export", "optimize"):
        assert built[0].record(step)["results"]["parity"] < TOLERANCE
    fused = built[0].record("optimize")["results"]["fused"]
    assert fused["Attention"] == 2
    assert fused["nodes for the first token alone"] >= 4


@pytest.mark.long
@pytest.mark.slow
def test_the_fp16_graph_has_nearly_the_same_logits_as_the_fp32_graph(
    built: tuple[Work, Path], tmp_path: Path
) -> None:
    source = built[0].step("optimize") / "model.onnx"
    convert_to_fp16(source, tmp_path / "fp16.onnx")
    ids = np.array([[2, 17, 40, 5, 3]])
    assert OnnxGraph(tmp_path / "fp16.onnx").run(ids) == pytest.approx(
        OnnxGraph(source).run(ids), abs=0.02
    )
    assert (tmp_path / "fp16.onnx").stat().st_size < 0.8 * source.stat().st_size


@pytest.mark.slow
def test_the_model_folder_documents_its_origin(built: tuple[Work, Path]) -> None:
    config = json.loads((built[1] / "config.json").read_text())
    assert config["metrics"]["test"]["talk"]["AUC"] > 0.9
    assert config["temperature"] > 0
    assert config["thresholds"]["balanced"] == 0.5 <= config["thresholds"]["cautious"]
    assert [kind["name"] for kind in config["kinds"]] == list(KINDS)
    assert config["metrics"]["curve"]
    assert config["provenance"]["settings"]["train"]["training"]["epochs"] == 6
    card = (built[1] / "README.md").read_text()
    assert "toxic-minilm-l6" in card
    assert "| talk |" in card


@pytest.mark.slow
def test_the_tokenizer_is_stored_without_indentation(built: tuple[Work, Path]) -> None:
    served = (built[1] / "tokenizer.json").read_text("utf-8")
    trained = (built[0].step("train") / "model" / "tokenizer.json").read_text("utf-8")
    assert "\n" not in served
    assert json.loads(served) == json.loads(trained)


@pytest.mark.long
@pytest.mark.slow
def test_texts_leave_the_graph_early_only_if_verdicts_may_change(
    built: tuple[Work, Path], tiny_bert: Path, tmp_path: Path
) -> None:
    work = Work(tmp_path / "work")
    shutil.copytree(built[0].step("data"), work.step("data"))
    training = dataclasses.replace(TRAINING, epochs=1, exits=True)
    finetuning.run(work, TINY_BERT, checkpoint=str(tiny_bert), training=training)
    export.run(work)
    optimization.run(work)
    quantization.run(work)
    kinds_head.run(work)
    exit_rules.run(work)
    assert _branches(work.step("early-exit") / GRAPH) == 0
    exit_rules.run(work, max_changed=0.5)
    assert len(work.record("early-exit")["results"]["rules"]) > 0
    assert _branches(work.step("early-exit") / GRAPH) == 1
    with pytest.raises(StepError, match="not a share"):
        exit_rules.run(work, max_changed=5)


def _branches(graph: Path) -> int:
    return sum(node.op_type == "If" for node in onnx.load(str(graph)).graph.node)


@pytest.mark.long
@pytest.mark.slow
def test_the_kinds_of_a_model_folder_are_learned_anew_and_its_scores_stay(
    built: tuple[Work, Path], tmp_path: Path
) -> None:
    relearning.run(built[0], built[1], tmp_path / "model")
    before, after = load(built[1]), load(tmp_path / "model")
    for text in ("you are a worthless idiot", "thanks for the review"):
        assert after.classify(text).score == before.classify(text).score
    assert [kind.name for kind in after.config.kinds] == list(KINDS)
    assert (tmp_path / "model" / "README.md").exists()


@pytest.mark.long
@pytest.mark.slow
def test_a_model_folder_is_calibrated_again_as_it_was_at_first(
    built: tuple[Work, Path], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(built[1], tmp_path / "model"))
    config = json.loads((folder / "config.json").read_bytes())
    first = load(folder).config
    (folder / "config.json").write_text(json.dumps(config | {"offset": 3.0, "temperature": 0.5}))
    again = recalibration.run(built[0], folder)
    assert again == first
    assert again.offset != 3.0
    assert load(folder).config == first


@pytest.mark.long
@pytest.mark.slow
def test_a_second_opinion_is_calibrated_and_documented(
    built: tuple[Work, Path], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(built[1], tmp_path / "model"))
    with pytest.raises(ModelError, match="multilingual is missing"):
        second_opinion.run(built[0], folder)
    shutil.copytree(built[1], folder / MULTILINGUAL_FOLDER)
    opinion = second_opinion.run(built[0], folder)
    classifier = load(folder)
    assert classifier.config.second_opinion == opinion
    assert 0 < opinion.weight < 1
    assert_ranks(classifier)
    assert f"from a score of {opinion.lowest} on" in (folder / "README.md").read_text()
    # Judged twice by one model: fitting it again changes nothing.
    assert second_opinion.run(built[0], folder) == opinion


@pytest.mark.long
def test_a_second_training_run_records_the_first(built: tuple[Work, Path], tmp_path: Path) -> None:
    work = Work(tmp_path)
    shutil.copytree(built[0].step("data"), work.step("data"))
    first = built[0].step("train") / "model"
    brief = dataclasses.replace(TRAINING, epochs=0.1)
    finetuning.run(work, TINY_BERT, checkpoint=str(first), training=brief)
    [earlier] = work.record("train")["results"]["earlier"]
    assert earlier["settings"]["training"]["epochs"] == 6
    assert earlier["results"]["steps"] > work.record("train")["results"]["steps"]


@pytest.mark.long
@pytest.mark.slow
def test_a_served_model_can_be_trained_further(built: tuple[Work, Path], tmp_path: Path) -> None:
    work = Work(tmp_path)
    shutil.copytree(built[0].step("data"), work.step("data"))
    brief = dataclasses.replace(TRAINING, epochs=0.1, learning_rate=1e-9)
    finetuning.run(work, TINY_BERT, checkpoint=str(built[1]), training=brief)
    results = work.record("train")["results"]
    assert results["checkpoint"].startswith("toxic-minilm-l6 ")
    assert results["earlier"][0]["step"] == "train"
    # With next to no learning, the logits are those that were served, kinds included.
    trained = load_checkpoint(str(work.step("train") / "model"), fresh_head=False)
    assert trained.kinds == KINDS
    ids = np.array([[2, 17, 40, 5, 3]])
    with torch.inference_mode():
        logits = trained.model(input_ids=torch.from_numpy(ids)).logits.numpy()
    assert OnnxGraph(built[1] / "model.onnx").run(ids) == pytest.approx(logits, abs=0.15)


@pytest.mark.long
@pytest.mark.slow
def test_a_build_with_a_teacher_serves_the_distilled_model(
    built: tuple[Work, Path], texts: Path, tiny_bert: Path, tmp_path: Path
) -> None:
    work = Work(tmp_path / "work")
    for step in ("data", "train"):
        shutil.copytree(built[0].step(step), work.step(step))
    trained = built[0].step("train") / "model"
    distill = distillation.Settings((str(trained),), max_rows=32)
    output = build_tiny(work, tmp_path / "model", texts, tiny_bert, distill, as_trained=True)
    # Both teachers are the trained model.
    assert len(list(work.step("distill").glob("logits-*.npz"))) == 1
    assert work.record("train") == built[0].record("train")
    provenance = json.loads((output / "config.json").read_text())["provenance"]
    assert provenance["made_from"] == "distill"
    assert built[0].record("kinds")["settings"] == {}
    assert work.record("kinds")["settings"] == {"as_trained": True}
    assert_ranks(load(output))


@pytest.mark.long
@pytest.mark.slow
def test_an_evaluation_writes_metrics_plots_and_mistakes(built: tuple[Work, Path]) -> None:
    settings = comparison.Settings(resamples=20, baselines=False)
    folder = comparison.run(built[0], built[1], settings)
    results = json.loads((folder / "figures.json").read_text())
    auc = results["judges"]["int8"]["all"]["AUC"]
    assert auc["low"] <= auc["value"] <= auc["high"]
    assert results["int8 against fp32"]["verdicts flipped"] < 0.05
    assert results["calibration error"]["after"]["value"] is not None
    for name in ("curves.png", "calibration.png", "scores.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    assert "False positives" in (folder / "mistakes.md").read_text()


@pytest.mark.long
@pytest.mark.slow
def test_the_ladder_has_a_rung_for_every_form_of_the_model(built: tuple[Work, Path]) -> None:
    settings = latency.Settings(tokens=(12,), threads=(1,), rounds=1, seconds=0.01)
    folder = latency.run(built[0], settings)
    ladder = json.loads((folder / "ladder.json").read_text())["ladder"]
    assert list(ladder) == list(latency.FORMS)
    assert ladder["PyTorch fp32"]["shapes"]["12 tokens, batch 1, 1 threads"]["ratio"] == 1
    assert ladder["ONNX Runtime int8"]["file MB"] <= ladder["ONNX Runtime fp32"]["file MB"]
    assert (folder / "ladder.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
@pytest.mark.slow
def test_a_second_build_is_skipped_and_a_fresh_one_gives_the_same_verdicts(
    built: tuple[Work, Path], texts: Path, tiny_bert: Path, tmp_path: Path
) -> None:
    work, output = built
    before = {name: work.record(name) for name in ("data", "train", "export", "quantize")}
    build_tiny(work, output, texts, tiny_bert)
    assert {name: work.record(name) for name in before} == before
    again = build_tiny(Work(tmp_path / "work"), tmp_path / "model", texts, tiny_bert)
    first, second = load(output), load(again)
    for text in ("you idiot", "thanks", "kill the process", "I will hurt you", "see you at lunch"):
        assert first.classify(text).score == pytest.approx(second.classify(text).score, abs=1e-6)


@pytest.mark.long
@pytest.mark.slow
def test_the_reference_checkpoint_is_served_without_training(
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


def test_pruning_the_vocabulary_keeps_the_logits_of_ascii_texts(tiny_bert: Path) -> None:
    from model_build.training.loop import predict_logits

    original = load_checkpoint(str(tiny_bert), fresh_head=True)
    texts = ["thanks for the patch", "you stupid idiot", "x", "kill -9 4242 & go"]
    expected = predict_logits(original, texts, 32)
    pruned = prune(original)
    assert "日" not in pruned.tokenizer.get_vocab()
    assert pruned.model.config.vocab_size == pruned.tokenizer.get_vocab_size()
    assert predict_logits(pruned, texts, 32) == pytest.approx(expected, abs=1e-5)


def test_test_texts_are_left_out_of_training(tmp_path: Path) -> None:
    rows = [
        {"text": f"Sentence {n % 40}", "label": n % 2, "split": "test" if n < 20 else "train"}
        for n in range(120)
    ] + [{"text": f"you fool {n}", "label": 1, "split": "train"} for n in range(9)]
    pd.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
    work = Work(tmp_path / "work")
    settings = dataset.Settings((str(tmp_path),), templates=0, written=False, obfuscated_fraction=0)
    folder = dataset.run(work, settings)
    train = set(pd.read_parquet(folder / "train.parquet")["text"].str.lower())
    test = set(pd.read_parquet(folder / "test.parquet")["text"].str.lower())
    assert test
    assert not train & test


def test_a_long_benign_text_is_trained_on_in_chunks(tmp_path: Path) -> None:
    rows = [
        {"text": " ".join(f"{start}{word}" for word in range(200)), "label": label}
        for start, label in (("fine", 0), ("bad", 1))
    ]
    pd.DataFrame(rows).assign(split="train").to_csv(tmp_path / "rows.csv", index=False)
    settings = dataset.Settings((str(tmp_path),), templates=0, written=False, obfuscated_fraction=0)
    train = pd.read_parquet(dataset.run(Work(tmp_path / "work"), settings) / "train.parquet")
    assert len(train[train["target"] == 1]) == 1
    benign = list(train.loc[train["target"] == 0, "text"])
    assert len(benign) == 3
    assert any("fine199" in text and "fine0 " not in text for text in benign)


@pytest.mark.parametrize(("own_labels", "toxic"), [(False, 1), (True, 2)])
def test_one_source_can_be_used_alone_with_its_own_labels(
    tmp_path: Path, own_labels: bool, toxic: int
) -> None:
    rows = [
        {"text": f"{source} {n}", "label": n % 2, "strict_label": int(n == 1), "source": source}
        for source in ("one", "other")
        for n in range(4)
    ]
    pd.DataFrame(rows).assign(split="train").to_csv(tmp_path / "rows.csv", index=False)
    settings = dataset.Settings(
        (str(tmp_path),),
        templates=0,
        written=False,
        obfuscated_fraction=0,
        only=("one",),
        own_labels=own_labels,
    )
    train = pd.read_parquet(dataset.run(Work(tmp_path / "work"), settings) / "train.parquet")
    assert set(train["source"]) == {"one"}
    assert train["target"].sum() == toxic


def test_an_unknown_source_is_reported_with_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "talk.csv").write_text("text,label\nhello,0\nyou fool,1\n")
    with pytest.raises(DataError, match="no source is named tweets: use one of talk"):
        dataset.run(Work(tmp_path / "work"), dataset.Settings((str(tmp_path),), only=("tweets",)))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("rows.csv", "text,verdict\nhello,1\n", "no column label"),
        ("rows.csv", "text,label\nhello,7\n", "0 or 1"),
        ("rows.csv", "text,label,split\nhello,1,dev\n", "the split 'dev'"),
        ("rows.jsonl", '{"text": "hello"', "cannot read"),
        ("rows.parquet", "no parquet", "cannot read"),
        ("rows.txt", "hello", "has no"),
    ],
)
def test_bad_data_is_refused_in_one_line(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=reason) as raised:
        read([tmp_path])
    assert "\n" not in str(raised.value)


def test_a_folder_without_a_checkpoint_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot load checkpoint") as raised:
        load_checkpoint(str(tmp_path), fresh_head=False)
    assert "\n" not in str(raised.value)


def test_a_step_names_the_missing_earlier_step(tmp_path: Path) -> None:
    from model_build.graph import export

    with pytest.raises(StepError, match="model_build train"):
        export.run(Work(tmp_path))
