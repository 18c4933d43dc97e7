"""What a case shows in the moderators' channel, and on their Home tab.

Source: https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from toxic_bot.slack.answers.posts import describe_kinds
from toxic_bot.slack.cases.case import BEGUN, DONE, NOTE, REPEAT_DAYS, UNKNOWN, Case, Entry, State
from toxic_bot.slack.gestures.case_gestures import ACTIONS, Step
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.i18n.translation import choose
from toxic_bot.slack.requests.case_form import PREFIX
from toxic_bot.slack.web_api.message import Post

MAX_TRAIL = 12
"""Things done with a case that its post shows; the export has all."""
MAX_LISTED = 10
"""Cases that the Home tab lists; the rest is counted."""


def case_post(head: Post, case: Case, texts: Texts) -> Post:
    """Return the post of a case.

    Parameters
    ----------
    head
        What it is about; or the post as it was, of which only that is kept.
    case
        How far it is.
    texts
        In the moderators' language.
    """
    about = [one for one in head.blocks if not str(one.get("block_id", "")).startswith(PREFIX)]
    lines = [_trail_line(one, texts) for one in case.trail[-MAX_TRAIL:]]
    if case.number > 1:
        repeated = texts["case"]["repeated"].format(days=REPEAT_DAYS, number=case.number)
        lines.insert(0, repeated)
    blocks = [
        *about,
        {
            "type": "section",
            "block_id": f"{PREFIX}state",
            "text": {"type": "mrkdwn", "text": f"*{describe_state(case, texts)}*"},
        },
        *([_context("\n".join(lines))] if lines else []),
        {
            "type": "actions",
            "block_id": f"{PREFIX}actions",
            "elements": [_button(step, case, texts) for step in steps(case)],
        },
    ]
    return Post(head.text, blocks)


def describe_state(case: Case, texts: Texts) -> str:
    """Return how far a case is."""
    words = texts["case"]
    if case.state is State.OPEN:
        return words["open"]
    if case.state is State.TAKEN:
        return words["taken"].format(user=case.taken_by)
    return words["closed"].format(outcome=choose(words["outcomes"], case.outcome))


def steps(case: Case) -> list[Step]:
    """Return what can be done with a case."""
    if case.state is State.CLOSED:
        return [Step.REOPEN]
    first = Step.TAKE if case.state is State.OPEN else Step.HAND_BACK
    return [first, Step.CLOSE, *(one for one in ACTIONS if is_possible(one, case))]


def is_possible(step: Step, case: Case) -> bool:
    """Report whether a case has what an action needs: an author, or a message to be reached."""
    needed = case.ts if step in (Step.FLAG, Step.REMOVE) else case.author
    return bool(needed)


def home_blocks(cases: Sequence[Case], texts: Texts) -> list[dict[str, Any]]:
    """Return the part of the Home tab that lists the cases that are not closed.

    Parameters
    ----------
    cases
        The oldest first.
    texts
        In the language of the person who sees it.
    """
    words = texts["case"]
    lines = [f"*{words['home_title'].format(number=len(cases))}*"]
    lines += [f"• {_home_line(one, texts)}" for one in cases[:MAX_LISTED]]
    if len(cases) > MAX_LISTED:
        lines.append(words["home_more"].format(number=len(cases) - MAX_LISTED))
    return [{"type": "section", "text": {"type": "mrkdwn", "text": "\n".join(lines)}}]


def _home_line(case: Case, texts: Texts) -> str:
    if case.reason == NOTE:
        what = describe_kinds(tuple(filter(None, case.kinds.split(","))), texts)
    else:
        what = choose(texts["report"]["reasons"], case.reason)
    if case.post_link:
        what = f"<{case.post_link}|{what}>"
    return f"{what} · {_when(int(case.opened_at))} · {describe_state(case, texts)}"


def _trail_line(entry: Entry, texts: Texts) -> str:
    words = texts["case"]
    outcome = choose(words["outcomes"], entry.detail) if entry.step is Step.CLOSE else ""
    line = choose(words["trail"], entry.step).format(user=entry.user, outcome=outcome)
    if entry.step in ACTIONS and entry.detail != DONE:
        why = words["without_response"]
        if entry.detail not in (BEGUN, UNKNOWN):
            why = words["refused"].format(error=entry.detail)
        line = f"{line} ({why})"
    return f"{line} · {_when(entry.at)}"


def _when(at: int) -> str:
    in_words = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"<!date^{at}^{{date_short_pretty}} {{time}}|{in_words}>"


def _button(step: Step, case: Case, texts: Texts) -> dict[str, Any]:
    label = choose(texts["case"]["buttons"], step)
    return {
        "type": "button",
        "action_id": f"{PREFIX}{step}",
        "text": {"type": "plain_text", "text": label},
        "value": case.id,
        **({"style": "danger"} if step is Step.REMOVE else {}),
    }


def _context(mrkdwn: str) -> dict[str, Any]:
    return {
        "type": "context",
        "block_id": f"{PREFIX}trail",
        "elements": [{"type": "mrkdwn", "text": mrkdwn}],
    }
