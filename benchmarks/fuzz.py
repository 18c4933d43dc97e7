"""Fuzzing: many mutated requests to the receiver, and many texts on their way to the model.

No input may raise an exception, lead to a 5xx, get in without Slack's signature, have an answer
sent to an address that is not Slack's, or be slow.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import importlib
import io
import json
import multiprocessing
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import Progress, TaskID
from rich.table import Table
from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from benchmarks.forms import forms
from benchmarks.mutation import mutated, mutated_body, random_text
from simulators import ROOT
from simulators.aws.account import Account, Secrets
from simulators.aws.template import REGION, Template
from toxic_bot.judge.normalization import normalize
from toxic_bot.slack.requests.http import Request
from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.web_api.mrkdwn import plain_text

SLOW = 250.0
"""Milliseconds of CPU time from which an input counts as slow."""

SHARE = 5_000
"""Inputs that a process takes at a time."""

ADDRESSES = frozenset({("https", "slack.com"), ("https", "hooks.slack.com")})
"""Where answers may go, by the default settings."""


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
        CPU milliseconds of the slowest input.
    failures
        Exceptions, 5xx, forged requests that got in, answers to foreign addresses and slow
        inputs; the input is shown.
    """

    inputs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """Count what another process found, too."""
        self.inputs += other.inputs
        self.outcomes += other.outcomes
        self.slowest = max(self.slowest, other.slowest)
        self.failures += other.failures


def fuzz(inputs: int, seed: int) -> dict[str, Findings]:
    """Fuzz the receiver and the text path in as many processes as there are CPUs.

    Parameters
    ----------
    inputs
        For each of the two.
    seed
        The same seed leads to the same inputs, however many processes there are.
    """
    findings = {"receiver": Findings(), "text": Findings()}
    # AWS's simulation does not survive a fork.
    context = multiprocessing.get_context("spawn")
    with (
        # Each share in its own process: the receiver finds its AWS when it is imported.
        ProcessPoolExecutor(len(os.sched_getaffinity(0)), context, max_tasks_per_child=1) as pool,
        Progress(transient=True) as progress,
    ):
        shares = []
        for kind, (name, fuzzer) in enumerate((("receiver", fuzz_receiver), ("text", fuzz_text))):
            bar = progress.add_task(f"Fuzzing: {name}", total=inputs)
            for first in range(0, inputs, SHARE):
                size = min(SHARE, inputs - first)
                share = pool.submit(fuzzer, size, hash((seed, kind, first)))
                share.add_done_callback(partial(_advance, progress, bar, size))
                shares.append((name, share))
        for name, share in shares:
            findings[name].add(share.result())
    return findings


def _advance(progress: Progress, bar: TaskID, size: int, share: Future[Findings]) -> None:
    if not share.cancelled():
        progress.advance(bar, size)


def fuzz_receiver(inputs: int, seed: int) -> Findings:
    """Send mutated requests to the receiver, half of them signed after the mutation."""
    chance = random.Random(seed)
    findings = Findings(inputs)
    files = [json.loads(path.read_bytes()) for path in sorted((ROOT / "events").glob("*.json"))]
    events = [str(one["body"]).encode() for one in files if one.get("body")]
    with _receiver() as (handler, secret, queued):

        def status(event: dict[str, Any]) -> str:
            return str(handler(event, None)["statusCode"])

        for _ in range(inputs):
            body, kind = chance.choice(events), "application/json"
            if chance.random() < 0.5:
                body, kind = chance.choice(forms()), "application/x-www-form-urlencoded"
            event = _request(mutated_body(body, chance), secret, chance)
            event["headers"]["content-type"] = kind
            queued.clear()
            outcome = _try(findings, status, event)
            if outcome.startswith("5"):
                findings.failures.append(f"{outcome}: {event!a}")
            if outcome == "200" and not _is_signed(event, secret):
                findings.failures.append(f"forged: {event!a}")
            if not all(map(_is_answered_at_slack, queued)):
                findings.failures.append(f"foreign address: {event!a}")
    return findings


def _is_answered_at_slack(message: str) -> bool:
    """Report whether the library that will connect finds Slack's host in the response URL."""
    url = json.loads(message).get("response_url")
    if url is None:
        return True
    try:
        parsed = parse_url(url)
    except LocationParseError:
        return True
    return (parsed.scheme, parsed.host) in ADDRESSES and parsed.port is None


def _request(body: bytes, secret: str, chance: random.Random) -> dict[str, Any]:
    timestamp = str(int(time.time()))
    headers = {
        "x-slack-request-timestamp": timestamp,
        "x-slack-signature": _sign(timestamp, body, secret),
    }
    if chance.random() < 0.5:
        name = chance.choice(sorted(headers))
        headers[name] = mutated(headers[name].encode(), chance).decode("latin-1")
    event: dict[str, Any] = {"version": "2.0", "headers": headers, "isBase64Encoded": True}
    encoded = base64.b64encode(body)
    if chance.random() < 0.1:
        encoded = mutated(encoded, chance)
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
def _receiver() -> Iterator[tuple[Callable[..., dict[str, Any]], str, list[str]]]:
    """Import the receiver as Lambda does, on a simulated AWS; what it logs is dropped.

    The list receives what it queues.
    """
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
            receiver = importlib.reload(receiver)
            logger.setLevel("CRITICAL")
            queued: list[str] = []
            receiver.queue.meta.events.register(
                "provide-client-params.sqs.SendMessage",
                lambda params, **_: queued.append(params["MessageBody"]),
            )
            yield receiver.handler, secrets.signing_secret, queued
        finally:
            account.stop()


def fuzz_text(inputs: int, seed: int) -> Findings:
    """Turn random texts into what the tokenizer reads."""
    chance = random.Random(seed)
    findings = Findings(inputs)
    for _ in range(inputs):
        _try(findings, _read, random_text(chance))
    return findings


def _read(text: str) -> str:
    return "read" if normalize(plain_text(text)) else "nothing to read"


def _try(findings: Findings, action: Callable[[Any], str], value: object) -> str:
    started = time.thread_time()
    try:
        outcome = action(value)
    # Whatever it is, it is what fuzzing looks for.
    except Exception as error:
        outcome = type(error).__name__
        findings.failures.append(f"{outcome}: {value!a}")
    milliseconds = (time.thread_time() - started) * 1e3
    findings.outcomes[outcome] += 1
    findings.slowest = max(findings.slowest, milliseconds)
    if milliseconds > SLOW:
        findings.failures.append(f"{milliseconds:.0f} ms: {value!a}")
    return outcome


def findings_table(findings: dict[str, Findings]) -> Table:
    """Return what fuzzing found as a table."""
    table = Table(title="Fuzzing", title_justify="left")
    for name in ("what", "inputs", "outcomes", "slowest CPU ms", "failures"):
        table.add_column(name)
    for name, one in findings.items():
        outcomes = ", ".join(f"{outcome}: {n:,}" for outcome, n in sorted(one.outcomes.items()))
        table.add_row(
            name, f"{one.inputs:,}", outcomes, f"{one.slowest:.1f}", str(len(one.failures))
        )
    return table
