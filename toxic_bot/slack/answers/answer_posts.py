"""The post that answers a message, as the settings say."""

from __future__ import annotations

from toxic_bot.slack.answers.assessment import Judgment, Version
from toxic_bot.slack.answers.assessments import Cause
from toxic_bot.slack.answers.buttons import verdict_buttons
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.posts import nothing_to_judge_post, nudge_post, verdict_post
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.settings import AnswerMode, BotSettings
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.mrkdwn import plain_text


class AnswerPosts:
    """Creates the posts.

    Parameters
    ----------
    judge
        Knows the threshold and the model's version.
    settings
        How the bot behaves.
    """

    def __init__(self, judge: Judge, settings: BotSettings) -> None:
        self._judge = judge
        self._settings = settings

    def mode(self, channel: str) -> AnswerMode:
        """Return who sees the answers in a channel."""
        return self._settings.answer_in(channel)

    def create(
        self, cause: Cause, judgment: Judgment, version: Version, text: str, texts: Texts
    ) -> Post:
        """Return the post that answers a cause.

        Parameters
        ----------
        cause
            Why the message was judged.
        judgment, version
            What it was found to be.
        text
            The message's text in mrkdwn, which a nudge quotes.
        texts
            In the language of those who read it.
        """
        wording = self._settings.wording
        asker = cause.user if isinstance(cause, Reaction) else ""
        if not judgment.is_verdict:
            return nothing_to_judge_post(judgment.outcome, wording, texts, asker)
        mode = self.mode(cause.channel)
        buttons = verdict_buttons(
            judgment,
            ts=cause.ts,
            edited=version.edited,
            model=self._judge.model,
            gestures=self._settings.subscription.gestures,
            texts=texts,
            to_author=mode is AnswerMode.NUDGE,
        )
        if mode is AnswerMode.NUDGE:
            quote = plain_text(text)
            return nudge_post(
                judgment,
                self._judge.threshold,
                wording,
                cause.ts,
                texts,
                quote=quote,
                buttons=buttons,
            )
        private = mode is AnswerMode.EPHEMERAL
        return verdict_post(
            judgment,
            self._judge.threshold,
            wording,
            texts,
            asked_by=asker,
            private=private,
            to_author=private and asker == version.author,
            reply=cause.ts if version.thread != cause.ts else None,
            edited=version.edited,
            buttons=buttons,
        )
