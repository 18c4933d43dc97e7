"""Reactions through the whole local path: at a steady rate, and all at once."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.progress import Progress
from rich.table import Table

from local.samples import AMPLE_BUDGETS, RAE, VIEWER, create_workspace
from local.slack.rate_limits import NO_LIMITS, Limit
from local.slack.workspace import Channel, Message
from local.stack import Options, Stack

EMOJI = "biohazard_sign"
TEXT = "Thanks, could you have another look at the build please? It broke again this morning."
CHANNEL_COUNT = 20
SETTLE_TIMEOUT = 3600.0
"""Seconds until a load counts as stuck; Slack's limits let 1,000 reactions take 20 minutes."""

SAMPLE_INTERVAL = 0.25
"""Seconds between two looks at the queue."""


@dataclass(slots=True)
class Load:
    """What became of the reactions of one load.

    Parameters
    ----------
    name
        The load.
    sent, answered, doubled, dead
        Numbers of reactions.
    seconds
        From the first reaction to the last answer.
    latencies
        Milliseconds from each reaction to its answer.
    longest_queue
        Reactions on the queue at most.
    """

    name: str
    sent: int
    answered: int = 0
    doubled: int = 0
    dead: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    longest_queue: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether every reaction was answered once."""
        return self.answered == self.sent and not self.doubled and not self.dead


def measure_reactions(
    model: Path,
    *,
    rate: float,
    seconds: float,
    burst: int,
    environments: int,
    limits: Mapping[str, Limit] = NO_LIMITS,
) -> list[Load]:
    """Let people react at a steady rate, then all at once.

    Parameters
    ----------
    model
        The model folder.
    rate
        Reactions per second.
    seconds
        Duration of the steady load.
    burst
        Reactions at once.
    environments
        Execution environments of the worker.
    limits
        Slack's rate limits.
    """
    workspace = create_workspace()
    channels = [f"C0LOAD{number:04}" for number in range(CHANNEL_COUNT)]
    for channel in channels:
        workspace.add_channel(Channel(channel, channel.lower(), members=set(workspace.people)))
    # One person reacts to everything.
    budgets = AMPLE_BUDGETS | {"UserBudget": "0"}
    options = Options(model=model, concurrency=environments, parameters=budgets, limits=limits)
    with (
        Progress(transient=True) as progress,
        Stack(workspace, VIEWER, options).start() as stack,
    ):
        task = progress.add_task("Reactions", total=None)
        # Every environment starts before the first reaction that counts.
        _send(stack, channels, count=4 * environments, interval=0)
        _settle(stack, Load("warm-up", 0))
        loads = []
        for name, count, interval in (
            (f"steady: {rate:g} per second for {seconds:g} s", int(rate * seconds), 1 / rate),
            (f"burst: {burst} at once", burst, 0.0),
        ):
            if not count:
                continue
            load = Load(name, count)
            dead = stack.dead_letters()
            started = time.monotonic()
            messages = _send(stack, channels, count=count, interval=interval)
            _settle(stack, load)
            load.seconds = time.monotonic() - started
            _count(stack, load, messages)
            load.dead = stack.dead_letters() - dead
            loads.append(load)
            progress.update(task, description=name)
    return loads


def load_table(loads: Sequence[Load]) -> Table:
    """Return the loads as a table."""
    table = Table(title="Reactions through the whole local path", title_justify="left")
    table.add_column("")
    for load in loads:
        table.add_column(load.name, justify="right")
    cuts = [
        statistics.quantiles(load.latencies, n=1000, method="inclusive")
        if len(load.latencies) > 1
        else [math.nan] * 999
        for load in loads
    ]
    rows: dict[str, list[object]] = {
        "sent": [load.sent for load in loads],
        "answered": [load.answered for load in loads],
        "doubled": [load.doubled for load in loads],
        "dead": [load.dead for load in loads],
        "answers per second": [f"{load.answered / load.seconds:.1f}" for load in loads],
        "longest queue": [load.longest_queue for load in loads],
        **{
            f"reaction to answer, p{permille / 10:g}, ms": [
                f"{cut[permille - 1]:.0f}" for cut in cuts
            ]
            for permille in (500, 950, 990, 999)
        },
    }
    for name, values in rows.items():
        table.add_row(name, *map(str, values))
    return table


def _send(stack: Stack, channels: list[str], *, count: int, interval: float) -> list[Message]:
    messages = []
    started = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, started + number * interval - time.monotonic()))
        channel = channels[number % len(channels)]
        message = stack.workspace.post(channel, RAE, TEXT)
        stack.workspace.react(channel, message.ts, VIEWER, EMOJI)
        messages.append(message)
    return messages


def _settle(stack: Stack, load: Load) -> None:
    deadline = time.monotonic() + SETTLE_TIMEOUT
    quiet = 0
    while quiet < 3 and time.monotonic() < deadline:
        pending = stack.pending_messages()
        load.longest_queue = max(load.longest_queue, pending)
        quiet = 0 if pending or stack.poller.busy else quiet + 1
        time.sleep(SAMPLE_INTERVAL)


def _count(stack: Stack, load: Load, messages: list[Message]) -> None:
    bot = stack.workspace.bot.id
    answers = [
        [one for one in stack.workspace.thread(message.channel, message.ts) if one.user == bot]
        for message in messages
    ]
    load.answered = sum(len(one) > 0 for one in answers)
    load.doubled = sum(len(one) > 1 for one in answers)
    load.latencies = [one[0].answer_ms for one in answers if one and one[0].answer_ms]
