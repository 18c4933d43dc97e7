"""The workspace as the bot sees it: what it reads there, what it looks up, and what it posts."""

from __future__ import annotations

import ssl

from toxic_bot.slack.web_api.calls import TIMEOUT, Calls, TokenSource
from toxic_bot.slack.web_api.directory import Directory
from toxic_bot.slack.web_api.identity import OwnIdentity
from toxic_bot.slack.web_api.posting import Posting
from toxic_bot.slack.web_api.reading import Reading
from toxic_bot.slack.web_api.response_url import ResponseUrls

BOT_SCOPES = frozenset(
    {
        "reactions:read",
        "channels:history",
        "groups:history",
        "chat:write",
        "commands",
        "channels:read",
        "groups:read",
        "users:read",
    }
)
"""OAuth scopes that the calls below and the subscribed events need; the manifest lists them."""


class SlackClient(Reading, Posting, Directory):
    """The workspace as the bot sees it.

    Parameters
    ----------
    token
        Returns the bot token. When Slack rejects a token, a fresh one is requested, so that
        rotating the token loses no event.
    api_url
        Base URL of Slack's Web API.
    """

    def __init__(self, token: TokenSource, api_url: str) -> None:
        # One context for all calls: creating one reads every root certificate.
        context = ssl.create_default_context() if api_url.startswith("https") else None
        calls = Calls(token, api_url, context)
        identity = OwnIdentity(calls)
        Reading.__init__(self, calls, identity)
        Posting.__init__(self, calls, ResponseUrls(TIMEOUT, context))
        Directory.__init__(self, calls, identity)
