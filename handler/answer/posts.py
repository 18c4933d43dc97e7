"""What the bot's answers say, in Block Kit.

Source: https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from handler.answer.assessment import Judgment, Outcome
from handler.settings import Wording
from handler.slack.message import Post

_NOTHING_TO_JUDGE = {
    Outcome.ONLY_FILES: "the message contains only files, and I can only read text.",
    Outcome.EMPTY: "the message contains no words.",
    Outcome.NOT_LEGIBLE: "I can only read English.",
    Outcome.DELETED: "the message has been deleted.",
    Outcome.OWN_ANSWER: "this is one of my own answers.",
}

_KINDS = {
    "insult": "an insult",
    "threat": "a threat",
    "identity": "an attack on people for who they are",
    "sexual": "sexual harassment",
    "obscene": "obscene words",
    "putdown": "a put-down",
}
_MAX_KINDS = 2

_CALMER_LINES = {
    "insult": "I disagree with this, and here is why: …",
    "threat": "I am angry about this. Can we talk today?",
    "identity": "My concern is the work itself: …",
    "obscene": "This frustrates me, because …",
    "putdown": "Here is what I would change, and why: …",
}
"""Something to start from in place of a toxic message; for sexual harassment there is nothing."""
_CALMER_LINE = "This bothers me, because …"

_TOXIC_ICON = ":large_orange_circle:"
_FINE_ICON = ":white_check_mark:"
_CLEAR = 0.4
"""The share of the largest possible distance from the limit from which a score is clear."""

MAX_QUOTE = 150
"""Characters of a message that are quoted to its author."""

_DISCLAIMER = "Judged by a language model, which can be wrong"


def verdict_post(
    judgment: Judgment,
    threshold: float,
    wording: Wording,
    *,
    asked_by: str = "",
    to_author: bool = False,
    private: bool = False,
    reply: str | None = None,
    edited: str = "",
    buttons: Sequence[dict[str, Any]] = (),
) -> Post:
    """Return the verdict, for the thread or for one person.

    Parameters
    ----------
    judgment
        The verdict: toxic or fine.
    threshold
        The score from which a text is toxic.
    wording
        What the answers mention.
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
    buttons
        The block with buttons to show below.
    """
    toxic = judgment.outcome is Outcome.TOXIC
    headline = "This message does not read as toxic"
    if toxic:
        headline = f"This message reads as {describe_kinds(judgment.kinds)}"
    distance = describe_distance(judgment.score, threshold)
    score = describe_score(judgment.score, threshold)
    blocks = [_section(f"{_TOXIC_ICON if toxic else _FINE_ICON} *{headline}.* {distance}.")]
    if toxic:
        step = _for_author(judgment.kinds) if to_author else _for_everyone(wording, private)
        if step:
            blocks.append(_section(step))
    asker = f"Asked by <@{asked_by}>" if wording.show_asker and asked_by and not private else ""
    notes = (score, _about(reply), _version(edited), asker, _DISCLAIMER)
    blocks.append(_context(" · ".join(filter(None, notes)) + "."))
    return Post(text=f"{headline}. {distance}: {_lower(score)}.", blocks=[*blocks, *buttons])


def nothing_to_judge_post(outcome: Outcome, wording: Wording, asked_by: str = "") -> Post:
    """Return the answer to a message without text to judge."""
    line = f"There is nothing to judge here: {_NOTHING_TO_JUDGE[outcome]}"
    blocks = [_section(f":grey_question: {line}")]
    if wording.show_asker and asked_by:
        blocks.append(_context(f"Asked by <@{asked_by}>"))
    return Post(text=line, blocks=blocks)


def outdated_post(answer: str, edited: str) -> Post:
    """Return what an answer says once its message was edited and is asked about again.

    Parameters
    ----------
    answer
        What it said.
    edited
        Timestamp of the latest edit.
    """
    note = "This is about an earlier text"
    return Post(
        text=f"{note}: {answer}",
        blocks=[
            _section(f":pencil2: *{note}:* {answer}"),
            _context(f"The message was edited at {_time(edited)}, after this answer."),
        ],
    )


def nudge_post(
    judgment: Judgment,
    threshold: float,
    ts: str,
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
        The score from which a text is toxic.
    ts
        The message's timestamp, which tells the author which message it is.
    quote
        Its plain text, which does so at a glance; only its beginning is shown.
    buttons
        The block with buttons to show below.
    """
    when = _time(ts)
    line = f"Your message of {when} may come across as hurtful: {describe_kinds(judgment.kinds)}."
    score = describe_score(judgment.score, threshold)
    return Post(
        text="A message of yours may come across as hurtful. You can edit it.",
        blocks=[
            _section(f":speech_balloon: {line}"),
            *([plain_section(f"“{shorten(quote, MAX_QUOTE)}”")] if quote.strip() else []),
            _section(_for_author(judgment.kinds)),
            _context(f"Only you can see this · {score} · {_DISCLAIMER}."),
            *buttons,
        ],
    )


