"""What the weekly digest says: counts and links, no text and no names.

Source: https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from handler.answer.posts import percent
from handler.moderators.figures import Dispute, Figures
from handler.slack.message import Post

MAX_CHANNELS = 15
"""Channels that are listed; the rest is counted."""
_KINDS = {
    "insult": "insults",
    "threat": "threats",
    "identity": "attacks on people for who they are",
    "sexual": "sexual harassment",
    "obscene": "obscene words",
    "putdown": "put-downs",
}
_BARS = "▁▂▃▄▅▆▇█"
_SAME = "as many"
_NOTE = (
    "Verdicts that a reaction asked for, by day in UTC. A message can be of several kinds. "
    "Votes and counts hold no texts"
)


def digest_post(figures: Figures, links: Mapping[Dispute, str]) -> Post:
    """Return the digest.

    Parameters
    ----------
    figures
        The week's figures.
    links
        The URLs of those disputed messages that still exist.
    """
    sections = digest_sections(figures, links)
    return Post(
        text=f"The week in verdicts: {_total(figures)}.",
        blocks=[
            {"type": "header", "text": {"type": "plain_text", "text": "The week in verdicts"}},
            *({"type": "section", "text": {"type": "mrkdwn", "text": one}} for one in sections),
            _context(f"{_NOTE}."),
        ],
    )


def digest_sections(figures: Figures, links: Mapping[Dispute, str]) -> list[str]:
    """Return what the digest says, in mrkdwn; see `digest_post`."""
    period = f"{_day(figures.first)} to {_day(figures.last)}"
    change = _change(figures.total.toxic, figures.total_before.toxic)
    than = "as" if change == _SAME else "than"
    sections = [f"*{period}*\n{_total(figures)}, {change} {than} the week before."]
    if any(figures.days):
        by_day = ", ".join(map(str, figures.days))
        sections.append(f"*Toxic, day by day*\n`{_sparkline(figures.days)}` {by_day}")
    if figures.channels:
        sections.append("\n".join(["*By channel*", *_channels(figures)]))
    if figures.kinds:
        lines = [
            f"• {_KINDS.get(name, name)}: {one.now} ({_change(one.now, one.before)})"
            for name, one in figures.kinds.items()
        ]
        sections.append("\n".join(["*By kind*", *lines]))
    disputed = [_dispute(one, links[one]) for one in figures.disputed if one in links]
    if disputed:
        sections.append("\n".join(["*Most disputed*", *disputed]))
    return sections


def _total(figures: Figures) -> str:
    total = figures.total
    if not total.judged:
        return "Nobody asked"
    messages = "message" if total.judged == 1 else "messages"
    return f"{total.judged} {messages} judged, {total.toxic} of them toxic"


def _change(now: int, before: int) -> str:
    if now == before:
        return _SAME
    return f"▲ {now - before} more" if now > before else f"▼ {before - now} fewer"


def _sparkline(counts: tuple[int, ...]) -> str:
    most = max(counts)
    return "".join(_BARS[round(one / most * (len(_BARS) - 1))] for one in counts)


def _channels(figures: Figures) -> list[str]:
    lines = [
        f"• <#{name}>: {share.toxic} of {share.judged} toxic ({_change(share.toxic, before)})"
        for name, (share, before) in figures.channels.items()
    ]
    more = len(lines) - MAX_CHANNELS
    return [*lines[:MAX_CHANNELS], f"• and {more} more channels"] if more > 0 else lines


def _dispute(one: Dispute, link: str) -> str:
    called = f"{one.wrong} called it wrong, {one.right} right"
    verdict = "toxic" if one.verdict == "toxic" else "not toxic"
    return f"• <{link}|{verdict}, score {percent(one.score)}> in <#{one.channel}>: {called}"


def _day(day: date) -> str:
    return f"{day.day} {day:%B}"


def _context(mrkdwn: str) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": mrkdwn}]}
