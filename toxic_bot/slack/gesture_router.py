"""Routes each allowed gesture to whatever answers it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from toxic_bot.slack.answers.answerer import Answerer
from toxic_bot.slack.answers.assessments import ANSWER_EXPIRY
from toxic_bot.slack.answers.budget_notes import BudgetNotes
from toxic_bot.slack.answers.budgets import Admission, Budgets, BudgetSpentError
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.channels.settings_cache import ChannelSettingsCache
from toxic_bot.slack.channels.settings_posts import exempt_post
from toxic_bot.slack.gestures.event_gestures import Deletion, Edit, Reaction
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.report_gestures import Report
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest
from toxic_bot.slack.gestures.watched_messages import JudgedMessage, WatchedMessage
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import count, logger
from toxic_bot.slack.watching import Watcher
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
    report
        Passes on what somebody has reported, until a deadline.
    watcher
        Judges what nobody has asked about; None where the channel is not watched.
    """

    settings: BotSettings
    answerer: Answerer
    work: dict[type[Gesture], Callable[[Any], None]]
    report: Callable[[Report, float], None]
    watcher: Watcher | None = None


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
        # Whatever is set by now, an answer is taken back.
        if not own.listens and not isinstance(gesture, Deletion):
            logger.info("no answer: the bot does not listen in this channel")
            return
        if isinstance(gesture, (Edit, WatchedMessage)) and gesture.user in own.exempt:
            logger.info("not judged: the author is exempt")
            return
        answers = self._answers_under(own)
        if isinstance(gesture, WatchedMessage) and not _is_watched(gesture, own, answers):
            self._follow_edit(gesture, deadline)
            return
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
            if isinstance(gesture, Edit):
                # Whoever edits has asked for nothing, and need not be told.
                count("RequestDropped", budget=spent.scope)
                logger.warning("edit not judged: a budget is spent", budget=spent.scope.value)
            else:
                self._budget_notes.drop(gesture, spent, deadline)

    def _answer(
        self, gesture: Gesture, answers: Answers, admission: Admission, deadline: float
    ) -> None:
        if isinstance(gesture, Reaction):
            answers.answerer.answer(gesture, deadline, admission)
            return
        if isinstance(gesture, Edit):
            answers.answerer.followed.judge_again(gesture, deadline, admission)
            return
        if isinstance(gesture, Deletion):
            answers.answerer.followed.take_back(gesture, deadline)
            return
        if isinstance(gesture, (WatchedMessage, JudgedMessage)):
            self._watch(gesture, answers, admission, deadline)
            return

        def work() -> None:
            admission.confirm()
            if isinstance(gesture, Report):
                answers.report(gesture, deadline)
            else:
                answers.work[type(gesture)](gesture)

        self._once(f"gesture#{gesture.event_id}", gesture, work, deadline, GESTURE_EXPIRY)

    def _watch(
        self,
        message: WatchedMessage | JudgedMessage,
        answers: Answers,
        admission: Admission,
        deadline: float,
    ) -> None:
        if answers.watcher is None:
            logger.info("nothing follows: the channel is no longer watched")
            return
        if isinstance(message, WatchedMessage):
            message = answers.watcher.judge(message, deadline)
        try:
            answers.watcher.follow(message, deadline, admission)
        except TryAgainError as error:
            # Whatever it waits for, its text is not needed any more.
            error.rest = message
            raise

    def _follow_edit(self, message: WatchedMessage, deadline: float) -> None:
        """Let the answer to a message follow its edit where nothing else is judged now."""
        if not message.asked:
            logger.info("not judged: the channel is not watched now")
            return
        edit = message.as_edit()
        try:
            self.answer(edit, deadline)
        except TryAgainError as error:
            # Without its text, which nobody needs.
            error.rest = edit
            raise

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


def _is_watched(message: WatchedMessage, own: ChannelSettings, answers: Answers) -> bool:
    quiet = own.watch_quiet
    is_quiet = quiet is not None and quiet.cover(float(message.event_ts))
    return answers.watcher is not None and not is_quiet


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
