"""The standalone bot: events arrive over Slack's Socket Mode, answers go out as usual.

The answer path is the worker's own; one SQLite file replaces the queue and the table.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from handler.answer.claims import Claims
from handler.channel_settings import are_used, asks_nowhere
from handler.moderators.weekly_digest import WeeklyDigest
from handler.respondent import Respondent
from handler.retry import TryAgainError
from handler.slack.client import SlackClient
from handler.slack.events import Challenge, Dropped, parse_callback
from handler.slack.fields import MalformedEventError
from handler.slack.gestures import Gesture
from handler.slack.interactions import parse_command, parse_interaction
from handler.slack.settings_form import Rejected
from handler.telemetry import count, logger, metered
from handler.waiting import QueuedGesture, Waiting
from judge.classifier import load
from judge.errors import ToxicBotError
from standalone.claim_database import SQLiteClaims
from standalone.database import Database
from standalone.digest_schedule import DigestSchedule
from standalone.settings import StandaloneSettings
from standalone.settings_database import SQLiteSettings

GESTURE_TIMEOUT = 30.0
"""Seconds that one gesture may take: the worker's timeout."""
POLL_INTERVAL = 0.5
"""Seconds between two checks of the queue when nothing arrives."""


class SlackConnectionError(ToxicBotError):
    """Slack refuses the Socket Mode connection or cannot be reached."""


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
        self._waiting = Waiting(store)
        self._slack_api_url = slack_api_url = settings.bot.slack_api_url
        slack = SlackClient(lambda *, fresh: settings.bot_token, slack_api_url)  # noqa: ARG005 - it never changes
        channel = settings.bot.moderation.channel
        self._schedule = (
            DigestSchedule(
                WeeklyDigest(slack, Claims(store), store, channel, settings.bot.wording.language)
            )
            if channel
            else None
        )
        self._respondent = Respondent(
            slack,
            load(model_folder, operating_point=settings.bot.operating_point),
            store,
            self._channel_store,
            settings.bot,
        )
        self._client = SocketModeClient(
            settings.app_token, web_client=WebClient(base_url=slack_api_url)
        )
        self._client.socket_mode_request_listeners.append(self._receive)
        self._arrived = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="answers", daemon=True)

    def start(self) -> Self:
        """Connect to Slack and start answering, beginning with what is still queued.

        Raises
        ------
        SlackConnectionError
            When Slack refuses the connection or cannot be reached.
        """
        try:
            self._client.connect()
        except SlackApiError as error:
            raise SlackConnectionError(
                f"Slack answered {error.response.get('error')}: check SLACK_APP_TOKEN, and that "
                "Socket Mode is enabled for the app"
            ) from error
        except (SlackClientError, OSError) as error:
            raise SlackConnectionError(
                f"Slack cannot be reached ({type(error).__name__}): check SLACK_API_URL and the "
                "internet connection"
            ) from error
        self._thread.start()
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stopping.set()
        self._arrived.set()
        self._client.close()
        if self._thread.is_alive():
            self._thread.join(GESTURE_TIMEOUT)
        self._database.close()

    def _receive(self, client: BaseSocketModeClient, request: SocketModeRequest) -> None:
        response: dict[str, Any] | None = None
        try:
            parsed = self._parse(request)
        except MalformedEventError as error:
            logger.warning(f"event refused: {error}")
        else:
            if isinstance(parsed, Gesture):
                self._database.enqueue(parsed)
                self._arrived.set()
            elif isinstance(parsed, Dropped) and parsed.notice:
                response = {"text": parsed.notice}
            elif isinstance(parsed, Rejected):
                response = parsed.to_response()
        # Only now is the event safe; without an acknowledgment Slack sends it again.
        client.send_socket_mode_response(SocketModeResponse(request.envelope_id, response))

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

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._arrived.clear()
            entry = self._database.next_due()
            if entry is not None:
                self._answer(entry)
                continue
            if self._schedule is not None:
                self._schedule.run_if_due()
            self._arrived.wait(POLL_INTERVAL)

    @metered
    def _answer(self, entry: QueuedGesture) -> None:
        gesture = entry.gesture
        with logger.append_context_keys(**gesture.log_keys()):
            try:
                self._respondent.answer(gesture, deadline=time.time() + GESTURE_TIMEOUT)
            except TryAgainError as error:
                self._try_again(entry, error)
            except Exception as error:
                # Its message may quote a text.
                kind = type(error).__name__
                self._try_again(entry, TryAgainError(f"unexpected {kind}", reason="failed"))
            else:
                self._database.remove(gesture)

    def _try_again(self, entry: QueuedGesture, error: TryAgainError) -> None:
        count("EventReturned", reason=error.reason)
        now = time.time()
        if entry.is_exhausted(now):
            logger.error(f"gave up waiting: {error}", reason=error.reason)
            self._database.remove(entry.gesture)
            return
        delay = self._waiting.delay(entry, error)
        logger.warning(f"gesture waits: {error}", reason=error.reason, delay=round(delay, 1))
        self._database.put_back(entry.put_back(now), delay)
