"""What moderators have done about a message from its case: to its author, or to the message."""

from __future__ import annotations

from toxic_bot.slack.answers.posts import plain_section
from toxic_bot.slack.cases.case import Case
from toxic_bot.slack.gestures.case_gestures import LETTERS, Step
from toxic_bot.slack.i18n.translation import texts_in
from toxic_bot.slack.settings import Wording
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.form_blocks import section
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.metadata import FLAG_TYPE
from toxic_bot.slack.web_api.mrkdwn import escape
from toxic_bot.slack.web_api.remedies import REMEDIES, SlackRefusedError


class CaseActions:
    """Acts on the author and the message of a case.

    Parameters
    ----------
    slack
        The workspace.
    locales
        Know the language of each person.
    wording
        What is added for those affected.
    """

    def __init__(self, slack: SlackClient, locales: Locales, wording: Wording) -> None:
        self._slack = slack
        self._locales = locales
        self._wording = wording

    def act(self, case: Case, step: Step, letter: str, key: str) -> None:
        """Do what a step asks for.

        Parameters
        ----------
        case
            The case.
        step
            What to do.
        letter
            What the author is told.
        key
            Identifies the gesture, so that a note in a thread is posted once.

        Raises
        ------
        OutcomeUnknownError
            When it may have been done.
        TryAgainError
            When it has not, and a later try may succeed.
        SlackRefusedError
            When Slack refuses it and would refuse a retry.
        """
        if step in LETTERS:
            self._write(case, letter)
        elif step is Step.FLAG:
            self._flag(case, key)
        elif step is Step.REMOVE:
            self._slack.delete(case.channel, case.ts)

    def _write(self, case: Case, letter: str) -> None:
        words = self._locales.texts(case.author)["case"]
        about = words["from_moderators"]
        if case.link:
            about = words["from_moderators_about"].format(link=case.link)
        context = {"type": "context", "elements": [{"type": "mrkdwn", "text": about}]}
        # Slack shows it to the author alone, in the app's Messages tab.
        self._slack.post_message(
            case.author, Post(escape(letter), [plain_section(letter), context])
        )

    def _flag(self, case: Case, key: str) -> None:
        message = self._slack.fetch(case.channel, case.ts, find_answer=False)
        if message is None or message.deleted:
            raise SlackRefusedError("message_not_found", REMEDIES["message_not_found"])
        metadata = {"event_type": FLAG_TYPE, "event_payload": {"case": case.id, "flag": key}}
        if self._slack.has_replied(case.channel, message.thread, metadata):
            return
        texts = texts_in(self._wording.language)
        text = texts["case"]["flagged"]
        if self._wording.code_of_conduct:
            affected = texts["verdict"]["affected"].format(url=self._wording.code_of_conduct)
            text = f"{text} {affected}"
        post = Post(text, [section(f":triangular_flag_on_post: {text}")])
        self._slack.post_message(case.channel, post, thread=message.thread, metadata=metadata)
