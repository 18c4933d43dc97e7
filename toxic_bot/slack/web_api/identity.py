"""Who the bot is in Slack, so that it believes only itself.

Source: https://docs.slack.dev/reference/methods/auth.test
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from toxic_bot.slack.web_api.calls import Calls
from toxic_bot.slack.web_api.responses import text_of


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom a token belongs to.

    Parameters
    ----------
    user
        The bot's user ID, which Slack itself puts on everything that the bot posts.
    team
        The workspace that the bot is installed in.
    enterprise
        The organization that the workspace belongs to; empty if to none.
    """

    user: str
    team: str
    enterprise: str


class OwnIdentity:
    """Asks Slack who the bot is, once, when that is first needed.

    Most answers need no such call: only whoever finds metadata like its own has to know.

    Parameters
    ----------
    calls
        Makes the call.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._known: Identity | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Identity:
        """Return who the bot is.

        Raises
        ------
        TryAgainError
            When Slack does not say, now.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        with self._lock:
            if self._known is None:
                found = self._calls.call("auth_test")
                self._known = Identity(
                    text_of(found, "user_id"),
                    text_of(found, "team_id"),
                    text_of(found, "enterprise_id"),
                )
            return self._known
