"""More work than the service can do, and work that fails."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Message

from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.verdict import Verdict
from toxic_bot.service.application import create
from toxic_bot.service.edge import Edge
from toxic_bot.service.keys import Keys
from toxic_bot.service.metrics import Metrics
from toxic_bot.service.settings import ServiceSettings

CANARY = "zebrafinch"


@pytest.fixture(scope="module")
def classifier(model_folder: Path) -> Classifier:
    return load(model_folder, 1)


class Held:
    """A classifier that waits until it is let go."""

    def __init__(self, classifier: Classifier) -> None:
        self.config = classifier.config
        self.threshold = classifier.threshold
        self.go = threading.Event()
        self.judged = 0
        self._classifier = classifier

    def classify(self, text: str) -> Verdict:
        self.go.wait(10)
        self.judged += 1
        return self._classifier.classify(text)


def application(classifier: Any, **settings: Any) -> FastAPI:
    return create(classifier, Keys(None), ServiceSettings(model=Path("unused"), **settings))


def run(app: FastAPI, work: Callable[[httpx.AsyncClient], Any]) -> Any:
    async def main() -> Any:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return await work(client)

    return asyncio.run(main())


def test_beyond_the_queue_a_request_gets_503_and_the_others_their_verdicts(
    classifier: Classifier,
) -> None:
    held = Held(classifier)
    app = application(held, threads=1, queue=3)

    async def work(client: httpx.AsyncClient) -> list[httpx.Response]:
        begun = [
            asyncio.create_task(client.post("/v1/verdicts", json={"text": f"text {number}"}))
            for number in range(3)
        ]
        await asyncio.sleep(0.2)
        refused = await client.post("/v1/verdicts", json={"text": "one more"})
        held.go.set()
        later = await asyncio.gather(*begun)
        return [refused, *later, await client.post("/v1/verdicts", json={"text": "again"})]

    refused, *served = run(app, work)
    assert refused.status_code == 503
    assert refused.headers["Retry-After"] == "1"
    assert refused.json()["error"]["code"] == "overloaded"
    assert [response.status_code for response in served] == [200] * 4


def test_a_request_that_misses_its_deadline_gets_503_and_costs_no_more_work(
    classifier: Classifier,
) -> None:
    held = Held(classifier)
    app = application(held, threads=1, deadline=0.2)

    async def work(client: httpx.AsyncClient) -> tuple[httpx.Response, float]:
        started = time.monotonic()
        response = await client.post("/v1/verdicts", json={"texts": ["one", "two", "three"]})
        seconds = time.monotonic() - started
        held.go.set()
        await client.post("/v1/verdicts", json={"text": "the next"})
        return response, seconds

    response, seconds = run(app, work)
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "1"
    assert seconds < 5
    # The first of the late ones had begun; the next request is the other.
    assert held.judged == 2


def test_the_event_loop_stays_free_while_texts_are_judged(classifier: Classifier) -> None:
    held = Held(classifier)

    async def work(client: httpx.AsyncClient) -> int:
        begun = asyncio.create_task(client.post("/v1/verdicts", json={"text": "text"}))
        await asyncio.sleep(0.1)
        health = await asyncio.wait_for(client.get("/healthz"), 2)
        held.go.set()
        await begun
        return health.status_code

    assert run(application(held, threads=1), work) == 200


def test_before_the_first_verdict_the_service_is_alive_and_not_ready(
    classifier: Classifier,
) -> None:
    app = application(classifier)  # its start-up, which gives the first verdict, has not run

    async def work(client: httpx.AsyncClient) -> list[int]:
        paths = ("/healthz", "/readyz")
        return [(await client.get(path)).status_code for path in paths]

    assert run(app, work) == [200, 503]


@pytest.mark.parametrize("path", ["/v1/verdicts", "/v1/moderations"])
def test_an_unexpected_error_is_a_500_that_quotes_no_text(
    classifier: Classifier, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Held):
        def classify(self, text: str) -> Verdict:
            raise KeyError(text)

    body = {"input": CANARY} if "moderations" in path else {"text": CANARY}
    app = application(Broken(classifier))
    with caplog.at_level(logging.DEBUG):
        response = run(app, lambda client: client.post(path, json=body))
    assert response.status_code == 500
    assert response.json()["error"]["message"] == "internal error"
    assert "unexpected KeyError in test_overload.py" in caplog.text
    assert CANARY not in caplog.text + response.text


def test_a_body_that_does_not_arrive_is_given_up() -> None:
    async def unused(*_: Any) -> None:
        raise AssertionError("the application must not be asked")

    async def never() -> Message:
        await asyncio.sleep(60)
        return {}

    async def main() -> list[Message]:
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        edge = Edge(unused, Metrics(), body_timeout=0.05)
        scope = {"type": "http", "path": "/v1/verdicts", "headers": []}
        await edge(scope, never, send)
        return sent

    start, _ = asyncio.run(main())
    assert start["status"] == 408
