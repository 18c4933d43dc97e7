"""Reactions through the whole bot: at a steady rate, in bursts, and up to its limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from benchmarks.accounting import Accounting
from benchmarks.chat import Chat
from benchmarks.percentiles import Latency
from benchmarks.processes import cpu_between, memory_of, own_processes
from benchmarks.targets import Home, HomeName, start_home
from simulators.samples import RAE, VIEWER, create_workspace
from simulators.slack.rate_limits import NO_LIMITS, Limit
from simulators.slack.workspace import Channel, Workspace

EMOJI = "biohazard_sign"
CHANNEL_COUNT = 100
SETTLE_TIMEOUT = 3600.0
"""Seconds until a load counts as stuck; Slack's limits let 1,000 reactions take 20 minutes."""

SETTLE_AGE = 60.0
"""Seconds after which a reaction without an answer may be lost, and the queue is asked."""

SAMPLE_INTERVAL = 0.5
"""Seconds between two looks at the oldest waiting reaction and at the memory."""

MAX_AGE = 3.0
"""Seconds that the oldest reaction may have waited when a rate is over, for it to count as held."""

MIN_STEP = 1.15
"""The search for the limit ends when the next higher rate failed by less than this factor."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A look at a load.

    Parameters
    ----------
    seconds
        Since its first reaction.
    age
        Seconds for which the oldest reaction without an answer has waited.
    memory
        Resident MiB of the process that judges.
    """

    seconds: float
    age: float
    memory: float


@dataclass(frozen=True, slots=True)
class Load:
    """What became of the reactions of one load.

    Parameters
    ----------
    name
        The load.
    home, environments
        Where the bot ran, and the worker's execution environments.
    sent, answered, doubled, dead, refused
        Numbers of reactions; refused are those without an answer that Slack was never told are
        safe.
    seconds
        From the first reaction to the last answer.
    age_at_end
        Seconds that the oldest reaction had waited when the last one was sent.
    latency
        From the moment that each reaction was due to its answer.
    invocation
        The worker's invocations, with the time of Slack, of moto and of waiting for a CPU.
    cpu
        Milliseconds of CPU time for each reaction, by process.
    samples
        The oldest waiting reaction and the memory over time.
    """

    name: str
    home: HomeName
    environments: int
    sent: int
    answered: int
    doubled: int
    dead: int
    refused: int
    seconds: float
    age_at_end: float
    latency: Latency
    invocation: Latency
    cpu: Mapping[str, float]
    samples: tuple[Sample, ...]

    @property
    def lost(self) -> int:
        """Reactions that Slack was told are safe, and that nothing became of."""
        return self.sent - self.answered - self.dead - self.refused

    @property
    def is_complete(self) -> bool:
        """Whether every reaction was answered once."""
        return self.answered == self.sent and not self.doubled and not self.dead

    @property
    def is_held(self) -> bool:
        """Whether the bot kept up: all answered once, and none waiting long at the end."""
        return self.is_complete and self.age_at_end <= MAX_AGE

    def rows(self) -> dict[str, str]:
        """Return the figures as rows of a table."""
        rows = {
            "sent": f"{self.sent:,}",
            "answered": f"{self.answered:,}",
            "lost": str(self.lost),
            "doubled": str(self.doubled),
            "dead": str(self.dead),
            "refused, and so not taken": str(self.refused),
            "answers per second": f"{self.answered / self.seconds:.1f}",
            **self.latency.rows("reaction to answer"),
            "oldest waiting reaction, s": f"{max((o.age for o in self.samples), default=0):.1f}",
            "the same when the last was sent, s": f"{self.age_at_end:.1f}",
            "memory of the judging process, MiB": f"{max(o.memory for o in self.samples):.0f}",
        }
        if self.invocation.runs:
            rows |= self.invocation.rows("worker's invocation")
        rows |= {f"CPU per reaction, {role}, ms": f"{ms:.1f}" for role, ms in self.cpu.items()}
        return rows | {"CPU per reaction, all, ms": f"{sum(self.cpu.values()):.1f}"}


