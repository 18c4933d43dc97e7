"""Error responses, in the shape of the API that it called.

No message quotes a text: one line, which names the field and says what is wrong with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException

GOOGLE_PATHS = ("/v1alpha1/", "/$discovery/", "/batch")
OPENAI_PATHS = ("/v1/moderations",)
SHAPE = "<"
"""How a tag begins that tells the shapes of one field apart."""
_MAX_FIELD = 80
_NO_OBJECT = ("missing", "model_attributes_type", "model_type")
_GOOGLE_TYPE = "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
# https://cloud.google.com/apis/design/errors
_GOOGLE_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    408: "DEADLINE_EXCEEDED",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
# https://platform.openai.com/docs/guides/error-codes
_OPENAI_TYPE = {401: "authentication_error", 429: "rate_limit_error"}


# Not frozen: what handles an exception sets its traceback.
@dataclass(eq=False)
class RequestError(Exception):
    """Why a request fails.

    Parameters
    ----------
    status
        HTTP status.
    message
        One line for whoever wrote the client.
    code
        A word for the client itself.
    retry_after
        Seconds after which the same request may succeed.
    detail
        What Google's error shape adds.
    """

    status: int
    message: str
    code: str = "invalid_request"
    retry_after: int | None = None
    detail: Mapping[str, Any] | None = None


class ErrorContent(BaseModel):
    """Why a request failed."""

    message: str
    code: str


class ErrorBody(BaseModel):
    """The body of a failed request."""

    error: ErrorContent


class GoogleErrorContent(BaseModel):
    """Why a request failed, as Google's APIs say it."""

    code: int
    message: str
    status: str
    details: list[dict[str, Any]] = []


class GoogleErrorBody(BaseModel):
    """The body of a failed request, as Google's APIs shape it."""

    error: GoogleErrorContent


class OpenAIErrorContent(BaseModel):
    """Why a request failed, as OpenAI's API says it."""

    message: str
    type: str
    param: str | None
    code: str


class OpenAIErrorBody(BaseModel):
    """The body of a failed request, as OpenAI's API shapes it."""

    error: OpenAIErrorContent


def documented(body: type[BaseModel], *statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the responses that an endpoint's documentation lists for its errors."""
    return {
        status: {"model": body, "description": HTTPStatus(status).phrase} for status in statuses
    }


def json_response(
    content: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a JSON response in ASCII, so that half a surrogate pair can be echoed too."""
    body = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Response(body, status, headers, media_type="application/json")


def render(error: RequestError, path: str) -> Response:
    """Return the response that tells a client of ``path`` about an error."""
    if path.startswith(GOOGLE_PATHS):
        content = _google(error)
    elif path.startswith(OPENAI_PATHS):
        content = _openai(error)
    else:
        content = ErrorBody(error=ErrorContent(message=error.message, code=error.code))
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return json_response(content.model_dump(), error.status, headers)


def _google(error: RequestError) -> BaseModel:
    details = [{"@type": _GOOGLE_TYPE, **error.detail}] if error.detail else []
    if not details and error.status == 400:
        details = [{"@type": _GOOGLE_TYPE, "errorType": "INVALID_REQUEST"}]
    content = GoogleErrorContent(
        code=error.status,
        message=error.message,
        status=_GOOGLE_STATUS.get(error.status, "UNKNOWN"),
        details=details,
    )
    return GoogleErrorBody(error=content)


def _openai(error: RequestError) -> BaseModel:
    kind = _OPENAI_TYPE.get(error.status)
    if kind is None:
        kind = "invalid_request_error" if error.status < 500 else "server_error"
    content = OpenAIErrorContent(message=error.message, type=kind, param=None, code=error.code)
    return OpenAIErrorBody(error=content)


async def on_request_error(request: Request, error: Exception) -> Response:
    """Handle a `RequestError`."""
    assert isinstance(error, RequestError)
    return render(error, request.url.path)


async def on_invalid(request: Request, error: Exception) -> Response:
    """Handle a body that the endpoint's model refuses."""
    assert isinstance(error, RequestValidationError)
    path = request.url.path
    status = 400 if path.startswith(GOOGLE_PATHS + OPENAI_PATHS) else 422
    return render(RequestError(status, _first(error.errors())), path)


async def on_http_error(request: Request, error: Exception) -> Response:
    """Handle an error of the framework: no such page, no such method, not JSON."""
    assert isinstance(error, HTTPException)
    path = request.url.path
    allowed = (error.headers or {}).get("Allow")
    if request.method == "OPTIONS" and error.status_code == 405 and allowed:
        also = "HEAD, OPTIONS" if allowed == "GET" else "OPTIONS"
        return Response(status_code=204, headers={"Allow": f"{allowed}, {also}"})
    if error.status_code == 400:
        return render(RequestError(400, "the body is not JSON in UTF-8"), path)
    message = HTTPStatus(error.status_code).phrase.lower()
    response = render(RequestError(error.status_code, message, message.replace(" ", "_")), path)
    response.headers.update(error.headers or {})
    return response


def _first(errors: Sequence[Any]) -> str:
    """Return the first of Pydantic's findings in one line, with its field and without its input."""
    error = errors[0]
    if error["type"] == "json_invalid":
        return "the body is not JSON"
    if len(error["loc"]) < 2 and error["type"] in _NO_OBJECT:
        return "the body is not a JSON object, sent with 'Content-Type: application/json'"
    # Where a field has several shapes, Pydantic adds the shape's tag, which is no field.
    parts = [str(part) for part in error["loc"][1:]]
    field = ".".join(part for part in parts if not part.startswith(SHAPE))
    field = " ".join(field.encode("ascii", "backslashreplace").decode().split())[:_MAX_FIELD]
    message = error["msg"].removeprefix("Value error, ").splitlines()[0]
    return f"{field or 'the body'}: {message}"
