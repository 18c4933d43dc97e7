"""The bot as the worker and the standalone bot run it: a gesture in, its answer out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from handler.answer.answerer import Answerer
from handler.answer.budget_notes import BudgetNotes
from handler.answer.budgets import Admission, Budgets, BudgetSpentError, BudgetStore
from handler.answer.claims import Claims, ClaimStore
from handler.answer.host import Host
from handler.answer.judging import Judge
from handler.answer.notes import Notes
from handler.answer.private_answers import PrivateAnswers
from handler.answer.tallies import Tallies, TallyStore
from handler.answer.votes import Votes, VoteStore
from handler.settings import BotSettings
from handler.slack.client import SlackClient
from handler.slack.gestures import (
    Action,
    Click,
    Command,
    Gesture,
    HomeVisit,
    Invitation,
    Reaction,
    Shortcut,
    Trial,
)
from handler.slack.remedies import SlackRefusedError
from handler.telemetry import count, logger
from judge.classifier import Classifier

GESTURE_EXPIRY = 3600
"""Seconds for which a gesture counts as answered; its response URL lives half as long."""


class Store(ClaimStore, BudgetStore, TallyStore, VoteStore, Protocol):
    """Everything that the bot stores."""


class Respondent:
    """Answers gestures.

    Parameters
    ----------
    slack
        The workspace.
    classifier
        Judges texts.
    store
        Keeps claims, budgets, votes and counts.
    settings
        How the bot behaves.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        slack: SlackClient,
        classifier: Classifier,
        store: Store,
        settings: BotSettings,
        clock: Callable[[], float] = time.time,
    ) -> None:
        judge, tallies = Judge(classifier), Tallies(store)
        self._claims = Claims(store, clock)
        self._clock = clock
        self._answerer = Answerer(slack, judge, self._claims, tallies, settings, clock)
        private = PrivateAnswers(slack, judge, Votes(store, settings.vote_days, clock), settings)
        host = Host(slack, judge, tallies, settings, clock)
        self._budgets = Budgets(store, settings, clock)
        self._budget_notes = BudgetNotes(slack, host, self._claims, clock)
        notes = Notes(slack, judge, self._claims, settings, clock)

        def answer_click(click: Click) -> None:
            (notes.mark_seen if click.action is Action.SEEN else private.answer_click)(click)

        self._work: dict[type[Gesture], Callable[[Any], None]] = {
            Shortcut: private.answer_shortcut,
            Command: private.answer_command,
            Click: answer_click,
            HomeVisit: host.show_home,
            Trial: host.try_text,
            Invitation: host.greet,
        }

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
        try:
            admission = self._budgets.admit(gesture)
            try:
                self._answer(gesture, admission, deadline)
            finally:
                # Whoever shares another's answer spends too, and nobody waits for nothing.
                admission.confirm()
        except BudgetSpentError as spent:
            self._budget_notes.drop(gesture, spent, deadline)

    def _answer(self, gesture: Gesture, admission: Admission, deadline: float) -> None:
        if isinstance(gesture, Reaction):
            self._answerer.answer(gesture, deadline, admission)
            return
        done = self._claims.once(
            f"gesture#{gesture.event_id}",
            lambda: self._do(gesture, admission),
            deadline=deadline,
            expires_after=GESTURE_EXPIRY,
        )
        if not done.by_us:
            logger.info("this gesture was already answered")

    def _do(self, gesture: Gesture, admission: Admission) -> dict[str, Any]:
        admission.confirm()
        try:
            self._work[type(gesture)](gesture)
        except SlackRefusedError as error:
            count("SlackRefused", error=error.error)
            logger.error(str(error), slack_error=error.error)
        else:
            count("GestureAnswered", gesture=gesture.NAME)
            logger.info("gesture answered")
        return {}
