"""How the bot is put together. Each way of running it does so once, at its start."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

from toxic_bot.judge.classifier import Classifier
from toxic_bot.slack.answers.answerer import Answerer
from toxic_bot.slack.answers.assessment import Judgment, Version
from toxic_bot.slack.answers.assessments import Cause
from toxic_bot.slack.answers.budget_notes import BudgetNotes
from toxic_bot.slack.answers.budgets import Budgets, BudgetStore
from toxic_bot.slack.answers.claims import Claims, ClaimStore
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.private_answers import PrivateAnswers
from toxic_bot.slack.answers.verdict_counts import VerdictCounts, VerdictCountStore
from toxic_bot.slack.answers.votes import Votes, VoteStore
from toxic_bot.slack.cases.case import CaseStore
from toxic_bot.slack.cases.case_desk import CaseDesk
from toxic_bot.slack.channel_settings import ChannelSettings, SettingsStore, WatchAction
from toxic_bot.slack.channels.settings_cache import ChannelSettingsCache
from toxic_bot.slack.channels.settings_handler import ChannelSettingsHandler
from toxic_bot.slack.gesture_router import Answers, GestureRouter
from toxic_bot.slack.gestures.case_gestures import CaseClick, CaseForm
from toxic_bot.slack.gestures.clicks import Action, Click
from toxic_bot.slack.gestures.event_gestures import HomeVisit, Invitation
from toxic_bot.slack.gestures.private_requests import Command, Shortcut, Trial
from toxic_bot.slack.gestures.report_gestures import ReportRequest
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest
from toxic_bot.slack.home.home_tab import HomeTab
from toxic_bot.slack.lookups import ASKED, WATCHED
from toxic_bot.slack.moderators.notes import Notes
from toxic_bot.slack.moderators.reports import Reports
from toxic_bot.slack.moderators.single_notes import SingleNotes
from toxic_bot.slack.moderators.urgent_notes import UrgentNotes
from toxic_bot.slack.settings import AnswerMode, BotSettings, GestureName
from toxic_bot.slack.watching import Watcher
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.locales import Locales

MAX_ANSWERS = 16
"""How many channels with their own settings to keep ready."""


class Store(ClaimStore, BudgetStore, VerdictCountStore, VoteStore, Protocol):
    """Everything that the bot stores."""


def compose(
    slack: SlackClient,
    classifier: Classifier,
    store: Store,
    channel_store: SettingsStore,
    case_store: CaseStore,
    settings: BotSettings,
    clock: Callable[[], float] = time.time,
) -> GestureRouter:
    """Put the bot together.

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
    case_store
        Keeps the moderators' cases.
    settings
        How the bot behaves in a channel without its own settings.
    clock
        Returns Unix seconds.
    """
    claims = Claims(store, clock)
    channels = ChannelSettingsCache(channel_store, settings.subscription)
    locales = Locales(slack, settings.wording.language)
    settings_handler = ChannelSettingsHandler(slack, channels, locales, settings)
    verdict_counts = VerdictCounts(store)
    single = SingleNotes(slack, claims, clock)
    desk = CaseDesk(slack, case_store, locales, settings, clock)

    def home_tab(own: BotSettings, judge: Judge) -> HomeTab:
        return HomeTab(slack, judge, verdict_counts, channels, desk, locales, own, clock)

    def judge_with(with_threshold: Classifier, own: ChannelSettings) -> Judge:
        return Judge(with_threshold, own.lists, cares=settings.care.offers_help)

    def watcher_under(
        own: ChannelSettings, applied: BotSettings, judge: Judge, asked: Answerer
    ) -> Watcher | None:
        watch = own.watch_in_force
        if watch is None or GestureName.WATCH not in settings.subscription.gestures:
            return None
        if watch.threshold is not None:
            judge = judge_with(classifier.at(watch.threshold), own)
        mode = AnswerMode.THREAD if watch.action is WatchAction.THREAD else AnswerMode.NUDGE
        watching = replace(
            applied,
            answer=mode,
            channel_answers={},
            # Every toxic message there is, if it is notes that are to follow.
            moderation=replace(applied.moderation, note_limit=0.0),
        )
        answerer = Answerer(
            slack,
            judge,
            claims,
            verdict_counts,
            locales,
            watching,
            follow=lambda *_: None,
            clock=clock,
            # Where reactions are answered in the same way, an answer to either is one to both.
            chain=lambda channel: ASKED if applied.answer_in(channel) is mode else WATCHED,
        )
        notes = Notes(slack, judge, single, watching, desk, clock)
        urgent = UrgentNotes(slack, single, notes, watching)
        return Watcher(judge, claims, watch.action, answerer, asked, notes, urgent)

    @lru_cache(maxsize=MAX_ANSWERS)
    def answers_under(own: ChannelSettings) -> Answers:
        threshold = own.score_threshold(classifier.config.thresholds)
        judge = judge_with(classifier if threshold is None else classifier.at(threshold), own)
        applied = own.apply(settings)
        votes = Votes(store, applied.vote_days, clock)
        private = PrivateAnswers(slack, judge, votes, locales, applied, own.exempt)
        home = home_tab(applied, judge)
        notes = Notes(slack, judge, single, applied, desk, clock)
        urgent = UrgentNotes(slack, single, notes, applied)
        reports = Reports(slack, judge, locales, applied, desk, urgent)

        def tell(cause: Cause, version: Version, judgment: Judgment, deadline: float) -> None:
            urgent.post(cause, version, judgment, deadline)
            notes.post(cause, version, judgment, deadline)

        answerer = Answerer(slack, judge, claims, verdict_counts, locales, applied, tell, clock)

        def answer_click(click: Click) -> None:
            (notes.mark_seen if click.action is Action.SEEN else private.answer_click)(click)

        return Answers(
            applied,
            answerer,
            {
                Shortcut: private.answer_shortcut,
                Command: private.answer_command,
                Click: answer_click,
                HomeVisit: home.show_home,
                Trial: home.try_text,
                Invitation: home.greet,
                SettingsRequest: settings_handler.answer,
                SettingsChange: settings_handler.change,
                ReportRequest: reports.open_form,
                CaseClick: desk.click,
                CaseForm: desk.submit,
            },
            reports.post,
            watcher_under(own, applied, judge, answerer),
        )

    show_result = home_tab(settings, judge_with(classifier, ChannelSettings())).show_result
    return GestureRouter(
        slack,
        claims,
        channels,
        locales,
        Budgets(store, settings, clock),
        BudgetNotes(slack, show_result, locales, claims, clock),
        answers_under,
        clock,
    )
