"""Triton Inference Server, the real one, with the model repository that we write for it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.serving.triton_server import START, Triton, environment, started
from tests.cli.command import run
from tests.model import suite
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import MULTILINGUAL_FOLDER
from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.judge.verdict import Reason

pytestmark = [pytest.mark.slow, pytest.mark.long]

CLIENT = Path(__file__).with_name("triton_client.py")
ODD_TEXTS = ["", "?!", "Das hätte ich heute nicht von dir erwartet", "a", "ünïcödé 🦄", "\x00"]
LONG = "The build is green again, and the release notes are in the shared folder. " * 40


def ask(triton: Triton, requests: list[list[str]], together: int = 1) -> dict[str, Any]:
    """Ask with Triton's own clients."""
    order = {"http": triton.http, "grpc": triton.grpc, "requests": requests, "together": together}
    finished = subprocess.run(
        [environment() / "bin" / "python", CLIENT],
        input=json.dumps(order).encode(),
        stdout=subprocess.PIPE,
        check=True,
        timeout=180,
    )
    answer: dict[str, Any] = json.loads(finished.stdout)
    return answer


def skip_unless_installed() -> None:
    try:
        environment()
    except ToxicBotError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def repository(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("triton") / "models"
    result = run("model", "triton", str(folder), "--model", str(model_folder))
    assert result.returncode == 0, result.stderr
    assert "version 1" in result.stdout
    return folder


@pytest.fixture(scope="module")
def triton(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Triton]:
    skip_unless_installed()
    with started(repository, tmp_path_factory.mktemp("triton")) as triton:
        triton.wait_until_ready()
        yield triton


@pytest.fixture(scope="module")
def classifier(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Classifier:
    # The ensemble reads English only.
    english = tmp_path_factory.mktemp("english") / "model"
    shutil.copytree(model_folder, english, ignore=shutil.ignore_patterns(MULTILINGUAL_FOLDER))
    return load(english)


def expected(classifier: Classifier, texts: list[str]) -> list[dict[str, Any]]:
    names = [kind.name for kind in classifier.config.kinds]
    rows = []
    for text in texts:
        verdict = classifier.classify(text)
        rows.append(
            {
                "TOXIC": verdict.toxic,
                "SCORE": pytest.approx(verdict.score, abs=1e-9),
                "WINDOWS": verdict.windows,
                "LEGIBLE": verdict.reason is not Reason.LANGUAGE,
                "KINDS": [name in verdict.kinds for name in names],
                "PROBABILITIES": pytest.approx(
                    [verdict.probabilities.get(name, 0.0) for name in names], abs=1e-9
                ),
            }
        )
    return rows


def rows(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        dict(zip(answer, values, strict=True))
        for answer in answers
        for values in zip(*answer.values(), strict=True)
    ]


def test_triton_gives_the_judges_verdicts_over_http_and_grpc_one_by_one_and_together(
    triton: Triton, classifier: Classifier
) -> None:
    texts = [sample.text for sample in (*suite.toxic(), *suite.benign())][::6]
    texts += [*ODD_TEXTS, LONG, LONG + "You are a pathetic idiot. " + LONG]
    requests = [[text] for text in texts] + [texts[start : start + 8] for start in range(0, 40, 8)]
    answer = ask(triton, requests, together=12)
    wanted = expected(classifier, [text for request in requests for text in request])
    for protocol in ("http", "grpc"):
        assert rows(answer["answers"][protocol]) == wanted
    assert any(row["WINDOWS"] > 1 and row["TOXIC"] for row in wanted)
    # Requests that came together were computed together.
    forward = answer["statistics"]["toxic_bot_forward"]
    assert forward["batches"] < forward["windows"]
    assert forward["largest"] > 8


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("two dimensions", "unexpected shape"),
        ("numbers", "data-type"),
        ("another name", "unexpected inference input"),
        ("no text", "send 1 to 32"),
        ("too many texts", "send 1 to 32"),
        ("too many windows", "send fewer"),
        ("a missing mask", "missing required input"),
    ],
)
def test_inputs_of_a_wrong_shape_are_refused_with_the_reason(
    refusals: dict[str, str], case: str, reason: str
) -> None:
    assert reason in refusals[case]


@pytest.fixture(scope="module")
def refusals(triton: Triton) -> dict[str, str]:
    answer = ask(triton, [["still alive"]])
    assert rows(answer["answers"]["http"])[0]["WINDOWS"] == 1
    found: dict[str, str] = answer["refusals"]
    return found


def test_a_model_with_a_graph_for_gpus_is_served_by_the_onnx_runtime_backend(
    folder_for_gpus: Path, tmp_path: Path
) -> None:
    """There is no such backend in the wheel; the server says that it needs it, and which model."""
    skip_unless_installed()
    models = tmp_path / "models"
    result = run("model", "triton", str(models), "--model", str(folder_for_gpus))
    assert "--model-config-name=gpu" in result.stdout
    options = ["--model-config-name=gpu", "--exit-on-error=true"]
    with started(models, tmp_path, *options) as triton:
        triton.process.wait(START)
    written = triton.process.log.read_text()
    assert "toxic_bot_forward" in written
    assert "backend library for backend 'onnxruntime'" in written
    assert "failed to parse" not in written.lower()


def test_a_version_is_added_and_none_is_overwritten(repository: Path, model_folder: Path) -> None:
    arguments = ["model", "triton", str(repository), "--model", str(model_folder)]
    assert "version 7" in run(*arguments, "--version", "7").stdout
    assert (repository / "toxic_bot" / "7").is_dir()
    result = run(*arguments, "--version", "7")
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert "--version" in line
    shutil.rmtree(repository / "toxic_bot" / "7")


def test_a_repository_is_not_mixed_with_a_model_that_answers_otherwise(
    repository: Path, model_folder: Path, tmp_path: Path
) -> None:
    other = Path(shutil.copytree(model_folder, tmp_path / "model"))
    config = json.loads((other / "config.json").read_bytes())
    config["kinds"][0]["name"] = "another"
    (other / "config.json").write_text(json.dumps(config))
    result = run("model", "triton", str(repository), "--model", str(other))
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert "other kinds" in line
