"""Slack's export: a folder for each channel, a file for each day, as a zip file or unpacked."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from toxic_bot.archives.archived import Advance, Archived, month_of
from toxic_bot.archives.skips import Skips
from toxic_bot.slack.web_api.mrkdwn import plain_text

# What Slack itself writes, such as "has joined the channel", has a subtype.
_WRITTEN = (None, "thread_broadcast", "me_message", "file_share")
# An encrypted entry is a RuntimeError, an unknown compression a NotImplementedError.
_DAMAGED = (OSError, EOFError, ValueError, RuntimeError, BadZipFile, zlib.error)


def export_messages(path: Path, name: str, skips: Skips, advance: Advance) -> Iterator[Archived]:
    """Yield the messages of an export in a zip file."""
    with ZipFile(path) as export:
        entries = days(export)
        if not entries:
            skips.skip(name, "no Slack export: it has no folders with JSON files")
        for entry in entries:
            place = f"{name}/{entry.filename}"
            try:
                content = json.loads(export.read(entry))
            except _DAMAGED as error:
                skips.skip(place, f"it cannot be read ({type(error).__name__})")
            else:
                channel = Path(entry.filename).parent.name
                yield from _of_day(content, place, channel, skips)
            advance(entry.file_size)


def days(export: ZipFile) -> list[ZipInfo]:
    """Return the entries with messages."""
    return [
        entry
        for entry in export.infolist()
        if entry.filename.endswith(".json")
        and "/" in entry.filename
        # What macOS adds to the zip files that it makes.
        and not entry.filename.startswith("__MACOSX/")
    ]


def day_messages(path: Path, name: str, skips: Skips, advance: Advance) -> Iterator[Archived]:
    """Yield the messages of one day of an unpacked export."""
    yield from _of_day(json.loads(path.read_bytes()), name, path.parent.name, skips)
    advance(path.stat().st_size)


def _of_day(content: Any, source: str, channel: str, skips: Skips) -> Iterator[Archived]:
    if not isinstance(content, list):
        skips.skip(source, "it is no list of messages")
        return
    for number, message in enumerate(content, start=1):
        if not isinstance(message, dict):
            skips.skip(f"{source}, message {number}", "it is no message")
        elif _is_persons(message):
            text = _text(message)
            if text is None:
                skips.skip(f"{source}, message {number}", "its text is not text")
                continue
            ts, user = str(message.get("ts", "")), str(message.get("user", ""))
            yield Archived(source, ts, channel, month_of(ts), user, text)


def _is_persons(message: dict[str, Any]) -> bool:
    """Report whether a person wrote a message: not Slack, and no app."""
    return (
        message.get("type") == "message"
        and message.get("subtype") in _WRITTEN
        and not message.get("bot_id")
    )


def _text(message: dict[str, Any]) -> str | None:
    """Return what a message says, if need be from its blocks; None if its text is none."""
    text = message.get("text") or ""
    if not isinstance(text, str):
        return None
    blocks = message.get("blocks")
    if not text.strip() and isinstance(blocks, list):
        return "\n".join(filter(None, map(_of_block, blocks)))
    return plain_text(text)


def _of_block(block: Any) -> str:
    """Return the text of a block, or of an element in it."""
    if not isinstance(block, dict):
        return ""
    match block.get("type"):
        case "rich_text" | "rich_text_list":
            return "\n".join(map(_of_block, _elements(block)))
        case "rich_text_section" | "rich_text_quote" | "rich_text_preformatted":
            return "".join(map(_of_block, _elements(block)))
        case "emoji":
            return plain_text(f":{block.get('name', '')}:")
        case "link":
            return str(block.get("text") or block.get("url", ""))
        case "user" | "usergroup":
            return "@user"
        case "text":
            return str(block.get("text", ""))
    inner = block.get("text")
    return plain_text(str(inner.get("text", ""))) if isinstance(inner, dict) else ""


def _elements(block: dict[str, Any]) -> list[Any]:
    elements = block.get("elements")
    return elements if isinstance(elements, list) else []
