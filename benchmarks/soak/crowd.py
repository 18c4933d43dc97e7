"""The people of a soak: they post, react and edit, and Slack delivers that as it pleases."""

from __future__ import annotations

import random
import threading
from typing import Any

from benchmarks.soak.account import Asked
from simulators.samples import RAE
from simulators.slack.delivery import RetryReason
from simulators.slack.workspace import Message, SlackError
from simulators.stack import Stack
from toxic_bot.slack.settings import AnswerMode
from toxic_bot.slack.web_api.metadata import answer_metadata

EMOJI = "biohazard_sign"
TOXIC = ("You are a pathetic idiot and everybody hates you.", "Nobody likes you, you idiot.")
TEXTS = (*TOXIC, "Thanks, that was a great help!", "Could you look at the build, please?")
CHANNELS = tuple(f"C0SOAK{number:04}" for number in range(20))
BATCH = 400
"""Reactions that are on their way at once."""

DELIVERED_AT_ONCE = 24
"""Events on their way to the receiver. The local stack has one; were hundreds waiting for it, most
of what it gets would be Slack's retries."""

KILL_EVERY = 100
"""Reactions after which the workers are killed at a random moment, too."""

OUT_OF_ORDER = 0.1
"""Share of reactions that Slack delivers in another order than they were made in."""

FORGED = 0.05
"""Share of messages under which somebody posts what looks like the bot's own answer."""

BELATED = 0.05
"""Share of reactions that Slack delivers only with the next batch."""


class Crowd:
    """People who react, and the deliveries of their reactions.

    Parameters
    ----------
    stack
        The running bot.
    mode
        Who sees the answers.
    chance
        Determines what they do.
    people
        Who they are.

    Attributes
    ----------
    asked
        Their reactions so far.
    batch
        How many of these belong to the latest batch.
    canary
        A word in each of their messages.
    forged
        How many answers of the bot's somebody else has posted so far.
    kills
        How many times all workers have been killed at a random moment, so far.
    """

    def __init__(
        self, stack: Stack, mode: AnswerMode, chance: random.Random, people: list[str]
    ) -> None:
        self.asked: list[Asked] = []
        self.batch = 0
        self.canary = f"canary{chance.getrandbits(64):x}"
        self.forged = 0
        self.kills = 0
        self._stack = stack
        self._mode = mode
        self._chance = chance
        self._people = people
        self._late: list[tuple[Message, str, dict[str, Any], bool]] = []
        self._made_lately: list[tuple[Message, bool]] = []
        self._on_their_way = threading.BoundedSemaphore(DELIVERED_AT_ONCE)
        self._killers: list[threading.Timer] = []

    def ask(self, count: int, reactions: int) -> None:
        """Let people react to new messages, some of which change, or get several reactions.

        Slack delivers some of the events in another order, and some only with the next batch.
        """
        made = [self._made() for _ in range(count - len(self._late))]
        is_last = len(self.asked) + len(made) + len(self._late) >= reactions
        due, self._late = self._late, []
        for one in made:
            chance = self._chance.random()
            if chance < BELATED and not is_last:
                self._late.append(one)
            elif chance < BELATED + OUT_OF_ORDER:
                due.insert(self._chance.randrange(len(due) + 1), one)
            else:
                due.append(one)
        self.batch = len(due)
        self._start_killers()
        for one in due:
            self._deliver(*one)

    def _start_killers(self) -> None:
        self._killers = [
            threading.Timer(self._chance.uniform(0, self.batch / 30), self._stack.worker.kill)
            for _ in range(max(1, self.batch // KILL_EVERY))
        ]
        for killer in self._killers:
            killer.start()
        self.kills += len(self._killers)

    def _made(self) -> tuple[Message, str, dict[str, Any], bool]:
        message = self._message()
        return self._react(message, self._chance.choice(self._people))

    def _message(self) -> Message:
        changed = {message.ts for message, is_changed in self._made_lately if is_changed}
        plain = [message for message, _ in self._made_lately if message.ts not in changed]
        if plain and self._chance.random() < 0.1:
            return self._chance.choice(plain)
        text = f"{self._chance.choice(TEXTS)} {self.canary}"
        message = self._stack.workspace.post(self._chance.choice(CHANNELS), RAE, text)
        if self._chance.random() < FORGED:
            self._forge_answer(message)
        return message

    def _forge_answer(self, message: Message) -> None:
        """Let somebody post the metadata of the bot's answer, or what crashes its reader."""
        metadata = answer_metadata(message.channel, message.ts, "")
        if self._chance.random() < 0.5:
            metadata["event_payload"]["edited"] = 5
        self._stack.workspace.post(
            message.channel,
            self._chance.choice(self._people),
            "This message reads as fine.",
            thread_ts=message.ts,
            metadata=metadata,
        )
        self.forged += 1

    def _react(self, message: Message, user: str) -> tuple[Message, str, dict[str, Any], bool]:
        events = self._stack.events
        if user in message.reactions.get(EMOJI, []):
            self._stack.workspace.unreact(message.channel, message.ts, user, EMOJI)
        request_url, events.request_url = events.request_url, ""
        change = self._stack.workspace.react(message.channel, message.ts, user, EMOJI)
        events.request_url = request_url
        envelope = events.new_envelope(change)
        # In private modes, every post must be attributable to one version.
        changed = self._mode is AnswerMode.THREAD and self._chance.random() < 0.05
        self._made_lately = [*self._made_lately[-BATCH:], (message, changed)]
        return message, user, envelope, changed

    def _deliver(
        self, message: Message, user: str, envelope: dict[str, Any], changed: bool
    ) -> None:
        events = self._stack.events
        self._on_their_way.acquire()
        deliveries = events.deliver(envelope)
        deliveries.add_done_callback(lambda _: self._on_their_way.release())
        if self._chance.random() < 0.1:
            events.redeliver(envelope, 1, RetryReason.TIMEOUT)
        if changed:
            self._change(message)
        self.asked.append(Asked(envelope["event_id"], message, user, changed, deliveries))

    def _change(self, message: Message) -> None:
        try:
            if self._chance.random() < 0.5:
                text = f"{message.text} {self._chance.choice(TEXTS)}"
                self._stack.workspace.edit(message.channel, message.ts, text)
            else:
                self._stack.workspace.delete(message.channel, message.ts)
        except SlackError:
            # It was deleted before.
            return

    def wait_for_deliveries(self) -> None:
        """Wait until Slack has delivered the latest batch, or given up."""
        for one in self.asked[-self.batch :]:
            one.deliveries.result()

    def stop_killing(self) -> None:
        """Kill no more workers until the next batch."""
        for killer in self._killers:
            killer.cancel()
