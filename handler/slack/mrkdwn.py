"""Slack mrkdwn to plain text.

Source: https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re

_CODE = re.compile(r"```(.*?)```|`([^`\n]+)`", re.DOTALL)
_REFERENCE = re.compile(r"<([@#!]?)([^<>|\n]*)(?:\|([^<>\n]*))?>")
_EMOJI = re.compile(r":(?=[^:\s]*[a-z]|[+-]1:)([a-z0-9_+'-]+):")
# A run of emoji on its own: the colons in std::vector::size are not emoji.
_EMOJI_RUN = re.compile(rf"(?<![\w:])(?:{_EMOJI.pattern})+(?![\w:])")
_QUOTE = re.compile(r"^(?:&gt;)+ ?", re.MULTILINE)
_MARKS = re.compile(r"(?<![\w*_~])([*_~])(?=\S)([^\n]*?\S)\1(?![\w*_~])")


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
    return _unescape("".join(parts)).strip()


def _prose(mrkdwn: str) -> str:
    text = _EMOJI_RUN.sub(_emoji_words, _references(_QUOTE.sub("", mrkdwn)))
    while (unmarked := _MARKS.sub(r"\2", text)) != text:
        text = unmarked
    return text


def _references(mrkdwn: str) -> str:
    return _REFERENCE.sub(_label, mrkdwn)


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


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
