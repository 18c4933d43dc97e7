"""``POST /batch``: several calls in one request, as Google's clients batch them.

The format is multipart/mixed, with a whole HTTP request in each part:
https://developers.google.com/people/v1/batch.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.message import Message as Headers
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote, urlsplit

from fastapi import APIRouter, Request, Response
from starlette.types import Message

from toxic_bot.service.access import authenticated
from toxic_bot.service.perspective.comments import ATTRIBUTES_LEFT_OUT, LANGUAGES_LEFT_OUT
from toxic_bot.service.request_errors import RequestError, render

MAX_CALLS = 1000
"""Calls in a batch; no more fit into one of Google's clients either."""
_AT_A_TIME = 16
"""Calls of a batch that wait for the judge together, so that they do not fill its queue."""
_CALLABLE = ("/v1alpha1/comments:analyze", "/v1alpha1/comments:suggestscore")
_MAX_HEADERS = 50
"""Of a call. Google's clients send six."""
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_FOLD = re.compile(rb"\r?\n[ \t]+")
_REST_OF_DELIMITER = re.compile(rb"[ \t]*\r?(?:\n|\Z)")
_REQUEST_LINE = re.compile(rb"([A-Z]{1,10}) (\S{1,8192}) HTTP/1\.\d")
_PASSED_ON = frozenset(
    name.lower()
    for name in ("Content-Type", "Retry-After", ATTRIBUTES_LEFT_OUT, LANGUAGES_LEFT_OUT)
)

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Call:
    """One request of a batch.

    Parameters
    ----------
    id
        Its ``Content-ID``; empty if it has none.
    method, target
        Its request line.
    headers, body
        The rest.
    """

    id: str
    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


@router.post("/batch")
@router.post("/batch/{_:path}")
async def batch(request: Request) -> Response:
    """Answer each call of a batch as if it had come alone.

    The first call has to have a valid key, or the batch is refused as a whole.
    """
    calls = read_batch(request.headers.get("Content-Type", ""), await request.body())
    scopes = [_scope(request, call) for call in calls]
    service = (await authenticated(Request(scopes[0]))).service
    turns = asyncio.Semaphore(_AT_A_TIME)
    deadline = asyncio.get_running_loop().time() + service.inference.deadline

    async def answer(call: Call, scope: dict[str, Any]) -> bytes:
        try:
            async with asyncio.timeout_at(deadline), turns:
                return await _answer(request.app, call, scope)
        except TimeoutError:
            late = RequestError(503, "the batch took too long: send fewer calls", "too_slow", 1)
            response = render(late, _CALLABLE[0])
            return _part(response.status_code, response.raw_headers, bytes(response.body))

    answers = await asyncio.gather(*map(answer, calls, scopes))
    return _multipart(calls, answers)


def read_batch(content_type: str, body: bytes) -> list[Call]:
    """Return the calls of a batch.

    Raises
    ------
    RequestError
        When it is none, or has too many.
    """
    headers = Headers()
    headers["Content-Type"] = content_type
    boundary = headers.get_boundary()
    if headers.get_content_type() != "multipart/mixed" or not boundary:
        raise RequestError(400, "a batch is 'multipart/mixed' with a boundary")
    delimiter = b"\n--" + boundary.encode("latin-1", "replace")
    # So many are not even divided.
    parts = _parts(body, delimiter) if body.count(delimiter) <= 2 * MAX_CALLS else []
    if not 1 <= len(parts) <= MAX_CALLS:
        raise RequestError(400, f"a batch has 1 to {MAX_CALLS:,} calls")
    return [_call(part, number) for number, part in enumerate(parts, start=1)]


