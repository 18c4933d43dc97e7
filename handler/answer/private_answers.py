"""Answers that only the person who asked sees: to the shortcut, the command and the buttons."""

from __future__ import annotations

from collections.abc import Set

from handler.answer.assessment import Judgment, Outcome
from handler.answer.buttons import verdict_buttons
from handler.answer.judging import Judge
from handler.answer.posts import nothing_to_judge_post, verdict_post
from handler.answer.reasons import command_post, why_post
from handler.answer.votes import Votes
from handler.channels.settings_posts import exempt_post
from handler.settings import BotSettings
from handler.slack.client import SlackClient
from handler.slack.gestures import Action, Click, Command, Shortcut
from handler.slack.message import Message, Post
from handler.slack.mrkdwn import plain_text
from handler.slack.remedies import SlackRefusedError
from handler.telemetry import count, logger

_NOT_READABLE = (
    "I cannot read this message, because I am not in this channel. Invite me, or type `/toxic` "
    "and the text."
)
_THANKS = {
    Action.RIGHT: "Thanks. You called this verdict right.",
    Action.WRONG: "Thanks. You called this verdict wrong.",
}


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
        settings: BotSettings,
        exempt: Set[str] = frozenset(),
    ) -> None:
        self._slack = slack
        self._judge = judge
        self._votes = votes
        self._wording = settings.wording
        self._gestures = settings.subscription.gestures
        self._exempt = exempt

    def answer_shortcut(self, shortcut: Shortcut) -> None:
        """Show the verdict on a message."""
        try:
            message = self._slack.fetch(shortcut.channel, shortcut.ts, find_answer=False)
        except SlackRefusedError as error:
            count("SlackRefused", error=error.error)
            logger.warning(str(error), slack_error=error.error)
            post = _sentence(_NOT_READABLE)
        else:
            if message is not None and message.author in self._exempt:
                post = exempt_post()
            else:
                judgment = self._judge.message(message)
                post = self._verdict_post(judgment, shortcut, message)
        self._slack.respond(shortcut.response_url, post, thread=shortcut.thread)

    def answer_command(self, command: Command) -> None:
        """Show the verdict on a text that has not been posted, with the words that drove it."""
        text = plain_text(command.text)
        judgment = self._judge.text(text)
        judged = judgment.outcome in (Outcome.TOXIC, Outcome.FINE)
        explanation = self._judge.explain(text) if judged else None
        post = command_post(judgment, explanation, self._judge.threshold)
        self._slack.respond(command.response_url, post)

    def answer_click(self, click: Click) -> None:
        """Show the reasons for a verdict, or keep a vote."""
        if click.action is Action.WHY:
            post = self._why_post(click)
        else:
            self._votes.cast(click)
            post = _sentence(f"{_THANKS[click.action]} Your vote is kept, but no text.")
        self._slack.respond(click.response_url, post, thread=click.thread)

    def _verdict_post(
        self, judgment: Judgment, shortcut: Shortcut, message: Message | None
    ) -> Post:
        if message is None or judgment.outcome not in (Outcome.TOXIC, Outcome.FINE):
            return nothing_to_judge_post(judgment.outcome, self._wording)
        return verdict_post(
            judgment,
            self._judge.threshold,
            self._wording,
            private=True,
            to_author=message.author == shortcut.user,
            edited=message.edited,
            buttons=verdict_buttons(
                judgment,
                ts=shortcut.ts,
                edited=message.edited,
                model=self._judge.model,
                gestures=self._gestures,
            ),
        )

    def _why_post(self, click: Click) -> Post:
        try:
            message = self._slack.fetch(click.channel, click.subject.ts, find_answer=False)
        except SlackRefusedError as error:
            count("SlackRefused", error=error.error)
            logger.warning(str(error), slack_error=error.error)
            return _sentence(_NOT_READABLE)
        if message is None or message.deleted:
            return nothing_to_judge_post(Outcome.DELETED, self._wording)
        if message.author in self._exempt:
            return exempt_post()
        explanation = self._judge.explain(plain_text(message.text))
        return why_post(explanation, edited_since=message.edited != click.subject.edited)


def _sentence(text: str) -> Post:
    return Post(text, [{"type": "section", "text": {"type": "mrkdwn", "text": text}}])
