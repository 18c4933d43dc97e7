"""What the workspace says about its people and channels."""

from __future__ import annotations

import re
from typing import Any

from toxic_bot.slack.fields import ID
from toxic_bot.slack.web_api.calls import Calls
from toxic_bot.slack.web_api.identity import OwnIdentity
from toxic_bot.slack.web_api.reading import MAX_PAGES, PAGE_SIZE
from toxic_bot.slack.web_api.remedies import GONE, OUT_OF_REACH, SlackRefusedError
from toxic_bot.slack.web_api.responses import object_of, objects_of, text_of

MEMBERS_PAGE = 1000
"""Members per page, which is the most that Slack returns."""
_URL = re.compile(r"https?://[^\s<>|]+")


class Directory:
    """Looks people and channels up.

    Parameters
    ----------
    calls
        Makes the calls.
    identity
        Who the bot is, and of which workspace.
    """

    def __init__(self, calls: Calls, identity: OwnIdentity) -> None:
        self._calls = calls
        self._identity = identity

    def permalink(self, channel: str, ts: str) -> str | None:
        """Return the URL of a message for mrkdwn; None if it is gone, or where the bot is not.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        try:
            response = self._calls.call("chat_getPermalink", channel=channel, message_ts=ts)
        except SlackRefusedError as error:
            if error.error in GONE | OUT_OF_REACH:
                return None
            raise
        link = text_of(response, "permalink")
        # Without the characters that would end a link in mrkdwn.
        return link.replace("&", "&amp;") if _URL.fullmatch(link) else None

    def is_admin(self, user: str) -> bool:
        """Report whether somebody is an admin or owner of the bot's own workspace.

        Whom an event names as the workspace does not matter: in a shared channel, that may be
        another company's.

        Parameters
        ----------
        user
            Who. An admin of another workspace, who is here only in a shared channel, is none.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        found = self._user(user)
        has_role = any(found.get(role) is True for role in ("is_admin", "is_owner"))
        return has_role and self._is_at_home(found)

    def is_member(self, user: str) -> bool:
        """Report whether somebody belongs to the bot's own workspace; raises as `is_admin`."""
        return self._is_at_home(self._user(user))

    def _user(self, user: str) -> dict[str, Any]:
        return object_of(self._calls.call("users_info", user=user), "user")

    def _is_at_home(self, found: dict[str, Any]) -> bool:
        home = self._identity()
        if found.get("is_stranger") is True or not home.team:
            return False
        if found.get("team_id") == home.team:
            return True
        # A member of an organization belongs to it, and to some of its workspaces.
        membership = object_of(found, "enterprise_user")
        teams = membership.get("teams")
        is_ours = bool(home.enterprise) and membership.get("enterprise_id") == home.enterprise
        return is_ours and isinstance(teams, list) and home.team in teams

    def locale(self, user: str) -> str:
        """Return somebody's locale, such as ``de-DE``; empty if Slack does not say.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        response = self._calls.call("users_info", user=user, include_locale=True)
        return text_of(object_of(response, "user"), "locale")

    def creator(self, channel: str) -> str:
        """Return the ID of the person who created a channel; empty if Slack does not say.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        creator = text_of(self._channel(channel), "creator")
        return creator if ID.fullmatch(creator) else ""

    def has_joined(self, channel: str) -> bool:
        """Report whether the bot is in a channel, and may so post there.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        try:
            return self._channel(channel).get("is_member") is True
        except SlackRefusedError as error:
            if error.error in OUT_OF_REACH:
                return False
            raise

    def _channel(self, channel: str) -> dict[str, Any]:
        return object_of(self._calls.call("conversations_info", channel=channel), "channel")

    def is_in_channel(self, channel: str, user: str) -> bool:
        """Report whether somebody is in a channel, of very many among its first five thousand.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        cursor = ""
        for _ in range(MAX_PAGES):
            response = self._calls.call(
                "conversations_members",
                channel=channel,
                limit=MEMBERS_PAGE,
                **({"cursor": cursor} if cursor else {}),
            )
            members = response.get("members")
            if isinstance(members, list) and user in members:
                return True
            cursor = text_of(object_of(response, "response_metadata"), "next_cursor")
            if not cursor:
                break
        return False

    def channels(self) -> list[str]:
        """Return the IDs of the channels that the bot is in; of very many, the first thousand.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        channels: list[str] = []
        cursor = ""
        for _ in range(MAX_PAGES):
            response = self._calls.call(
                "users_conversations",
                types="public_channel,private_channel",
                exclude_archived=True,
                limit=PAGE_SIZE,
                **({"cursor": cursor} if cursor else {}),
            )
            channels += [text_of(one, "id") for one in objects_of(response, "channels")]
            cursor = text_of(object_of(response, "response_metadata"), "next_cursor")
            if not cursor:
                break
        return channels
