"""The soak of watched channels, without AWS: each message is judged once, whatever befalls the bot.

People write and edit, half of it toxic, while everything fails as in the soak of reactions. Each
version of a message that was acknowledged must have been judged once, and each toxic message must
have one answer in its thread.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.soak.account import Account
from benchmarks.soak.crowd import CHANNELS, TEXTS, TOXIC
from benchmarks.soak.faults import READ, posting
from benchmarks.soak.scene import Scene
from benchmarks.targets import HomeName
from simulators.slack.workspace import Message, MessageChange, MessageEvent
from toxic_bot.slack.channel_settings import ChannelSettings, Watch, WatchAction
from toxic_bot.slack.settings import AnswerMode

EDITED = 0.1
"""Share of messages that are edited, soon or late."""

FOLLOWED = 0.4
"""Share of messages that are read again and answered, at the least: half are toxic."""

STEPS = tuple(replace(step, share=FOLLOWED) for step in (READ, posting(AnswerMode.THREAD)))

JUDGED, JUDGED_BEFORE = "watched message judged", "this version was already judged"
"""What the bot logs when it is done with a version."""


@dataclass(frozen=True, slots=True)
class Written:
    """A version of a message: as it was written, or edited."""

    message: Message
    text: str
    event_ts: str

    @property
    def is_toxic(self) -> bool:
        """Whether the text is toxic."""
        return self.text.startswith(TOXIC)


def soak_watched(
    home: HomeName, messages: int, seed: int, *, evidence: Path, model: Path
) -> Account:
    """Let people write while everything fails, and account for every version of every message.

    Parameters
    ----------
    home
        ``SOCKET`` or ``LISTEN``.
    messages
        Number of messages; edited ones have another version.
    seed
        Determines messages and faults; when exactly troubles begin is up to the machine.
    evidence
        Folder for the bot's log, if anything was lost, doubled, dead or leaked.
    model
        The model folder.
    """
    with ExitStack() as exits:
        chance = random.Random(f"{seed} {home} watched")
        own = ChannelSettings(watch=Watch(WatchAction.THREAD))
        scene = Scene(exits, home, AnswerMode.THREAD, STEPS, messages, chance, model, own)
        run = _Run(scene, chance)
        return scene.play(
            run.write,
            run.account,
            acts=messages,
            title=f"{home}: {messages:,} watched messages",
            evidence=evidence,
            name=f"{home}-watched",
        )


class _Run:
    def __init__(self, scene: Scene, chance: random.Random) -> None:
        self._scene = scene
        self._chance = chance
        self._messages: list[Message] = []
        self._written: list[Written] = []
        scene.workspace.watch_changes(self._on_change)

    def _on_change(self, change: MessageChange) -> None:
        message = change.message
        if (
            message.user != self._scene.workspace.bot.id
            and change.event is not MessageEvent.DELETED
        ):
            self._written.append(Written(message, message.text, change.event_ts))

    def write(self) -> None:
        """Let somebody write, and perhaps edit what was written before."""
        workspace, user = self._scene.workspace, self._chance.choice(self._scene.people)
        self._messages.append(workspace.post(self._chance.choice(CHANNELS), user, self._text()))
        if self._chance.random() < EDITED:
            edited = self._chance.choice(self._messages[-100:])
            workspace.edit(edited.channel, edited.ts, self._text())

    def _text(self) -> str:
        # Slack tells apps of no edit that leaves the text as it was.
        return f"{self._chance.choice(TEXTS)} {self._scene.canary} {len(self._written)}"

    def account(self) -> Account:
        """Say what became of every version, and of every message."""
        account, taken = self._scene.account(self._written)
        judged, again = self._counted(JUDGED), self._counted(JUDGED_BEFORE)
        account.lost = [
            f"version {one.event_ts}"
            for one in taken
            if not judged[one.event_ts] and not again[one.event_ts]
        ]
        account.doubled = [f"version {ts}" for ts, number in judged.items() if number > 1]
        account.answered = len(taken) - len(account.lost)
        self._count_answers(account, taken)
        return account

    def _counted(self, line: str) -> Counter[str]:
        return Counter(
            str(record.get("event_ts"))
            for record in _records(self._scene.copies.log())
            if record.get("message") == line
        )

    def _count_answers(self, account: Account, taken: list[Written]) -> None:
        versions: dict[str, list[Written]] = {}
        for one in taken:
            versions.setdefault(one.message.ts, []).append(one)
        posts = self._scene.posts()
        answers = Counter(post.thread_ts for post in posts)
        # An edit that comes before its message's answer is known to be there gets its own.
        metadata = (post.metadata["event_payload"] for post in posts if post.metadata)
        answered = Counter("/".join(one.values()) for one in metadata)
        account.doubled += [f"answer {one}" for one, number in answered.items() if number > 1]
        for ts, written in versions.items():
            if written[-1].is_toxic and not answers[ts]:
                account.lost.append(f"answer {ts}")
        toxic = {one.message.ts for one in self._written if one.is_toxic}
        account.unexplained = [f"answer {ts}" for ts in answers if ts not in toxic]


def _records(log: str) -> Iterator[dict[str, object]]:
    for line in log.splitlines():
        try:
            record = json.loads(line)
        except ValueError:  # cut off when its copy was killed
            continue
        if isinstance(record, dict):
            yield record
