"""Slack mrkdwn to plain text.

Source: https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re
from collections import deque
from itertools import compress

_CODE = re.compile(r"```(.*?)```|`([^`\n]+)`", re.DOTALL)
_REFERENCE = re.compile(r"<([@#!]?)([^<>|\n]*)(?:\|([^<>\n]*))?>")
_EMOJI = re.compile(r":(?=[^:\s]*[a-z]|[+-]1:)([a-z0-9_+'-]+):")
# A run of emoji on its own: the colons in std::vector::size are not emoji.
_EMOJI_RUN = re.compile(rf"(?<![\w:])(?:{_EMOJI.pattern})+(?![\w:])")
_QUOTE = re.compile(r"^(?:&gt;)+ ?", re.MULTILINE)
_MARKS_OR_LINE = re.compile(r"[*_~]+|\n+")


def plain_text(mrkdwn: str) -> str:
    """Return what a person sees when reading a Slack message.

    Mentions, channels and links become their labels, and emoji short names become words.
    Bold, italic, strikethrough and quote markers are removed; code keeps its text and loses
    its backticks. Slack's three escapes are undone last, so text that a person typed as
    ``<...>`` is never mistaken for one of Slack's references.

    Parameters
    ----------
    mrkdwn
        A message's ``text``; it may contain any code point.

    Returns
    -------
    str
        Plain text, stripped; empty when there is nothing to read.
    """
    parts: list[str] = []
    end = 0
    for code in _CODE.finditer(mrkdwn):
        parts += (_prose(mrkdwn[end : code.start()]), _references(code[1] or code[2] or ""))
        end = code.end()
    parts.append(_prose(mrkdwn[end:]))
    return unescape("".join(parts)).strip()


def _prose(mrkdwn: str) -> str:
    if "&gt;" in mrkdwn:
        mrkdwn = _QUOTE.sub("", mrkdwn)
    mrkdwn = _references(mrkdwn)
    if ":" in mrkdwn:
        mrkdwn = _EMOJI_RUN.sub(_emoji_words, mrkdwn)
    return _without_marks(mrkdwn)


def _without_marks(text: str) -> str:
    """Remove the marks of bold, italic and strikethrough that come in pairs on one line.

    A mark opens outside a word and before a character, and closes after a character and
    outside a word. One pass: each closing mark is paired with the first open one of its kind.
    """
    if len(text) < 3:
        return text
    kept = bytearray(b"\1") * len(text)
    open_marks: dict[str, deque[int]] = {"*": deque(), "_": deque(), "~": deque()}
    for run in _MARKS_OR_LINE.finditer(text):
        start, end = run.span()
        if text[start] == "\n":
            for marks in open_marks.values():
                marks.clear()
            continue
        before, after = text[start - 1 : start], text[end : end + 1]
        opens = after.strip() and not before.isalnum()
        closes = before.strip() and not after.isalnum()
        if not (opens or closes):
            continue
        opened = []
        for position in range(start, end):
            marks = open_marks[text[position]]
            if closes and marks:
                kept[marks.popleft()] = kept[position] = 0
            elif opens:
                opened.append((marks, position))
        for marks, position in opened:
            marks.append(position)
    return "".join(compress(text, kept)) if 0 in kept else text


def _references(mrkdwn: str) -> str:
    return _REFERENCE.sub(_label, mrkdwn) if "<" in mrkdwn else mrkdwn


def _label(reference: re.Match[str]) -> str:
    kind, target, label = reference[1], reference[2], reference[3] or ""
    if kind == "@":
        return f"@{label or 'user'}"
    if kind == "#":
        return f"#{label or 'channel'}"
    if kind == "!":
        # <!here>, <!subteam^S1|@team>, <!date^1392734382^{date}|18 February>
        return label or f"@{target.partition('^')[0]}"
    return label or target.removeprefix("mailto:")


def _emoji_words(run: re.Match[str]) -> str:
    names = (name for name in _EMOJI.findall(run[0]) if not name.startswith("skin-tone-"))
    return " ".join(
        name.replace("_", " ").replace("-", " ") if len(name) > 2 else name for name in names
    )


def unescape(text: str) -> str:
    """Return a text without Slack's escapes."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def escape(text: str) -> str:
    """Return a text as mrkdwn in which nothing links or mentions."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
