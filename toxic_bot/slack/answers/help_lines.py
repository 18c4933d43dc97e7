"""Help lines for people who write of harming themselves: in private, and without a verdict.

The author is shown them once for each message. Who has asked about it is told, in private too, that
it is not judged. Nobody else in the channel sees anything.
"""

from __future__ import annotations

from toxic_bot.slack.answers.answer_records import record_refusal
from toxic_bot.slack.answers.assessment import Version
from toxic_bot.slack.answers.assessments import ANSWER_EXPIRY, Cause
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.settings import BotSettings, Care
from toxic_bot.slack.telemetry import count
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.remedies import SlackRefusedError


class HelpLines:
    """Shows help lines.

    Parameters
    ----------
    slack
        The workspace.
    claims
        Prevent a second post.
    locales
        Know the language of each person.
    settings
        What is shown, and who is told.
    """

    def __init__(
        self, slack: SlackClient, claims: Claims, locales: Locales, settings: BotSettings
    ) -> None:
        self._slack = slack
        self._claims = claims
        self._locales = locales
        self._care = settings.care

    def offer(self, cause: Cause, version: Version, deadline: float) -> None:
        """Show help lines to the author of a message, and say to the asker that it is not judged.

        Parameters
        ----------
        cause
            Why the message was looked at.
        version
            Its version.
        deadline
            Unix seconds at which this invocation ends, and the claims lapse.

        Raises
        ------
        TryAgainError
            When it should be tried again later; what was shown is not shown again.
        """
        author = version.author
        if author:
            self._show(cause, version, author, deadline, is_author=True)
        if isinstance(cause, Reaction) and cause.user != author:
            self._show(cause, version, cause.user, deadline, is_author=False)

    def _show(
        self, cause: Cause, version: Version, user: str, deadline: float, *, is_author: bool
    ) -> None:
        thread = version.thread if version.thread != cause.ts else None

        def show() -> dict[str, object]:
            texts = self._locales.texts(user)
            post = help_post(self._care, texts) if is_author else asker_post(texts)
            try:
                self._slack.post_privately(cause.channel, user, post, thread=thread)
            except SlackRefusedError as error:
                record_refusal(error)
            else:
                # No log line: the log names messages.
                count("HelpOffered")
            return {}

        self._claims.once(
            # Of the message, not of its version: to word it differently is no new cry for help.
            f"help#{cause.channel}#{cause.ts}#{user}",
            show,
            deadline=deadline,
            expires_after=ANSWER_EXPIRY,
        )


def help_post(care: Care, texts: Texts) -> Post:
    """Return what somebody is shown who may need help.

    Parameters
    ----------
    care
        The text, if it is not the bot's own, and whether somebody is told.
    texts
        In the language of that person.
    """
    words = texts["care"]
    lines = care.help_text or words["help"]
    # Nobody is to learn later that others knew.
    seen = words["told"] if care.channel else texts["verdict"]["only_you"]
    return Post(words["summary"], [_section(f":yellow_heart: {lines}"), _context(f"{seen}.")])


def own_text_post(care: Care, texts: Texts) -> Post:
    """Return the same for a text that nobody else has seen, and nobody is told of."""
    lines = care.help_text or texts["care"]["help"]
    only_you = texts["verdict"]["only_you"]
    return Post(
        texts["care"]["summary"], [_section(f":yellow_heart: {lines}"), _context(f"{only_you}.")]
    )


def asker_post(texts: Texts) -> Post:
    """Return what somebody is told who has asked about the message of a person in need."""
    line = texts["care"]["asker"]
    only_you = texts["verdict"]["only_you"]
    return Post(line, [_section(f":yellow_heart: {line}"), _context(f"{only_you}.")])


def _section(mrkdwn: str) -> dict[str, object]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": mrkdwn}}


def _context(mrkdwn: str) -> dict[str, object]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": mrkdwn}]}
