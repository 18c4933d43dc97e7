"""The bot as the worker and the standalone bot run it: a gesture in, its answer out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Protocol

from toxic_bot.judge.classifier import Classifier
from toxic_bot.slack.answers.answerer import ANSWER_EXPIRY, Answerer
from toxic_bot.slack.answers.budget_notes import BudgetNotes
from toxic_bot.slack.answers.budgets import Admission, Budgets, BudgetSpentError, BudgetStore
from toxic_bot.slack.answers.claims import Claims, ClaimStore
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.private_answers import PrivateAnswers
from toxic_bot.slack.answers.verdict_counts import VerdictCounts, VerdictCountStore
from toxic_bot.slack.answers.votes import Votes, VoteStore
from toxic_bot.slack.channel_settings import ChannelSettings, SettingsStore
from toxic_bot.slack.channels.settings_cache import ChannelSettingsCache
from toxic_bot.slack.channels.settings_handler import ChannelSettingsHandler
from toxic_bot.slack.channels.settings_posts import exempt_post
from toxic_bot.slack.gestures import (
    Action,
    Click,
    Command,
    Gesture,
    HomeVisit,
    Invitation,
    Reaction,
    SettingsChange,
    SettingsRequest,
    Shortcut,
    Trial,
)
from toxic_bot.slack.home.home_tab import HomeTab
from toxic_bot.slack.moderators.notes import Notes
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import count, logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.remedies import SlackRefusedError

GESTURE_EXPIRY = 3600
"""Seconds for which a gesture counts as answered; its response URL lives half as long."""

MAX_ANSWERS = 16
"""ChannelSettingsCache with settings of their own for which everything is kept ready."""


class Store(ClaimStore, BudgetStore, VerdictCountStore, VoteStore, Protocol):
    """Everything that the bot stores."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What answers under the settings of one channel.

    Parameters
    ----------
    settings
        Those of the environment as they are in this channel.
    home_tab
        Shows the Home tab.
    answerer
        Answers reactions.
    work
        Answers the other gestures.
    """

    settings: BotSettings
    home_tab: HomeTab
    answerer: Answerer
    work: dict[type[Gesture], Callable[[Any], None]]


class GestureRouter:
    """Answers gestures.

    Parameters
    ----------
    slack
        The workspace.
    classifier
        Judges texts.
    store
        Keeps claims, budgets, votes and counts.
    channel_store
        Keeps the settings of single channels.
    settings
        How the bot behaves where a channel has no settings of its own.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        slack: SlackClient,
        classifier: Classifier,
        store: Store,
        channel_store: SettingsStore,
        settings: BotSettings,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._slack = slack
        self._classifier = classifier
        self._store = store
        self._settings = settings
        self._clock = clock
        self._claims = Claims(store, clock)
        self._channels = ChannelSettingsCache(channel_store, settings.subscription)
        self._locales = Locales(slack, settings.wording.language)
        self._settings_handler = ChannelSettingsHandler(
            slack, self._channels, self._locales, settings
        )
        self._budgets = Budgets(store, settings, clock)
        self._answers = lru_cache(maxsize=MAX_ANSWERS)(self._create_answers)
        home_tab = self._answers(ChannelSettings()).home_tab
        self._budget_notes = BudgetNotes(
            slack, home_tab.show_result, self._locales, self._claims, clock
        )

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
            logger.warning("gesture expired: nobody can be answered any more")
            return
        # Not for what changes them: it looks at what is stored right now.
        is_about_settings = isinstance(gesture, (SettingsRequest, SettingsChange))
        channel = "" if is_about_settings else getattr(gesture, "channel", "")
        own = self._channels.settings(channel)
        if not own.listens:
            logger.info("no answer: the bot does not listen in this channel")
            return
        answers = self._answers(own)
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

    def _create_answers(self, own: ChannelSettings) -> Answers:
        threshold = own.score_threshold(self._classifier.config.thresholds)
        classifier = self._classifier if threshold is None else self._classifier.at(threshold)
        slack, store, clock = self._slack, self._store, self._clock
        locales = self._locales
        settings = own.apply(self._settings)
        judge, verdict_counts = Judge(classifier), VerdictCounts(store)
        votes = Votes(store, settings.vote_days, clock)
        private = PrivateAnswers(slack, judge, votes, locales, settings, own.exempt)
        home_tab = HomeTab(slack, judge, verdict_counts, self._channels, locales, settings, clock)
        notes = Notes(slack, judge, self._claims, settings, clock)

        def answer_click(click: Click) -> None:
            (notes.mark_seen if click.action is Action.SEEN else private.answer_click)(click)

        return Answers(
            settings,
            home_tab,
            Answerer(
                slack, judge, self._claims, verdict_counts, locales, settings, notes.post, clock
            ),
            {
                Shortcut: private.answer_shortcut,
                Command: private.answer_command,
                Click: answer_click,
                HomeVisit: home_tab.show_home,
                Trial: home_tab.try_text,
                Invitation: home_tab.greet,
                SettingsRequest: self._settings_handler.answer,
                SettingsChange: self._settings_handler.change,
            },
        )

    def _wants_verdict(
        self, reaction: Reaction, own: ChannelSettings, answers: Answers, deadline: float
    ) -> bool:
        """Report whether the channel's settings leave a reaction something to ask for."""
        if reaction.reaction not in answers.settings.subscription.reactions:
            logger.info("no answer: another emoji asks in this channel")
            return False
        if reaction.author in own.exempt:
            # The message is not even read. Everybody who asks is told once.
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
