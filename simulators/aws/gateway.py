"""API Gateway's HTTP API with a Lambda proxy integration.

Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

from __future__ import annotations

import base64
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from simulators.aws.runtime import Invocable, InvocationError

PATH = "/slack/events"
MAX_REQUEST_BYTES = 10_000_000
"""API Gateway rejects a larger request without invoking the function."""
TEXT_TYPES = ("text/", "application/json", "application/xml", "application/javascript")


@dataclass(frozen=True, slots=True)
class Access:
    """A line of the access log.

    Parameters
    ----------
    status
        Of the response.
    milliseconds
        From the request to the response.
    """

    status: int
    milliseconds: float


class Bucket:
    """Tokens for requests, as API Gateway throttles them: a burst, and a steady rate.

    Parameters
    ----------
    rate
        Requests a second, and in a burst.
    clock
        Returns seconds that never run backward.
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = self._tokens = rate
        self._clock = clock
        self._filled = clock()

    def take(self) -> bool:
        """Take a token, if there is one."""
        now = self._clock()
        self._tokens = min(self._rate, self._tokens + (now - self._filled) * self._rate)
        self._filled = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


def gateway(
    function: Invocable,
    *,
    log: Callable[[Access], object] | None = None,
    requests_per_second: float = float("inf"),
) -> Starlette:
    """Return an application that invokes a function with every ``POST /slack/events``.

    Parameters
    ----------
    function
        The function.
    log
        Called with every request that has ended.
    requests_per_second
        The rate from which requests get a 429.
    """
    bucket = Bucket(requests_per_second)

    async def events(request: Request) -> Response:
        started = time.perf_counter()
        response = await invoke(request) if bucket.take() else throttled()
        if log is not None:
            log(Access(response.status_code, (time.perf_counter() - started) * 1e3))
        return response

    def throttled() -> Response:
        return JSONResponse({"message": "Too Many Requests"}, 429)

    async def invoke(request: Request) -> Response:
        body = await request.body()
        if len(body) > MAX_REQUEST_BYTES:
            return JSONResponse({"message": "Request Entity Too Large"}, 413)
        event = event_from_request(request, body)
        try:
            result = await run_in_threadpool(function.invoke, event)
        except InvocationError:
            return JSONResponse({"message": "Internal Server Error"}, 500)
        return http_response(result)

    async def not_found(request: Request, error: Exception) -> Response:  # noqa: ARG001 - Starlette's
        return JSONResponse({"message": "Not Found"}, 404)

    return Starlette(
        routes=[Route(PATH, events, methods=["POST"])],
        exception_handlers={404: not_found, 405: not_found},
    )


def event_from_request(request: Request, body: bytes) -> dict[str, Any]:
    """Return a request as an event of payload format version 2.0.

    Parameters
    ----------
    request
        The request; the values of duplicate headers are joined with commas.
    body
        Its body, which becomes base64 in the event unless its type is text.
    """
    headers: dict[str, str] = {}
    for name, value in request.headers.items():
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return http_api_event(
        headers=headers,
        body=body,
        query=request.url.query,
        source_ip=request.client.host if request.client else "",
    )


def http_api_event(
    *, headers: dict[str, str], body: bytes, query: str = "", source_ip: str = "203.0.113.7"
) -> dict[str, Any]:
    """Return an event of payload format version 2.0 for a ``POST /slack/events``."""
    is_text = headers.get("content-type", "").lower().startswith(TEXT_TYPES)
    text = _decode(body) if is_text else None
    now = time.time()
    return {
        "version": "2.0",
        "routeKey": f"POST {PATH}",
        "rawPath": PATH,
        "rawQueryString": query,
        "headers": headers,
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "local",
            "domainName": headers.get("host", "localhost"),
            "domainPrefix": "local",
            "http": {
                "method": "POST",
                "path": PATH,
                "protocol": "HTTP/1.1",
                "sourceIp": source_ip,
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": uuid.uuid4().hex[:16],
            "routeKey": f"POST {PATH}",
            "stage": "$default",
            "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
            "timeEpoch": int(now * 1000),
        },
        "body": base64.b64encode(body).decode() if text is None else text,
        "isBase64Encoded": text is None,
    }


def _decode(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def http_response(result: object) -> Response:
    """Return the HTTP response for a function's result.

    Parameters
    ----------
    result
        An object with a ``statusCode``. Any other value becomes the body of a 200
        response, as payload format version 2.0 specifies.
    """
    if not isinstance(result, dict) or "statusCode" not in result:
        return JSONResponse(result)
    body = str(result.get("body") or "")
    content = base64.b64decode(body) if result.get("isBase64Encoded") else body.encode()
    headers = {str(name): str(value) for name, value in (result.get("headers") or {}).items()}
    return Response(content, int(result["statusCode"]), headers)
