"""The private note to somebody who has asked for more than the budget allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from toxic_bot.slack.answers.budgets import BudgetSpentError
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.gestures.clicks import Click
from toxic_bot.slack.gestures.event_gestures import HomeVisit, Reaction
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.private_requests import Command, Shortcut, Trial
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest
from toxic_bot.slack.i18n import numbers
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.i18n.translation import choose
from toxic_bot.slack.retry import InProgressError
from toxic_bot.slack.telemetry import count, logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.remedies import SlackRefusedError


class BudgetNotes:
    """Drops requests, and tells each person of each budget once an hour.

    Parameters
    ----------
    slack
        The workspace.
    show_result
        Shows blocks on the Home tab, to somebody who opened it or tried a text there.
    locales
        Know the language of each person.
    claims
        Keep a note from being written twice.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        slack: SlackClient,
        show_result: Callable[[HomeVisit | Trial, Sequence[dict[str, Any]]], None],
        locales: Locales,
        claims: Claims,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._slack = slack
        self._show_result = show_result
        self._locales = locales
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
        note, now = f"note#{gesture.user}#{spent.scope}#{spent.until}", self._clock()
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
        post = spent_post(spent, self._locales.texts(gesture.user))
        try:
            match gesture:
                case Reaction() | SettingsChange():
                    self._slack.post_privately(gesture.channel, gesture.user, post, thread=None)
                case Shortcut() | Click():
                    self._slack.respond(gesture.response_url, post, thread=gesture.thread)
                case Command() | SettingsRequest():
                    self._slack.respond(gesture.response_url, post)
                case Trial() | HomeVisit():
                    self._show_result(gesture, post.blocks)
        except SlackRefusedError as error:
            count("SlackRefused", error=error.error)
            logger.error(str(error), slack_error=error.error)
        return {}


def spent_post(spent: BudgetSpentError, texts: Texts) -> Post:
    """Return the note: that the budget is spent, and when it can be used again."""
    again = time.strftime("%H:%M UTC", time.gmtime(spent.until))
    text = choose(texts["reasons"]["spent"], spent.scope).format(
        limit=numbers.whole(spent.limit, texts), time=f"<!date^{spent.until}^{{time}}|{again}>"
    )
    block = {"type": "section", "text": {"type": "mrkdwn", "text": f":hourglass: {text}"}}
    return Post(text, [block])
