"""What people do besides writing and reacting: shortcuts, slash commands, buttons, the Home tab.

Slack sends each to the app as a form with the events' signature, or over Socket Mode, waits three
seconds, and never sends it again. The app answers at a response URL, at most five times within
30 minutes.

Sources: https://docs.slack.dev/reference/interaction-payloads and
https://docs.slack.dev/interactivity/implementing-slash-commands
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from simulators.slack.block_kit import parse_blocks, parse_modal
from simulators.slack.modals import Modals
from simulators.slack.workspace import APP, TEAM, Message, SlackError, Workspace

MAX_RESPONSES = 5
"""Answers that a response URL takes."""
RESPONSE_LIFETIME = 30 * 60
"""Seconds for which it takes them."""
FAILED = "The app did not respond."
"""What a person is told about a command that the app has not acknowledged."""

Fields = dict[str, Any]
Send = Callable[[str, Fields], "Future[str | None]"]
"""Sends a command's fields (``slash_commands``) or a payload (``interactive``) to the app; the
result is the text of its response, or None if it did not acknowledge it."""


@dataclass(slots=True)
class ResponseUrl:
    """Where the app answers a gesture."""

    channel: str
    user: str
    expires_at: float
    typed: str | None = None
    left: int = MAX_RESPONSES


class Interactivity:
    """Sends gestures to the app and takes its answers.

    Parameters
    ----------
    workspace
        Where they are made.
    modals
        What a gesture can open.

    Attributes
    ----------
    send
        How they reach the app; None if it has no interactivity.
    address
        This server's own, for response URLs.
    """

    def __init__(self, workspace: Workspace, modals: Modals) -> None:
        self._workspace = workspace
        self.modals = modals
        self._response_urls: dict[str, ResponseUrl] = {}
        self._lock = threading.Lock()
        self.send: Send | None = None
        self.address = ""

    def choose_shortcut(
        self, channel: str, ts: str, user: str, callback_id: str
    ) -> Future[str | None]:
        """Choose a shortcut in a message's menu.

        Raises
        ------
        SlackError
            When the message does not exist.
        """
        message = self._message(channel, ts)
        payload: Fields = {
            "type": "message_action",
            "token": "unused-verification-token",
            "action_ts": f"{time.time():.6f}",
            "team": {"id": TEAM, "domain": "local"},
            "user": {"id": user, "username": user.lower(), "team_id": TEAM, "name": user.lower()},
            "channel": {"id": channel, "name": self._workspace.channel(channel).name},
            "is_enterprise_install": False,
            "enterprise": None,
            "callback_id": callback_id,
            "trigger_id": self.modals.new_trigger(user),
            "response_url": self._new_response_url(channel, user),
            "message_ts": ts,
            "message": _message_json(message),
        }
        return self._send("interactive", payload)

    def type_command(self, channel: str, user: str, command: str, text: str) -> Future[str | None]:
        """Type a slash command; what the app responds with is shown to the person.

        Raises
        ------
        SlackError
            ``channel_not_found``.
        """
        fields: Fields = {
            "token": "unused-verification-token",
            "team_id": TEAM,
            "team_domain": "local",
            "channel_id": channel,
            "channel_name": self._workspace.channel(channel).name,
            "user_id": user,
            "user_name": user.lower(),
            "command": command,
            "text": text,
            "api_app_id": APP,
            "is_enterprise_install": "false",
            "response_url": self._new_response_url(channel, user, text),
            "trigger_id": self.modals.new_trigger(user),
        }
        sent = self._send("slash_commands", fields)

        def show(response: Future[str | None]) -> None:
            said = None if response.cancelled() else response.result()
            text = FAILED if said is None else said
            if text:
                self._workspace.post(channel, self._workspace.bot.id, text, only_for=user)

        sent.add_done_callback(show)
        return sent

    def click(self, channel: str, ts: str, user: str, action_id: str) -> Future[str | None]:
        """Click a button of a message.

        Raises
        ------
        SlackError
            When there is no such message or button.
        """
        message = self._message(channel, ts)
        if message.only_for not in (None, user):
            raise SlackError("message_not_found")
        button = find_button(message.blocks, action_id)
        payload: Fields = {
            "type": "block_actions",
            "user": {"id": user, "username": user.lower(), "name": user.lower(), "team_id": TEAM},
            "api_app_id": APP,
            "token": "unused-verification-token",
            "container": {
                "type": "message",
                "message_ts": ts,
                "channel_id": channel,
                "is_ephemeral": message.only_for is not None,
                **({"thread_ts": message.thread_ts} if message.thread_ts else {}),
            },
            "trigger_id": self.modals.new_trigger(user),
            "team": {"id": TEAM, "domain": "local"},
            "enterprise": None,
            "is_enterprise_install": False,
            "channel": {"id": channel, "name": self._workspace.channel(channel).name},
            "response_url": self._new_response_url(channel, user),
            "actions": [_pressed(button)],
        }
        if message.only_for is None:
            payload["message"] = _message_json(message)
        return self._send("interactive", payload)

    def click_home(
        self, user: str, action_id: str, values: dict[str, dict[str, str]]
    ) -> Future[str | None]:
        """Click a button of the Home tab.

        Parameters
        ----------
        user
            Whose tab it is.
        action_id
            The button.
        values
            What was typed, by block ID and action ID.

        Raises
        ------
        SlackError
            When there is no such tab or button.
        """
        view = self._workspace.homes.get(user)
        if view is None:
            raise SlackError("not_found")
        typed = {
            block: {
                action: {"type": "plain_text_input", "value": value or None}
                for action, value in inputs.items()
            }
            for block, inputs in values.items()
        }
        payload: Fields = {
            "type": "block_actions",
            "user": {"id": user, "username": user.lower(), "name": user.lower(), "team_id": TEAM},
            "api_app_id": APP,
            "token": "unused-verification-token",
            "container": {"type": "view", "view_id": f"V{user}"},
            "trigger_id": self.modals.new_trigger(user),
            "team": {"id": TEAM, "domain": "local"},
            "enterprise": None,
            "is_enterprise_install": False,
            "view": {
                "id": f"V{user}",
                "team_id": TEAM,
                "app_id": APP,
                "state": {"values": typed},
                **view,
            },
            "actions": [_pressed(find_button(view["blocks"], action_id))],
        }
        return self._send("interactive", payload)

    def submit_view(
        self, user: str, values: dict[str, dict[str, Fields]]
    ) -> Future[dict[str, str]]:
        """Submit the modal that somebody has open.

        It closes if the app takes what was entered.

        Parameters
        ----------
        user
            Who.
        values
            The state of its inputs, by block ID and action ID.

        Returns
        -------
        Future
            What the app finds wrong, by block ID; empty if nothing.

        Raises
        ------
        SlackError
            ``not_found`` when no modal is open.
        """
        view = self.modals.of(user)
        if view is None:
            raise SlackError("not_found")
        payload: Fields = {
            "type": "view_submission",
            "team": {"id": TEAM, "domain": "local"},
            "user": {"id": user, "username": user.lower(), "name": user.lower(), "team_id": TEAM},
            "api_app_id": APP,
            "token": "unused-verification-token",
            "trigger_id": self.modals.new_trigger(user),
            "view": {**view, "state": {"values": values}, "hash": "1766000000.abcdef"},
            "response_urls": [],
            "is_enterprise_install": False,
            "enterprise": None,
        }
        submitted: Future[dict[str, str]] = Future()

        def take(sent: Future[str | None]) -> None:
            response = None if sent.cancelled() else sent.result()
            if response is None:
                submitted.set_exception(SlackError("app_did_not_respond"))
                return
            said = json.loads(response) if response else {}
            errors = said.get("errors", {})
            if said.get("response_action") == "update":
                self.modals.replace(user, parse_modal(said["view"]))
            elif not errors:
                self.modals.close(user)
            submitted.set_result(errors)

        self._send("interactive", payload).add_done_callback(take)
        return submitted

    def respond(self, key: str, content: Fields) -> None:
        """Take an answer at a response URL.

        Raises
        ------
        SlackError
            ``used_url`` or ``expired_url``, with status 404, or what is wrong with the answer.
        """
        with self._lock:
            url = self._response_urls.get(key)
            if url is None or url.expires_at < time.time():
                raise SlackError("expired_url", status=404)
            if not url.left:
                raise SlackError("used_url", status=404)
            url.left -= 1
        text, blocks = str(content.get("text") or ""), parse_blocks(content.get("blocks"))
        if not text and not blocks:
            raise SlackError("no_text", status=400)
        is_public = content.get("response_type") == "in_channel"
        thread = content.get("thread_ts")
        self._workspace.post(
            url.channel,
            self._workspace.bot.id,
            text,
            thread_ts=str(thread) if thread else None,
            blocks=blocks,
            only_for=None if is_public else url.user,
            typed=url.typed,
        )

    def expire_response_urls(self) -> None:
        """Let 30 minutes pass for all response URLs."""
        with self._lock:
            for url in self._response_urls.values():
                url.expires_at = 0.0

    def _send(self, kind: str, fields: Fields) -> Future[str | None]:
        if self.send is None:
            raise SlackError("app_has_no_interactivity")
        return self.send(kind, fields)

    def _message(self, channel: str, ts: str) -> Message:
        message = self._workspace.find(channel, ts)
        if message is None:
            raise SlackError("message_not_found")
        return message

    def _new_response_url(self, channel: str, user: str, typed: str | None = None) -> str:
        key = secrets.token_urlsafe(18)
        with self._lock:
            expires_at = time.time() + RESPONSE_LIFETIME
            self._response_urls[key] = ResponseUrl(channel, user, expires_at, typed)
        return f"{self.address}/response/{key}"


def find_button(blocks: list[dict[str, Any]], action_id: str) -> dict[str, Any]:
    """Return a button of some blocks.

    Raises
    ------
    SlackError
        When there is none with this ID.
    """
    for block in blocks:
        for element in block.get("elements", []):
            if element.get("type") == "button" and element.get("action_id") == action_id:
                return dict(element)
    raise SlackError("action_not_found")


def _pressed(button: dict[str, Any]) -> Fields:
    value = {"value": button["value"]} if "value" in button else {}
    return {
        "action_id": button["action_id"],
        "block_id": "b1",
        "text": button["text"],
        "type": "button",
        "action_ts": f"{time.time():.6f}",
        **value,
    }


def _message_json(message: Message) -> Fields:
    data: Fields = {
        "type": "message",
        "user": message.user,
        "ts": message.ts,
        "text": message.text,
        "team": TEAM,
    }
    if message.thread_ts:
        data["thread_ts"] = message.thread_ts
    if message.edited:
        data["edited"] = {"user": message.user, "ts": message.edited}
    return data
