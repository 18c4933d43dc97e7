"""What a private answer says about the reasons for a verdict.

Words of a text are shown as plain text, never as mrkdwn: nobody can make the bot format,
link or mention anything with them.
"""

from __future__ import annotations

from typing import Any

from toxic_bot.judge.explanation import Explanation
from toxic_bot.judge.normalization import read
from toxic_bot.slack.answers.assessment import Judgment, Outcome
from toxic_bot.slack.answers.posts import (
    describe_text,
    explain_briefly,
    name_kinds,
    plain_section,
)
from toxic_bot.slack.i18n.quotes import MAX_SHOWN, MAX_WORD, name_words, shorten
from toxic_bot.slack.i18n.texts import ReasonTexts, Texts
from toxic_bot.slack.requests.interactions import COMMAND
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.word_lists import ListReading

MAX_PART = 300
"""Characters of a sentence or clause that are shown."""
_STRONG, _MEDIUM = 0.3, 0.15


def why_post(
    explanation: Explanation, on_lists: ListReading, texts: Texts, *, edited_since: bool
) -> Post:
    """Return the reasons for a verdict on a message.

    Parameters
    ----------
    explanation
        Of the message's present text.
    on_lists
        What the channel's lists make of it.
    texts
        In the language of the person who asks.
    edited_since
        Whether the verdict was about an earlier text.
    """
    words = texts["reasons"]
    intro = words["why"]
    if edited_since:
        intro = words["edited_since"].format(intro=intro)
    return Post(
        text=words["why_summary"],
        blocks=[
            _mrkdwn(intro),
            *_listed(on_lists, words, texts),
            *_reasons(explanation, texts),
            *_reading(explanation, words),
            _context(words["why_note"]),
        ],
    )


def text_blocks(
    judgment: Judgment,
    explanation: Explanation,
    threshold: float,
    texts: Texts,
    on_lists: ListReading | None = None,
) -> list[dict[str, Any]]:
    """Return the verdict on a text that has not been posted, with its reasons.

    Parameters
    ----------
    judgment
        The verdict.
    explanation
        Of the text.
    threshold
        The threshold: the score from which a text is toxic.
    texts
        In the language of the person who asks.
    on_lists
        What the channel's lists make of it, if it has any.
    """
    words = texts["reasons"]
    if judgment.outcome is Outcome.NOT_LEGIBLE:
        return [_mrkdwn(f":grey_question: {words['unreadable_language']}")]
    if not judgment.is_verdict:
        return [_mrkdwn(f":grey_question: {words['no_words']}")]
    blocks = [_mrkdwn(describe_text(judgment, threshold, texts))]
    blocks += drove_blocks(explanation, texts, on_lists)
    blocks.append(_context(explain_briefly(judgment, threshold, texts)))
    return blocks


def drove_blocks(
    explanation: Explanation, texts: Texts, on_lists: ListReading | None = None
) -> list[dict[str, Any]]:
    """Return what drove the score, or nothing if nothing did and the text is not toxic."""
    listed = _listed(on_lists, texts["reasons"], texts)
    if not (explanation.verdict.toxic or explanation.runs):
        return listed
    return [*listed, _mrkdwn(texts["reasons"]["drove"]), *_reasons(explanation, texts)]


def command_post(
    judgment: Judgment,
    explanation: Explanation,
    threshold: float,
    texts: Texts,
    on_lists: ListReading | None = None,
) -> Post:
    """Return the answer to the slash command; see `text_blocks`."""
    words = texts["reasons"]
    again = words["not_posted"]
    if judgment.toxic:
        again = words["change_it"].format(command=COMMAND)
    return Post(
        text=words["text_summary"],
        blocks=[
            *text_blocks(judgment, explanation, threshold, texts, on_lists),
            _context(f"{again} {words['nothing_stored']}"),
        ],
    )


def _listed(on_lists: ListReading | None, words: ReasonTexts, texts: Texts) -> list[dict[str, Any]]:
    """Return what is on the channel's lists, as plain text."""
    if on_lists is None:
        return []
    blocks = []
    for line, found in ((words["on_always"], on_lists.always), (words["on_never"], on_lists.never)):
        if found:
            blocks.append(plain_section(line.format(words=name_words(found, texts))))
    return blocks


def _reasons(explanation: Explanation, texts: Texts) -> list[dict[str, Any]]:
    words = texts["reasons"]
    if not explanation.runs:
        return [plain_section(_no_word(explanation, texts))]
    lines = []
    for run in explanation.runs:
        shown = shorten(explanation.text[run.begin : run.end], MAX_WORD)
        strength = words["slightly"]
        if run.effect >= _STRONG:
            strength = words["strongly"]
        elif run.effect >= _MEDIUM:
            strength = words["clearly"]
        quote = texts["verdict"]["quote"].format(words=shown)
        lines.append(words["word"].format(quote=quote, strength=strength))
    return [plain_section("\n".join(lines))]


def _no_word(explanation: Explanation, texts: Texts) -> str:
    """Say what drove a score that no word did: a part, the whole text, or nothing."""
    words, verdict = texts["reasons"], explanation.verdict
    if explanation.part is None:
        return words["no_word" if verdict.toxic else "nothing_stands_out"]
    shown = shorten(explanation.text[slice(*explanation.part)], MAX_PART)
    quote = texts["verdict"]["quote"].format(words=shown)
    if kinds := name_kinds(verdict.kinds, texts):
        return words["part_of_kinds"].format(quote=quote, kinds=kinds)
    return words["part"].format(quote=quote)


def _reading(explanation: Explanation, words: ReasonTexts) -> list[dict[str, Any]]:
    if explanation.part is not None or explanation.verdict.windows > 1:
        part = explanation.part or (0, len(explanation.text))
        shown = shorten(read(explanation.text[slice(*part)]).text, MAX_SHOWN)
        return [_mrkdwn(words["part_as_read"]), plain_section(shown)]
    return [
        _mrkdwn(words["text_as_read"]),
        plain_section(shorten(explanation.reading, MAX_SHOWN) or words["nothing_read"]),
    ]


def _mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def _context(mrkdwn: str) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": f"{mrkdwn}."}]}