def _parts(body: bytes, delimiter: bytes) -> list[bytes]:
    """Return what follows each delimiter but the last one, which has two more dashes.

    Everybody waits while it searches, so it does not do so with a pattern.
    """
    # The end of a line may belong to two delimiters. What is added ends no line.
    before, *pieces = (b"\n" + body + b".").split(delimiter)
    parts = [before]
    for piece in pieces:
        if piece.startswith(b"--") or _REST_OF_DELIMITER.match(piece):
            parts[-1] = parts[-1].removesuffix(b"\r")
            parts.append(piece)
        else:
            # A longer boundary, which is somebody else's.
            parts[-1] += delimiter + piece
    parts[-1] = parts[-1].removesuffix(b".")
    return [part for part in parts[1:] if not part.startswith(b"--")]


def _call(part: bytes, number: int) -> Call:
    outer, rest = _partition(part.lstrip(b" \t\r\n"))
    head, body = _partition(rest.lstrip(b"\r\n"))
    line, _, lines = head.partition(b"\n")
    match = _REQUEST_LINE.fullmatch(line.strip())
    if not match:
        raise RequestError(400, f"call {number} of the batch is no HTTP request")
    if max(outer.count(b"\n"), lines.count(b"\n")) >= _MAX_HEADERS:
        raise RequestError(400, f"call {number} of the batch has too many headers")
    content_id = dict(_headers(outer)).get(b"content-id", b"").decode("latin-1")
    method, target = match[1].decode(), match[2].decode("latin-1")
    return Call(content_id, method, target, tuple(_headers(lines)), body)


def _partition(content: bytes) -> tuple[bytes, bytes]:
    """Return what comes before the first blank line, and after it."""
    match = _BLANK_LINE.search(content)
    if match is None:
        return content, b""
    return content[: match.start()], content[match.end() :]


def _headers(lines: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield names in lower case and values; a value may be folded onto several lines."""
    for line in _FOLD.sub(b" ", lines).split(b"\n"):
        name, colon, value = line.partition(b":")
        if colon:
            yield name.strip().lower(), b" ".join(value.split())


def _scope(request: Request, call: Call) -> dict[str, Any]:
    address = urlsplit(call.target)
    path = unquote(address.path)
    if path not in _CALLABLE:
        raise RequestError(400, "a batch may call comments:analyze and comments:suggestscore")
    own = {name for name, _ in call.headers}
    carried = [
        (name, value)
        for name, value in request.headers.raw
        if name in (b"authorization", b"x-goog-api-key") and name not in own
    ]
    shared = ("type", "asgi", "http_version", "scheme", "server", "client", "root_path", "app")
    return {name: request.scope[name] for name in shared} | {
        "state": {},
        "method": call.method,
        "path": path,
        "raw_path": address.path.encode("latin-1", "replace"),
        "query_string": address.query.encode("latin-1", "replace"),
        "headers": [*call.headers, *carried],
    }


async def _answer(app: Any, call: Call, scope: dict[str, Any]) -> bytes:
    messages: list[Message] = [{"type": "http.request", "body": call.body, "more_body": False}]
    status, headers, body = 500, [], b""

    async def receive() -> Message:
        if messages:
            return messages.pop()
        # It is cancelled when the client of the batch hangs up.
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        nonlocal status, headers, body
        if message["type"] == "http.response.start":
            status, headers = message["status"], message["headers"]
        else:
            body += message.get("body", b"")

    await app(scope, receive, send)
    return _part(status, headers, body)


def _part(status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> bytes:
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
    lines += [
        name.title() + b": " + value for name, value in headers if name.decode() in _PASSED_ON
    ]
    lines += [b"Content-Length: %d" % len(body), b"", body]
    return b"\r\n".join(lines)


def _multipart(calls: Sequence[Call], answers: Sequence[bytes]) -> Response:
    boundary = f"batch_{secrets.token_hex(16)}"
    parts = []
    for call, answer in zip(calls, answers, strict=True):
        # As Google's service names its answers.
        name = f"<response-{call.id.removeprefix('<')}" if call.id else ""
        head = f"--{boundary}\r\nContent-Type: application/http\r\n"
        head += f"Content-ID: {name}\r\n\r\n" if name else "\r\n"
        parts += [head.encode("latin-1", "replace"), answer, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    return Response(b"".join(parts), media_type=f"multipart/mixed; boundary={boundary}")
