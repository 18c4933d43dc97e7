"""The standalone bot: events arrive by Socket Mode or HTTP, answers go out as usual.

The answer path is the worker's own; one SQLite file replaces the queue and the table.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from toxic_bot.judge.classifier import load
from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.channel_settings import are_used
from toxic_bot.slack.composition import compose
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.lookups import Lookups
from toxic_bot.slack.moderators.weekly_digest import WeeklyDigest
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.waiting import Waiting
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.standalone.case_database import SQLiteCases
from toxic_bot.standalone.channel_settings_database import SQLiteChannelSettings
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.digest_schedule import DigestSchedule
from toxic_bot.standalone.dispatcher import Dispatcher
from toxic_bot.standalone.gesture_queue import GestureQueue
from toxic_bot.standalone.settings import StandaloneSettings
from toxic_bot.standalone.sqlite_store import SQLiteStore
from toxic_bot.standalone.transport import TransportMaker

TIDY_INTERVAL = 3600.0
"""Seconds between two deletions of what has expired: a watched channel makes many claims."""


class BotStoppedError(ToxicBotError):
    """A part has ended without which the bot is deaf or mute."""


class Bot:
    """The bot, connected to one workspace: ``with Bot(...).start()``.

    Parameters
    ----------
    settings
        The bot token, reactions, answer mode and Slack's address.
    model_folder
        The model.
    database_path
        The SQLite file.
    make_transport
        Makes the transport through which events come in.

    Raises
    ------
    ToxicBotError
        When the model or the file cannot be used, or the transport not be made.
    """

    def __init__(
        self,
        settings: StandaloneSettings,
        model_folder: Path,
        database_path: Path,
        make_transport: TransportMaker,
    ) -> None:
        self._database = Database(database_path)
        self._tidied_at = time.monotonic()
        self._claims = store = SQLiteStore(self._database)
        channel_store = SQLiteChannelSettings(self._database)
        lookups = Lookups(was_asked=store.was_asked)
        if are_used(settings.bot.subscription):
            lookups = Lookups(channel_store.asks, store.was_asked, channel_store.watches)
        self._queue = GestureQueue(self._database)
        slack = SlackClient(lambda *, fresh: settings.bot_token, settings.bot.slack_api_url)  # noqa: ARG005 - it never changes
        channel = settings.bot.moderation.channel
        digest = WeeklyDigest(slack, Claims(store), store, channel, settings.bot.wording.language)
        self._digest = DigestSchedule(digest) if channel else None
        # Several are judged at once, and share the CPUs better than the threads of one.
        classifier = load(model_folder, threads=1, operating_point=settings.bot.operating_point)
        if settings.bot.preload:
            classifier.preload()
        router = compose(
            slack,
            classifier,
            store,
            channel_store,
            SQLiteCases(self._database),
            settings.bot,
        )
        self._dispatcher = Dispatcher(
            self._queue,
            router,
            Waiting(store),
            when_idle=self._rest,
        )
        self._transport = make_transport(settings.bot, lookups, self._put)

    def start(self) -> Self:
        """Open the transport and start answering, beginning with what is still queued.

        Raises
        ------
        ToxicBotError
            When the transport does not open.
        """
        self._transport.open()
        self._dispatcher.start()
        return self

    def check(self) -> None:
        """Do nothing while everything runs that must.

        Raises
        ------
        BotStoppedError
            When a part has ended.
        """
        for part, runs in (
            ("transport", self._transport.is_kept),
            ("dispatcher", self._dispatcher.is_alive),
        ):
            if not runs:
                raise BotStoppedError(
                    f"the bot's {part} has ended: start the bot again, and look for the cause in "
                    "the log lines before"
                )

    @property
    def is_ready(self) -> bool:
        """Whether events can come in right now."""
        return self._transport.is_open

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._transport.close()
        self._dispatcher.stop()
        self._database.close()

    def _put(self, gesture: Gesture) -> None:
        try:
            self._queue.put(gesture)
        except sqlite3.Error as error:
            kind = type(error).__name__
            raise TryAgainError(f"the queue's file failed: {kind}", reason="queue") from error
        self._dispatcher.wake()

    def _rest(self) -> None:
        """Do what can wait until nothing is due."""
        self._claims.write_down()
        now = time.monotonic()
        if now - self._tidied_at >= TIDY_INTERVAL:
            self._tidied_at = now
            self._database.delete_expired()
        if self._digest is not None:
            self._digest.run_if_due()
