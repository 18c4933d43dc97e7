"""Greets channels, and keeps the Home tab."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from toxic_bot.slack.answers.assessment import Outcome
from toxic_bot.slack.answers.help_lines import own_text_post
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.reasons import text_blocks
from toxic_bot.slack.answers.verdict_counts import VerdictCounts
from toxic_bot.slack.cases.case_desk import CaseDesk
from toxic_bot.slack.channels.settings_cache import ChannelSettingsCache
from toxic_bot.slack.gestures.event_gestures import HomeVisit, Invitation
from toxic_bot.slack.gestures.private_requests import Trial
from toxic_bot.slack.home.home_view import MAX_CHANNELS, home_view, listening, welcome_post
from toxic_bot.slack.i18n.translation import texts_in
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.remedies import SlackRefusedError


class HomeTab:
    """Fills the Home tab, and greets a channel.

    Parameters
    ----------
    slack
        The workspace.
    judge
        Judges texts that are tried.
    verdict_counts
        Today's figures.
    channels
        What is set for single channels.
    desk
        Knows the moderators' cases.
    locales
        Know the language of each person.
    settings
        How the bot behaves.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        slack: SlackClient,
        judge: Judge,
        verdict_counts: VerdictCounts,
        channels: ChannelSettingsCache,
        desk: CaseDesk,
        locales: Locales,
        settings: BotSettings,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._slack = slack
        self._judge = judge
        self._verdict_counts = verdict_counts
        self._channels = channels
        self._desk = desk
        self._locales = locales
        self._settings = settings
        self._clock = clock

    def greet(self, invitation: Invitation) -> None:
        """Say in a channel how to ask, who sees the answer and what is stored."""
        post = welcome_post(self._settings, texts_in(self._settings.wording.language))
        self._slack.post_message(invitation.channel, post)

    def show_home(self, visit: HomeVisit) -> None:
        """Publish the Home tab of somebody who opened it."""
        self._publish(visit.team, visit.user, ())

    def try_text(self, trial: Trial) -> None:
        """Publish the Home tab with the verdict on the text that somebody typed there."""
        self._locales.expect(trial.user)
        judgment, explanation = self._judge.explained_text(trial.text)
        texts = self._locales.texts(trial.user)
        blocks = text_blocks(judgment, explanation, self._judge.threshold, texts)
        if judgment.outcome is Outcome.SELF_HARM:
            blocks = own_text_post(self._settings.care, texts).blocks
        self.show_result(trial, blocks)

    def show_result(self, gesture: HomeVisit | Trial, blocks: Sequence[dict[str, Any]]) -> None:
        """Publish the Home tab with what became of what somebody did there."""
        self._publish(gesture.team, gesture.user, blocks)

    def _publish(self, team: str, user: str, result: Sequence[dict[str, Any]]) -> None:
        self._locales.expect(user)
        try:
            channels: list[str] | None = self._slack.channels()
        except SlackRefusedError as error:
            # A scope that the installed app lacks costs the list, not the tab.
            logger.warning(str(error), slack_error=error.error)
            channels = None
        figures = self._verdict_counts.read(team, self._clock())
        own = self._channels.stored(listening(self._settings, channels or ())[:MAX_CHANNELS])
        view = home_view(
            self._settings,
            self._locales.texts(user),
            channels=channels,
            own=own,
            figures=figures,
            result=result,
            cases=self._desk.unclosed(user),
        )
        self._slack.publish_home(user, view)
