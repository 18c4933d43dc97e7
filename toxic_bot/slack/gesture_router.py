"""Routes each allowed gesture to whatever answers it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from toxic_bot.slack.answers.answerer import ANSWER_EXPIRY, Answerer
from toxic_bot.slack.answers.budget_notes import BudgetNotes
from toxic_bot.slack.answers.budgets import Admission, Budgets, BudgetSpentError
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.channels.settings_cache import ChannelSettingsCache
from toxic_bot.slack.channels.settings_posts import exempt_post
from toxic_bot.slack.gestures import Gesture, Reaction, SettingsChange, SettingsRequest
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import count, logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.remedies import SlackRefusedError

GESTURE_EXPIRY = 3600
"""Seconds for which a gesture counts as answered; its response URL lives half as long."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What answers under the settings of one channel.

    Parameters
    ----------
    settings
        Those of the environment as they are in this channel.
    answerer
        Answers reactions.
    work
        Answers the other gestures.
    """

    settings: BotSettings
    answerer: Answerer
    work: dict[type[Gesture], Callable[[Any], None]]


class GestureRouter:
    """Answers gestures; `toxic_bot.slack.composition.compose` makes one.

    Parameters
    ----------
    slack
        The workspace.
    claims
        Let each gesture be answered once.
    channels
        What is set for single channels.
    locales
        Know the language of each person.
    budgets
        How often people and channels may ask.
    budget_notes
        Tell those who ask too often.
    answers_under
        Returns what answers under the settings of a channel.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        slack: SlackClient,
        claims: Claims,
        channels: ChannelSettingsCache,
        locales: Locales,
        budgets: Budgets,
        budget_notes: BudgetNotes,
        answers_under: Callable[[ChannelSettings], Answers],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._slack = slack
        self._claims = claims
        self._channels = channels
        self._locales = locales
        self._budgets = budgets
        self._budget_notes = budget_notes
        self._answers_under = answers_under
        self._clock = clock

    def answer(self, gesture: Gesture, deadline: float) -> None:
        """Answer a gesture once, if the budgets of its user and channel allow it.

        Parameters
        ----------
        gesture
            What somebody did.
        deadline
            Unix seconds at which this invocation ends.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        """
        if gesture.is_expired(self._clock()):
            count("GestureAbandoned")
            logger.warning("gesture expired: nobody can be answered any more")
            return
        # Not for what changes them: it looks at what is stored right now.
        is_about_settings = isinstance(gesture, (SettingsRequest, SettingsChange))
        channel = "" if is_about_settings else getattr(gesture, "channel", "")
        own = self._channels.settings(channel)
        if not own.listens:
            logger.info("no answer: the bot does not listen in this channel")
            return
        answers = self._answers_under(own)
        if isinstance(gesture, Reaction) and not self._wants_verdict(
            gesture, own, answers, deadline
        ):
            return
        try:
            admission = self._budgets.admit(gesture)
            try:
                self._answer(gesture, answers, admission, deadline)
            finally:
                # Whoever shares another's answer spends too, and nobody waits for nothing.
                admission.confirm()
        except BudgetSpentError as spent:
            self._budget_notes.drop(gesture, spent, deadline)

    def _answer(
        self, gesture: Gesture, answers: Answers, admission: Admission, deadline: float
    ) -> None:
        if isinstance(gesture, Reaction):
            answers.answerer.answer(gesture, deadline, admission)
            return

        def work() -> None:
            admission.confirm()
            answers.work[type(gesture)](gesture)

        self._once(f"gesture#{gesture.event_id}", gesture, work, deadline, GESTURE_EXPIRY)

    def _wants_verdict(
        self, reaction: Reaction, own: ChannelSettings, answers: Answers, deadline: float
    ) -> bool:
        """Report whether the channel's settings leave a reaction something to ask for."""
        if reaction.reaction not in answers.settings.subscription.reactions:
            logger.info("no answer: another emoji asks in this channel")
            return False
        if reaction.author in own.exempt:
            # The message is not even read. Each asker is told once.
            claim = f"exempt#{reaction.channel}#{reaction.ts}#{reaction.user}"
            self._once(claim, reaction, partial(self._decline, reaction), deadline, ANSWER_EXPIRY)
            return False
        return True

    def _decline(self, reaction: Reaction) -> None:
        post = exempt_post(self._locales.texts(reaction.user))
        self._slack.post_privately(reaction.channel, reaction.user, post, thread=None)

    def _once(
        self,
        claim: str,
        gesture: Gesture,
        work: Callable[[], None],
        deadline: float,
        expiry: int,
    ) -> None:
        done = self._claims.once(
            claim, lambda: _do(work, gesture), deadline=deadline, expires_after=expiry
        )
        if not done.by_us:
            logger.info("this gesture was already answered")


def _do(work: Callable[[], None], gesture: Gesture) -> dict[str, Any]:
    try:
        work()
    except SlackRefusedError as error:
        count("SlackRefused", error=error.error)
        logger.error(str(error), slack_error=error.error)
    else:
        count("GestureAnswered", gesture=gesture.NAME)
        logger.info("gesture answered")
    return {}
