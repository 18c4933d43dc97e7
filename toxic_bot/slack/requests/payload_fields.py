"""Fields that several of Slack's interaction payloads have."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from toxic_bot.slack.fields import ID, MalformedEventError, read_field, read_object
from toxic_bot.slack.gestures.gesture import RESPONSE_URL


def read_team(payload: dict[str, Any]) -> str:
    """Return the workspace's ID."""
    # Null where an organization has installed the app; the user still has a workspace.
    if payload.get("team") is None:
        return read_field(read_object(payload, "user"), "team_id", ID)
    return read_field(read_object(payload, "team"), "id", ID)


def read_user(payload: dict[str, Any]) -> str:
    """Return the ID of the person who acts."""
    return read_field(read_object(payload, "user"), "id", ID)


def read_response_url(raw: dict[str, Any], slack_api_url: str) -> str:
    """Return the response URL if it is Slack's: nothing is ever sent to another address."""
    url = read_field(raw, "response_url", RESPONSE_URL)
    api = urlsplit(slack_api_url)
    try:
        given = urlsplit(url)
    except ValueError as error:
        raise MalformedEventError("the field 'response_url' is not an address") from error
    if given.scheme != api.scheme or given.netloc not in (api.netloc, f"hooks.{api.netloc}"):
        raise MalformedEventError("the field 'response_url' is not an address of Slack's")
    return url
