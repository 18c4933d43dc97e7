"""Answers that only the person who asked sees: to the shortcut, the command and the buttons."""

from __future__ import annotations

from collections.abc import Set

from toxic_bot.slack.answers.assessment import Outcome
from toxic_bot.slack.answers.buttons import verdict_buttons
from toxic_bot.slack.answers.help_lines import asker_post, own_text_post
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.posts import nothing_to_judge_post, verdict_post
from toxic_bot.slack.answers.reasons import command_post, drove_blocks, why_post
from toxic_bot.slack.answers.votes import Votes
from toxic_bot.slack.channels.settings_posts import exempt_post
from toxic_bot.slack.gestures.clicks import Action, Click
from toxic_bot.slack.gestures.private_requests import Command, Shortcut
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.requests.interactions import COMMAND
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import count, logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.message import Message, Post
from toxic_bot.slack.web_api.mrkdwn import plain_text
from toxic_bot.slack.web_api.remedies import OUT_OF_REACH, SlackRefusedError


class PrivateAnswers:
    """Answers gestures at their response URLs.

    Parameters
    ----------
    slack
        The workspace.
    judge
        Judges.
    votes
        Keeps what people think of verdicts.
    locales
        Know the language of each person.
    settings
        How the bot behaves.
    exempt
        IDs of the people whose messages are not judged.
    """

    def __init__(
        self,
        slack: SlackClient,
        judge: Judge,
        votes: Votes,
        locales: Locales,
        settings: BotSettings,
        exempt: Set[str] = frozenset(),
    ) -> None:
        self._slack = slack
        self._judge = judge
        self._votes = votes
        self._locales = locales
        self._wording = settings.wording
        self._care = settings.care
        self._gestures = settings.subscription.gestures
        self._exempt = exempt

    def answer_shortcut(self, shortcut: Shortcut) -> None:
        """Show the verdict on a message."""
        self._locales.expect(shortcut.user)
        try:
            message = self._slack.fetch(shortcut.channel, shortcut.ts, find_answer=False)
        except SlackRefusedError as error:
            if error.error not in OUT_OF_REACH:
                count("SlackRefused", error=error.error)
                logger.warning(str(error), slack_error=error.error)
            logger.info("judged the text that came with the gesture", slack_error=error.error)
            post = self._post_on_sent_text(shortcut)
        else:
            post = self._post_on_message(shortcut, message)
        self._slack.respond(shortcut.response_url, post, thread=shortcut.thread)

    def answer_command(self, command: Command) -> None:
        """Show the verdict on a text that has not been posted, with the words that drove it."""
        self._locales.expect(command.user)
        text = plain_text(command.text)
        judgment, explanation = self._judge.explained_text(text)
        texts = self._locales.texts(command.user)
        if judgment.outcome is Outcome.SELF_HARM:
            post = own_text_post(self._care, texts)
        else:
            on_lists = self._judge.on_lists(text)
            post = command_post(judgment, explanation, self._judge.threshold, texts, on_lists)
        self._slack.respond(command.response_url, post)

    def answer_click(self, click: Click) -> None:
        """Show the reasons for a verdict, or keep a vote."""
        self._locales.expect(click.user)
        if click.action is Action.WHY:
            post = self._why_post(click)
        else:
            self._votes.cast(click)
            words = self._locales.texts(click.user)["reasons"]
            is_right = click.action is Action.RIGHT
            post = _sentence(words["thanks_right" if is_right else "thanks_wrong"])
        self._slack.respond(click.response_url, post, thread=click.thread)

    def _post_on_message(self, shortcut: Shortcut, message: Message | None) -> Post:
        if message is not None and message.author in self._exempt:
            return exempt_post(self._locales.texts(shortcut.user))
        judgment = self._judge.message(message)
        texts = self._locales.texts(shortcut.user)
        if judgment.outcome is Outcome.SELF_HARM:
            author = None if message is None else message.author
            return self._care_post(texts, is_author=author == shortcut.user)
        if message is None or not judgment.is_verdict:
            return nothing_to_judge_post(judgment.outcome, self._wording, texts)
        return verdict_post(
            judgment,
            self._judge.threshold,
            self._wording,
            texts,
            private=True,
            to_author=message.author == shortcut.user,
            edited=message.edited,
            quote=plain_text(message.text),
            link=self._link(shortcut),
            buttons=verdict_buttons(
                judgment,
                ts=shortcut.ts,
                edited=message.edited,
                model=self._judge.model,
                gestures=self._gestures,
                texts=texts,
            ),
        )

    def _post_on_sent_text(self, shortcut: Shortcut) -> Post:
        """Judge a message that only the asker can read, which no button could explain later."""
        texts = self._locales.texts(shortcut.user)
        if shortcut.author in self._exempt:
            return exempt_post(texts)
        text = plain_text(shortcut.text)
        judgment, explanation = self._judge.explained_text(text)
        if judgment.outcome is Outcome.SELF_HARM:
            return self._care_post(texts, is_author=shortcut.author == shortcut.user)
        if not judgment.is_verdict:
            return nothing_to_judge_post(judgment.outcome, self._wording, texts)
        post = verdict_post(
            judgment,
            self._judge.threshold,
            self._wording,
            texts,
            private=True,
            to_author=shortcut.author == shortcut.user,
            quote=text,
            link=self._link(shortcut),
        )
        drove = drove_blocks(explanation, texts, self._judge.on_lists(text))
        return Post(post.text, [*post.blocks, *drove])

    def _care_post(self, texts: Texts, *, is_author: bool) -> Post:
        # Who asks in private has told nobody else, and neither does the bot.
        return own_text_post(self._care, texts) if is_author else asker_post(texts)

    def _link(self, shortcut: Shortcut) -> str:
        """Return the message's URL; an answer without it is better than none."""
        try:
            return self._slack.permalink(shortcut.channel, shortcut.ts) or ""
        except (SlackRefusedError, TryAgainError):
            return ""

    def _why_post(self, click: Click) -> Post:
        try:
            message = self._slack.fetch(click.channel, click.subject.ts, find_answer=False)
        except SlackRefusedError as error:
            count("SlackRefused", error=error.error)
            logger.warning(str(error), slack_error=error.error)
            return _not_readable(self._locales.texts(click.user))
        texts = self._locales.texts(click.user)
        if message is None or message.deleted:
            return nothing_to_judge_post(Outcome.DELETED, self._wording, texts)
        if message.author in self._exempt:
            return exempt_post(texts)
        text = plain_text(message.text)
        if self._judge.is_about_self_harm(text):
            return self._care_post(texts, is_author=message.author == click.user)
        explanation = self._judge.explain(text)
        edited_since = message.edited != click.subject.edited
        return why_post(explanation, self._judge.on_lists(text), texts, edited_since=edited_since)


def _not_readable(texts: Texts) -> Post:
    return _sentence(texts["reasons"]["not_readable"].format(command=COMMAND))


def _sentence(text: str) -> Post:
    return Post(text, [{"type": "section", "text": {"type": "mrkdwn", "text": text}}])
