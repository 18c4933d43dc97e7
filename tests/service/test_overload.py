"""More work than the service can do, and work that fails."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable
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
from toxic_bot.service.keys import Client, Keys, hash_key
from toxic_bot.service.metrics import Metrics
from toxic_bot.service.patience import LARGE, Patience
from toxic_bot.service.settings import ServiceSettings

CANARY = "zebrafinch"


@pytest.fixture(scope="module")
def classifier(model_folder: Path) -> Classifier:
    return load(model_folder, 1)


class Held:
    """A classifier that waits until it is let go, except for some texts."""

    def __init__(self, classifier: Classifier, *free: str) -> None:
        self.config = classifier.config
        self.threshold = classifier.threshold
        self.go = threading.Event()
        self.begun = threading.Event()
        self.judged = 0
        self._classifier = classifier
        self._free = free

    def classify(self, text: str) -> Verdict:
        self.begun.set()
        if text not in self._free:
            self.go.wait(60)
        self.judged += 1
        return self._classifier.classify(text)


def application(classifier: Any, keys: Keys | None = None, **settings: Any) -> FastAPI:
    unused = ServiceSettings(model=Path("unused"), **settings)
    return create(classifier, keys or Keys(None), unused)


def keys_of(*names: str) -> Keys:
    """Return keys that are their clients' names, without a rate."""
    return Keys(tuple(Client(name, hash_key(name), None) for name in names))


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {name}"}


async def wait_for(event: threading.Event) -> None:
    await asyncio.to_thread(event.wait, 30)


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


def test_when_to_try_again_depends_on_how_much_waits(classifier: Classifier) -> None:
    held = Held(classifier)
    app = application(held, threads=1, queue=1200)
    long = "one more sentence about the weather " * 200

    async def work(client: httpx.AsyncClient) -> httpx.Response:
        begun = asyncio.create_task(client.post("/v1/verdicts", json={"texts": [long] * 80}))
        await wait_for(held.begun)
        refused = await client.post("/v1/verdicts", json={"text": "one more"})
        begun.cancel()
        held.go.set()
        return refused

    refused = run(app, work)
    assert refused.status_code == 503
    # More than a thousand windows, for which it takes 20 milliseconds each until it knows better.
    assert 20 <= int(refused.headers["Retry-After"]) <= 60


def test_a_clients_short_text_waits_for_no_flood_of_anothers(classifier: Classifier) -> None:
    held = Held(classifier, "short")
    app = application(held, keys_of("flood", "forum"), threads=1)
    long = "one more sentence about the weather " * 200

    async def work(client: httpx.AsyncClient) -> httpx.Response:
        body = {"texts": [long] * 64}
        flood = [
            asyncio.create_task(client.post("/v1/verdicts", json=body, headers=bearer("flood")))
            for _ in range(2)
        ]
        await wait_for(held.begun)
        # The only thread is with one of the long texts, and will stay there.
        response = await client.post(
            "/v1/verdicts", json={"text": "short"}, headers=bearer("forum")
        )
        assert not any(task.done() for task in flood)
        for task in flood:
            task.cancel()
        held.go.set()
        return response

    assert run(app, work).status_code == 200