def describe_kinds(kinds: tuple[str, ...]) -> str:
    """Describe what a toxic message is: ``toxic: an insult and a threat``.

    Parameters
    ----------
    kinds
        The kinds of toxicity that it shows, the most evident first; a kind that has no name
        here is left out.
    """
    named = [_KINDS[kind] for kind in kinds if kind in _KINDS][:_MAX_KINDS]
    return f"toxic: {' and '.join(named)}" if named else "toxic"


def describe_distance(score: float, threshold: float) -> str:
    """Describe a score's distance from the limit, relative to the largest possible one.

    Parameters
    ----------
    score
        How likely the text is toxic, 0 to 1.
    threshold
        The score from which a text is toxic.
    """
    above = score >= threshold
    room = 1 - threshold if above else threshold
    distance = abs(score - threshold) / room if room else 1.0
    if distance < _CLEAR:
        return "Borderline"
    return "Clearly above the limit" if above else "Well below the limit"


def describe_score(score: float, threshold: float) -> str:
    """Return score and limit: ``Toxicity score 92% (flagged from 50%)``."""
    shown, limit = percent(score), percent(threshold)
    if score < threshold and shown == limit:
        # Rounded, it would contradict the verdict.
        shown = f"{math.floor(score * 1000) / 10:.1f}%"
    return f"Toxicity score {shown} (flagged from {limit})"


def percent(score: float) -> str:
    """Format a score for display; a model is never 0% or 100% sure."""
    if score < 0.01:
        return "under 1%"
    if score > 0.99:
        return "over 99%"
    return f"{score * 100:.0f}%"


def shorten(text: str, length: int) -> str:
    """Return the beginning of a text in one line."""
    in_one_line = " ".join(text.split())
    return in_one_line if len(in_one_line) <= length else f"{in_one_line[: length - 1]}…"


def plain_section(text: str) -> dict[str, Any]:
    """Return a block that shows a text as it is: nothing in it formats, links or mentions."""
    return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _for_author(kinds: tuple[str, ...]) -> str:
    if "sexual" in kinds:
        return "You can still edit or delete it."
    line = next((_CALMER_LINES[kind] for kind in kinds if kind in _CALMER_LINES), _CALMER_LINE)
    return f"You can still edit it. A calmer line to start from:\n> {line}"


def _for_everyone(wording: Wording, private: bool) -> str:
    steps = [] if private else ["Wrote it yourself? You can edit it, and ask me again."]
    if wording.code_of_conduct:
        steps.append(f"Affected by it? <{wording.code_of_conduct}|Here is where to turn>.")
    return " ".join(steps)


def _about(reply: str | None) -> str:
    # Mentioning the author would notify them; the time identifies the reply just as well.
    return f"About the reply of {_time(reply)}" if reply else ""


def _version(edited: str) -> str:
    return f"As edited at {_time(edited)}" if edited else ""


def _time(ts: str) -> str:
    seconds = int(float(ts))
    in_words = datetime.fromtimestamp(seconds, UTC).strftime("%H:%M:%S UTC")
    return f"<!date^{seconds}^{{time_secs}}|{in_words}>"


def _section(mrkdwn: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": mrkdwn}}


def _context(mrkdwn: str) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": mrkdwn}]}
