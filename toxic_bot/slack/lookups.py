"""What is looked up before an event is queued.

Most reactions and all but a few edits in a workspace are nothing to the bot, but reach it. They
should cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ASKED, WATCHED = "assessment", "watch"
"""Chains of assessments: those that people ask for, and those of a watched channel."""


def assessment_claim(channel: str, ts: str, number: int = 0, *, chain: str = ASKED) -> str:
    """Return the claim of an assessment of a message; see `toxic_bot.slack.answers.assessments`.

    The first one of a chain, which is kept for as long as an answer, says that there may be one.
    """
    # Not the workspace: a shared channel's events come from several.
    return f"{chain}#{channel}#{ts}#{number}"


def first_assessments(channel: str, ts: str) -> tuple[str, str]:
    """Return the claims of which at least one is there if a message may have an answer."""
    asked, watched = (assessment_claim(channel, ts, chain=one) for one in (ASKED, WATCHED))
    return asked, watched


def asks_nowhere(channel: str, reaction: str) -> bool:  # noqa: ARG001 - the shape of Lookups.asks
    """Stand in for `Lookups.asks` where channels have no settings of their own."""
    return False


def nobody_asked(channel: str, ts: str) -> bool:  # noqa: ARG001 - the shape of Lookups.was_asked
    """Stand in for `Lookups.was_asked` where nothing is known about messages."""
    return False


def watches_nothing(channel: str) -> bool:  # noqa: ARG001 - the shape of Lookups.watches
    """Stand in for `Lookups.watches` where channels have no settings of their own."""
    return False


@dataclass(frozen=True, slots=True)
class Lookups:
    """What is looked up. Whoever does not know says yes: the worker looks again.

    Parameters
    ----------
    asks
        Reports whether an emoji may ask for a verdict in a channel, although the environment does
        not name it: called with the channel's ID and the emoji's short name.
    was_asked
        Reports whether a message may have an answer: called with the channel's ID and the
        message's timestamp.
    watches
        Reports whether every message of a channel is to be judged: called with its ID.
    """

    asks: Callable[[str, str], bool] = asks_nowhere
    was_asked: Callable[[str, str], bool] = nobody_asked
    watches: Callable[[str], bool] = watches_nothing


NO_LOOKUPS = Lookups()
