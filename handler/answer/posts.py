"""What the bot's answers say, in Block Kit.

Source: https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from handler.answer.assessment import Outcome
from handler.slack.message import Post

_NOTHING_TO_JUDGE = {
    Outcome.ONLY_FILES: "the message contains only files, and I can only read text.",
    Outcome.EMPTY: "the message contains no words.",
    Outcome.NOT_LEGIBLE: "I can only read English.",
    Outcome.DELETED: "the message has been deleted.",
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

_DISCLAIMER = "Judged by a language model, which can be wrong."


def verdict_post(
    *,
    toxic: bool,
    score: float,
    threshold: float,
    asked_by: str,
    kinds: tuple[str, ...] = (),
    reply: str | None = None,
) -> Post:
    """Return the verdict, for the thread or for the person who reacted.

    Parameters
    ----------
    toxic
        The verdict.
    score
        Probability of toxic, 0 to 1.
    threshold
        The score from which a text is toxic.
    asked_by
        The user who reacted.
    kinds
        The kinds of toxicity that it shows, the most evident first.
    reply
        Timestamp of the message if it is one of several in a thread, so that the answer can
        say which one it means.
    """
    headline = "This message does not read as toxic"
    if toxic:
        headline = f"This message reads as {describe_kinds(kinds)}"
    confidence = describe_confidence(score, threshold)
    icon = ":no_entry:" if toxic else ":white_check_mark:"
    chance = f"Chance of toxic: {percent(score)}"
    return Post(
        text=f"{headline} ({confidence}). {chance}.",
        blocks=[
            _section(f"{icon} *{headline}* – {confidence}."),
            _context(f"{chance} · {_about(reply)}Asked by <@{asked_by}> · {_DISCLAIMER}"),
        ],
    )


def nothing_to_judge_post(outcome: Outcome, asked_by: str) -> Post:
    """Return the answer to a message without text to judge."""
    line = f"There is nothing to judge here: {_NOTHING_TO_JUDGE[outcome]}"
    return Post(
        text=line,
        blocks=[_section(f":grey_question: {line}"), _context(f"Asked by <@{asked_by}>")],
    )


def nudge_post(score: float) -> Post:
    """Return the private note to the author; it does not say who asked."""
    line = "Your message above may come across as hurtful. You can edit it; only you can see this."
    return Post(
        text=line,
        blocks=[
            _section(f":speech_balloon: {line}"),
            _context(f"Chance of toxic: {percent(score)} · {_DISCLAIMER}"),
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


def describe_confidence(score: float, threshold: float) -> str:
    """Describe a score's distance from the threshold, relative to the largest possible one.

    Parameters
    ----------
    score
        Probability of toxic, 0 to 1.
    threshold
        The score from which a text is toxic.
    """
    room = 1 - threshold if score >= threshold else threshold
    distance = abs(score - threshold) / room if room else 1.0
    if distance >= 0.8:
        return "I am sure"
    if distance >= 0.4:
        return "I am fairly sure"
    return "it is a close call"


def percent(score: float) -> str:
    """Format a probability for display; a model is never 0% or 100% sure."""
    if score < 0.01:
        return "under 1%"
    if score > 0.99:
        return "over 99%"
    return f"{score * 100:.0f}%"


def _about(reply: str | None) -> str:
    if reply is None:
        return ""
    # Mentioning the author would notify them; the time identifies the reply just as well.
    seconds = int(float(reply))
    in_words = datetime.fromtimestamp(seconds, UTC).strftime("%H:%M:%S UTC")
    return f"About the reply of <!date^{seconds}^{{time_secs}}|{in_words}> · "


def _section(mrkdwn: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": mrkdwn}}


def _context(mrkdwn: str) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": mrkdwn}]}
