"""The bot on one machine and without AWS: events over Slack's Socket Mode.

The answer path is the worker's own; the SQLite file stands in for queue and table.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from aws_lambda_powertools.utilities.typing import LambdaContext
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from handler.answer import Answerer
from handler.claims import Claims
from handler.classifier import load
from handler.errors import MalformedEventError, SettingsError, TryAgainError
from handler.events import Reaction, parse_callback
from handler.settings import Settings
from handler.slack import Slack
from handler.telemetry import count, logger, metered
from local.errors import LocalError
from local.ledger import ClaimStore, Ledger, Waiting

SECONDS_OF_ONE = 30.0
"""Seconds that one reaction may take, waiting for Slack included: the worker's time-out."""
MOST_TRIES = 5
"""Tries after which a reaction is given up, as the queue does."""
FIRST_PAUSE = 5.0
"""Seconds before the second try, where nobody says better; each further pause is longer."""
IDLE = 0.5
"""Seconds between two looks at the ledger when nothing arrives."""
# What Settings asks for and what only AWS has.
UNUSED = {
    "QUEUE_URL": "http://unused/queue",
    "CLAIM_TABLE": "unused",
    "SIGNING_SECRET_NAME": "unused",
    "BOT_TOKEN_NAME": "unused",
}


@dataclass(frozen=True, slots=True)
class Tokens:
    """Slack's two tokens for Socket Mode."""

    app: str = field(repr=False)
    bot: str = field(repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Tokens:
        """Read SLACK_APP_TOKEN and SLACK_BOT_TOKEN.

        Raises
        ------
        SettingsError
            When one is missing or of the wrong kind.
        """
        return cls(
            _token(environment, "SLACK_APP_TOKEN", "xapp-", "an app-level token"),
            _token(environment, "SLACK_BOT_TOKEN", "xoxb-", "a bot token"),
        )


def _token(environment: Mapping[str, str], name: str, prefix: str, what: str) -> str:
    value = environment.get(name, "").strip()
    if not value.startswith(prefix):
        raise SettingsError(f"set the environment variable {name} to {what} ({prefix}...)")
    return value


class Turn(LambdaContext):
    """Stands in for Lambda's context: the time that a reaction has left."""

    end = 0.0

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        """Return the milliseconds that are left."""
        return max(0, int((Turn.end - time.monotonic()) * 1000))


class Bot:
    """The bot, connected: ``with Bot(...).start()``.

    Parameters
    ----------
    settings
        Reactions, mode of answering, model folder and Slack's address are used.
    tokens
        Slack's.
    path
        The SQLite file.
    """

    def __init__(self, settings: Settings, tokens: Tokens, path: Path) -> None:
        self._settings = settings
        self._ledger = Ledger(path)
        claims = Claims(lambda: ClaimStore(self._ledger))
        self._answerer = Answerer(
            Slack(lambda *, fresh: tokens.bot, settings.slack_api_url),  # noqa: ARG005 - no store
            load(settings.model_folder),
            claims,
            settings.answer,
        )
        claims.begin(Turn())
        self._client = SocketModeClient(
            tokens.app, web_client=WebClient(base_url=settings.slack_api_url)
        )
        self._client.socket_mode_request_listeners.append(self._receive)
        self._arrived = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="answers", daemon=True)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], model: Path, path: Path) -> Bot:
        """Make a bot of environment variables.

        Raises
        ------
        ToxicBotError
            When a variable is missing or malformed, or the model or the file cannot be used.
        """
        tokens = Tokens.from_environment(environment)
        settings = Settings.from_environment({**environment, **UNUSED, "MODEL_FOLDER": str(model)})
        return cls(settings, tokens, path)

    def start(self) -> Self:
        """Connect to Slack and begin to answer, with what was left over from before.

        Raises
        ------
        LocalError
            When Slack refuses the connection.
        """
        try:
            self._client.connect()
        except SlackApiError as error:
            raise LocalError(
                f"Slack answers {error.response.get('error')}: check SLACK_APP_TOKEN, and that "
                "Socket Mode is on for the app"
            ) from error
        except (SlackClientError, OSError) as error:
            raise LocalError(
                f"Slack cannot be reached ({type(error).__name__}): check SLACK_API_URL and the "
                "way to the internet"
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
            self._thread.join(SECONDS_OF_ONE)
        self._ledger.close()

    def _receive(self, client: BaseSocketModeClient, request: SocketModeRequest) -> None:
        if request.type == "events_api":
            body = json.dumps(request.payload).encode()
            try:
                callback = parse_callback(body, self._settings.reactions)
            except MalformedEventError as error:
                logger.warning(f"event refused: {error}")
                callback = None
            if isinstance(callback, Reaction):
                self._ledger.add(callback)
                self._arrived.set()
        # Only now is the event safe; unacknowledged, Slack sends it again.
        client.send_socket_mode_response(SocketModeResponse(request.envelope_id))

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._arrived.clear()
            waiting = self._ledger.next_due()
            if waiting is None:
                self._arrived.wait(IDLE)
            else:
                self._answer(waiting)

    @metered
    def _answer(self, waiting: Waiting) -> None:
        reaction = waiting.reaction
        Turn.end = time.monotonic() + SECONDS_OF_ONE
        with logger.append_context_keys(**reaction.log_keys()):
            try:
                self._answerer.answer(reaction, lambda: Turn.get_remaining_time_in_millis() / 1000)
            except TryAgainError as error:
                self._try_again(waiting, error)
            else:
                self._ledger.remove(reaction)

    def _try_again(self, waiting: Waiting, error: TryAgainError) -> None:
        count("EventReturned", reason=error.reason)
        if waiting.tries + 1 >= MOST_TRIES:
            logger.error(f"given up after {MOST_TRIES} tries: {error}", reason=error.reason)
            self._ledger.remove(waiting.reaction)
            return
        pause = FIRST_PAUSE * 2**waiting.tries if error.delay is None else error.delay
        logger.warning(f"tried again in {pause:.0f} seconds: {error}", reason=error.reason)
        self._ledger.put_off(waiting.reaction, pause)
