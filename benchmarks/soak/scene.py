"""Where the bot without AWS is soaked: a Slack that fails, two copies on one database, troubles."""

from __future__ import annotations

import logging
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Protocol, TypeVar

from rich.progress import Progress

from benchmarks.soak.account import Account
from benchmarks.soak.copies import Copies, started
from benchmarks.soak.crowd import CHANNELS
from benchmarks.soak.entrances import Entrance, open_entrance
from benchmarks.soak.faults import PlannedFaults, Step, api_faults, plan
from benchmarks.soak.troubles import (
    Troubles,
    filling,
    killing,
    locking,
    small_disk,
    turning,
)
from benchmarks.targets import BOT_TOKEN, HomeName
from simulators.samples import create_workspace
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.workspace import Channel, Message, Person, Workspace
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.settings import AnswerMode
from toxic_bot.slack.waiting import MAX_DELAY
from toxic_bot.standalone.channel_settings_database import SQLiteChannelSettings
from toxic_bot.standalone.database import Database

COPIES = 2
"""Copies of the bot on one database."""

PACE = 0.05
"""Seconds between two things that people do, on average."""

DOUBLED = 0.1
"""Share of events that Slack sends again."""

SETTLE_TIMEOUT = MAX_DELAY + 60
"""Seconds without an answer after which what is still queued counts as lost: once Slack has limited
a method, hundreds of gestures stand in line, each waiting up to `MAX_DELAY` at once."""

ERASE_TIMEOUT = 30.0
"""Seconds within which an idle bot has erased the texts that it removed from its queue."""


class Event(Protocol):
    """What somebody did, of which Slack has told the bot."""

    @property
    def event_ts(self) -> str:
        """The timestamp of the event."""


Happened = TypeVar("Happened", bound=Event)


