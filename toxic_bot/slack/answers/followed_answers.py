"""Answers in the thread follow their message.

One is replaced when the message is edited, and deleted when the message is. Both are assessments
too, so they never meet an answer half done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from toxic_bot.slack.answers.answer_posts import AnswerPosts
from toxic_bot.slack.answers.answer_records import AnswerRecords, record_refusal
from toxic_bot.slack.answers.assessment import Assessment, Judgment, Outcome, Version
from toxic_bot.slack.answers.assessments import Assessments, Cause
from toxic_bot.slack.answers.budgets import Admission
from toxic_bot.slack.answers.claims import CLOSE_MARGIN
from toxic_bot.slack.answers.help_lines import HelpLines
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.posts import outdated_post
from toxic_bot.slack.gestures.event_gestures import Deletion, Edit
from toxic_bot.slack.gestures.watched_messages import JudgedMessage
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import AnswerMode
from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.web_api.calls import TIMEOUT
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.message import EarlierAnswer, Message
from toxic_bot.slack.web_api.remedies import SlackRefusedError

Follow = Callable[[Cause, Version, Judgment, float], None]
"""What is done once a message has its answer, until a deadline in Unix seconds."""


class FollowedAnswers:
    """Replaces and deletes answers in threads.

    Parameters
    ----------
    slack
        The workspace.
    judge
        Judges messages.
    assessments
        Prevent duplicate answers.
    posts
        Create the answers.
    records
        Count the verdicts.
    help_lines
        Are shown to people who may need help.
    texts
        In the language of everybody.
    follow
        Tells moderators, once the answer is there.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        slack: SlackClient,
        judge: Judge,
        assessments: Assessments,
        posts: AnswerPosts,
        records: AnswerRecords,
        help_lines: HelpLines,
        texts: Texts,
        follow: Follow,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._slack = slack
        self._judge = judge
        self._assessments = assessments
        self._posts = posts
        self._records = records
        self._help = help_lines
        self._texts = texts
        self._follow = follow
        self._clock = clock

    def judge_again(
        self, edit: Edit | JudgedMessage, deadline: float, admission: Admission
    ) -> None:
        """Judge a message again that has its answer in the thread, and replace that answer.

        Parameters
        ----------
        edit
            Which message was edited.
        deadline
            Unix seconds at which this invocation ends, and the claims that it makes lapse.
        admission
            Whether the budgets allow it.

        Raises
        ------
        BudgetSpentError
            When they do not.
        TryAgainError
            When it should be tried again later.
        """
        if self._posts.mode(edit.channel) is not AnswerMode.THREAD:
            logger.info("not judged again: the answers here are private")
            return
        assessment = self._assessments.covering(
            edit, lambda: self._reassess(edit, deadline, admission), deadline
        )
        if assessment.event_id != edit.event_id:
            logger.info("edit covered by an assessment", covered_by=assessment.event_id)

    def take_back(self, deletion: Deletion, deadline: float) -> None:
        """Delete what was answered in the thread about a message that is deleted.

        Parameters
        ----------
        deletion
            Which message was deleted.
        deadline
            Unix seconds at which this invocation ends, and the claims that it makes lapse.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        """
        self._assessments.after_all(deletion, lambda: self._delete_answers(deletion), deadline)

    def mark_outdated(
        self, message: Message, answers: Sequence[EarlierAnswer], deadline: float
    ) -> None:
        """Let answers to earlier versions say so; the next assessment does what fails here.

        Only the verdict is worth a retry: it has been posted, and stays so.
        """
        for answer in answers:
            if deadline - self._clock() < TIMEOUT + CLOSE_MARGIN:
                logger.warning("an earlier answer was not marked as outdated: no time was left")
                return
            post = outdated_post(answer.text, message.edited, self._texts)
            try:
                self._slack.mark_outdated(message.channel, message.ts, answer, post)
            except SlackRefusedError as error:
                record_refusal(error)
            except TryAgainError as error:
                logger.warning("an earlier answer was not marked as outdated", reason=error.reason)
            else:
                logger.info("an earlier answer was marked as outdated")

    def _reassess(
        self, edit: Edit | JudgedMessage, deadline: float, admission: Admission
    ) -> Assessment:
        admission.begin()
        covers_until = max(self._clock(), float(edit.event_ts))
        version = Version(thread=edit.ts, edited="", author=edit.user)
        try:
            message = self._slack.fetch(edit.channel, edit.ts, find_answer=True)
        except SlackRefusedError as error:
            record_refusal(error)
            return Assessment(edit.event_id, 0.0, version, Judgment(Outcome.REFUSED))
        if message is None or message.deleted:
            return Assessment(edit.event_id, 0.0, version, Judgment(Outcome.DELETED))
        version = Version(message.thread, message.edited, message.author, message.answered)
        if not message.earlier_answers:
            # Whoever reacts is still to be answered.
            logger.info("not judged again: no answer in the thread is about an earlier version")
            return Assessment(edit.event_id, 0.0, version, Judgment(Outcome.REFUSED))
        judgment = self._judge.message(message)
        admission.confirm()
        if judgment.outcome is Outcome.SELF_HARM:
            self.withdraw(edit.channel, message.earlier_answers)
            self._help.offer(edit, version, deadline)
            self._follow(edit, version, judgment, deadline)
            return Assessment(edit.event_id, covers_until, version, judgment)
        outdated = message.earlier_answers
        if not message.answered:
            *outdated_first, latest = message.earlier_answers
            outdated = tuple(outdated_first)
            self._replace(edit, latest, judgment, version)
        self.mark_outdated(message, outdated, deadline)
        self._follow(edit, version, judgment, deadline)
        return Assessment(edit.event_id, covers_until, version, judgment)

    def _replace(
        self,
        edit: Edit | JudgedMessage,
        answer: EarlierAnswer,
        judgment: Judgment,
        version: Version,
    ) -> None:
        post = self._posts.create(edit, judgment, version, "", self._texts)
        try:
            self._slack.replace_answer(edit.channel, edit.ts, answer, post, edited=version.edited)
        except SlackRefusedError as error:
            record_refusal(error)
            return
        self._records.count(edit, judgment)
        self._records.record(judgment, edit, posted=True)

    def withdraw(self, channel: str, answers: Sequence[EarlierAnswer]) -> None:
        """Delete public answers to a message whose author may need help by now.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        """
        try:
            for answer in answers:
                self._slack.delete(channel, answer.ts)
        except SlackRefusedError as error:
            record_refusal(error)

    def _delete_answers(self, deletion: Deletion) -> Assessment:
        channel, ts = deletion.channel, deletion.ts
        version = Version(thread=deletion.thread, edited="", author=deletion.user)
        try:
            answers = self._slack.answers_about(channel, ts, deletion.thread)
            for answer in answers:
                self._slack.delete(channel, answer)
        except SlackRefusedError as error:
            record_refusal(error)
        else:
            logger.info("the answers to a deleted message were taken back", answers=len(answers))
        return Assessment(deletion.event_id, 0.0, version, Judgment(Outcome.DELETED))