class Crowd:
    """People who react.

    Parameters
    ----------
    workspace
        Where they do.
    home
        The bot that answers.
    chat
        What they write.
    """

    def __init__(self, workspace: Workspace, home: Home, chat: Chat) -> None:
        self._workspace = workspace
        self._home = home
        self._chat = chat
        self._channels = [f"C0LOAD{number:04}" for number in range(CHANNEL_COUNT)]
        for channel in self._channels:
            workspace.add_channel(Channel(channel, channel.lower(), members=set(workspace.people)))

    def warm_up(self) -> None:
        """Let every environment start before the first reaction that counts."""
        self.react("warm-up", 8 * self._home.environments, rate=0)

    def steady(self, rate: float, seconds: float) -> Load:
        """React at a steady rate, in reactions per second."""
        return self.react(f"{rate:g} per second for {seconds:g} s", int(rate * seconds), rate)

    def burst(self, count: int) -> Load:
        """React all at once."""
        return self.react(f"{count:,} at once", count, rate=0)

    def react(self, name: str, count: int, rate: float) -> Load:
        """React to new messages, one after the other; at rate 0, all at once."""
        home = self._home
        texts = [self._chat.text() for _ in range(count)]
        accounting = Accounting(self._workspace)
        dead, before = home.dead(), own_processes()
        home.invocations()
        samples: list[Sample] = []
        started = time.monotonic()

        def look() -> None:
            now = time.monotonic() - started
            if not samples or now - samples[-1].seconds >= SAMPLE_INTERVAL:
                memory = memory_of(own_processes(), home.role) / 2**20
                samples.append(Sample(now, accounting.oldest_age(), memory))

        for number, text in enumerate(texts):
            due = started + (number / rate if rate else 0.0)
            while (wait := due - time.monotonic()) > 0:
                look()
                time.sleep(min(wait, SAMPLE_INTERVAL))
            message = self._workspace.post(self._channels[number % CHANNEL_COUNT], RAE, text)
            accounting.ask(message, due)
            self._workspace.react(message.channel, message.ts, VIEWER, EMOJI)
        age_at_end = accounting.oldest_age()
        _settle(home, accounting, look)
        accounting.stop()
        cpu = cpu_between(before, own_processes())
        return Load(
            name=name,
            home=home.name,
            environments=home.environments,
            sent=accounting.asked,
            answered=accounting.answered,
            doubled=accounting.doubled,
            dead=home.dead() - dead,
            refused=sum(not home.was_taken(one) for one in accounting.unanswered()),
            seconds=accounting.last_answer - started,
            age_at_end=age_at_end,
            latency=Latency.from_milliseconds(accounting.latencies),
            invocation=Latency.from_milliseconds(home.invocations()),
            cpu={role: used * 1e3 / count for role, used in sorted(cpu.items())},
            samples=tuple(samples),
        )


def _settle(home: Home, accounting: Accounting, look: Callable[[], None]) -> None:
    """Wait until nothing waits; what is queued beyond that may still be answered twice."""
    deadline = time.monotonic() + SETTLE_TIMEOUT
    quiet = 0
    while quiet < 3 and time.monotonic() < deadline:
        look()
        # Asking a queue how long it is takes moto's time, so it is asked at the end only.
        if accounting.waiting and not quiet and accounting.oldest_age() < SETTLE_AGE:
            time.sleep(SAMPLE_INTERVAL / 2)
            continue
        quiet = quiet + 1 if home.is_idle() else 0
        time.sleep(SAMPLE_INTERVAL)


@contextmanager
def start_crowd(
    name: HomeName,
    model: Path,
    *,
    environments: int,
    limits: Mapping[str, Limit] = NO_LIMITS,
) -> Iterator[Crowd]:
    """Start the bot and let it answer once, before people react."""
    workspace = create_workspace()
    chat = Chat(Tokenizer.from_file(str(model / "tokenizer.json")))
    with start_home(name, workspace, model, environments=environments, limits=limits) as home:
        crowd = Crowd(workspace, home, chat)
        crowd.warm_up()
        yield crowd


def find_limit(measure: Callable[[float], Load], start: float) -> list[Load]:
    """Raise the rate until the bot does not keep up, then narrow down the limit.

    Parameters
    ----------
    measure
        Returns the load of a rate, in reactions per second.
    start
        The first rate.

    Returns
    -------
    list of Load
        Every load that was tried. The limit is the highest rate that was held; there may be
        none.
    """
    loads: list[Load] = []
    held, failed, rate = 0.0, 0.0, start
    while True:
        load = measure(rate)
        loads.append(load)
        if load.is_held:
            held = rate
        else:
            failed = rate
        if failed and (not held or failed / held < MIN_STEP):
            return loads
        rate = float(round((held + failed) / 2, 1)) if failed else held * 2
