"""How fast the bot answers: the receiver's and the worker's cold starts, and warm answers.

AWS is moto on loopback, and its time is in the figures. Slack is the local one; what the
worker waits for it to hand out the message is taken out of the warm figure.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from rich.progress import Progress

from benchmarks.report import Figure, Report
from handler.slack.events import Reaction
from local.aws.account import FunctionConfig
from local.aws.gateway import payload
from local.aws.poller import sqs_event
from local.aws.runtime import Runtime
from local.samples import CHANNEL, RAE, VIEWER, create_workspace
from local.slack.faults import Fault
from local.slack.rate_limits import NO_LIMITS
from local.slack.workspace import TEAM
from local.stack import Options, Stack

TEXT = "Thanks, could you have another look at the build please?"
WARM_UP = 20
LOG = "benchmark.log"

COLD_WORKER = 700.0
COLD_RECEIVER = 300.0
WARM = 10.0
WARM_P99 = 50.0


def measure(model: Path, *, cold: int, warm: int) -> Report:
    """Time cold and warm answers; the cold starts of the two functions take turns.

    Parameters
    ----------
    model
        The model folder.
    cold, warm
        Runs.
    """
    with (
        Progress(transient=True) as progress,
        Stack(create_workspace(), VIEWER, Options(model=model, limits=NO_LIMITS)).start() as stack,
    ):
        # The runs invoke the functions themselves.
        stack.poller.stop()
        # Checking IAM policies costs moto more than the call itself; on AWS it is free.
        httpx.post(f"{stack.aws.endpoint}/moto-api/reset-auth", content=b"1000000000")
        task = progress.add_task("cold and warm answers", total=2 * cold + warm)

        def step() -> None:
            progress.advance(task)

        receivers: list[float] = []
        workers: list[float] = []
        for _ in range(cold):
            receivers.append(_cold_receiver(stack))
            step()
            workers.append(_cold_worker(stack))
            step()
        answers = _warm_answers(stack, warm, step)
    name = json.loads((model / "config.json").read_text(encoding="utf-8"))["name"]
    return Report.here(
        name,
        (
            Figure.of("receiver: process start to 200", receivers, COLD_RECEIVER),
            Figure.of("worker: process start to first verdict", workers, COLD_WORKER),
            Figure.of(
                "worker, warm: event to verdict, without Slack's fetch", answers, WARM, WARM_P99
            ),
        ),
    )


def _cold_receiver(stack: Stack) -> float:
    with _runtime(stack, stack.receiver.config) as runtime:
        event = _signed(stack, _reaction(stack))
        started = time.perf_counter()
        response = runtime.invoke(event)
        ended = time.perf_counter()
    assert response["statusCode"] == 200
    return (ended - started) * 1e3


def _cold_worker(stack: Stack) -> float:
    with _runtime(stack, stack.worker.config) as runtime:
        return _answer(stack, runtime)


def _warm_answers(stack: Stack, runs: int, step: Callable[[], None]) -> list[float]:
    milliseconds = []
    with _runtime(stack, stack.worker.config) as runtime:
        for _ in range(WARM_UP):
            _answer(stack, runtime)
        for _ in range(runs):
            milliseconds.append(_answer(stack, runtime))
            step()
    return milliseconds


def _answer(stack: Stack, runtime: Runtime) -> float:
    """Let the worker answer one new message.

    Returns
    -------
    float
        Milliseconds from the event to Slack's having the post, without the fetch.
    """
    posted: list[float] = []
    stack.web_api.faults.add(
        "chat.postMessage", Fault(after=lambda: posted.append(time.perf_counter()))
    )
    event = _queued(stack, _reaction(stack))
    started = time.perf_counter()
    response = runtime.invoke(event)
    assert response == {"batchItemFailures": []}
    [ended] = posted
    return (ended - started) * 1e3 - _last_fetch(stack)


def _last_fetch(stack: Stack) -> float:
    """Return milliseconds that the worker last waited for Slack to hand out a message."""
    lines = (stack.folder / LOG).read_text(encoding="utf-8").splitlines()
    fetches = (line for line in reversed(lines) if '"conversations_replies"' in line)
    [milliseconds] = json.loads(next(fetches))["SlackMilliseconds"]
    return float(milliseconds)


@contextmanager
def _runtime(stack: Stack, config: FunctionConfig) -> Iterator[Runtime]:
    """Return a runtime whose function starts with its first invocation."""
    runtime = Runtime(config, stack.aws.endpoint, stack.folder / LOG)
    runtime.start()
    try:
        yield runtime
    finally:
        runtime.stop()


def _reaction(stack: Stack) -> Reaction:
    message = stack.workspace.post(CHANNEL, RAE, TEXT)
    return Reaction(
        event_id=f"Ev{uuid.uuid4().hex[:10].upper()}",
        event_ts=f"{time.time():.6f}",
        team=TEAM,
        channel=CHANNEL,
        ts=message.ts,
        user=VIEWER,
        author=RAE,
        reaction="biohazard_sign",
    )


def _signed(stack: Stack, reaction: Reaction) -> dict[str, Any]:
    callback = {
        "type": "event_callback",
        "team_id": reaction.team,
        "event_id": reaction.event_id,
        "event": {
            "type": "reaction_added",
            "user": reaction.user,
            "reaction": reaction.reaction,
            "item": {"type": "message", "channel": reaction.channel, "ts": reaction.ts},
            "item_user": reaction.author,
            "event_ts": reaction.event_ts,
        },
    }
    body = json.dumps(callback).encode()
    return payload(headers=stack.events.headers(body), body=body)


def _queued(stack: Stack, reaction: Reaction) -> dict[str, Any]:
    body = reaction.to_json()
    return sqs_event(
        [
            {
                "MessageId": str(uuid.uuid4()),
                "ReceiptHandle": uuid.uuid4().hex,
                "Body": body,
                "MD5OfBody": hashlib.md5(body.encode()).hexdigest(),
                "Attributes": {"ApproximateReceiveCount": "1"},
            }
        ],
        stack.aws.source("WorkerSource").queue_arn,
    )
