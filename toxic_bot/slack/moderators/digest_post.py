"""What the weekly digest says: counts and links, no text and no names.

Source: https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from toxic_bot.slack.answers.posts import percent
from toxic_bot.slack.i18n.texts import ModeratorTexts, Texts
from toxic_bot.slack.i18n.translation import choose
from toxic_bot.slack.moderators.figures import Dispute, Figures
from toxic_bot.slack.web_api.message import Post

MAX_CHANNELS = 15
"""Channels that are listed; the rest is counted."""
_BARS = "▁▂▃▄▅▆▇█"


def digest_post(figures: Figures, links: Mapping[Dispute, str], texts: Texts) -> Post:
    """Return the digest.

    Parameters
    ----------
    figures
        The week's figures.
    links
        The URLs of those disputed messages that still exist.
    texts
        In the moderators' language.
    """
    words = texts["moderators"]
    sections = digest_sections(figures, links, texts)
    return Post(
        text=words["summary"].format(total=_total(figures, words)),
        blocks=[
            {"type": "header", "text": {"type": "plain_text", "text": words["title"]}},
            *({"type": "section", "text": {"type": "mrkdwn", "text": one}} for one in sections),
            _context(words["footnote"]),
        ],
    )


def digest_sections(figures: Figures, links: Mapping[Dispute, str], texts: Texts) -> list[str]:
    """Return what the digest says, in mrkdwn; see `digest_post`."""
    words = texts["moderators"]
    period = words["period"].format(
        first=_day(figures.first, words), last=_day(figures.last, words)
    )
    change = words["as_many_as_before"]
    if figures.total.toxic != figures.total_before.toxic:
        more = _change(figures.total.toxic, figures.total_before.toxic, words)
        change = words["than_before"].format(change=more)
    total = _total(figures, words)
    sections = [words["week"].format(period=period, total=total, change=change)]
    if any(figures.days):
        by_day = ", ".join(map(str, figures.days))
        sections.append(f"*{words['by_day']}*\n`{_sparkline(figures.days)}` {by_day}")
    if figures.channels:
        sections.append(_list(words["by_channel"], _channels(figures, words)))
    if figures.kinds:
        sections.append(_list(words["by_kind"], _kinds(figures, words)))
    disputed = [_dispute(one, links[one], texts) for one in figures.disputed if one in links]
    if disputed:
        sections.append(_list(words["disputed"], disputed))
    return sections


def _list(title: str, lines: list[str]) -> str:
    return "\n".join([f"*{title}*", *(f"• {line}" for line in lines)])


def _total(figures: Figures, words: ModeratorTexts) -> str:
    total = figures.total
    if not total.judged:
        return words["nobody"]
    line = words["total_one" if total.judged == 1 else "total"]
    return line.format(judged=total.judged, toxic=total.toxic)


def _change(now: int, before: int, words: ModeratorTexts) -> str:
    if now == before:
        return words["as_many"]
    if now > before:
        return words["more"].format(number=now - before)
    return words["fewer"].format(number=before - now)


def _kinds(figures: Figures, words: ModeratorTexts) -> list[str]:
    return [
        words["kind"].format(
            kind=choose(words["kinds"], name) if name in words["kinds"] else name,
            number=one.now,
            change=_change(one.now, one.before, words),
        )
        for name, one in figures.kinds.items()
    ]


def _sparkline(counts: tuple[int, ...]) -> str:
    most = max(counts)
    return "".join(_BARS[round(one / most * (len(_BARS) - 1))] for one in counts)


def _channels(figures: Figures, words: ModeratorTexts) -> list[str]:
    lines = [
        words["channel"].format(
            channel=name,
            toxic=share.toxic,
            judged=share.judged,
            change=_change(share.toxic, before, words),
        )
        for name, (share, before) in figures.channels.items()
    ]
    more = len(lines) - MAX_CHANNELS
    if more <= 0:
        return lines
    return [*lines[:MAX_CHANNELS], words["more_channels"].format(number=more)]


def _dispute(one: Dispute, link: str, texts: Texts) -> str:
    words = texts["moderators"]
    return words["dispute"].format(
        link=link,
        verdict=words["dispute_toxic" if one.verdict == "toxic" else "dispute_fine"],
        score=percent(one.score, texts),
        channel=one.channel,
        wrong=one.wrong,
        right=one.right,
    )


def _day(day: date, words: ModeratorTexts) -> str:
    number = words["first_of_month"] if day.day == 1 else day.day
    return words["day"].format(day=number, month=words["months"][day.month - 1])


def _context(mrkdwn: str) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": mrkdwn}]}
