"""The soak of the bot without AWS: two copies of it on one database, and whatever befalls them.

Slack answers wrongly or not at all, copies are killed, the disk is full, the clock jumps, frames
make no sense, connections break, and a hundred clients never finish what they say. Each reaction
that was acknowledged must have been answered once.
"""

from __future__ import annotations

import logging
import random
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from benchmarks.soak.account import Account
from benchmarks.soak.copies import Copies, started
from benchmarks.soak.crowd import CHANNELS, EMOJI, TEXTS, TOXIC
from benchmarks.soak.entrances import Entrance, open_entrance
from benchmarks.soak.faults import AMBIGUOUS, READ, PlannedFaults, api_faults, plan, posting
from benchmarks.soak.troubles import (
    Troubles,
    filling,
    killing,
    locking,
    small_disk,
    turning,
)
from benchmarks.targets import BOT_TOKEN, HomeName
from simulators.samples import RAE, create_workspace
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.workspace import Channel, Message, Person, Workspace
from toxic_bot.slack.settings import AnswerMode
from toxic_bot.slack.waiting import MAX_DELAY
from toxic_bot.standalone.dispatcher import THREADS

COPIES = 2
"""Copies of the bot on one database."""

PACE = 0.05
"""Seconds between two reactions, on average."""

SETTLE_TIMEOUT = MAX_DELAY + 60
"""Seconds without an answer after which what is still queued counts as lost: once Slack has limited
a method, hundreds of reactions stand in line, each waiting up to `MAX_DELAY` at once."""


