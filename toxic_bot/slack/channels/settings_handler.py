"""Shows the settings of a channel to those who may change them, and changes them."""

from __future__ import annotations

from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.channels.settings_cache import ChannelSettingsCache
from toxic_bot.slack.channels.settings_modal import settings_modal
from toxic_bot.slack.channels.settings_posts import (
    not_allowed_post,
    saved_post,
    settings_post,
    watch_post,
)
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest
from toxic_bot.slack.i18n.translation import texts_in
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.metadata import WATCH_TYPE
from toxic_bot.slack.web_api.remedies import LATE, SlackRefusedError

CLOCK_SKEW = 60.0
"""Seconds by which Slack's clock and this machine's may differ."""


class ChannelSettingsHandler:
    """Answers `/toxic settings`, its button and its form.

    Parameters
    ----------
    slack
        The workspace.
    channels
        What is set for each channel.
    locales
        Know the language of each person.
    defaults
        The settings of the environment.
    """

    def __init__(
        self,
        slack: SlackClient,
        channels: ChannelSettingsCache,
        locales: Locales,
        defaults: BotSettings,
    ) -> None:
        self._slack = slack
        self._channels = channels
        self._locales = locales
        self._defaults = defaults

    def answer(self, request: SettingsRequest) -> None:
        """Show the settings with a button to those who typed the command; then open the form.

        The command itself opens no form: Slack allows three seconds for that, and a worker that
        starts cold may take longer. Whoever presses the button finds it warm; if not, the button
        is offered again.
        """
        self._locales.expect(request.user)
        own = self._stored(request.channel)
        if request.pressed:
            # Whether they may is checked when they save: here, every second counts.
            if self._is_opened(request, own):
                return
        else:
            creator = self._creator(request.channel)
            if not self._may_change(request.user, creator):
                logger.info("this person may not change the settings", user=request.user)
                post = not_allowed_post(creator, self._locales.texts(request.user))
                self._slack.respond(request.response_url, post)
                return
        texts = self._locales.texts(request.user)
        post = settings_post(own, self._defaults, request.channel, texts, again=request.pressed)
        self._slack.respond(request.response_url, post)

    def change(self, change: SettingsChange) -> None:
        """Store what somebody has submitted, if they may, and tell them."""
        self._locales.expect(change.user)
        creator = self._creator(change.channel)
        if not self._may_change(change.user, creator):
            logger.warning("this person may not change the settings", user=change.user)
            post = not_allowed_post(creator, self._locales.texts(change.user))
        else:
            own = ChannelSettings.from_json(change.settings)
            # First: nobody is watched who was not told.
            self._announce(change, own)
            self._channels.keep(change.channel, own, float(change.event_ts))
            logger.info("the settings of a channel were changed", user=change.user)
            texts = self._locales.texts(change.user)
            reaches = own.urgent is None or self._slack.has_joined(own.urgent.channel)
            post = saved_post(own, self._defaults, change.channel, texts, reaches_urgent=reaches)
        self._slack.post_privately(change.channel, change.user, post, thread=None)

    def _announce(self, change: SettingsChange, own: ChannelSettings) -> None:
        """Tell the channel, once, if it is watched from now on, differently, or no longer."""
        before = self._stored(change.channel).watch_in_force
        watch = own.watch_in_force
        if (before and before.action) == (watch and watch.action):
            return
        metadata = {"event_type": WATCH_TYPE, "event_payload": {"change": change.event_id}}
        since = float(change.event_ts) - CLOCK_SKEW
        if self._slack.has_posted(change.channel, metadata, since=since):
            logger.info("the channel has been told already")
            return
        texts = texts_in(self._defaults.wording.language)
        post = watch_post(watch, change.user, texts)
        self._slack.post_message(change.channel, post, metadata=metadata)
        logger.info("the channel was told", watch=watch.action.value if watch else "off")

    def _stored(self, channel: str) -> ChannelSettings:
        return self._channels.stored([channel]).get(channel, ChannelSettings())

    def _is_opened(self, request: SettingsRequest, own: ChannelSettings) -> bool:
        language = self._locales.language(request.user)
        view = settings_modal(own, self._defaults, request.channel, language)
        try:
            self._slack.open_modal(request.event_id, view)
        except SlackRefusedError as error:
            if error.error not in LATE:
                raise
            logger.info("the form came too late: the button is offered again")
            return False
        return True

    def _may_change(self, user: str, creator: str) -> bool:
        # Who has created a shared channel may be of another company.
        if user == creator:
            return self._slack.is_member(user)
        return self._slack.is_admin(user)

    def _creator(self, channel: str) -> str:
        try:
            return self._slack.creator(channel)
        except SlackRefusedError as error:
            # In a channel that the bot cannot see, admins still may.
            logger.warning(str(error), slack_error=error.error)
            return ""
