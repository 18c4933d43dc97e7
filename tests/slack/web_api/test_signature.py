"""Nothing forged gets in, and no header makes the check fail in any other way."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.slack.requests.http import Request
from toxic_bot.slack.requests.signature import SignatureError, verify

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
BODY = b'{"type": "event_callback"}'


def sign(timestamp: str, body: bytes = BODY, secret: str = SECRET) -> str:
    digest = hmac.new(secret.encode(), f"v0:{timestamp}:".encode() + body, hashlib.sha256)
    return f"v0={digest.hexdigest()}"


def request(timestamp: str, signature: str, body: bytes = BODY) -> Request:
    headers = {"x-slack-request-timestamp": timestamp, "x-slack-signature": signature}
    return Request(headers, body, oversized=False)


def now(offset: float = 0) -> str:
    return str(int(time.time() + offset))


@pytest.mark.parametrize("offset", [0, -290, 290])
def test_slacks_own_signature_is_accepted_for_five_minutes(offset: float) -> None:
    verify(request(now(offset), sign(now(offset))), SECRET)


FORGERIES: dict[str, Callable[[str], Request]] = {
    "another secret": lambda ts: request(ts, sign(ts, secret="another")),
    "an empty secret": lambda ts: request(ts, sign(ts, secret="")),
    "another body": lambda ts: request(ts, sign(ts), BODY + b" "),
    "another timestamp": lambda ts: request(now(1), sign(ts)),
    "truncated": lambda ts: request(ts, sign(ts)[:-1]),
    "only the version": lambda ts: request(ts, "v0="),
    "no version": lambda ts: request(ts, sign(ts)[3:]),
    "another version": lambda ts: request(ts, "v1" + sign(ts)[2:]),
    "upper case": lambda ts: request(ts, sign(ts).upper()),
    "base64": lambda ts: request(
        ts, "v0=" + base64.b64encode(bytes.fromhex(sign(ts)[3:])).decode()
    ),
    "two signatures": lambda ts: request(ts, f"{sign(ts)},{sign(ts)}"),
    "two timestamps": lambda ts: request(f"{ts},{ts}", sign(ts)),
    "two timestamps, both signed": lambda ts: request(f"{ts},{ts}", sign(f"{ts},{ts}")),
    "old": lambda _: request(now(-400), sign(now(-400))),
    "from the future": lambda _: request(now(400), sign(now(400))),
    "not a number": lambda _: request("soon", sign("soon")),
    "400 digits": lambda _: request("9" * 400, sign("9" * 400)),
    "5,000 digits": lambda _: request("9" * 5000, sign("9" * 5000)),
    "not a finite number": lambda _: request("inf", sign("inf")),
    "not ASCII": lambda ts: request(ts, "v0=é"),
    "not UTF-8": lambda ts: request(ts, sign(ts), b"\xff\xfe"),
    "no timestamp": lambda ts: request("", sign(ts)),
    "no signature": lambda ts: request(ts, ""),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_request_is_refused(forgery: str) -> None:
    with pytest.raises(SignatureError):
        verify(FORGERIES[forgery](now()), SECRET)


HEADER = st.text(max_size=600) | st.from_regex(r"-?[0-9]{1,500}(\.[0-9]*)?(e[0-9]{1,4})?")


@given(HEADER, HEADER | st.from_regex(r"v0=[0-9a-f]{0,80}"), st.binary(max_size=300))
def test_any_headers_and_body_are_refused_and_nothing_else(
    timestamp: str, signature: str, body: bytes
) -> None:
    with pytest.raises(SignatureError):
        verify(request(timestamp, signature, body), SECRET)
