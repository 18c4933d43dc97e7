"""The Web API methods that the bot calls, with Slack's response formats and errors.

Source: https://docs.slack.dev/reference/methods
"""

from __future__ import annotations

import base64
import binascii
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from simulators.ongoing import Ongoing
from simulators.slack.block_kit import parse_blocks, parse_home, parse_metadata, parse_modal
from simulators.slack.faults import Fault, Faults
from simulators.slack.message_json import message_json
from simulators.slack.modals import Modals
from simulators.slack.rate_limits import SLACK_LIMITS, Limit, RateLimiter
from simulators.slack.workspace import APP, BOT, TEAM, Channel, Message, SlackError, Workspace
from toxic_bot.slack.web_api.client import BOT_SCOPES

MAX_TEXT_LENGTH = 40_000
"""Maximum number of characters in a message."""
MAX_REPLIES = 1000
"""Maximum and default number of messages in a page of ``conversations.replies``."""

CONNECTIONS_OPEN = "apps.connections.open"
"""The only method that takes an app-level token: it opens a Socket Mode connection."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The permissions of a bot token."""

    scopes: frozenset[str] = BOT_SCOPES
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A record of a call.

    Parameters
    ----------
    method
        The method, such as ``chat.postMessage``.
    arguments
        The call's arguments, without the token.
    error
        Slack's error code; empty if the call succeeded.
    """

    method: str
    arguments: Mapping[str, Any] = field(repr=False)
    error: str


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """A response of the Web API.

    Parameters
    ----------
    body
        The JSON object.
    status, headers
        HTTP's.
    content
        What a fault sends instead of the JSON object, if anything.
    cut
        Whether a fault breaks the response off.
    """

    body: dict[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content: str | None = None
    cut: bool = False


class WebApi:
    """Slack's Web API.

    Parameters
    ----------
    workspace
        The workspace that calls read and change.
    grants
        The permissions of each bot token.
    limits
        Rate limits of the methods.

    Attributes
    ----------
    app_tokens
        App-level tokens (xapp-...), which may open Socket Mode connections.
    open_connection
        Returns the WebSocket URL for a new connection; None without Socket Mode.
    address
        The workspace's, with which permalinks begin.
    modals
        The modals that are open.
    messages_tab
        Whether the app can write to people in private.
    requests
        Calls that may still take effect, even if their caller has died.
    """

    def __init__(
        self,
        workspace: Workspace,
        grants: dict[str, Grant],
        limits: Mapping[str, Limit] = SLACK_LIMITS,
    ) -> None:
        self.workspace = workspace
        self.grants = grants
        self.app_tokens: set[str] = set()
        self.open_connection: Callable[[], str] | None = None
        self.address = "https://local.slack.com"
        self.modals = Modals()
        self.messages_tab = True
        self.faults = Faults()
        self.requests = Ongoing()
        self._limiter = RateLimiter(limits)
        self._calls: list[Call] = []
        self._lock = threading.Lock()
        self._methods = {
            "auth.test": self._auth_test,
            "chat.delete": self._delete_message,
            "chat.getPermalink": self._get_permalink,
            "chat.postEphemeral": self._post_ephemeral,
            "chat.postMessage": self._post_message,
            "chat.update": self._update_message,
            "conversations.history": self._conversation_history,
            "conversations.info": self._conversation_info,
            "conversations.members": self._conversation_members,
            "conversations.replies": self._conversation_replies,
            "users.conversations": self._user_conversations,
            "users.info": self._user_info,
            "views.open": self._open_view,
            "views.publish": self._publish_view,
        }

    @property
    def calls(self) -> list[Call]:
        """All calls so far, in order of completion."""
        with self._lock:
            return list(self._calls)

    def call(self, method: str, token: str, arguments: Mapping[str, Any]) -> ApiResponse:
        """Respond to a call.

        Parameters
        ----------
        method
            The method, such as ``chat.postMessage``.
        token
            The token; empty if the call has none.
        arguments
            The call's other arguments: strings from a form, or JSON values.
        """
        fault = self.faults.next(method)
        try:
            with self.requests.piece():
                response = self._take_effect(fault, method, token, arguments)
        except SlackError as error:
            self._record(method, arguments, error.error)
            return ApiResponse(
                {"ok": False, "error": error.error} | error.details, error.status, error.headers
            )
        self._record(method, arguments, "")
        if fault is None:
            return response
        if fault.after:
            fault.after()
        time.sleep(fault.hang)
        return replace(response, content=fault.content, cut=fault.cut)

    def _take_effect(
        self, fault: Fault | None, method: str, token: str, arguments: Mapping[str, Any]
    ) -> ApiResponse:
        if fault and fault.before:
            fault.before()
        if fault and fault.delay:
            time.sleep(fault.delay)
        if fault and (fault.error or fault.status != 200):
            raise SlackError(
                fault.error or "internal_error",
                status=fault.status,
                headers={}
                if fault.retry_after is None
                else {"Retry-After": str(fault.retry_after)},
            )
        return self._respond(method, token, arguments)

    def _record(self, method: str, arguments: Mapping[str, Any], error: str) -> None:
        with self._lock:
            self._calls.append(Call(method, arguments, error))

    def _respond(self, method: str, token: str, arguments: Mapping[str, Any]) -> ApiResponse:
        if method not in self._methods and method != CONNECTIONS_OPEN:
            raise SlackError("unknown_method", req_method=method)
        if not token:
            raise SlackError("not_authed")
        if token in self.app_tokens or method == CONNECTIONS_OPEN:
            return ApiResponse({"ok": True, "url": self._connection_url(method, token)})
        if token not in self.grants:
            raise SlackError("invalid_auth")
        grant = self.grants[token]
        if grant.revoked:
            raise SlackError("token_revoked")
        self._limiter.count(method, token, str(arguments.get("channel", "")))
        scopes = ",".join(sorted(grant.scopes))
        return ApiResponse(
            {"ok": True} | self._methods[method](grant, arguments),
            headers={"X-OAuth-Scopes": scopes},
        )

    def _connection_url(self, method: str, token: str) -> str:
        if token.startswith("xapp-") and token not in self.app_tokens:
            raise SlackError("invalid_auth")
        if token not in self.app_tokens or method != CONNECTIONS_OPEN:
            raise SlackError("not_allowed_token_type")
        if self.open_connection is None:
            raise SlackError("internal_error")
        return self.open_connection()

    def _auth_test(self, _: Grant, __: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "url": "https://local.slack.com/",
            "team": "Local",
            "user": self.workspace.bot.name,
            "team_id": TEAM,
            "user_id": self.workspace.bot.id,
            "bot_id": BOT,
            "is_enterprise_install": False,
        }

    def _conversation_info(self, grant: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        channel = self._visible_channel(arguments)
        _require(grant, "groups:read" if channel.private else "channels:read")
        return {
            "channel": {
                "id": channel.id,
                "name": channel.name,
                "is_channel": not channel.private,
                "is_group": channel.private,
                "is_private": channel.private,
                "is_archived": channel.archived,
                "is_member": self.workspace.bot.id in channel.members,
                **({"creator": channel.creator} if channel.creator else {}),
            }
        }

    def _conversation_members(self, grant: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        channel = self._visible_channel(arguments)
        _require(grant, "groups:read" if channel.private else "channels:read")
        members = sorted(channel.members)
        start, limit = _cursor(arguments), _limit(arguments)
        cursor = ""
        if start + limit < len(members):
            cursor = base64.b64encode(f"next_ts:{start + limit}".encode()).decode()
        return {
            "members": members[start : start + limit],
            "response_metadata": {"next_cursor": cursor},
        }

    def _user_conversations(self, grant: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        types = str(arguments.get("types") or "public_channel").split(",")
        for kind, scope in (
            ("public_channel", "channels:read"),
            ("private_channel", "groups:read"),
        ):
            if kind in types:
                _require(grant, scope)
        mine = [
            channel
            for channel in self.workspace.channels.values()
            if self.workspace.bot.id in channel.members
            and ("private_channel" if channel.private else "public_channel") in types
            and not (channel.archived and _boolean(arguments, "exclude_archived"))
        ]
        start = _cursor(arguments)
        limit = _limit(arguments)
        page = [
            {"id": one.id, "name": one.name, "is_private": one.private, "is_archived": one.archived}
            for one in mine[start : start + limit]
        ]
        cursor = ""
        if start + limit < len(mine):
            cursor = base64.b64encode(f"next_ts:{start + limit}".encode()).decode()
        return {"channels": page, "response_metadata": {"next_cursor": cursor}}

    def _user_info(self, grant: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        _require(grant, "users:read")
        person = self.workspace.people.get(_argument(arguments, "user"))
        if person is None:
            raise SlackError("user_not_found")
        locale = {"locale": person.locale} if _boolean(arguments, "include_locale") else {}
        return {
            "user": {
                "id": person.id,
                "team_id": person.team,
                "name": person.name.lower(),
                "real_name": person.name,
                "is_admin": person.is_admin,
                "is_owner": False,
                "is_bot": person.is_bot,
                **locale,
            }
        }

    def _open_view(self, _: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        view = parse_modal(arguments.get("view"))
        return {"view": self.modals.open(_argument(arguments, "trigger_id"), view)}

    def _publish_view(self, _: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        user = _argument(arguments, "user_id")
        if user not in self.workspace.people:
            raise SlackError("user_not_found")
        view = parse_home(arguments.get("view"))
        self.workspace.publish_home(user, view)
        return {"view": {"id": f"V{user}", "team_id": TEAM, "app_id": APP, **view}}

    def _conversation_replies(self, grant: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        channel = self._readable_channel(grant, arguments)
        ts = _argument(arguments, "ts")
        thread = self.workspace.thread(channel.id, ts)
        if not thread:
            raise SlackError("thread_not_found")
        selected = [
            message
            for index, message in enumerate(thread)
            # `oldest` and `latest` do not apply to the first message.
            if index == 0 or _in_range(message.ts, arguments)
        ]
        return self._message_page(selected, arguments)

    def _conversation_history(self, grant: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        channel = self._readable_channel(grant, arguments)
        selected = [
            message
            for message in self.workspace.messages(channel.id)
            if message.thread_ts is None
            and message.only_for is None
            and _in_range(message.ts, arguments)
        ]
        return self._message_page(selected[::-1], arguments)

    def _message_page(
        self, selected: list[Message], arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        start = _cursor(arguments)
        limit = _limit(arguments)
        page = selected[start : start + limit]
        with_metadata = _boolean(arguments, "include_all_metadata")
        has_more = start + limit < len(selected)
        response: dict[str, Any] = {
            "messages": [
                message_json(self.workspace, message, with_metadata=with_metadata)
                for message in page
            ],
            "has_more": has_more,
        }
        if has_more:
            cursor = base64.b64encode(f"next_ts:{start + limit}".encode()).decode()
            response["response_metadata"] = {"next_cursor": cursor}
        return response

    def _post_message(self, grant: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        person = self.workspace.people.get(str(arguments.get("channel")))
        if person is not None:
            _require(grant, "chat:write")
            if not self.messages_tab:
                raise SlackError("messages_tab_disabled")
            if person.is_bot:
                raise SlackError("cannot_dm_bot")
            arguments = {**arguments, "channel": self.workspace.direct_messages(person.id).id}
        channel = self._writable_channel(grant, arguments)
        text, blocks = _content(arguments)
        message = self.workspace.post(
            channel.id,
            self.workspace.bot.id,
            text,
            thread_ts=arguments.get("thread_ts") or None,
            blocks=blocks,
            metadata=parse_metadata(arguments.get("metadata")),
        )
        return {
            "channel": channel.id,
            "ts": message.ts,
            "message": message_json(self.workspace, message, with_metadata=True),
        }

    def _update_message(self, grant: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        channel = self._writable_channel(grant, arguments)
        message = self.workspace.find(channel.id, _argument(arguments, "ts"))
        if message is None or message.only_for is not None:
            # Slack keeps no ephemeral messages.
            raise SlackError("message_not_found")
        if message.user != self.workspace.bot.id:
            raise SlackError("cant_update_message")
        text, blocks = _content(arguments)
        metadata = parse_metadata(arguments.get("metadata"))
        self.workspace.update(channel.id, message.ts, text, blocks, metadata)
        return {
            "channel": channel.id,
            "ts": message.ts,
            "text": text,
            "message": message_json(self.workspace, message, with_metadata=True),
        }

    def _delete_message(self, grant: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        channel = self._writable_channel(grant, arguments)
        message = self.workspace.find(channel.id, _argument(arguments, "ts"))
        if message is None or message.only_for is not None:
            raise SlackError("message_not_found")
        if message.user != self.workspace.bot.id:
            raise SlackError("cant_delete_message")
        self.workspace.delete(channel.id, message.ts)
        return {"channel": channel.id, "ts": message.ts}

    def _post_ephemeral(self, grant: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        channel = self._writable_channel(grant, arguments)
        user = _argument(arguments, "user")
        if user not in channel.members:
            raise SlackError("user_not_in_channel")
        text, blocks = _content(arguments)
        message = self.workspace.post(
            channel.id,
            self.workspace.bot.id,
            text,
            thread_ts=arguments.get("thread_ts") or None,
            blocks=blocks,
            only_for=user,
        )
        return {"message_ts": message.ts}

    def _get_permalink(self, _: Grant, arguments: Mapping[str, Any]) -> dict[str, Any]:
        channel = self._visible_channel(arguments)
        ts = _argument(arguments, "message_ts")
        message = self.workspace.find(channel.id, ts)
        if message is None:
            raise SlackError("message_not_found")
        thread = f"?thread_ts={message.thread_ts}&cid={channel.id}" if message.thread_ts else ""
        path = f"archives/{channel.id}/p{ts.replace('.', '')}{thread}"
        return {"channel": channel.id, "permalink": f"{self.address}/{path}"}

    def _readable_channel(self, grant: Grant, arguments: Mapping[str, Any]) -> Channel:
        channel = self._visible_channel(arguments)
        _require(grant, "groups:history" if channel.private else "channels:history")
        self._require_member(channel)
        return channel

    def _visible_channel(self, arguments: Mapping[str, Any]) -> Channel:
        channel = self.workspace.channel(_argument(arguments, "channel"))
        if channel.private and self.workspace.bot.id not in channel.members:
            # To nonmembers, a private channel does not exist.
            raise SlackError("channel_not_found")
        return channel

    def _writable_channel(self, grant: Grant, arguments: Mapping[str, Any]) -> Channel:
        _require(grant, "chat:write")
        channel = self._visible_channel(arguments)
        self._require_member(channel)
        if channel.archived:
            raise SlackError("is_archived")
        return channel

    def _require_member(self, channel: Channel) -> None:
        if self.workspace.bot.id not in channel.members:
            raise SlackError("not_in_channel")


def _require(grant: Grant, scope: str) -> None:
    if scope not in grant.scopes:
        raise SlackError("missing_scope", needed=scope, provided=",".join(sorted(grant.scopes)))


def _argument(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value:
        raise SlackError(
            "invalid_arguments",
            response_metadata={"messages": [f"[ERROR] missing required field: {name}"]},
        )
    return value


def _boolean(arguments: Mapping[str, Any], name: str) -> bool:
    return str(arguments.get(name, "")).lower() in ("1", "true")


def _limit(arguments: Mapping[str, Any]) -> int:
    try:
        limit = int(arguments.get("limit") or MAX_REPLIES)
    except ValueError:
        raise SlackError("invalid_limit") from None
    if not 1 <= limit <= MAX_REPLIES:
        raise SlackError("invalid_limit")
    return limit


def _cursor(arguments: Mapping[str, Any]) -> int:
    cursor = arguments.get("cursor")
    if not cursor:
        return 0
    try:
        return int(base64.b64decode(cursor, validate=True).removeprefix(b"next_ts:"))
    except (binascii.Error, ValueError):
        raise SlackError("invalid_cursor") from None


def _in_range(ts: str, arguments: Mapping[str, Any]) -> bool:
    inclusive = _boolean(arguments, "inclusive")
    try:
        oldest, latest = arguments.get("oldest"), arguments.get("latest")
        after = not oldest or float(ts) > float(oldest) or (inclusive and ts == oldest)
        before = not latest or float(ts) < float(latest) or (inclusive and ts == latest)
    except ValueError:
        raise SlackError("invalid_ts_oldest") from None
    return after and before


def _content(arguments: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    text = str(arguments.get("text") or "")
    if len(text) > MAX_TEXT_LENGTH:
        raise SlackError("msg_too_long")
    blocks = parse_blocks(arguments.get("blocks"))
    if not text and not blocks:
        raise SlackError("no_text")
    return text, blocks
