"""Slack's signature on a request.

Source: https://docs.slack.dev/authentication/verifying-requests-from-slack
"""

from __future__ import annotations

import time
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING

from toxic_bot.judge.errors import ToxicBotError

if TYPE_CHECKING:
    from slack_sdk.signature import SignatureVerifier

    from toxic_bot.slack.requests.http import Request


class SignatureError(ToxicBotError):
    """A request lacks a fresh signature made with Slack's signing secret."""


class UnsignedError(SignatureError):
    """A request has no signature at all, so it is certainly not from Slack."""


def _load_verifier() -> type[SignatureVerifier]:
    """Load slack_sdk's verifier without the rest of slack_sdk.

    Importing the package imports its whole Web API client, which costs 25 ms of a cold start
    while Slack is waiting. The signature module needs none of it.
    """
    package = find_spec("slack_sdk")
    if package is None or package.submodule_search_locations is None:
        raise ModuleNotFoundError("No module named 'slack_sdk'", name="slack_sdk")
    # As source, or in an image as bytecode alone.
    spec = PathFinder.find_spec("signature", package.submodule_search_locations)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    verifier: type[SignatureVerifier] = module.SignatureVerifier
    return verifier


_SignatureVerifier = _load_verifier()


def verify(request: Request, signing_secret: str) -> None:
    """Check that Slack signed the raw body within the last five minutes.

    Raises
    ------
    UnsignedError
        When the signature is missing.
    SignatureError
        When the signature is wrong or stale.
    """
    timestamp = request.headers.get("x-slack-request-timestamp", "")
    signature = request.headers.get("x-slack-signature", "")
    if not timestamp or not signature:
        raise UnsignedError("the request is not signed: X-Slack-Signature is missing")
    try:
        valid = _SignatureVerifier(signing_secret).is_valid(request.body, timestamp, signature)
    # A timestamp that is not a number or too large a one, or a body or header that is not
    # UTF-8 or ASCII.
    except (ValueError, TypeError, OverflowError) as error:
        raise SignatureError("the request's signature or timestamp is malformed") from error
    if not valid:
        raise SignatureError(
            "the request's signature is wrong or older than five minutes: "
            "check the signing secret and the clock"
        )


def signed_headers(body: bytes, signing_secret: str) -> dict[str, str]:
    """Return the headers with which Slack would send a body now."""
    timestamp = str(int(time.time()))
    signature = _SignatureVerifier(signing_secret).generate_signature(
        timestamp=timestamp, body=body
    )
    return {
        "content-type": "application/json",
        "x-slack-request-timestamp": timestamp,
        "x-slack-signature": str(signature),
    }
