"""A busy channel that is watched: whether the bot keeps up, and what that takes of the CPU."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from benchmarks.chat import Chat
from benchmarks.percentiles import Latency
from benchmarks.processes import cpu_between, own_processes
from benchmarks.targets import HomeName, StandaloneHome, start_home
from simulators.samples import CHANNEL, RAE, SAM, create_workspace
from simulators.slack.rate_limits import SLACK_LIMITS
from simulators.slack.workspace import Message
from toxic_bot.judge.classifier import load
from toxic_bot.slack.channel_settings import ChannelSettings, Watch, WatchAction
from toxic_bot.standalone.channel_settings_database import SQLiteChannelSettings
from toxic_bot.standalone.database import Database

TOXIC = "You are a pathetic idiot and everybody here hates you."
TOXIC_SHARE = 0.02
"""Slack allows 50 reads a minute, and each nudge takes one: two hundredths of 20 a second."""
DRAIN_TIMEOUT = 300.0
"""Seconds for which the bot may go on after the last message."""


@dataclass(frozen=True, slots=True)
class Watching:
    """How the bot kept up with a watched channel.

    Parameters
    ----------
    rate, seconds
        Messages per second, and for how long.
    messages, judged
        Number of messages, and of those that were judged.
    nudges
        From each toxic message to what its author is told.
    longest_queue
        The most messages that waited at once.
    drained
        Seconds from the last message until nothing waited.
    cores
        CPU cores that the bot's process used on average.
    """

    rate: float
    seconds: float
    messages: int
    judged: int
    nudges: Latency
    longest_queue: int
    drained: float
    cores: float

    @property
    def is_complete(self) -> bool:
        """Whether every message was judged."""
        return self.judged == self.messages

    def rows(self) -> dict[str, str]:
        """Return the figures as rows of a table."""
        return {
            "messages per second": f"{self.rate:g}",
            "seconds": f"{self.seconds:g}",
            "messages": str(self.messages),
            "judged": str(self.judged),
            "toxic, and nudged": str(self.nudges.runs),
            **self.nudges.rows("message to nudge"),
            "longest queue": str(self.longest_queue),
            "seconds until the queue was empty": f"{self.drained:.1f}",
            "cores used by the bot": f"{self.cores:.2f}",
        }


def measure_watching(
    model: Path, home: HomeName, *, rate: float, seconds: float, seed: int
) -> Watching:
    """Write to a watched channel at a steady rate, and measure how the bot keeps up.

    Parameters
    ----------
    model
        The model folder.
    home
        ``socket`` or ``listen``.
    rate, seconds
        Messages per second, and for how long.
    seed
        Determines the texts.
    """
    chance = random.Random(seed)
    # What the model takes for toxic would be nudged, too.
    chat, classifier = Chat(Tokenizer.from_file(str(model / "tokenizer.json")), seed), load(model)
    texts = (text for text in iter(chat.text, None) if not classifier.classify(text).toxic)
    fine = [next(texts) for _ in range(round(rate * seconds))]
    workspace = create_workspace()
    posted: dict[str, float] = {}
    nudged: dict[str, float] = {}

    def on_message(message: Message) -> None:
        if message.only_for is not None:
            nudged[str(message.blocks)] = time.time()

    workspace.watch(on_message)
    with start_home(home, workspace, model, environments=1, limits=SLACK_LIMITS) as running:
        assert isinstance(running, StandaloneHome)
        database = Database(running.database)
        own = ChannelSettings(watch=Watch(WatchAction.NUDGE))
        SQLiteChannelSettings(database).keep(CHANNEL, own, time.time())
        database.close()
        before, started = own_processes(), time.time()
        messages = round(rate * seconds)
        longest = 0
        for number in range(messages):
            time.sleep(max(0.0, started + number / rate - time.time()))
            is_toxic = chance.random() < TOXIC_SHARE
            text = f"{TOXIC} {number}" if is_toxic else fine[number]
            posted_at = time.time()
            workspace.post(CHANNEL, (RAE, SAM)[number % 2], text)
            if is_toxic:
                posted[str(number)] = posted_at
            if number % max(1, round(rate)) == 0:
                longest = max(longest, running.waiting())
        ended = time.time()
        while running.judged() < messages or not running.is_idle():
            if time.time() - ended > DRAIN_TIMEOUT:
                break
            time.sleep(0.05)
        drained = time.time() - ended
        cpu = cpu_between(before, own_processes()).get(running.role, 0.0)
        judged = running.judged()
    times = [
        (at - posted_at) * 1e3
        for number, posted_at in posted.items()
        for shown, at in nudged.items()
        if f"{TOXIC} {number}”" in shown
    ]
    return Watching(
        rate,
        seconds,
        messages,
        judged,
        Latency.from_milliseconds(times),
        longest,
        drained,
        cpu / (time.time() - started),
    )
