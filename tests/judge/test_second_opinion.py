"""What the English model finds suspect, the multilingual model of its folder judges too."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL, MULTILINGUAL_FOLDER, ModelConfig
from toxic_bot.judge.errors import ModelError
from toxic_bot.judge.language import ENGLISH

OPINION = {"lowest": 0.2, "weight": 0.25, "offset": 0.5, "temperature": 2.0}
INSULT = "you are an idiot and a liar"
THANKS = "thanks, the release notes look good"


def with_opinion(folder: Path, opinion: Any, threshold: float = 0.5) -> Path:
    path = folder / "config.json"
    config = json.loads(path.read_bytes())
    config["second_opinion"] = opinion
    config["thresholds"]["balanced"] = threshold
    path.write_text(json.dumps(config))
    return folder


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(EMBEDDED_MODEL, tmp_path_factory.mktemp("model") / "model"))


@pytest.fixture(scope="module")
def alone(copied: Path) -> Classifier:
    return load(with_opinion(copied, None))


@pytest.fixture(scope="module")
def other(copied: Path) -> Classifier:
    return load(copied / MULTILINGUAL_FOLDER)


def log_odds(score: float) -> float:
    return math.log(score / (1 - score))


def test_the_score_is_the_calibrated_mean_of_both_models_log_odds(
    copied: Path, alone: Classifier, other: Classifier
) -> None:
    first, second = alone.classify(INSULT), other.classify(INSULT, ENGLISH)
    mean = 0.75 * log_odds(first.score) + 0.25 * log_odds(second.score)
    verdict = load(with_opinion(copied, OPINION)).classify(INSULT)
    assert verdict.score == pytest.approx(1 / (1 + math.exp(-(mean - 0.5) / 2)), abs=1e-9)
    assert verdict.toxic
    thresholds = {
        kind.name: kind.threshold for kind in ModelConfig.read(copied / "config.json").kinds
    }
    one, two = first.probabilities, second.probabilities
    odds = {kind: 0.75 * log_odds(one[kind]) + 0.25 * log_odds(two[kind]) for kind in one}
    assert {*verdict.kinds} == {kind for kind in odds if odds[kind] >= log_odds(thresholds[kind])}
    assert verdict.kinds
    assert (verdict.windows, verdict.passage) == (first.windows, first.passage)


def test_a_text_that_the_first_model_finds_harmless_never_loads_the_second(
    copied: Path, alone: Classifier, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(with_opinion(copied, OPINION), tmp_path / "model"))
    (folder / MULTILINGUAL_FOLDER / "model.onnx").unlink()
    classifier = load(folder)
    assert alone.classify(THANKS).score < OPINION["lowest"]
    assert classifier.classify(THANKS) == alone.classify(THANKS)
    with pytest.raises(ModelError, match=r"model\.onnx"):
        classifier.classify(INSULT)


def test_a_verdict_and_its_kinds_follow_the_threshold(copied: Path) -> None:
    classifier = load(with_opinion(copied, OPINION))
    score = classifier.classify(INSULT).score
    above, below = classifier.at(score + 0.001), classifier.at(score)
    assert (above.classify(INSULT).toxic, below.classify(INSULT).toxic) == (False, True)
    assert above.classify(INSULT).kinds == ()
    assert above.classify(INSULT).score == below.classify(INSULT).score == score


def test_a_folder_without_a_second_model_judges_alone(
    copied: Path, alone: Classifier, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(with_opinion(copied, OPINION), tmp_path / "model"))
    shutil.rmtree(folder / MULTILINGUAL_FOLDER)
    assert load(folder).classify(INSULT) == alone.classify(INSULT)


@pytest.mark.parametrize("opinion", [{"lowest": 0.2}, {**OPINION, "weight": "half"}, [0.2], "yes"])
def test_a_damaged_second_opinion_is_named_in_the_error(copied: Path, opinion: Any) -> None:
    with pytest.raises(ModelError, match=r"config\.json is damaged"):
        load(with_opinion(copied, opinion))
