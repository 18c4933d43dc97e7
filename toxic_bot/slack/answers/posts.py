"""What the bot's answers say, in Block Kit.

Source: https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from toxic_bot.judge.verdict import MAX_NAMED, worst_first
from toxic_bot.slack.answers.assessment import Judgment, Outcome
from toxic_bot.slack.i18n import numbers
from toxic_bot.slack.i18n.quotes import shorten
from toxic_bot.slack.i18n.texts import Texts, VerdictTexts
from toxic_bot.slack.i18n.translation import choose
from toxic_bot.slack.settings import Wording
from toxic_bot.slack.web_api.message import Post

_TOXIC_ICON = ":large_orange_circle:"
_BORDERLINE_ICON = ":large_yellow_circle:"
_FINE_ICON = ":white_check_mark:"
_CLEAR = 0.4
"""The share of the largest possible distance from the threshold from which a score is clear."""

MAX_QUOTE = 150
"""Characters of a message that are quoted to its author, or to whoever asks in private."""


def verdict_post(
    judgment: Judgment,
    threshold: float,
    wording: Wording,
    texts: Texts,
    *,
    asked_by: str = "",
    to_author: bool = False,
    private: bool = False,
    reply: str | None = None,
    edited: str = "",
    quote: str = "",
    link: str = "",
    buttons: Sequence[dict[str, Any]] = (),
) -> Post:
    """Return the verdict, for the thread or for one person.

    Parameters
    ----------
    judgment
        The verdict: toxic or fine.
    threshold
        The threshold: the score from which a text is toxic.
    wording
        What the answers mention.
    texts
        In the language of those who read it.
    asked_by
        The user who asked; named only if the wording says so.
    to_author
        Whether only the author of the message sees it.
    private
        Whether only one person sees it.
    reply
        Timestamp of the message if it is one of several in a thread, so that the answer can
        say which one it means.
    edited
        Timestamp of the edit that made the text that was judged; empty if it was never edited.
    quote
        The message's plain text, for a reader whom the answer does not show which message it
        means; only its beginning is shown.
    link
        The message's URL, for the same reason.
    buttons
        The block with buttons to show below.
    """
    words = texts["verdict"]
    headline = _headline(judgment, threshold, texts, "message")
    distance = _distance(judgment, threshold, texts)
    blocks = [_section(f"{_icon(judgment, threshold)} *{headline}.* {distance}.")]
    blocks += _quoted(quote, texts)
    if judgment.toxic:
        step = _for_everyone(wording, words, private)
        if to_author:
            step = _for_author(wording, words)
        if step:
            blocks.append(_section(step))
    notes = [f"<{link}|{texts['moderators']['open_message']}>"] if link else []
    if not judgment.listed:
        notes.append(describe_score(judgment.score, threshold, texts))
    if reply:
        # Mentioning the author would notify them; the time identifies the reply just as well.
        notes.append(words["about_reply"].format(time=_time(reply)))
    if edited:
        notes.append(words["as_edited"].format(time=_time(edited)))
    if wording.show_asker and asked_by and not private:
        notes.append(words["asked_by"].format(user=asked_by))
    notes.append(words["disclaimer"])
    blocks.append(_context(f"{' · '.join(notes)}."))
    summary = f"{headline}. {distance}"
    if not judgment.listed:
        score = describe_score(judgment.score, threshold, texts, in_sentence=True)
        summary = f"{summary}: {score}"
    return Post(text=f"{summary}.", blocks=[*blocks, *buttons])


def nothing_to_judge_post(
    outcome: Outcome, wording: Wording, texts: Texts, asked_by: str = ""
) -> Post:
    """Return the answer to a message without text to judge."""
    words = texts["verdict"]
    line = words["nothing_to_judge"].format(why=choose(words["nothing"], outcome))
    blocks = [_section(f":grey_question: {line}")]
    if wording.show_asker and asked_by:
        blocks.append(_context(words["asked_by"].format(user=asked_by)))
    return Post(text=line, blocks=blocks)


def outdated_post(answer: str, edited: str, texts: Texts) -> Post:
    """Return what an answer says once its message was edited and is asked about again.

    Parameters
    ----------
    answer
        What it said.
    edited
        Timestamp of the latest edit.
    texts
        In the language of those who read it.
    """
    note = texts["verdict"]["outdated"]
    return Post(
        text=f"{note}: {answer}",
        blocks=[
            _section(f":pencil2: *{note}:* {answer}"),
            _context(texts["verdict"]["outdated_because"].format(time=_time(edited))),
        ],
    )


def nudge_post(
    judgment: Judgment,
    threshold: float,
    wording: Wording,
    ts: str,
    texts: Texts,
    *,
    quote: str = "",
    buttons: Sequence[dict[str, Any]] = (),
) -> Post:
    """Return the private note to the author of a message; it does not say who asked.

    Parameters
    ----------
    judgment
        The verdict.
    threshold
        The threshold: the score from which a text is toxic.
    wording
        What the answers mention.
    ts
        The message's timestamp, which tells the author which message it is.
    texts
        In the author's language.
    quote
        Its plain text, which does so at a glance; only its beginning is shown.
    buttons
        The block with buttons to show below.
    """
    words = texts["verdict"]
    line = words["nudge"].format(time=_time(ts))
    if kinds := name_kinds(judgment.kinds, texts):
        line = words["nudge_of"].format(time=_time(ts), kinds=kinds)
    why = explain_briefly(judgment, threshold, texts)
    hint = _for_author(wording, words)
    return Post(
        text=words["nudge_summary" if hint else "nudge_summary_without_hint"],
        blocks=[
            _section(f":speech_balloon: {line}"),
            *_quoted(quote, texts),
            *([_section(hint)] if hint else []),
            _context(f"{words['only_you']} · {why} · {words['disclaimer']}."),
            *buttons,
        ],
    )


def describe_text(judgment: Judgment, threshold: float, texts: Texts) -> str:
    """Return the verdict on a text that is no message, in mrkdwn: sign, headline, distance."""
    headline = _headline(judgment, threshold, texts, "text")
    distance = _distance(judgment, threshold, texts)
    return f"{_icon(judgment, threshold)} *{headline}.* {distance}."


def describe_kinds(kinds: tuple[str, ...], texts: Texts) -> str:
    """Describe what a toxic message is: ``toxic: a threat and an insult``.

    Parameters
    ----------
    kinds
        The kinds of toxicity that it shows; the worst two are named, and a kind that has no
        name in the texts is left out.
    texts
        In the language of those who read it.
    """
    words = texts["verdict"]
    named = name_kinds(kinds, texts)
    return words["toxic_of"].format(kinds=named) if named else words["toxic"]


def name_kinds(kinds: Iterable[str], texts: Texts) -> str:
    """Name the worst two of some kinds of toxicity, or nothing if none has a name."""
    words = texts["verdict"]
    known = worst_first((kind for kind in kinds if kind in words["kinds"]), MAX_NAMED)
    match [choose(words["kinds"], kind) for kind in known]:
        case [first, second]:
            return words["two_kinds"].format(first=first, second=second)
        case named:
            return "".join(named)


def describe_distance(score: float, threshold: float, texts: Texts) -> str:
    """Describe a score's distance from the threshold, relative to the largest possible one.

    Parameters
    ----------
    score
        How likely the text is toxic, 0 to 1.
    threshold
        The threshold: the score from which a text is toxic.
    texts
        In the language of those who read it.
    """
    above = score >= threshold
    if _is_borderline(score, threshold):
        return texts["verdict"]["borderline_above" if above else "borderline_below"]
    return texts["verdict"]["clearly_above" if above else "well_below"]


def describe_score(
    score: float, threshold: float, texts: Texts, *, in_sentence: bool = False
) -> str:
    """Return score and threshold: ``Toxicity score 92% (flagged from 50%)``.

    Parameters
    ----------
    score, threshold, texts
        See `describe_distance`.
    in_sentence
        Whether no sentence begins with it.
    """
    shown, least = percent(score, texts), percent(threshold, texts)
    if score < threshold and shown == least:
        # Rounded, it would contradict the verdict.
        shown = numbers.percent(math.floor(score * 1000) / 1000, texts, digits=1)
    line = texts["verdict"]["score_in_sentence" if in_sentence else "score"]
    return line.format(score=shown, threshold=least)


def explain_briefly(judgment: Judgment, threshold: float, texts: Texts) -> str:
    """Return score and threshold, or that the channel's list has decided."""
    if judgment.listed:
        return texts["verdict"]["listed"]
    return describe_score(judgment.score, threshold, texts)


