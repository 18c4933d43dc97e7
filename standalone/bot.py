"""The standalone bot: events arrive over Slack's Socket Mode, answers go out as usual.

The answer path is the worker's own; one SQLite file replaces the queue and the table.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from slack_sdk.socket_mode.request import SocketModeRequest

from handler.answer.claims import Claims
from handler.channel_settings import are_used, asks_nowhere
from handler.moderators.weekly_digest import WeeklyDigest
from handler.respondent import Respondent
from handler.slack.client import SlackClient
from handler.slack.events import Challenge, Dropped, parse_callback
from handler.slack.fields import MalformedEventError
from handler.slack.gestures import Gesture
from handler.slack.interactions import parse_command, parse_interaction
from handler.slack.settings_form import Rejected
from handler.telemetry import logger
from handler.waiting import Waiting
from judge.classifier import load
from standalone.claim_database import SQLiteClaims
from standalone.database import Database
from standalone.digest_schedule import DigestSchedule
from standalone.dispatcher import Dispatcher
from standalone.gesture_queue import GestureQueue
from standalone.settings import StandaloneSettings
from standalone.settings_database import SQLiteSettings
from standalone.socket_connection import SocketConnection


class Bot:
    """The bot, connected to one workspace: ``with Bot(...).start()``.

    Parameters
    ----------
    settings
        Tokens, reactions, answer mode and Slack's address.
    model_folder
        The model.
    database_path
        The SQLite file.

    Raises
    ------
    ToxicBotError
        When the model or the file cannot be used.
    """

    def __init__(
        self, settings: StandaloneSettings, model_folder: Path, database_path: Path
    ) -> None:
        self._subscription = settings.bot.subscription
        self._language = settings.bot.wording.language
        self._database = Database(database_path)
        store = SQLiteClaims(self._database)
        self._channel_store = SQLiteSettings(self._database)
        self._asks = self._channel_store.asks if are_used(self._subscription) else asks_nowhere
        self._queue = GestureQueue(self._database)
        self._slack_api_url = slack_api_url = settings.bot.slack_api_url
        slack = SlackClient(lambda *, fresh: settings.bot_token, slack_api_url)  # noqa: ARG005 - it never changes
        channel = settings.bot.moderation.channel
        digest = WeeklyDigest(slack, Claims(store), store, channel, settings.bot.wording.language)
        respondent = Respondent(
            slack,
            # Several are judged at once, and share the CPUs better than the threads of one.
            load(model_folder, threads=1, operating_point=settings.bot.operating_point),
            store,
            self._channel_store,
            settings.bot,
        )
        self._dispatcher = Dispatcher(
            self._queue,
            respondent,
            Waiting(store),
            when_idle=DigestSchedule(digest).run_if_due if channel else _rest,
        )
        self._connection = SocketConnection(settings.app_token, slack_api_url, self._receive)

    def start(self) -> Self:
        """Connect to Slack and start answering, beginning with what is still queued.

        Raises
        ------
        SlackConnectionError
            When Slack refuses the connection or cannot be reached.
        """
        self._connection.open()
        self._dispatcher.start()
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._connection.close()
        self._dispatcher.stop()
        self._database.close()

    def _receive(self, request: SocketModeRequest) -> dict[str, Any] | None:
        try:
            parsed = self._parse(request)
        except MalformedEventError as error:
            logger.warning(f"event refused: {error}")
            return None
        if isinstance(parsed, Gesture):
            self._queue.put(parsed)
            self._dispatcher.wake()
        elif isinstance(parsed, Dropped) and parsed.notice:
            return {"text": parsed.notice}
        elif isinstance(parsed, Rejected):
            return parsed.to_response()
        return None

    def _parse(self, request: SocketModeRequest) -> Gesture | Challenge | Dropped | Rejected | None:
        now, url = str(time.time()), self._slack_api_url
        if request.type == "events_api":
            body = json.dumps(request.payload).encode()
            return parse_callback(body, self._subscription, self._asks)
        if request.type == "interactive":
            return parse_interaction(request.payload, self._subscription, now, url, self._language)
        if request.type == "slash_commands":
            return parse_command(request.payload, self._subscription, now, url, self._language)
        return None


def _rest() -> None:
    """Do nothing: without a channel for moderators there is no digest."""