class Scene:
    """A workspace whose bot and Slack fail, and what the bot has made of it.

    Parameters
    ----------
    exits
        End everything that is started here.
    home
        ``SOCKET`` or ``LISTEN``.
    mode
        Who sees the answers.
    steps
        The steps that faults are planned for.
    acts
        How often people are going to do something.
    chance
        Determines the faults.
    model
        The model folder.
    own
        The settings of every channel, if any.

    Attributes
    ----------
    workspace
        The workspace.
    canary
        A word for every message: it may be in no log and no file.
    people
        IDs of everybody but the bot.
    copies
        The copies of the bot.
    """

    def __init__(
        self,
        exits: ExitStack,
        home: HomeName,
        mode: AnswerMode,
        steps: Sequence[Step],
        acts: int,
        chance: random.Random,
        model: Path,
        own: ChannelSettings | None = None,
    ) -> None:
        self._begun = time.monotonic()
        # Servers that break a response off are what this is about.
        for name in ("uvicorn.error", "websockets"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._chance = chance
        self.canary = f"canary{chance.getrandbits(64):x}"
        self.workspace = _create_workspace()
        self.people = sorted(set(self.workspace.people) - {self.workspace.bot.id})
        web_api = WebApi(self.workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
        kinds = api_faults()
        self._plan = plan(steps, acts, kinds, chance)
        web_api.faults = self._faults = PlannedFaults(self._plan, kinds)
        folder = Path(exits.enter_context(tempfile.TemporaryDirectory(prefix="soak-")))
        disk = folder / "disk"
        disk.mkdir()
        can_be_filled = exits.enter_context(small_disk(disk))
        self._database = disk / "bot.sqlite"
        if own is not None:
            _set_channels(self._database, own)
        self._entrance: Entrance = exits.enter_context(
            open_entrance(home, self.workspace, web_api, COPIES)
        )
        options = ["--database", str(self._database), "--model", str(model.resolve())]
        commands = [([home.value, *options, *rest], port) for rest, port in self._entrance.copies]
        environment = self._entrance.environment | {"ANSWER": mode.value}
        self.copies: Copies = exits.enter_context(started(commands, environment, folder))
        troubles = self._entrance.troubles | {
            "a copy is killed": killing(self.copies, COPIES, chance),
            "another process locks the database": locking(self._database),
            "the clock jumps": turning(self.copies, self._entrance.jumps, chance),
        }
        if can_be_filled:
            troubles["the disk is full"] = filling(disk)
        self._troubles = Troubles(troubles, chance)
        self._doubled = 0
        self.copies.wait_until(self._entrance.is_open)

    def play(
        self,
        act: Callable[[], None],
        account: Callable[[], Account],
        *,
        acts: int,
        title: str,
        evidence: Path,
        name: str,
    ) -> Account:
        """Let people act until nothing is left to answer, and account for it.

        Parameters
        ----------
        act
            Lets somebody do something.
        account
            Says what became of it all.
        acts
            How often somebody does.
        title
            Of the progress that is shown.
        evidence
            Folder for the bot's log, unless the account is clean.
        name
            Of the log's folder in there.
        """
        with Progress(transient=True) as progress:
            for _ in progress.track(range(acts), description=title):
                act()
                self._go_on()
            self._settle()
            result = account()
        if not result.is_clean:
            self._keep_log(result, evidence, name)
        result.seconds = time.monotonic() - self._begun
        return result

    def _go_on(self) -> None:
        """Let time pass until people do the next thing, and troubles begin."""
        self.copies.revive()
        self._troubles.tick()
        if self._chance.random() < DOUBLED and self._entrance.recent:
            self._entrance.send_again(self._chance.choice(list(self._entrance.recent)))
            self._doubled += 1
        time.sleep(self._chance.uniform(0, 2 * PACE))

    def _settle(self) -> None:
        """Wait until nothing is on its way or queued."""
        self._troubles.wait()
        queued, changed = 0, time.monotonic()
        while time.monotonic() < changed + SETTLE_TIMEOUT:
            self.copies.revive()
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

    def account(self, events: Sequence[Happened]) -> tuple[Account, list[Happened]]:
        """Return an account with all that the bot does not have to answer for, and what it does.

        Parameters
        ----------
        events
            All that people did.

        Returns
        -------
        Account
            Which faults there were, what Slack gave up on and the bot, and what it has leaked.
        list
            What it has acknowledged.
        """
        refused = self._entrance.refused()
        taken = [one for one in events if one.event_ts not in refused]
        account = Account(asked=len(events), refused=len(events) - len(taken))
        self._count_into(account)
        return account, taken

    def posts(self) -> list[Message]:
        """Return what the bot has posted."""
        return [
            post
            for channel in CHANNELS
            for post in self.workspace.messages(channel)
            if post.user == self.workspace.bot.id
        ]

    def _count_into(self, account: Account) -> None:
        account.planned.update((one.step.does, one.fault) for one in self._plan)
        account.played.update((one.step.does, one.fault) for one in self._faults.played)
        happened = {("any", name): number for name, number in self._troubles.played.items()}
        happened["any", "the bot ended by itself"] = self.copies.deaths
        happened["any", "an event came twice"] = self._doubled
        account.planned.update(happened)
        account.played.update(happened)
        account.dead = ["gave up waiting"] * self.copies.log().count("gave up waiting")
        account.leaked = [
            f"{name} in {place}"
            for name, one in ({"bot token": BOT_TOKEN} | self._entrance.secrets).items()
            for place in self._places(one)
        ]
        self._wait_until_erased()
        account.leaked += [f"text in {place}" for place in self._places(self.canary)]

    def _wait_until_erased(self) -> None:
        """Wait until no file of the database holds a text, for some time."""
        deadline = time.monotonic() + ERASE_TIMEOUT
        while set(self._places(self.canary)) - {"the log"} and time.monotonic() < deadline:
            self.copies.revive()
            time.sleep(0.2)

    def _places(self, word: str) -> list[str]:
        """Return where a word is: in the log, and in which files of the database."""
        files = sorted(self._database.parent.glob("bot.sqlite*"))
        found = [file.name for file in files if word.encode() in file.read_bytes()]
        return found + ["the log"] * (word in self.copies.log())

    def _keep_log(self, account: Account, evidence: Path, name: str) -> None:
        account.evidence = evidence / f"{name}-{time.strftime('%Y%m%dT%H%M%S')}"
        account.evidence.mkdir(parents=True)
        (account.evidence / "bot.log").write_text(self.copies.log(), encoding="utf-8")


def _set_channels(file: Path, own: ChannelSettings) -> None:
    database = Database(file)
    for channel in CHANNELS:
        SQLiteChannelSettings(database).keep(channel, own, time.time())
    database.close()


def _create_workspace() -> Workspace:
    workspace = create_workspace()
    for number in range(5):
        workspace.add_person(Person(f"U0SOAK{number:04}", f"Person {number}"))
    for channel in CHANNELS:
        workspace.add_channel(Channel(channel, channel.lower(), members=set(workspace.people)))
    return workspace