def percent(score: float, texts: Texts) -> str:
    """Format a score for display; a model is never 0% or 100% sure."""
    if score < 0.01:
        return texts["numbers"]["under"].format(percent=numbers.percent(0.01, texts))
    if score > 0.99:
        return texts["numbers"]["over"].format(percent=numbers.percent(0.99, texts))
    return numbers.percent(score, texts)


def plain_section(text: str) -> dict[str, Any]:
    """Return a block that shows a text as it is: nothing in it formats, links or mentions."""
    return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}


def _distance(judgment: Judgment, threshold: float, texts: Texts) -> str:
    if judgment.listed:
        return texts["verdict"]["listed"]
    return describe_distance(judgment.score, threshold, texts)


def _is_borderline(score: float, threshold: float) -> bool:
    room = 1 - threshold if score >= threshold else threshold
    return bool(room) and abs(score - threshold) / room < _CLEAR


def _icon(judgment: Judgment, threshold: float) -> str:
    if not judgment.listed and _is_borderline(judgment.score, threshold):
        return _BORDERLINE_ICON
    return _TOXIC_ICON if judgment.toxic else _FINE_ICON


def _headline(
    judgment: Judgment, threshold: float, texts: Texts, what: Literal["message", "text"]
) -> str:
    words = texts["verdict"]
    if judgment.toxic:
        toxic = describe_kinds(judgment.kinds, texts)
        return choose(words, f"{what}_toxic").format(toxic=toxic)
    is_borderline = _is_borderline(judgment.score, threshold)
    return choose(words, f"{what}_borderline" if is_borderline else f"{what}_fine")


def _quoted(text: str, texts: Texts) -> list[dict[str, Any]]:
    quote = texts["verdict"]["quote"].format(words=shorten(text, MAX_QUOTE))
    return [plain_section(quote)] if text.strip() else []


def _for_author(wording: Wording, words: VerdictTexts) -> str:
    return words["edit_or_delete"] if wording.edit_hint else ""


def _for_everyone(wording: Wording, words: VerdictTexts, private: bool) -> str:
    own = words["wrote_it_followed" if wording.follows_edits else "wrote_it"]
    steps = [] if private else [own]
    if wording.code_of_conduct:
        steps.append(words["affected"].format(url=wording.code_of_conduct))
    return " ".join(steps)


def _time(ts: str) -> str:
    seconds = int(float(ts))
    in_words = datetime.fromtimestamp(seconds, UTC).strftime("%H:%M:%S UTC")
    return f"<!date^{seconds}^{{time_secs}}|{in_words}>"


def _section(mrkdwn: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": mrkdwn}}


def _context(mrkdwn: str) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": mrkdwn}]}
