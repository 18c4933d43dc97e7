"""The workspace as JSON for the page."""

from __future__ import annotations

from typing import Any

from simulators.slack.private_verdicts import judged_ts
from simulators.slack.workspace import Message, Workspace


def workspace_view(workspace: Workspace, viewer: str) -> dict[str, Any]:
    """Return the whole workspace as one person sees it."""
    channels = [one for one in workspace.channels.values() if viewer in one.members]
    return {
        "viewer": viewer,
        "bot": workspace.bot.id,
        "asking": sorted(workspace.reactions),
        "home": workspace.homes.get(viewer),
        "people": [
            {"id": person.id, "name": person.name, "bot": person.is_bot}
            for person in workspace.people.values()
        ],
        "channels": [
            {
                "id": channel.id,
                "name": channel.name,
                "private": channel.private,
                "archived": channel.archived,
                "bot": workspace.bot.id in channel.members,
            }
            for channel in channels
        ],
        # As in Slack, what only one person sees is shown once and kept nowhere.
        "messages": [
            message_view(workspace, message)
            for channel in channels
            for message in workspace.messages(channel.id)
            if message.only_for is None
        ],
    }


def is_visible(workspace: Workspace, message: Message, viewer: str) -> bool:
    """Report whether a person can see a message."""
    channel = workspace.channels[message.channel]
    return viewer in channel.members and message.only_for in (None, viewer)


def message_view(workspace: Workspace, message: Message) -> dict[str, Any]:
    """Return a message as JSON."""
    payload = (message.metadata or {}).get("event_payload") or {}
    gone = message.deleted and not workspace.thread(message.channel, message.ts)[1:]
    return {
        "channel": message.channel,
        "ts": message.ts,
        "user": message.user,
        "text": message.text,
        "thread": message.thread_ts,
        "blocks": message.blocks,
        "files": list(message.file_names),
        "edited": message.edited,
        "only_for": message.only_for,
        "deleted": message.deleted,
        "gone": gone,
        "about": payload.get("ts"),
        "reads": _read_ts(message),
        "about_version": payload.get("edited", ""),
        "outdated": "outdated" in payload,
        "asked": message.asked_at is not None,
        "answer_ms": None if message.answer_ms is None else round(message.answer_ms),
        "reactions": [
            {"name": name, "users": list(users)} for name, users in message.reactions.items()
        ],
    }


def _read_ts(message: Message) -> str | None:
    """Return the timestamp of the message whose text an answer is about."""
    if message.typed is not None:
        return message.ts
    payload = (message.metadata or {}).get("event_payload") or {}
    return payload.get("ts") or judged_ts(message)
