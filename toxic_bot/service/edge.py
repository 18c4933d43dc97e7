"""What surrounds every request: its size, its time, and an end to errors that quote it."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from pathlib import Path

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toxic_bot.service.keys import Keys
from toxic_bot.service.metrics import Metrics
from toxic_bot.service.patience import DELAY, Patience
from toxic_bot.service.request_errors import GOOGLE_PATHS, RequestError, render
from toxic_bot.service.settings import BODY_TIMEOUT, MAX_BODY

logger = logging.getLogger("toxic_bot.service")
_ENDPOINTS = frozenset(
    {
        "/v1/verdicts",
        "/v1/moderations",
        "/v1alpha1/comments:analyze",
        "/v1alpha1/comments:suggestscore",
        "/$discovery/rest",
        "/batch",
        "/healthz",
        "/readyz",
        "/metrics",
        "/",
    }
)


_KEYED = frozenset(
    {
        "/v1/verdicts",
        "/v1/moderations",
        "/v1alpha1/comments:analyze",
        "/v1alpha1/comments:suggestscore",
    }
)


_DIGITS = 12
"""Digits of a length, about, that no body has."""


class _Disconnected(Exception):  # noqa: N818 - not an error
    """The client has gone before its request arrived."""


class Edge:
    """Middleware: refuses large bodies and strangers', measures, and turns errors into a 500.

    An exception's message may quote a text, and the server would log it with the traceback. Only
    its type and place are logged.

    Parameters
    ----------
    app
        The application within.
    metrics
        Counts and times every request.
    keys
        Without one of these, no body is read that would be judged.
    body_timeout
        Seconds in which a body has to arrive.
    """

    def __init__(
        self, app: ASGIApp, metrics: Metrics, keys: Keys, body_timeout: float = BODY_TIMEOUT
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._keys = keys
        self._body_timeout = body_timeout
        self._patience = Patience()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._handle(_understood(scope), receive, send_on)
        except Exception as error:
            logger.error(f"unexpected {type(error).__name__} in {_place(error)}")
            if not status:
                response = render(RequestError(500, "internal error", "internal"), scope["path"])
                await response(scope, receive, send_on)
        finally:
            endpoint = scope["path"] if scope["path"] in _ENDPOINTS else "other"
            self._metrics.requests.labels(endpoint, str(status or "none")).inc()
            seconds = time.perf_counter() - started
            self._metrics.request_seconds.labels(endpoint).observe(seconds)

    def _remembering(self, turn: str, send: Send) -> Send:
        """Return what sends on, and remembers when a client is told to wait."""

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                wait = dict(message["headers"]).get(b"retry-after", b"")
                if wait.isdigit():
                    self._patience.told(turn, message["status"], int(wait))
            await send(message)

        return send_on

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST" and scope["path"] in _KEYED:
            try:
                request = Request(scope)
                turn = self._keys.turn(self._keys.identify(request), request)
            except RequestError as refusal:
                self._metrics.refused.labels("key").inc()
                await render(refusal, scope["path"])(scope, receive, send)
                return
            too_early = self._patience.refusal(turn, _length(scope))
            if too_early is not None:
                self._metrics.refused.labels("early").inc()
                await asyncio.sleep(DELAY)
                await render(too_early, scope["path"])(scope, receive, send)
                return
            send = self._remembering(turn, send)
        try:
            async with asyncio.timeout(self._body_timeout):
                body = await _body(scope, receive)
        except _Disconnected:
            return
        except TimeoutError:
            late = RequestError(408, "the body did not arrive in time", "too_slow")
            await render(late, scope["path"])(scope, receive, send)
            return
        if body is None:
            error = RequestError(413, f"the body has more than {MAX_BODY:,} bytes", "too_large")
            await render(error, scope["path"])(scope, receive, send)
            return
        await _run_while_connected(self._app, scope, body, receive, send)


def _length(scope: Scope) -> int | None:
    """Return how many bytes the body of a request has; None if that is not said."""
    length = dict(scope["headers"]).get(b"content-length", b"")
    return int(length) if len(length) < _DIGITS and length.isdigit() else None


def _understood(scope: Scope) -> Scope:
    """Return a request as the application knows it.

    HEAD is GET; the server leaves the body out. Perspective took JSON that a page sends as plain
    text, which spares the browser a preflight.
    """
    if scope["method"] == "HEAD":
        return {**scope, "method": "GET"}
    if scope["method"] != "POST" or not scope["path"].startswith(GOOGLE_PATHS):
        return scope
    headers = [
        (name, b"application/json" if _is_plain_text(name, value) else value)
        for name, value in scope["headers"]
    ]
    return {**scope, "headers": headers}


def _is_plain_text(name: bytes, value: bytes) -> bool:
    return name == b"content-type" and value.partition(b";")[0].strip().lower() == b"text/plain"


async def _run_while_connected(
    app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send
) -> None:
    """Let an application answer a request that has arrived; cancel it when its client has gone."""
    left = asyncio.ensure_future(_disconnect(receive))
    given = answered = False

    async def receive_body() -> Message:
        nonlocal given
        if given:
            await asyncio.shield(left)
            return {"type": "http.disconnect"}
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send_on(message: Message) -> None:
        nonlocal answered
        answered = message["type"] == "http.response.body" and not message.get("more_body", False)
        await send(message)

    answer = asyncio.ensure_future(app(scope, receive_body, send_on))
    try:
        await asyncio.wait((answer, left), return_when=asyncio.FIRST_COMPLETED)
        if not (answer.done() or answered):
            answer.cancel()
        await asyncio.wait((answer,))
        if not answer.cancelled():
            answer.result()
    finally:
        answer.cancel()
        left.cancel()


async def _disconnect(receive: Receive) -> None:
    """Return once a request's client has gone, or has its answer."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body(scope: Scope, receive: Receive) -> bytes | None:
    """Return the body of a request; None if it is too large."""
    length = dict(scope["headers"]).get(b"content-length", b"0")
    if len(length) > len(str(MAX_BODY)) or (length.isdigit() and int(length) > MAX_BODY):
        return None
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Disconnected
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def _place(error: Exception) -> str:
    """Return the file and line that raised an exception."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown place"
