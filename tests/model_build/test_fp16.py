"""The graph for GPUs, computed on the CPU in the way that a GPU computes it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

from tokenizers import Tokenizer

from model_build.package import fp16
from model_build.work import StepError
from tests.model import suite
from toxic_bot.judge.batching import DynamicBatching
from toxic_bot.judge.bound_forward import BoundForward
from toxic_bot.judge.classifier import FP16_GRAPH, Classifier, load, verified
from toxic_bot.judge.config import ModelConfig
from toxic_bot.judge.session import create_session

pytestmark = [pytest.mark.slow, pytest.mark.long]

# One label's probability may differ by so much in half of the texts, and at most by that much.
TYPICAL, LARGEST = 0.01, 0.25


@pytest.fixture(scope="module")
def folder(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fp16.write(model_folder, tmp_path_factory.mktemp("gpu"))


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [sample.text for sample in (*suite.toxic(), *suite.workplace())][::4]


@pytest.fixture(scope="module")
def classifier(folder: Path) -> Classifier:
    """The way of a GPU - half precision, bound buffers, batches - on the CPU."""
    config = ModelConfig.read(folder / "config.json")
    session = create_session(verified(folder / FP16_GRAPH, config), 2)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return Classifier(config, tokenizer, DynamicBatching(BoundForward(session, config, "cpu")))


def test_the_graph_for_gpus_judges_nearly_as_the_int8_graph(
    folder: Path, classifier: Classifier, texts: list[str]
) -> None:
    int8 = load(folder)
    before = np.array([int8.classify(text).score for text in texts])
    after = np.array([classifier.classify(text).score for text in texts])
    assert np.median(np.abs(before - after)) < TYPICAL
    assert np.abs(before - after).max() < LARGEST
    assert ((before >= 0.5) == (after >= 0.5)).mean() > 0.95


def test_neighbors_in_a_batch_do_not_change_a_score(
    classifier: Classifier, texts: list[str]
) -> None:
    alone = [classifier.classify(text).score for text in texts]
    with ThreadPoolExecutor(24) as threads:
        together = [verdict.score for verdict in threads.map(classifier.classify, texts)]
    assert together == pytest.approx(alone, abs=1e-3)


def test_the_folder_is_not_written_over_itself(model_folder: Path) -> None:
    with pytest.raises(StepError, match="--output"):
        fp16.write(model_folder, model_folder)
