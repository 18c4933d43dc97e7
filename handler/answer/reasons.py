"""What a private answer says about the reasons for a verdict.

Words of a text are shown as plain text, never as mrkdwn: nobody can make the bot format,
link or mention anything with them.
"""

from __future__ import annotations

from typing import Any

from handler.answer.assessment import Judgment, Outcome
from handler.answer.posts import (
    describe_distance,
    describe_kinds,
    describe_score,
    plain_section,
    shorten,
)
from handler.slack.message import Post
from judge.explanation import Explanation

MAX_SHOWN = 1_000
"""Characters of a text that are shown."""
MAX_WORDS = 60
"""Characters of words that are shown together."""
_STRONG, _MEDIUM = 0.3, 0.15
_NOTE = "Only you can see this · It says what moved a language model, not who is right"


def why_post(explanation: Explanation, *, edited_since: bool) -> Post:
    """Return the reasons for a verdict on a message.

    Parameters
    ----------
    explanation
        Of the message's present text.
    edited_since
        Whether the verdict was about an earlier text.
    """
    intro = "*Why?* What drove the score, most first:"
    if edited_since:
        intro = f"The message has been edited since; this is about its present text.\n{intro}"
    return Post(
        text="What drove the score of this message.",
        blocks=[_mrkdwn(intro), *_reasons(explanation), *_reading(explanation), _context(_NOTE)],
    )


def text_blocks(
    judgment: Judgment, explanation: Explanation | None, threshold: float
) -> list[dict[str, Any]]:
    """Return the verdict on a text that has not been posted, with its reasons.

    Parameters
    ----------
    judgment
        The verdict.
    explanation
        Of the text; None if there is nothing to explain.
    threshold
        The score from which a text is toxic.
    """
    if judgment.outcome is Outcome.NOT_LEGIBLE:
        return [_mrkdwn(":grey_question: I can only read English.")]
    if judgment.outcome not in (Outcome.TOXIC, Outcome.FINE):
        return [_mrkdwn(":grey_question: There are no words to judge.")]
    toxic = judgment.outcome is Outcome.TOXIC
    icon = ":large_orange_circle:" if toxic else ":white_check_mark:"
    says = f"reads as {describe_kinds(judgment.kinds)}" if toxic else "does not read as toxic"
    distance = describe_distance(judgment.score, threshold)
    blocks = [_mrkdwn(f"{icon} *This {says}.* {distance}.")]
    if explanation is not None and (toxic or explanation.runs):
        blocks += [_mrkdwn("What drove the score, most first:"), *_reasons(explanation)]
    blocks.append(_context(describe_score(judgment.score, threshold)))
    return blocks


def command_post(judgment: Judgment, explanation: Explanation | None, threshold: float) -> Post:
    """Return the answer to the slash command."""
    toxic = judgment.outcome is Outcome.TOXIC
    again = "Change it, and try again with `/toxic`." if toxic else "It has not been posted."
    note = f"{again} Only you can see this, and nothing is stored"
    return Post(
        text="The verdict on your text.",
        blocks=[*text_blocks(judgment, explanation, threshold), _context(note)],
    )


def _reasons(explanation: Explanation) -> list[dict[str, Any]]:
    if not explanation.runs:
        return [plain_section("No word stands out: it is the text as a whole.")]
    lines = []
    for run in explanation.runs:
        words = shorten(explanation.text[run.begin : run.end], MAX_WORDS)
        strength = "slightly"
        if run.effect >= _STRONG:
            strength = "strongly"
        elif run.effect >= _MEDIUM:
            strength = "clearly"
        lines.append(f"“{words}” – {strength}")
    return [plain_section("\n".join(lines))]


def _reading(explanation: Explanation) -> list[dict[str, Any]]:
    if explanation.verdict.windows > 1:
        return [
            _mrkdwn("The part that decided, as I read it:"),
            plain_section(shorten(explanation.text, MAX_SHOWN)),
        ]
    return [
        _mrkdwn("The text as I read it:"),
        plain_section(shorten(explanation.reading, MAX_SHOWN) or "(nothing)"),
    ]


def _mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def _context(mrkdwn: str) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": f"{mrkdwn}."}]}
