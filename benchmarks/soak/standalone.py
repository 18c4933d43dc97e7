"""The soak of the bot without AWS: two copies of it on one database, and whatever befalls them.

Slack answers wrongly or not at all, copies are killed, the disk is full, the clock jumps, frames
make no sense, connections break, and a hundred clients never finish what they say. Each reaction
that was acknowledged must have been answered once.
"""

from __future__ import annotations

import random
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.soak.account import Account
from benchmarks.soak.crowd import CHANNELS, EMOJI, TEXTS, TOXIC
from benchmarks.soak.faults import AMBIGUOUS, READ, posting
from benchmarks.soak.scene import Scene
from benchmarks.targets import HomeName
from simulators.samples import RAE
from simulators.slack.workspace import Message
from toxic_bot.slack.settings import AnswerMode
from toxic_bot.standalone.dispatcher import THREADS


@dataclass(frozen=True, slots=True)
class Reacted:
    """A reaction: nobody reacts to a message twice."""

    message: Message
    user: str
    event_ts: str

    @property
    def name(self) -> str:
        """What tells it from others: channel, timestamp and person."""
        return f"{self.message.channel}/{self.message.ts}/{self.user}"


def soak_standalone(
    home: HomeName, mode: AnswerMode, reactions: int, seed: int, *, evidence: Path, model: Path
) -> Account:
    """Let people react while everything fails, and account for every reaction.

    Parameters
    ----------
    home
        ``SOCKET`` or ``LISTEN``.
    mode
        Who sees the answers.
    reactions
        Number of reactions.
    seed
        Determines messages, reactions and faults; when exactly troubles begin is up to the machine.
    evidence
        Folder for the bot's log, if anything was lost, doubled, dead or leaked.
    model
        The model folder.
    """
    with ExitStack() as exits:
        chance = random.Random(f"{seed} {home} {mode}")
        scene = Scene(exits, home, mode, (READ, posting(mode)), reactions, chance, model)
        run = _Run(scene, mode, chance)
        return scene.play(
            run.ask,
            run.account,
            acts=reactions,
            title=f"{home}, {mode}: {reactions:,} reactions",
            evidence=evidence,
            name=f"{home}-{mode}",
        )


class _Run:
    def __init__(self, scene: Scene, mode: AnswerMode, chance: random.Random) -> None:
        self._scene = scene
        self._mode = mode
        self._chance = chance
        self._asked: list[Reacted] = []

    def ask(self) -> None:
        """Let somebody react."""
        workspace = self._scene.workspace
        text = f"{self._chance.choice(TEXTS)} {self._scene.canary}"
        if self._asked and self._chance.random() < 0.1:
            message = self._chance.choice(self._asked[-100:]).message
        else:
            message = workspace.post(self._chance.choice(CHANNELS), RAE, text)
        reacted = message.reactions.get(EMOJI, [])
        others = [one for one in self._scene.people if one not in reacted]
        if others:
            user = self._chance.choice(others)
            change = workspace.react(message.channel, message.ts, user, EMOJI)
            self._asked.append(Reacted(message, user, change.event_ts))

    def account(self) -> Account:
        """Say what became of every reaction."""
        account, taken = self._scene.account(self._asked)
        posts = self._scene.posts()
        if self._mode is AnswerMode.THREAD:
            self._count_public(account, taken, posts)
        else:
            self._count_private(account, taken, posts)
        account.answered = len(taken) - len(account.lost)
        return account

    def _count_public(self, account: Account, taken: list[Reacted], posts: list[Message]) -> None:
        threads = Counter((post.channel, post.thread_ts) for post in posts)
        account.lost = [
            one.name for one in taken if not threads[one.message.channel, one.message.ts]
        ]
        account.doubled = [f"{channel}/{ts}" for (channel, ts), n in threads.items() if n > 1]

    def _count_private(self, account: Account, taken: list[Reacted], posts: list[Message]) -> None:
        due = {one.name for one in taken}
        if self._mode is AnswerMode.NUDGE:
            due = {one.message.ts for one in taken if one.message.text.startswith(TOXIC)}
        account.repeated = len(posts) - len(due)
        if account.repeated < 0:
            account.lost = [f"a private post, one of {-account.repeated}"] * -account.repeated
        # Slack keeps no private posts: one of unknown outcome may have to be repeated.
        post = posting(self._mode).does
        unknown = sum(account.played[post, fault] for fault in AMBIGUOUS)
        if account.repeated > unknown + THREADS * self._scene.copies.kills + account.refused:
            account.doubled = [f"{account.repeated} private posts"]
