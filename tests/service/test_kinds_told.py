"""A model that tells kinds: what each API says about them."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path
from typing import Any

import httpx
import pytest

from toxic_bot.judge.classifier import load
from toxic_bot.judge.config import Kind, ModelConfig
from toxic_bot.judge.verdict import Status, Verdict
from toxic_bot.service.application import create
from toxic_bot.service.keys import Keys
from toxic_bot.service.settings import ServiceSettings

THREAT = "I will find you"
KINDS = tuple(
    Kind(name, 0.4) for name in ("insult", "threat", "identity", "sexual", "obscene", "putdown")
)


class Telling:
    """A classifier with kinds, for which every text is a threat with a little contempt."""

    def __init__(self, model_folder: Path) -> None:
        embedded = load(model_folder, 1)
        self.config = dataclasses.replace(embedded.config, kinds=KINDS)
        self.threshold = embedded.threshold

    languages = frozenset({"en"})

    def config_of(self, _: Verdict) -> ModelConfig:
        return self.config

    def kinds_of(self, _: Verdict) -> tuple[Kind, ...]:
        return KINDS

    def classify(self, _: str) -> Verdict:
        probabilities = dict.fromkeys((kind.name for kind in KINDS), 0.01)
        return Verdict(
            Status.TOXIC,
            0.95,
            ("threat",),
            probabilities=probabilities | {"threat": 0.9, "putdown": 0.3},
            windows=1,
        )


@pytest.fixture(scope="module")
def app(model_folder: Path) -> Any:
    telling: Any = Telling(model_folder)
    return create(telling, Keys(None), ServiceSettings(model=model_folder, raw_scores=True))


def post(app: Any, path: str, body: Any) -> Any:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return await client.post(path, json=body)

    response = asyncio.run(ask())
    assert response.status_code == 200
    return response.json()


def test_a_verdict_has_its_kinds_and_their_probabilities(app: Any) -> None:
    [verdict] = post(app, "/v1/verdicts", {"text": THREAT})["verdicts"]
    assert verdict["kinds"] == ["threat"]
    assert verdict["probabilities"]["threat"] == 0.9
    assert set(verdict["probabilities"]) == {kind.name for kind in KINDS}


def test_perspectives_attributes_tell_the_kinds_apart(app: Any) -> None:
    names = ("TOXICITY", "THREAT", "INSULT", "IDENTITY_ATTACK", "PROFANITY", "SEXUALLY_EXPLICIT")
    body = {"comment": {"text": THREAT}, "requestedAttributes": {name: {} for name in names}}
    scores = post(app, "/v1alpha1/comments:analyze", body)["attributeScores"]
    values = {name: scores[name]["summaryScore"]["value"] for name in names}
    assert values["TOXICITY"] == 0.95
    assert values["TOXICITY"] >= values["THREAT"] >= 0.5
    # Contempt is below its threshold, and nothing points to the others.
    assert 0.3 < values["INSULT"] < 0.5
    assert max(values[name] for name in names[3:]) < 0.1


def test_openais_categories_tell_the_kinds_apart(app: Any) -> None:
    [result] = post(app, "/v1/moderations", {"input": THREAT})["results"]
    shown = {name for name, value in result["categories"].items() if value}
    assert shown == {"harassment", "harassment/threatening", "violence"}
    scores = result["category_scores"]
    assert scores["harassment"] == 0.95
    assert scores["hate/threatening"] == scores["hate"] < 0.1
