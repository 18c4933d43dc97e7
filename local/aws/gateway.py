"""An HTTP front that does what API Gateway's HTTP API does with a Lambda integration.

Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

from __future__ import annotations

import base64
import time
import uuid
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from local.aws.runtime import Invocable, InvocationError

PATH = "/slack/events"
MOST_BYTES = 10_000_000
"""API Gateway refuses a larger request before the function sees it."""
TEXT = ("text/", "application/json", "application/xml", "application/javascript")


def gateway(function: Invocable) -> Starlette:
    """Return an application that hands every ``POST /slack/events`` to a function."""

    async def events(request: Request) -> Response:
        body = await request.body()
        if len(body) > MOST_BYTES:
            return JSONResponse({"message": "Request Entity Too Large"}, 413)
        event = http_event(request, body)
        try:
            outcome = await run_in_threadpool(function.invoke, event)
        except InvocationError:
            return JSONResponse({"message": "Internal Server Error"}, 500)
        return http_response(outcome)

    async def missing(request: Request, error: Exception) -> Response:  # noqa: ARG001 - Starlette's
        return JSONResponse({"message": "Not Found"}, 404)

    return Starlette(
        routes=[Route(PATH, events, methods=["POST"])],
        exception_handlers={404: missing, 405: missing},
    )


def http_event(request: Request, body: bytes) -> dict[str, Any]:
    """Return a request as an event of payload format 2.0.

    Parameters
    ----------
    request
        The request; several headers of one name are joined with a comma.
    body
        Its body; base64 unless its type is text.
    """
    headers: dict[str, str] = {}
    for name, value in request.headers.items():
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return payload(
        headers=headers,
        body=body,
        query=request.url.query,
        address=request.client.host if request.client else "",
    )


def payload(
    *, headers: dict[str, str], body: bytes, query: str = "", address: str = "203.0.113.7"
) -> dict[str, Any]:
    """Return an event of payload format 2.0 for a ``POST /slack/events``."""
    is_text = headers.get("content-type", "").lower().startswith(TEXT)
    text = _decoded(body) if is_text else None
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
                "sourceIp": address,
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


def _decoded(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def http_response(outcome: object) -> Response:
    """Return the HTTP response that a function's outcome stands for.

    Parameters
    ----------
    outcome
        An object with a ``statusCode``; any other value is the body of a 200, as the
        payload format has it.
    """
    if not isinstance(outcome, dict) or "statusCode" not in outcome:
        return JSONResponse(outcome)
    body = str(outcome.get("body") or "")
    content = base64.b64decode(body) if outcome.get("isBase64Encoded") else body.encode()
    headers = {str(name): str(value) for name, value in (outcome.get("headers") or {}).items()}
    return Response(content, int(outcome["statusCode"]), headers)
