"""Where Slack lets the bot connect: the answer of ``apps.connections.open``.

Source: https://docs.slack.dev/reference/methods/apps.connections.open
"""

from __future__ import annotations

import logging
import re
import ssl
from typing import Any

from slack_sdk.errors import SlackApiError

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.retry import retry_after
from toxic_bot.slack.web_api.connection import KeepAliveClient

CALL_TIMEOUT = 10
"""Seconds that the call may take, to the answer's last byte."""

# slack_sdk logs any body that it cannot parse.
_SILENT = logging.Logger("slack_sdk", logging.CRITICAL + 1)
# So does urllib3 with headers.
logging.getLogger("urllib3").setLevel(logging.CRITICAL)

_ERROR_NAME = re.compile(r"[a-z][a-z0-9_]{1,80}")


class SlackConnectionError(ToxicBotError):
    """Slack refuses the Socket Mode connection or cannot be reached.

    Parameters
    ----------
    message
        What happened, and what to check.
    delay
        Seconds for which Slack wants to be left alone.
    """

    def __init__(self, message: str, delay: float = 0.0) -> None:
        super().__init__(message)
        self.delay = delay


class SocketAddress:
    """Asks Slack for the address of a new connection.

    Parameters
    ----------
    app_token
        Slack's app-level token.
    slack_api_url
        Base URL of Slack's Web API.
    """

    def __init__(self, app_token: str, slack_api_url: str) -> None:
        self._app_token = app_token
        self._web = KeepAliveClient(
            base_url=slack_api_url,
            timeout=CALL_TIMEOUT,
            ssl=ssl.create_default_context() if slack_api_url.startswith("https") else None,
            retry_handlers=[],
            logger=_SILENT,
        )

    def ask(self) -> str:
        """Return an address, which can be used once.

        Raises
        ------
        SlackConnectionError
            When Slack names none, whatever it answers instead.
        """
        try:
            url = self._web.apps_connections_open(app_token=self._app_token).get("url")
        except SlackApiError as error:
            raise _refused(error) from None
        # slack_sdk expects an object, and fails in many ways on anything else.
        except Exception as error:
            raise SlackConnectionError(
                f"Slack cannot be reached ({type(error).__name__}): check SLACK_API_URL and the "
                "internet connection"
            ) from None
        if not isinstance(url, str) or not url.startswith(("ws://", "wss://")):
            raise SlackConnectionError(
                "Slack's answer names no WebSocket: check SLACK_API_URL, and Slack's status"
            )
        return url


def _refused(error: SlackApiError) -> SlackConnectionError:
    response: Any = error.response
    status = getattr(response, "status_code", 200)
    data = getattr(response, "data", response)
    name = data.get("error") if isinstance(data, dict) else None
    if status == 429 or name == "ratelimited":
        delay = retry_after(getattr(response, "headers", {}))
        return SlackConnectionError(f"Slack asked to wait {delay:.0f} seconds", delay)
    if not isinstance(name, str) or not _ERROR_NAME.fullmatch(name):
        return SlackConnectionError(
            f"Slack's answer is not in its format (status {status}): check SLACK_API_URL, and "
            "Slack's status"
        )
    return SlackConnectionError(
        f"Slack answered {name}: check SLACK_APP_TOKEN, and that Socket Mode is enabled for the app"
    )