def test_without_keys_addresses_take_turns(classifier: Classifier) -> None:
    held = Held(classifier, "short")
    app = application(held, threads=1)

    async def main() -> int:
        async def ask(host: str, body: dict[str, Any]) -> int:
            transport = httpx.ASGITransport(app, client=(host, 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
                return (await client.post("/v1/verdicts", json=body)).status_code

        flood = asyncio.create_task(ask("192.0.2.1", {"texts": ["long"] * 128}))
        await wait_for(held.begun)
        status = await ask("192.0.2.2", {"text": "short"})
        assert not flood.done()
        flood.cancel()
        held.go.set()
        return status

    assert asyncio.run(main()) == 200


def test_what_a_client_that_hangs_up_has_waiting_is_dropped(classifier: Classifier) -> None:
    held = Held(classifier)
    app = application(held, threads=1)
    body = json.dumps({"texts": ["text"] * 128}).encode()
    headers = [(b"content-type", b"application/json")]
    scope: dict[str, Any] = {
        "type": "http", "http_version": "1.1", "method": "POST", "path": "/v1/verdicts",
        "raw_path": b"/v1/verdicts", "query_string": b"", "headers": headers, "scheme": "http",
        "server": ("service", 80), "client": ("192.0.2.1", 1), "root_path": "",
    }  # fmt: skip
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Message] = []

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await wait_for(held.begun)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async def main() -> None:
        await app(scope, receive, send)

    asyncio.run(asyncio.wait_for(main(), 60))
    held.go.set()
    assert sent == []
    response = run(app, lambda client: client.post("/v1/verdicts", json={"text": "the next"}))
    assert response.status_code == 200
    # The first had begun, and may end after the next request, which is the other.
    for _ in range(600):
        if held.judged > 1:
            break
        time.sleep(0.05)
    assert held.judged == 2


@pytest.mark.slow
def test_a_request_that_misses_its_deadline_gets_503_and_costs_no_more_work(
    classifier: Classifier,
) -> None:
    held = Held(classifier)
    app = application(held, threads=1, deadline=1.0)

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
    # Whoever holds up the first would do so for a minute.
    assert seconds < 50
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

        edge = Edge(unused, Metrics(), Keys(None), body_timeout=0.05)
        scope = {"type": "http", "method": "POST", "path": "/v1/verdicts", "headers": []}
        await edge(scope, never, send)
        return sent

    start, _ = asyncio.run(main())
    assert start["status"] == 408


@pytest.mark.slow
def test_who_comes_back_too_early_with_a_large_request_is_refused_unread(
    classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toxic_bot.service.edge.DELAY", 0.01)
    held = Held(classifier, "short")
    app = application(held, keys_of("flood", "forum"), threads=1, queue=100)
    long = "one more sentence about the weather " * 200
    read = 0

    async def work(client: httpx.AsyncClient) -> list[tuple[int, bool]]:
        async def body(count: int) -> AsyncIterator[bytes]:
            nonlocal read
            read += 1
            yield json.dumps({"texts": [long] * count}).encode()

        async def send(key: str, count: int) -> tuple[int, bool]:
            before = read
            headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
            response = await client.post("/v1/verdicts", content=body(count), headers=headers)
            assert response.status_code in {200, 503}
            if response.status_code == 503:
                assert 1 <= int(response.headers["Retry-After"]) <= 60
            return response.status_code, read > before

        begun = asyncio.create_task(send("flood", 80))
        await wait_for(held.begun)
        refused = [await send("flood", 80), await send("flood", 80)]
        small = {"Authorization": "Bearer flood"}
        answer = await client.post("/v1/verdicts", json={"text": "thanks"}, headers=small)
        assert answer.json()["error"]["message"] == "too many texts are waiting"
        begun.cancel()
        held.go.set()
        # Somebody else's is read.
        return [*refused, await send("forum", 3)]

    assert run(app, work) == [(503, True), (503, False), (200, True)]


def test_a_client_is_refused_unread_only_until_its_time_is_over_and_only_with_much() -> None:
    now = 0.0
    patience = Patience(lambda: now)
    assert patience.refusal("flood", LARGE) is None
    patience.told("flood", 429, 7)
    now = 5.5
    refusal = patience.refusal("flood", LARGE)
    assert refusal is not None
    assert (refusal.status, refusal.retry_after) == (429, 2)
    assert patience.refusal("flood", None) is not None
    assert patience.refusal("flood", LARGE - 1) is None
    assert patience.refusal("forum", LARGE) is None
    now = 7.0
    assert patience.refusal("flood", LARGE) is None
