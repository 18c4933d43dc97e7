"""The bot's latency: cold starts of receiver and worker, and warm answers.

AWS is moto on the loopback interface, and its time is included. Slack is the local one, which
takes as long to return a message as a server far away; the warm latency excludes that time.
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
from simulators.aws.account import FunctionConfig
from simulators.aws.gateway import http_api_event
from simulators.aws.poller import sqs_event
from simulators.aws.runtime import ExecutionEnvironment
from simulators.samples import AMPLE_BUDGETS, CHANNEL, RAE, VIEWER, create_workspace
from simulators.slack.faults import Fault
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.workspace import TEAM
from simulators.stack import Options, Stack
from toxic_bot.slack.gestures.event_gestures import Reaction

TEXT = "Thanks, could you have another look at the build please?"
WARM_UP = 20

FETCH_SECONDS = 0.05
"""What Slack takes to return a message; the bot asks its budgets meanwhile."""

LOG = "benchmark.log"

COLD_WORKER = 700.0
COLD_RECEIVER = 300.0
WARM = 10.0
WARM_P99 = 50.0
"""Targets, in milliseconds; see ``Figure``."""


def measure(model: Path, *, cold: int, warm: int) -> Report:
    """Time cold and warm answers; cold starts alternate between the two functions.

    Parameters
    ----------
    model
        The model folder.
    cold, warm
        Number of runs.
    """
    with (
        Progress(transient=True) as progress,
        Stack(
            create_workspace(),
            VIEWER,
            Options(model=model, parameters=AMPLE_BUDGETS, limits=NO_LIMITS),
        ).start() as stack,
    ):
        # The benchmark invokes the functions itself, and nothing else runs on their CPUs: without
        # a request URL, Slack delivers no events about messages.
        stack.poller.stop()
        stack.text_poller.stop()
        stack.events.request_url = ""
        # In moto, checking IAM policies takes longer than the call itself; on AWS it takes no time.
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
    return Report.for_this_machine(
        name,
        (
            Figure.from_runs("receiver: process start to 200", receivers, COLD_RECEIVER),
            Figure.from_runs("worker: process start to first verdict", workers, COLD_WORKER),
            Figure.from_runs(
                "worker, warm: event to verdict, without the fetch from Slack",
                answers,
                WARM,
                WARM_P99,
            ),
        ),
    )


def _cold_receiver(stack: Stack) -> float:
    with _runtime(stack, stack.receiver.config) as runtime:
        event = _http_event(stack, _reaction(stack))
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


def _answer(stack: Stack, runtime: ExecutionEnvironment) -> float:
    """Let the worker answer one new message.

    Returns
    -------
    float
        Milliseconds from the event to the post, without fetching the message from Slack.
    """
    posted: list[float] = []
    stack.web_api.faults.add("conversations.replies", Fault(delay=FETCH_SECONDS))
    stack.web_api.faults.add(
        "chat.postMessage", Fault(after=lambda: posted.append(time.perf_counter()))
    )
    event = _sqs_event(stack, _reaction(stack))
    started = time.perf_counter()
    response = runtime.invoke(event)
    assert response == {"batchItemFailures": []}
    [ended] = posted
    return (ended - started) * 1e3 - _last_fetch(stack)


def _last_fetch(stack: Stack) -> float:
    """Return how many milliseconds the worker's latest fetch from Slack took."""
    lines = (stack.folder / LOG).read_text(encoding="utf-8").splitlines()
    fetches = (line for line in reversed(lines) if '"conversations_replies"' in line)
    [milliseconds] = json.loads(next(fetches))["SlackMilliseconds"]
    return float(milliseconds)


@contextmanager
def _runtime(stack: Stack, config: FunctionConfig) -> Iterator[ExecutionEnvironment]:
    """Yield a runtime whose function starts at its first invocation."""
    runtime = ExecutionEnvironment(config, stack.aws.endpoint, stack.folder / LOG)
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


def _http_event(stack: Stack, reaction: Reaction) -> dict[str, Any]:
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
    return http_api_event(headers=stack.events.headers(body), body=body)


def _sqs_event(stack: Stack, reaction: Reaction) -> dict[str, Any]:
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
        stack.aws.event_source_mapping("WorkerSource").queue_arn,
    )
