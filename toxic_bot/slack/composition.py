"""How the bot is put together. Each way of running it does so once, at its start."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

from toxic_bot.judge.classifier import Classifier
from toxic_bot.slack.answers.answerer import Answerer
from toxic_bot.slack.answers.budget_notes import BudgetNotes
from toxic_bot.slack.answers.budgets import Budgets, BudgetStore
from toxic_bot.slack.answers.claims import Claims, ClaimStore
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.private_answers import PrivateAnswers
from toxic_bot.slack.answers.verdict_counts import VerdictCounts, VerdictCountStore
from toxic_bot.slack.answers.votes import Votes, VoteStore
from toxic_bot.slack.channel_settings import ChannelSettings, SettingsStore
from toxic_bot.slack.channels.settings_cache import ChannelSettingsCache
from toxic_bot.slack.channels.settings_handler import ChannelSettingsHandler
from toxic_bot.slack.gesture_router import Answers, GestureRouter
from toxic_bot.slack.gestures import (
    Action,
    Click,
    Command,
    HomeVisit,
    Invitation,
    SettingsChange,
    SettingsRequest,
    Shortcut,
    Trial,
)
from toxic_bot.slack.home.home_tab import HomeTab
from toxic_bot.slack.moderators.notes import Notes
from toxic_bot.slack.settings import BotSettings
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

    def home_tab(own: BotSettings, judge: Judge) -> HomeTab:
        return HomeTab(slack, judge, verdict_counts, channels, locales, own, clock)

    @lru_cache(maxsize=MAX_ANSWERS)
    def answers_under(own: ChannelSettings) -> Answers:
        threshold = own.score_threshold(classifier.config.thresholds)
        judge = Judge(classifier if threshold is None else classifier.at(threshold))
        applied = own.apply(settings)
        votes = Votes(store, applied.vote_days, clock)
        private = PrivateAnswers(slack, judge, votes, locales, applied, own.exempt)
        home = home_tab(applied, judge)
        notes = Notes(slack, judge, claims, applied, clock)

        def answer_click(click: Click) -> None:
            (notes.mark_seen if click.action is Action.SEEN else private.answer_click)(click)

        return Answers(
            applied,
            Answerer(slack, judge, claims, verdict_counts, locales, applied, notes.post, clock),
            {
                Shortcut: private.answer_shortcut,
                Command: private.answer_command,
                Click: answer_click,
                HomeVisit: home.show_home,
                Trial: home.try_text,
                Invitation: home.greet,
                SettingsRequest: settings_handler.answer,
                SettingsChange: settings_handler.change,
            },
        )

    show_result = home_tab(settings, Judge(classifier)).show_result
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
