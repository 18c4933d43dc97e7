"""Events over Socket Mode, Slack's WebSocket."""

from __future__ import annotations

import json
import time
from typing import Any

from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.form_responses import form_response
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.lookups import Lookups
from toxic_bot.slack.request_handler import Put
from toxic_bot.slack.requests.events import Challenge, Dropped, parse_callback
from toxic_bot.slack.requests.interactions import parse_command, parse_interaction
from toxic_bot.slack.requests.settings_form import Rejected, Tried
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import logger
from toxic_bot.standalone.socket_connection import SocketConnection
from toxic_bot.standalone.socket_frames import Envelope


class SocketTransport:
    """The transport over Socket Mode: no address of its own that Slack must reach.

    Parameters
    ----------
    app_token
        Slack's app-level token.
    bot, lookups, put
        See `toxic_bot.standalone.transport.TransportMaker`.
    """

    def __init__(self, app_token: str, bot: BotSettings, lookups: Lookups, put: Put) -> None:
        self._bot = bot
        self._lookups = lookups
        self._put = put
        self._connection = SocketConnection(app_token, bot.slack_api_url, self._receive)

    def open(self) -> None:
        """Connect to Slack.

        Raises
        ------
        SlackConnectionError
            When Slack refuses the connection or cannot be reached.
        """
        self._connection.open()

    def close(self) -> None:
        """Close the connection; what has arrived is still made safe."""
        self._connection.close()

    @property
    def is_kept(self) -> bool:
        """Whether somebody still looks after the connection."""
        return self._connection.is_kept

    @property
    def is_open(self) -> bool:
        """Whether Slack is connected."""
        return self._connection.is_connected

    def _receive(self, envelope: Envelope) -> dict[str, Any] | None:
        try:
            parsed = self._parse(envelope)
        except MalformedEventError as error:
            logger.warning(f"event refused: {error}")
            return None
        except Exception as error:
            # It would not be understood when it comes again, either.
            logger.error("event refused", error=type(error).__name__)
            return None
        if isinstance(parsed, Gesture):
            self._put(parsed)
        elif isinstance(parsed, Dropped) and parsed.notice:
            return {"text": parsed.notice}
        return form_response(parsed, self._bot)

    def _parse(self, envelope: Envelope) -> Gesture | Challenge | Dropped | Rejected | Tried:
        bot, now = self._bot, str(time.time())
        subscription, url, language = bot.subscription, bot.slack_api_url, bot.wording.language
        if envelope.kind == "events_api":
            return parse_callback(
                json.dumps(envelope.payload).encode(), subscription, self._lookups
            )
        if envelope.kind == "interactive":
            return parse_interaction(envelope.payload, subscription, now, url, language)
        return parse_command(envelope.payload, subscription, now, url, language)
