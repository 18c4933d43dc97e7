"""transformers and optimum load what 'toxic-bot model transformers' writes, with its verdicts."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from toxic_bot.cli.command_line import main
from toxic_bot.huggingface.folder import KINDS, VERDICT
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL, MULTILINGUAL_FOLDER
from toxic_bot.judge.session import create_session

if importlib.util.find_spec("transformers") is None:
    pytest.skip("needs the 'build' dependencies", allow_module_level=True)

ENVIRONMENT = Path(
    os.environ.get("OPTIMUM_ENVIRONMENT") or Path(__file__).parents[1] / ".venv" / "optimum"
)
OPTIMUM = """
import json, sys
from optimum.onnxruntime import ORTModelForSequenceClassification
from transformers import AutoTokenizer, pipeline

folder, *texts = sys.argv[1:]
model = ORTModelForSequenceClassification.from_pretrained(folder)
tokenizer = AutoTokenizer.from_pretrained(folder)
classify = pipeline("text-classification", model=model, tokenizer=tokenizer, top_k=None)
told = [{one["label"]: one["score"] for one in classify([text])[0]} for text in texts]
print(json.dumps(told))
"""
TEXTS = [
    "you are an idiot",
    "thanks for the quick review, merging now",
    "I will find you and break your legs",
    "kill the process and restart the worker",
    "women are too stupid to write code",
    "could you explain why you chose this approach?",
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("folders")
    assert main(["model", "transformers", str(output)]) == 0
    return output


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Classifier:
    # The folders have one model, so nobody gives a second opinion.
    english = tmp_path_factory.mktemp("english") / "model"
    shutil.copytree(EMBEDDED_MODEL, english, ignore=shutil.ignore_patterns(MULTILINGUAL_FOLDER))
    return load(english)


def scorer(folder: Path) -> Callable[[str], dict[str, float]]:
    # Slow to import, and every process collects this file.
    from transformers import pipeline

    classify = pipeline("text-classification", model=str(folder), top_k=None)
    return lambda text: {one["label"]: one["score"] for one in classify([text])[0]}


def logits(folder: Path, text: str) -> np.ndarray:
    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids
    feed = {"input_ids": np.array([ids]), "attention_mask": np.ones((1, len(ids)), np.int64)}
    # Exact on CPUs without VNNI too.
    session = create_session(folder / "model.onnx", 1)
    assert {value.name for value in session.get_inputs()} == set(feed)
    result: np.ndarray = session.run(["logits"], feed)[0][0]
    return result


@pytest.mark.slow
def test_the_pipeline_scores_as_the_bot_does(folders: Path, classifier: Classifier) -> None:
    scores_of = scorer(folders / VERDICT)
    for text in TEXTS:
        scores = scores_of(text)
        verdict = classifier.classify(text)
        assert scores["toxic"] == pytest.approx(verdict.score, abs=0.06)
        if abs(verdict.score - 0.5) > 0.1:
            assert (scores["toxic"] >= 0.5) is verdict.toxic


@pytest.mark.slow
def test_the_graph_gives_the_very_scores_of_the_bot(folders: Path, classifier: Classifier) -> None:
    for text in TEXTS:
        fine, toxic = logits(folders / VERDICT, text)
        score = 1 / (1 + np.exp(fine - toxic))
        assert score == pytest.approx(classifier.classify(text).score, abs=1e-4)


@pytest.mark.slow
def test_the_kinds_are_labels_that_exclude_nothing(folders: Path, classifier: Classifier) -> None:
    scores_of = scorer(folders / KINDS)
    for text in TEXTS:
        told = classifier.classify(text).probabilities
        scores = scores_of(text)
        assert scores == pytest.approx(told, abs=0.15)
        raw = 1 / (1 + np.exp(-logits(folders / KINDS, text)))
        assert dict(zip(told, raw, strict=True)) == pytest.approx(told, abs=1e-4)


@pytest.mark.slow
def test_each_folder_says_what_it_is_and_what_the_bot_does_more(folders: Path) -> None:
    for name in (VERDICT, KINDS):
        config = json.loads((folders / name / "config.json").read_text())
        assert config["model_type"] == "bert"
        assert config["id2label"]
        readme = (folders / name / "README.md").read_text()
        assert "windows" in readme
        assert '"session.x64quantprecision", "1"' in readme


def test_a_folder_that_is_no_model_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "transformers", str(tmp_path / "out"), "--model", str(tmp_path)]) != 0
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "config.json" in told


@pytest.mark.long
def test_optimum_gives_the_very_scores_of_the_bot(folders: Path, classifier: Classifier) -> None:
    if not ENVIRONMENT.is_dir():
        pytest.skip("optimum is not installed: 'make .venv/optimum' installs it")
    command = [str(ENVIRONMENT / "bin" / "python"), "-c", OPTIMUM]
    for name in (VERDICT, KINDS):
        ran = subprocess.run(
            [*command, str(folders / name), *TEXTS],
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        for text, told in zip(TEXTS, json.loads(ran.stdout.splitlines()[-1]), strict=True):
            verdict = classifier.classify(text)
            if name == VERDICT:
                assert told["toxic"] == pytest.approx(verdict.score, abs=1e-4)
            else:
                assert told == pytest.approx(dict(verdict.probabilities), abs=1e-4)
