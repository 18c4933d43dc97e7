"""Checks of tokens, scopes, a channel and the clock against Slack itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from toxic_bot.operator.doctor.finding import CheckError
from toxic_bot.slack.web_api.client import BOT_SCOPES

TIMEOUT = 10
"""Seconds that a call may take."""
MAX_SKEW = 60.0
"""Seconds that this machine's clock may be off; Slack's signatures expire after 300."""
_REINSTALL = "reinstall the app and store the new bot token"
_ADD_SCOPES = "add the scopes in manifest.yaml to the app and reinstall it"


def connect(token: str, api_url: str) -> WebClient:
    """Return a client for a token; an empty one calls Slack anonymously."""
    return WebClient(token or None, base_url=api_url, timeout=TIMEOUT, retry_handlers=[])


def check_bot_token_form(token: str) -> str:
    """Check that a secret looks like a bot token."""
    if not token.startswith("xoxb-"):
        raise CheckError(
            "it does not start with xoxb-",
            "store the Bot User OAuth Token from the app's page 'OAuth & Permissions'",
        )
    return "present"


def check_scopes(client: WebClient) -> str:
    """Check that Slack accepts the bot token, and that it has every scope."""
    response = _call(lambda: client.auth_test(), _REINSTALL)
    headers = {str(name).lower(): str(value) for name, value in response.headers.items()}
    granted = {scope.strip() for scope in headers.get("x-oauth-scopes", "").split(",")}
    if missing := sorted(BOT_SCOPES - granted):
        raise CheckError(f"the token lacks {', '.join(missing)}", _ADD_SCOPES)
    return f"{response['user']} in {response['team']}, with all scopes"


def check_app_token(client: WebClient, token: str) -> str:
    """Check that the app token can open a Socket Mode connection."""
    _call(
        lambda: client.apps_connections_open(app_token=token),
        "create an app-level token with the scope connections:write on the app's page 'Basic "
        "Information', and enable Socket Mode",
    )
    return "Slack offers a Socket Mode connection"


def check_channel(client: WebClient, channel: str) -> str:
    """Check that the bot is in a channel."""
    try:
        # No message has this timestamp. If Slack says so, the bot can read the channel.
        client.conversations_replies(channel=channel, ts="1000000000.000001", limit=1)
    except SlackApiError as error:
        name = str(error.response.get("error"))
        if name not in ("thread_not_found", "message_not_found"):
            remedies = {
                "not_in_channel": "type '/invite @Toxic Bot' in the channel",
                "channel_not_found": "check the ID, and type '/invite @Toxic Bot' in the channel",
                "missing_scope": _ADD_SCOPES,
            }
            raise CheckError(
                f"Slack answered {name}", remedies.get(name, "look the error up in Slack's docs")
            ) from error
    except (SlackClientError, OSError) as error:
        raise _unreachable(error) from error
    return "the bot is in it"


def check_clock(client: WebClient) -> str:
    """Check that Slack can be reached, and this machine's clock against Slack's."""
    try:
        headers = client.api_call("api.test").headers
    except SlackApiError as error:
        headers = error.response.headers
    except (SlackClientError, OSError) as error:
        raise _unreachable(error) from error
    dates = {str(name).lower(): str(value) for name, value in headers.items()}
    try:
        skew = time.time() - parsedate_to_datetime(dates["date"]).timestamp()
    except (KeyError, ValueError) as error:
        raise _unreachable(error) from error
    if abs(skew) > MAX_SKEW:
        raise CheckError(
            f"this machine's clock is {abs(skew):.0f} seconds {'ahead' if skew > 0 else 'behind'}",
            "set the clock: Slack's signatures expire after five minutes",
        )
    return f"within {max(1, abs(round(skew)))} s of Slack's"


def _call(action: Callable[[], Any], remedy: str) -> Any:
    try:
        return action()
    except SlackApiError as error:
        raise CheckError(f"Slack answered {error.response.get('error')}", remedy) from error
    except (SlackClientError, OSError) as error:
        raise _unreachable(error) from error


def _unreachable(error: Exception) -> CheckError:
    return CheckError(
        f"Slack cannot be reached ({type(error).__name__})",
        "check SLACK_API_URL and the internet connection",
    )