@dataclass(frozen=True, slots=True)
class Reacted:
    """A reaction: nobody reacts to a message twice."""

    message: Message
    user: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from others: channel, time stamp and person."""
        return (self.message.channel, self.message.ts, self.user)


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
    for name in ("uvicorn.error", "websockets"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    begun = time.monotonic()
    with ExitStack() as exits, Progress(transient=True) as progress:
        chance = random.Random(f"{seed} {home} {mode}")
        run = _Run(exits, home, mode, reactions, chance, model)
        task = progress.add_task(f"{home}, {mode}: {reactions:,} reactions", total=reactions)
        for _ in range(reactions):
            run.ask()
            progress.advance(task)
        run.settle()
        account = run.account()
        if not account.is_clean:
            account.evidence = evidence / f"{home}-{mode}-{time.strftime('%Y%m%dT%H%M%S')}"
            account.evidence.mkdir(parents=True)
            (account.evidence / "bot.log").write_text(run.log(), encoding="utf-8")
    account.seconds = time.monotonic() - begun
    return account


class _Run:
    def __init__(
        self,
        exits: ExitStack,
        home: HomeName,
        mode: AnswerMode,
        reactions: int,
        chance: random.Random,
        model: Path,
    ) -> None:
        self._chance = chance
        self._mode = mode
        self._canary = f"canary{chance.getrandbits(64):x}"
        self._asked: list[Reacted] = []
        self._workspace = _create_workspace()
        self._people = sorted(set(self._workspace.people) - {self._workspace.bot.id})
        web_api = WebApi(self._workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
        kinds = api_faults()
        self._plan = plan((READ, posting(mode)), reactions, kinds, chance)
        web_api.faults = self._faults = PlannedFaults(self._plan, kinds)
        folder = Path(exits.enter_context(tempfile.TemporaryDirectory(prefix="soak-")))
        disk = folder / "disk"
        disk.mkdir()
        can_be_filled = exits.enter_context(small_disk(disk))
        self._database = disk / "bot.sqlite"
        self._entrance: Entrance = exits.enter_context(
            open_entrance(home, self._workspace, web_api, COPIES)
        )
        options = ["--database", str(self._database), "--model", str(model.resolve())]
        commands = [([home.value, *options, *rest], port) for rest, port in self._entrance.copies]
        environment = self._entrance.environment | {"ANSWER": mode.value}
        self._copies: Copies = exits.enter_context(started(commands, environment, folder))
        troubles = self._entrance.troubles | {
            "a copy is killed": killing(self._copies, COPIES, chance),
            "another process locks the database": locking(self._database),
            "the clock jumps": turning(self._copies, self._entrance.jumps, chance),
        }
        if can_be_filled:
            troubles["the disk is full"] = filling(disk)
        self._troubles = Troubles(troubles, chance)
        self._copies.wait_until(self._entrance.is_open)

    def ask(self) -> None:
        """Let somebody react."""
        text = f"{self._chance.choice(TEXTS)} {self._canary}"
        if self._asked and self._chance.random() < 0.1:
            message = self._chance.choice(self._asked[-100:]).message
        else:
            message = self._workspace.post(self._chance.choice(CHANNELS), RAE, text)
        others = [one for one in self._people if one not in message.reactions.get(EMOJI, [])]
        if others:
            user = self._chance.choice(others)
            self._workspace.react(message.channel, message.ts, user, EMOJI)
            self._asked.append(Reacted(message, user))
        self._copies.revive()
        self._troubles.tick()
        time.sleep(self._chance.uniform(0, 2 * PACE))

    def settle(self) -> None:
        """Wait until nothing is on its way or queued."""
        self._troubles.wait()
        queued, changed = 0, time.monotonic()
        while time.monotonic() < changed + SETTLE_TIMEOUT:
            self._copies.revive()
            is_busy = self._entrance.is_busy()
            before, queued = queued, self._queued()
            if not is_busy and queued == 0:
                return
            if queued != before:
                changed = time.monotonic()
            time.sleep(0.2)

    def _queued(self) -> int:
        with closing(sqlite3.connect(self._database, timeout=30)) as connection:
            [[count]] = connection.execute("SELECT COUNT(*) FROM gesture").fetchall()
        return int(count)

    def log(self) -> str:
        """Return what the bot has logged."""
        return self._copies.log()

    def account(self) -> Account:
        """Say what became of every reaction."""
        account = Account(reactions=len(self._asked))
        refused = self._entrance.refused()
        taken = [one for one in self._asked if one.key not in refused]
        account.refused = len(self._asked) - len(taken)
        account.planned.update((one.step.does, one.fault) for one in self._plan)
        account.played.update((one.step.does, one.fault) for one in self._faults.played)
        happened = {("any", name): number for name, number in self._troubles.played.items()}
        happened["any", "the bot ended by itself"] = self._copies.deaths
        account.planned.update(happened)
        account.played.update(happened)
        log = self._copies.log()
        account.dead = ["gave up waiting"] * log.count("gave up waiting")
        account.leaked = self._leaks(log)
        posts = [
            post
            for channel in CHANNELS
            for post in self._workspace.messages(channel)
            if post.user == self._workspace.bot.id
        ]
        if self._mode is AnswerMode.THREAD:
            self._count_public(account, taken, posts)
        else:
            self._count_private(account, taken, posts)
        account.answered = len(taken) - len(account.lost)
        return account

    def _count_public(self, account: Account, taken: list[Reacted], posts: list[Message]) -> None:
        threads = Counter((post.channel, post.thread_ts) for post in posts)
        account.lost = [
            "/".join(one.key) for one in taken if not threads[one.message.channel, one.message.ts]
        ]
        account.doubled = [f"{channel}/{ts}" for (channel, ts), n in threads.items() if n > 1]

    def _count_private(self, account: Account, taken: list[Reacted], posts: list[Message]) -> None:
        due: set[tuple[str, ...]] = {one.key for one in taken}
        if self._mode is AnswerMode.NUDGE:
            due = {(one.message.ts,) for one in taken if one.message.text.startswith(TOXIC)}
        account.repeated = len(posts) - len(due)
        if account.repeated < 0:
            account.lost = [f"a private post, one of {-account.repeated}"] * -account.repeated
        # Slack keeps no private posts: one of unknown outcome may have to be repeated.
        post = posting(self._mode).does
        unknown = sum(account.played[post, fault] for fault in AMBIGUOUS)
        if account.repeated > unknown + THREADS * self._copies.kills + account.refused:
            account.doubled = [f"{account.repeated} private posts"]

    def _leaks(self, log: str) -> list[str]:
        secrets = {"text": self._canary, "bot token": BOT_TOKEN} | self._entrance.secrets
        files = b"".join(file.read_bytes() for file in self._database.parent.glob("bot.sqlite*"))
        return [name for name, one in secrets.items() if one in log or one.encode() in files]


def _create_workspace() -> Workspace:
    workspace = create_workspace()
    for number in range(5):
        workspace.add_person(Person(f"U0SOAK{number:04}", f"Person {number}"))
    for channel in CHANNELS:
        workspace.add_channel(Channel(channel, channel.lower(), members=set(workspace.people)))
    return workspace
