"""Messages in Slack's own form.

Source: https://docs.slack.dev/reference/events/message
"""

from __future__ import annotations

from typing import Any

from simulators.slack.workspace import APP, BOT, TEAM, Message, Workspace
from toxic_bot.slack.web_api.mrkdwn import escape


def message_json(
    workspace: Workspace, message: Message, *, with_metadata: bool = False
) -> dict[str, Any]:
    """Return a message as Slack returns it, and sends it in events."""
    person = workspace.people[message.user]
    data: dict[str, Any] = {
        "type": "message",
        "user": message.user,
        "ts": message.ts,
        "text": message.text,
        "team": TEAM,
    }
    if person.is_bot:
        data |= {"bot_id": BOT, "app_id": APP}
    if message.deleted:
        data |= {"subtype": "tombstone", "hidden": True, "user": "USLACKBOT"}
    if message.blocks:
        data["blocks"] = _escaped(message.blocks)
    if message.file_names:
        data["files"] = [
            {"id": f"F{number:08d}", "name": name, "mode": "hosted"}
            for number, name in enumerate(message.file_names)
        ]
    if message.edited:
        data["edited"] = {"user": message.user, "ts": message.edited}
    if message.reactions:
        data["reactions"] = [
            {"name": name, "users": list(users), "count": len(users)}
            for name, users in message.reactions.items()
        ]
    if message.thread_ts:
        data |= {
            "thread_ts": message.thread_ts,
            "parent_user_id": _parent_author(workspace, message),
        }
    elif replies := workspace.thread(message.channel, message.ts)[1:]:
        data |= {
            "thread_ts": message.ts,
            "reply_count": len(replies),
            "reply_users_count": len({reply.user for reply in replies}),
            "latest_reply": replies[-1].ts,
            "reply_users": sorted({reply.user for reply in replies}),
            "is_locked": False,
            "subscribed": False,
        }
    if with_metadata and message.metadata:
        data["metadata"] = message.metadata
    return data


def _escaped(part: Any) -> Any:
    """Return a part of a message's blocks with its plain texts escaped, as Slack returns them."""
    if isinstance(part, list):
        return [_escaped(one) for one in part]
    if not isinstance(part, dict):
        return part
    if part.get("type") == "plain_text":
        return part | {"text": escape(str(part.get("text", "")))}
    return {name: _escaped(value) for name, value in part.items()}


def _parent_author(workspace: Workspace, reply: Message) -> str:
    parent = workspace.find(reply.channel, reply.thread_ts or "")
    return parent.user if parent else "USLACKBOT"
