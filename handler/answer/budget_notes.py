"""The private note to somebody who has asked for more than the budget allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from handler.answer.budgets import BudgetSpentError, Scope
from handler.answer.claims import Claims
from handler.retry import InProgressError
from handler.slack.client import SlackClient
from handler.slack.gestures import Click, Command, Gesture, Reaction, Shortcut, Trial
from handler.slack.message import Post
from handler.slack.remedies import SlackRefusedError
from handler.telemetry import count, logger

_WHO = {Scope.USER: "You have asked me", Scope.CHANNEL: "This channel has asked me"}


class BudgetNotes:
    """Drops requests, and tells each person once an hour.

    Parameters
    ----------
    slack
        The workspace.
    show_result
        Shows blocks on the Home tab, to somebody who tried a text there.
    claims
        Keep a note from being written twice.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        slack: SlackClient,
        show_result: Callable[[Trial, Sequence[dict[str, Any]]], None],
        claims: Claims,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._slack = slack
        self._show_result = show_result
        self._claims = claims
        self._clock = clock
        # Notes that are written, and until when they hold.
        self._written: dict[str, int] = {}

    def drop(self, gesture: Gesture, spent: BudgetSpentError, deadline: float) -> None:
        """Drop a request.

        Parameters
        ----------
        gesture
            The request.
        spent
            The budget that has nothing left for it.
        deadline
            Unix seconds at which this invocation ends.

        Raises
        ------
        TryAgainError
            When the note could not be written yet. Once the hour is over, there is none.
        """
        note, now = f"note#{gesture.user}#{spent.until}", self._clock()
        if now < spent.until and note not in self._written:
            # Whoever is already writing it also takes care that it gets written.
            with suppress(InProgressError):
                self._claims.once(
                    note,
                    lambda: self._write(gesture, spent),
                    deadline=deadline,
                    expires_after=spent.until - int(now),
                )
                held = {key: until for key, until in self._written.items() if until > now}
                self._written = held | {note: spent.until}
        count("RequestDropped", budget=spent.scope)
        logger.warning("request dropped: its budget is spent", budget=spent.scope.value)

    def _write(self, gesture: Gesture, spent: BudgetSpentError) -> dict[str, Any]:
        post = spent_post(spent)
        try:
            match gesture:
                case Reaction():
                    self._slack.post_privately(gesture.channel, gesture.user, post, thread=None)
                case Shortcut() | Click():
                    self._slack.respond(gesture.response_url, post, thread=gesture.thread)
                case Command():
                    self._slack.respond(gesture.response_url, post)
                case Trial():
                    self._show_result(gesture, post.blocks)
        except SlackRefusedError as error:
            count("SlackRefused", error=error.error)
            logger.error(str(error), slack_error=error.error)
        return {}


def spent_post(spent: BudgetSpentError) -> Post:
    """Return the note: that the budget is spent, and when it can be used again."""
    again = time.strftime("%H:%M UTC", time.gmtime(spent.until))
    text = (
        f"{_WHO[spent.scope]} {spent.limit:,} times this hour, which is as often as I answer. Ask "
        f"me again from <!date^{spent.until}^{{time}}|{again}>; until then, I say nothing."
    )
    block = {"type": "section", "text": {"type": "mrkdwn", "text": f":hourglass: {text}"}}
    return Post(text, [block])
