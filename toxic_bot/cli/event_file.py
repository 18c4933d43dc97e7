"""Events in files, such as those in ``events/``: reading and signing them."""

from __future__ import annotations

import base64
import binascii
import json
from pathlib import Path
from typing import Any

from urllib3 import PoolManager, Timeout
from urllib3.exceptions import HTTPError

from toxic_bot.slack.requests.signature import signed_headers
from toxic_bot.terminal.console import ConsoleError

TIMEOUT = 30.0
"""Seconds to wait for a response; 'sam local' starts a container for it."""
PLACEHOLDERS = {
    "TIMESTAMP": "x-slack-request-timestamp",
    "SIGNATURE": "x-slack-signature",
}
"""Values in a sample event that stand for a header that is computed when it is sent."""


def read_event(path: Path) -> dict[str, Any]:
    """Read an event from a file.

    Raises
    ------
    ConsoleError
        When the file is missing, is not JSON, or is not an event of API Gateway or SQS.
    """
    try:
        event = json.loads(path.read_bytes())
    except OSError as error:
        raise ConsoleError(f"{path} cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise ConsoleError(f"{path} is not JSON ({error})") from error
    if isinstance(event, dict) and (
        isinstance(event.get("Records"), list) or isinstance(event.get("headers"), dict)
    ):
        return event
    raise ConsoleError(
        f"{path} is neither an API Gateway event (with 'headers') nor an SQS batch "
        "(with 'Records'): see events/README.md"
    )


def raw_body(event: dict[str, Any]) -> bytes:
    """Return the body of an API Gateway event, as the sender sent it.

    Raises
    ------
    ConsoleError
        When it claims to be base64 and is not.
    """
    body = str(event.get("body") or "")
    try:
        return base64.b64decode(body) if event.get("isBase64Encoded") else body.encode()
    except (binascii.Error, ValueError) as error:
        raise ConsoleError(f"the event's body is not base64 ({error})") from error


def signed(event: dict[str, Any], signing_secret: str) -> dict[str, Any]:
    """Return an API Gateway event with its placeholders replaced, as if Slack sent it now."""
    computed = signed_headers(raw_body(event), signing_secret)
    headers = {
        name: computed[PLACEHOLDERS[value]] if value in PLACEHOLDERS else value
        for name, value in event["headers"].items()
    }
    return event | {"headers": headers}


def post(event: dict[str, Any], url: str) -> tuple[int, str]:
    """Send an API Gateway event as the HTTP request that it describes.

    Returns
    -------
    tuple
        Status and body of the response.

    Raises
    ------
    ConsoleError
        When there is no response.
    """
    if not url.startswith(("http://", "https://")):
        raise ConsoleError(f"{url} is no URL: it should start with http:// or https://")
    # What belongs to another connection is left to the client.
    headers = {
        name: str(value)
        for name, value in event["headers"].items()
        if name.lower() not in ("host", "content-length", "accept-encoding")
    }
    try:
        with PoolManager(retries=False, timeout=Timeout(TIMEOUT)) as pool:
            response = pool.request("POST", url, body=raw_body(event), headers=headers)
    except HTTPError as error:
        raise ConsoleError(
            f"{url} does not answer ({type(error).__name__}): check that it is running"
        ) from error
    return response.status, response.data.decode("utf-8", "replace")
