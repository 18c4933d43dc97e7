"""Urgent notes, without a text: threats, sexual harassment, and people who may need help.

They go to one channel, where people are mentioned if the settings name any, whatever else follows
from a message. A verdict leads to one, and so does a report; whichever comes first is the only one.
In the moderators' own channel, an urgent verdict is one of their notes, and a report is its case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from toxic_bot.judge.verdict import worst_first
from toxic_bot.slack.answers.answer_records import record_refusal
from toxic_bot.slack.answers.assessment import Judgment, Outcome, Version
from toxic_bot.slack.answers.assessments import Cause
from toxic_bot.slack.answers.posts import describe_kinds
from toxic_bot.slack.i18n.translation import texts_in
from toxic_bot.slack.moderators.notes import Notes, mentions
from toxic_bot.slack.moderators.single_notes import Noted, SingleNotes
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import count, logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.metadata import URGENT_TYPE
from toxic_bot.slack.web_api.remedies import SlackRefusedError


class UrgentNotes:
    """Tells people of messages that they have to see at once.

    Parameters
    ----------
    slack
        The workspace.
    single
        Prevents a second note.
    notes
        Those of the moderators.
    settings
        The channel, and who is mentioned.
    """

    def __init__(
        self, slack: SlackClient, single: SingleNotes, notes: Notes, settings: BotSettings
    ) -> None:
        self._slack = slack
        self._single = single
        self._notes = notes
        self._care = settings.care
        self._moderators = settings.moderation.channel
        self._texts = texts_in(settings.wording.language)

    def post(self, cause: Cause, version: Version, judgment: Judgment, deadline: float) -> None:
        """Post a note about a message, if it is urgent and has none yet.

        Parameters
        ----------
        cause
            Why the message was judged.
        version
            The version of the message that was judged.
        judgment
            What was found.
        deadline
            Unix seconds at which this invocation ends, and the claim lapses.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        """
        channel = cause.channel
        # Direct messages have a D: nobody else could open one.
        if not self._care.channel or not judgment.is_urgent or channel.startswith("D"):
            return
        judgment = replace(judgment, kinds=worst_first({*judgment.kinds, *judgment.urgent}))
        noted = Noted(channel, cause.ts, version.edited)

        def post() -> None:
            if judgment.toxic and self._care.channel == self._moderators:
                self._notes.post_urgent(cause, version, judgment, deadline)
            else:
                self._post(noted, lambda: self._linked(noted, judgment))

        self._tell(noted, post, deadline)

    def report(
        self,
        noted: Noted,
        create: Callable[[str], Post],
        open_case: Callable[[str], None],
        deadline: float,
    ) -> None:
        """Pass on that somebody has reported a message, and open the case of the report.

        Parameters
        ----------
        noted
            The version of the message that was reported.
        create
            Returns what is said where the case is not, with a line that mentions people.
        open_case
            Opens the case, with such a line or without; if it is open, it stays as it is.
        deadline
            Unix seconds at which this invocation ends, and the claim lapses.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        """
        mentioned = mentions(self._care, self._texts)
        if self._care.channel == self._moderators:
            self._tell(noted, lambda: open_case(mentioned), deadline)
        elif self._care.channel:
            self._tell(noted, lambda: self._post(noted, lambda: create(mentioned)), deadline)
        open_case("")

    def _tell(self, noted: Noted, post: Callable[[], None], deadline: float) -> None:
        if noted.channel == self._care.channel:
            return
        try:
            self._single.once("urgent", noted, post, deadline)
        except SlackRefusedError as error:
            # What else follows is not held up by a channel that is gone.
            record_refusal(error)

    def _post(self, noted: Noted, create: Callable[[], Post | None]) -> None:
        if self._single.post(self._care.channel, noted.metadata(URGENT_TYPE), create):
            count("UrgentNotePosted")
            logger.info("urgent note posted")

    def _linked(self, noted: Noted, judgment: Judgment) -> Post | None:
        link = self._slack.permalink(noted.channel, noted.message)
        return None if link is None else self._note(noted.channel, judgment, link)

    def _note(self, channel: str, judgment: Judgment, link: str) -> Post:
        words = self._texts["care"]
        toxic = describe_kinds(judgment.kinds, self._texts)
        if judgment.outcome is Outcome.SELF_HARM:
            line = words["in_need"].format(channel=channel)
            if judgment.kinds:
                line = f"{line} {words['also_reads'].format(toxic=toxic)}"
            sign = ":yellow_heart:"
        else:
            line = self._texts["moderators"]["note"].format(channel=channel, toxic=toxic)
            sign = ":rotating_light:"
        open_message = self._texts["moderators"]["open_message"]
        text = f"{sign} *{line}* <{link}|{open_message}>{mentions(self._care, self._texts)}"
        disclaimer = self._texts["verdict"]["disclaimer"]
        return Post(
            line,
            [
                {"type": "section", "text": {"type": "mrkdwn", "text": text}},
                {"type": "context", "elements": [{"type": "mrkdwn", "text": f"{disclaimer}."}]},
            ],
        )
