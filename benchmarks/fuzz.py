"""Fuzzing: many mutated requests to the receiver, and many texts on their way to the model.

No input may raise an exception, lead to a 5xx, get in without Slack's signature, or be slow.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import importlib
import io
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.progress import track
from rich.table import Table

from benchmarks.text import FRAGMENTS
from handler.http import Request
from handler.slack.mrkdwn import plain_text
from judge.normalization import normalize
from local import ROOT
from local.aws.account import Account, Secrets
from local.aws.template import REGION, Template

SLOW = 250.0
"""Milliseconds from which an input counts as slow; the machine may do something else."""

MAX_TEXT = 40_000
"""Characters of the longest text: Slack's limit."""

INTERESTING = (
    *(b"", b"0", b"-1", b"1e999", b"NaN", b"null", b"true", b"[]", b"{}", b'""', b"9" * 400),
    *(b"\\u0000", b"\\ud800", b"\x00", b"\xff", b"\xed\xa0\x80", b"[" * 2000, b'{"a":' * 500),
    *(b"event_callback", b"url_verification", b"app_rate_limited", b"::skin-tone-9", b"' OR 1=1"),
)


@dataclass(slots=True)
class Findings:
    """What fuzzing found.

    Parameters
    ----------
    inputs
        Number of inputs.
    outcomes
        How often each outcome occurred.
    slowest
        Milliseconds of the slowest input.
    failures
        Exceptions, 5xx, forged requests that got in and slow inputs; the input is shown.
    """

    inputs: int
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)


def fuzz_receiver(inputs: int, seed: int) -> Findings:
    """Send mutated requests to the receiver, half of them signed after the mutation."""
    chance = random.Random(seed)
    findings = Findings(inputs)
    files = [json.loads(path.read_bytes()) for path in sorted((ROOT / "events").glob("*.json"))]
    bodies = [str(one["body"]).encode() for one in files if one.get("body")]
    with _receiver() as (handler, secret):

        def status(event: dict[str, Any]) -> str:
            return str(handler(event, None)["statusCode"])

        for _ in track(range(inputs), "Fuzzing the receiver", transient=True):
            event = _request(_mutated(chance.choice(bodies), chance), secret, chance)
            outcome = _try(findings, status, event)
            if outcome.startswith("5"):
                findings.failures.append(f"{outcome}: {event!a}")
            if outcome == "200" and not _is_signed(event, secret):
                findings.failures.append(f"forged: {event!a}")
    return findings


def _request(body: bytes, secret: str, chance: random.Random) -> dict[str, Any]:
    timestamp = str(int(time.time()))
    headers = {
        "x-slack-request-timestamp": timestamp,
        "x-slack-signature": _sign(timestamp, body, secret),
    }
    if chance.random() < 0.5:
        name = chance.choice(sorted(headers))
        headers[name] = _mutated(headers[name].encode(), chance).decode("latin-1")
    event: dict[str, Any] = {"version": "2.0", "headers": headers, "isBase64Encoded": True}
    encoded = base64.b64encode(body)
    if chance.random() < 0.1:
        encoded = _mutated(encoded, chance)
    if chance.random() < 0.2:
        event["isBase64Encoded"] = False
        encoded = body
    event["body"] = encoded.decode("utf-8", "replace")
    return event


def _is_signed(event: dict[str, Any], secret: str) -> bool:
    request = Request.from_event(event)
    timestamp = request.headers["x-slack-request-timestamp"]
    return request.headers["x-slack-signature"] == _sign(timestamp, request.body, secret)


def _sign(timestamp: str, body: bytes, secret: str) -> str:
    # Not slack_sdk's: the receiver uses that, and it signs no body that is not UTF-8.
    digest = hmac.new(secret.encode(), b"v0:%s:%s" % (timestamp.encode(), body), hashlib.sha256)
    return f"v0={digest.hexdigest()}"


@contextlib.contextmanager
def _receiver() -> Iterator[tuple[Callable[..., dict[str, Any]], str]]:
    """Import the receiver as Lambda does, on a simulated AWS; what it logs is dropped."""
    secrets = Secrets()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        account = Account(
            Path(folder),
            Template.read(ROOT / "template.yaml"),
            parameters={},
            bot_secrets=secrets,
            environment={},
        )
        try:
            function = account.function("Receiver")
            os.environ |= function.environment | function.credentials.environment()
            os.environ |= {"AWS_ENDPOINT_URL": account.endpoint, "AWS_DEFAULT_REGION": REGION}
            receiver = importlib.import_module("handler.receiver")
            receiver.logger.setLevel("CRITICAL")
            yield receiver.handler, secrets.signing_secret
        finally:
            account.stop()


def fuzz_text(inputs: int, seed: int) -> Findings:
    """Turn random texts into what the tokenizer reads."""
    chance = random.Random(seed)
    findings = Findings(inputs)
    for _ in track(range(inputs), "Fuzzing the text path", transient=True):
        _try(findings, _read, _text(chance))
    return findings


def _read(text: str) -> str:
    return "read" if normalize(plain_text(text)) else "nothing to read"


def _text(chance: random.Random) -> str:
    parts = []
    for _ in range(chance.randrange(1, 12)):
        fragment = chance.choice(FRAGMENTS)
        if chance.random() < 0.3:
            fragment = "".join(chr(chance.randrange(0x110000)) for _ in range(3))
        parts.append(fragment * int(chance.paretovariate(0.7)))
    return "".join(parts)[:MAX_TEXT]


def _mutated(content: bytes, chance: random.Random) -> bytes:
    """Return the content with a few bytes changed, cut out, doubled or replaced."""
    changed = bytearray(content)
    for _ in range(chance.choice((0, 1, 1, 2, 4, 8))):
        start = chance.randrange(len(changed) + 1)
        end = min(len(changed), start + int(chance.paretovariate(0.8)))
        piece = bytes(changed[start:end])
        changed[start:end] = chance.choice(
            (b"", piece + piece, chance.randbytes(len(piece)), chance.choice(INTERESTING))
        )
    return bytes(changed)


def _try(findings: Findings, action: Callable[[Any], str], value: object) -> str:
    started = time.perf_counter()
    try:
        outcome = action(value)
    # Whatever it is, it is what fuzzing looks for.
    except Exception as error:
        outcome = type(error).__name__
        findings.failures.append(f"{outcome}: {value!a}")
    milliseconds = (time.perf_counter() - started) * 1e3
    findings.outcomes[outcome] += 1
    findings.slowest = max(findings.slowest, milliseconds)
    if milliseconds > SLOW:
        findings.failures.append(f"{milliseconds:.0f} ms: {value!a}")
    return outcome


def findings_table(findings: dict[str, Findings]) -> Table:
    """Return what fuzzing found as a table."""
    table = Table(title="Fuzzing", title_justify="left")
    for name in ("what", "inputs", "outcomes", "slowest ms", "failures"):
        table.add_column(name)
    for name, one in findings.items():
        outcomes = ", ".join(f"{outcome}: {n:,}" for outcome, n in sorted(one.outcomes.items()))
        table.add_row(
            name, f"{one.inputs:,}", outcomes, f"{one.slowest:.1f}", str(len(one.failures))
        )
    return table
