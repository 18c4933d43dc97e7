"""Slack's HTTP requests and their responses, also as API Gateway passes them to a function.

Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any

MAX_BODY = 1_000_000
"""Size of the largest body that is read, in bytes; Slack's callbacks are a few thousand."""


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request.

    Parameters
    ----------
    headers
        Names in lower case.
    body
        The raw bytes; empty when ``oversized``.
    oversized
        Whether the body exceeded ``MAX_BODY``.
    """

    headers: dict[str, str]
    body: bytes
    oversized: bool

    @property
    def is_form(self) -> bool:
        """Whether the body is a form, as Slack sends for commands and interactions."""
        return self.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")

    @classmethod
    def from_event(cls, event: dict[str, Any]) -> Request:
        """Read API Gateway's event; fields that it lacks are empty here."""
        headers = {str(k).lower(): str(v) for k, v in (event.get("headers") or {}).items()}
        encoded: str = event.get("body") or ""
        if len(encoded) > MAX_BODY * 4 // 3 + 4:
            return cls(headers, b"", oversized=True)
        return cls.of(
            headers, _decoded(encoded) if event.get("isBase64Encoded") else encoded.encode()
        )

    @classmethod
    def of(cls, headers: dict[str, str], body: bytes) -> Request:
        """Return a request, without its body if that is oversized."""
        if len(body) > MAX_BODY:
            return cls(headers, b"", oversized=True)
        return cls(headers, body, oversized=False)


@dataclass(frozen=True, slots=True)
class Response:
    """A response of one line, in plain text or JSON.

    Parameters
    ----------
    status
        The HTTP status.
    body
        The line.
    final
        Whether Slack should not send the request again.
    is_json
        Whether the line is JSON.
    """

    status: int
    body: str
    final: bool = False
    is_json: bool = False

    @property
    def headers(self) -> dict[str, str]:
        """Its headers."""
        kind = "application/json" if self.is_json else "text/plain; charset=utf-8"
        return {"content-type": kind} | ({"x-slack-no-retry": "1"} if self.final else {})

    def to_event(self) -> dict[str, Any]:
        """Return the response in API Gateway's format."""
        return {"statusCode": self.status, "headers": self.headers, "body": self.body}


def _decoded(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return b""
