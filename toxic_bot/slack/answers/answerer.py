"""From a reaction to one verdict: assess the message, then answer it once.

Two kinds of claim prevent duplicate answers. An *assessment* reads and judges a message; it
covers every reaction that happened before it, and those cost no further Slack call. An
*answer* belongs to one version of the message, so only an edit leads to another answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from toxic_bot.slack.answers.answer_posts import AnswerPosts
from toxic_bot.slack.answers.answer_records import AnswerRecords, record_refusal
from toxic_bot.slack.answers.assessment import Assessment, Judgment, Outcome, Version
from toxic_bot.slack.answers.assessments import ANSWER_EXPIRY, Assessments, Cause
from toxic_bot.slack.answers.budgets import Admission
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.answers.followed_answers import Follow, FollowedAnswers
from toxic_bot.slack.answers.help_lines import HelpLines
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.verdict_counts import VerdictCounts
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.gestures.watched_messages import JudgedMessage
from toxic_bot.slack.i18n.translation import texts_in
from toxic_bot.slack.lookups import ASKED
from toxic_bot.slack.settings import AnswerMode, BotSettings
from toxic_bot.slack.telemetry import KeyedExecutor, count, logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.remedies import SlackRefusedError


class Answerer:
    """Answers reactions.

    Parameters
    ----------
    slack
        The workspace.
    judge
        Judges messages.
    claims
        Prevent duplicate answers.
    verdict_counts
        Count the verdicts.
    locales
        Know the language of those who are answered in private.
    settings
        How the bot behaves.
    follow
        Tells moderators, once the answer is there.
    clock
        Returns Unix seconds.
    chain
        Returns the chain of assessments that a channel's messages have here.

    Attributes
    ----------
    followed
        Lets answers in threads follow their messages.
    """

    def __init__(
        self,
        slack: SlackClient,
        judge: Judge,
        claims: Claims,
        verdict_counts: VerdictCounts,
        locales: Locales,
        settings: BotSettings,
        follow: Follow,
        clock: Callable[[], float] = time.time,
        chain: Callable[[str], str] = lambda _: ASKED,
    ) -> None:
        self._slack = slack
        self._judge = judge
        self._claims = claims
        self._locales = locales
        self._texts = texts_in(settings.wording.language)
        self._clock = clock
        self._follow = follow
        self._assessments = Assessments(claims, clock, chain)
        self._posts = AnswerPosts(judge, settings)
        self._records = AnswerRecords(verdict_counts, clock)
        self._help = HelpLines(slack, claims, locales, settings)
        self.followed = FollowedAnswers(
            slack,
            judge,
            self._assessments,
            self._posts,
            self._records,
            self._help,
            self._texts,
            follow,
            clock,
        )
        self._executor = KeyedExecutor(thread_name_prefix="judge")

    def answer(
        self, reaction: Reaction | JudgedMessage, deadline: float, admission: Admission
    ) -> None:
        """Give a reaction its verdict, unless it already has one.

        Parameters
        ----------
        reaction
            Who asks, and about which message; or which message of a watched channel is toxic.
        deadline
            Unix seconds at which this invocation ends, and the claims that it makes lapse.
        admission
            Whether the budgets allow it.

        Raises
        ------
        BudgetSpentError
            When they do not. Nothing has been posted, and no claim is left.
        TryAgainError
            When the reaction should be tried again later. Nothing is then half done that a
            later try would repeat.
        """
        assessment = self._assessments.covering(
            reaction, lambda: self._assess(reaction, deadline, admission), deadline
        )
        if assessment.event_id == reaction.event_id:
            return
        count("ReactionCovered")
        logger.info("reaction covered by an earlier assessment", covered_by=assessment.event_id)
        judgment = assessment.judgment
        if self._mode(reaction) is AnswerMode.EPHEMERAL and judgment.outcome is not Outcome.REFUSED:
            admission.confirm()
            self._answer_version(reaction, assessment.version, lambda: judgment, deadline)

    def _assess(
        self, reaction: Reaction | JudgedMessage, deadline: float, admission: Admission
    ) -> Assessment:
        # While Slack is read, which somebody waits for anyway.
        admission.begin()
        if self._mode(reaction) is AnswerMode.EPHEMERAL:
            self._locales.expect(reaction.user)
        # Taken before the fetch: an edit after this moment may go unseen.
        covers_until = max(self._clock(), float(reaction.event_ts))
        author = reaction.author if isinstance(reaction, Reaction) else reaction.user
        version = Version(thread=reaction.ts, edited="", author=author)
        try:
            message = self._slack.fetch(
                reaction.channel, reaction.ts, find_answer=self._mode(reaction) is AnswerMode.THREAD
            )
        except SlackRefusedError as error:
            record_refusal(error)
            return Assessment(reaction.event_id, covers_until, version, Judgment(Outcome.REFUSED))
        if message is not None:
            version = Version(message.thread, message.edited, message.author, message.answered)
        # The model runs while the claim is made, which saves a few milliseconds.
        judging = self._executor.submit(self._judge.message, message)
        admission.confirm()
        text = "" if message is None else message.text
        self._answer_version(reaction, version, judging.result, deadline, text)
        if message is not None and not message.deleted:
            if judging.result().outcome is Outcome.SELF_HARM:
                self.followed.withdraw(message.channel, message.earlier_answers)
            else:
                self.followed.mark_outdated(message, message.earlier_answers, deadline)
        self._follow(reaction, version, judging.result(), deadline)
        return Assessment(reaction.event_id, covers_until, version, judging.result())

    def _answer_version(
        self,
        reaction: Reaction | JudgedMessage,
        version: Version,
        judge: Callable[[], Judgment],
        deadline: float,
        text: str = "",
    ) -> None:
        user = {
            AnswerMode.THREAD: None,
            AnswerMode.EPHEMERAL: reaction.user,
            AnswerMode.NUDGE: version.author,
        }[self._mode(reaction)]
        answer = partial(self._answer, reaction, version, user, judge, text, deadline)
        try:
            # Only the first assessment of a message can answer a version that was never
            # edited. If the thread shows whether that has happened, a second claim adds nothing.
            if version.answered is not None and not version.edited:
                answer()
                return
            done = self._claims.once(
                f"answer#{reaction.channel}#{reaction.ts}#{version.edited}#{user or ''}",
                answer,
                deadline=deadline,
                expires_after=ANSWER_EXPIRY,
            )
        except SlackRefusedError as error:
            record_refusal(error)
            return
        if not done.by_us:
            logger.info("this version was already answered under another event")

    def _answer(
        self,
        reaction: Reaction | JudgedMessage,
        version: Version,
        user: str | None,
        judge: Callable[[], Judgment],
        text: str,
        deadline: float,
    ) -> dict[str, Any]:
        judgment = judge()
        if judgment.outcome is Outcome.SELF_HARM:
            self._help.offer(reaction, version, deadline)
            return {}
        if version.answered:
            logger.info("this version was already answered in the thread")
            return {}
        if not self._has_audience(reaction, judgment, version):
            self._records.record(judgment, reaction, posted=False)
            return {}
        if judgment.outcome is Outcome.DELETED:
            user = reaction.user
        texts = self._texts if user is None else self._locales.texts(user)
        post = self._posts.create(reaction, judgment, version, text, texts)
        # Counted while Slack takes the post, which somebody waits for.
        counting = self._executor.submit(self._records.count, reaction, judgment)
        if user is None:
            self._slack.post_in_thread(
                reaction.channel,
                reaction.ts,
                post,
                thread=version.thread,
                edited=version.edited,
            )
        else:
            thread = version.thread if version.thread != reaction.ts else None
            self._slack.post_privately(reaction.channel, user, post, thread=thread)
        counting.result()
        self._records.record(judgment, reaction, posted=True)
        return {}

    def _mode(self, cause: Cause) -> AnswerMode:
        return self._posts.mode(cause.channel)

    def _has_audience(self, reaction: Cause, judgment: Judgment, version: Version) -> bool:
        if isinstance(reaction, JudgedMessage) and not judgment.toxic:
            # It was edited or deleted meanwhile, and nobody has asked.
            return False
        if self._mode(reaction) is AnswerMode.NUDGE:
            return judgment.toxic and version.author is not None
        return judgment.outcome is not Outcome.OWN_ANSWER
