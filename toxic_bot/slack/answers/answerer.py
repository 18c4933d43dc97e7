"""From a reaction to one verdict: assess the message, then answer it once.

Two kinds of claim prevent duplicate answers. An *assessment* reads and judges a message; it
covers every reaction that happened before it, and those cost no further Slack call. An
*answer* belongs to one version of the message, so only an edit leads to another answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from toxic_bot.slack.answers.assessment import Assessment, Judgment, Outcome, Version
from toxic_bot.slack.answers.budgets import Admission
from toxic_bot.slack.answers.buttons import verdict_buttons
from toxic_bot.slack.answers.claims import CLOSE_MARGIN, Claims
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.posts import (
    nothing_to_judge_post,
    nudge_post,
    outdated_post,
    verdict_post,
)
from toxic_bot.slack.answers.verdict_counts import VerdictCounts
from toxic_bot.slack.gestures import Reaction
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.i18n.translation import texts_in
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import AnswerMode, BotSettings
from toxic_bot.slack.telemetry import KeyedExecutor, count, logger, measure
from toxic_bot.slack.web_api.calls import TIMEOUT
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.message import Message, Post
from toxic_bot.slack.web_api.mrkdwn import plain_text
from toxic_bot.slack.web_api.remedies import SlackRefusedError

ASSESSMENT_EXPIRY = 15 * 60
"""Seconds for which an assessment is kept; Slack's last retry comes after five minutes."""

ANSWER_EXPIRY = 7 * 24 * 3600
"""Seconds for which a version of a message counts as answered."""

COOLDOWNS = (2.0, 8.0, 20.0, 30.0)
"""Seconds between one assessment of a message and the next; the last value repeats. Fifty
people who react within a minute cause at most four assessments, and somebody who edits a
message and reacts again right away waits two seconds."""

Follow = Callable[[Reaction, Version, Judgment, float], None]
"""What is done once a message has its answer, until a deadline in Unix seconds."""


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
    ) -> None:
        self._slack = slack
        self._judge = judge
        self._claims = claims
        self._verdict_counts = verdict_counts
        self._locales = locales
        self._settings = settings
        self._texts = texts_in(settings.wording.language)
        self._clock = clock
        self._follow = follow
        self._executor = KeyedExecutor(thread_name_prefix="judge")

    def answer(self, reaction: Reaction, deadline: float, admission: Admission) -> None:
        """Give a reaction its verdict, unless it already has one.

        Parameters
        ----------
        reaction
            Who asks, and about which message.
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
        assessment = self._covering_assessment(reaction, deadline, admission)
        if assessment.event_id == reaction.event_id:
            return
        count("ReactionCovered")
        logger.info("reaction covered by an earlier assessment", covered_by=assessment.event_id)
        judgment = assessment.judgment
        if self._mode(reaction) is AnswerMode.EPHEMERAL and judgment.outcome is not Outcome.REFUSED:
            admission.confirm()
            self._answer_version(reaction, assessment.version, lambda: judgment, deadline)

    def _covering_assessment(
        self, reaction: Reaction, deadline: float, admission: Admission
    ) -> Assessment:
        number = 0
        while True:
            # Not the workspace: a shared channel's events come from several.
            done = self._claims.once(
                f"assessment#{reaction.channel}#{reaction.ts}#{number}",
                lambda: asdict(self._assess(reaction, deadline, admission)),
                deadline=deadline,
                expires_after=ASSESSMENT_EXPIRY,
            )
            assessment = Assessment.from_dict(done.result)
            if assessment.event_id == reaction.event_id:
                if not done.by_us:
                    logger.info("this event was already answered")
                return assessment
            if float(reaction.event_ts) <= assessment.covers_until:
                return assessment
            cooldown = COOLDOWNS[min(number, len(COOLDOWNS) - 1)]
            wait = assessment.covers_until + cooldown - self._clock()
            if wait > 0:
                raise TryAgainError(
                    "the message was assessed just now", reason="cooldown", delay=wait
                )
            number += 1

    def _assess(self, reaction: Reaction, deadline: float, admission: Admission) -> Assessment:
        # While Slack is read, which somebody waits for anyway.
        admission.begin()
        if self._mode(reaction) is AnswerMode.EPHEMERAL:
            self._locales.expect(reaction.user)
        # Taken before the fetch: an edit after this moment may go unseen.
        covers_until = max(self._clock(), float(reaction.event_ts))
        version = Version(thread=reaction.ts, edited="", author=reaction.author)
        try:
            message = self._slack.fetch(
                reaction.channel, reaction.ts, find_answer=self._mode(reaction) is AnswerMode.THREAD
            )
        except SlackRefusedError as error:
            _record_refusal(error)
            return Assessment(reaction.event_id, covers_until, version, Judgment(Outcome.REFUSED))
        if message is not None:
            version = Version(message.thread, message.edited, message.author, message.answered)
        # The model runs while the claim is made, which saves a few milliseconds.
        judging = self._executor.submit(self._judge.message, message)
        admission.confirm()
        text = "" if message is None else message.text
        self._answer_version(reaction, version, judging.result, deadline, text)
        if message is not None and not message.deleted:
            self._mark_outdated(message, deadline)
        self._follow(reaction, version, judging.result(), deadline)
        return Assessment(reaction.event_id, covers_until, version, judging.result())

    def _mark_outdated(self, message: Message, deadline: float) -> None:
        """Let the answers to earlier versions say so; the next assessment does what fails here.

        Only the verdict is worth a retry: it has been posted, and stays so.
        """
        for answer in message.earlier_answers:
            if deadline - self._clock() < TIMEOUT + CLOSE_MARGIN:
                logger.warning("an earlier answer was not marked as outdated: no time was left")
                return
            post = outdated_post(answer.text, message.edited, self._texts)
            try:
                self._slack.mark_outdated(message.channel, message.ts, answer, post)
            except SlackRefusedError as error:
                _record_refusal(error)
            except TryAgainError as error:
                logger.warning("an earlier answer was not marked as outdated", reason=error.reason)
            else:
                logger.info("an earlier answer was marked as outdated")

    def _answer_version(
        self,
        reaction: Reaction,
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
        answer = partial(self._answer, reaction, version, user, judge, text)
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
            _record_refusal(error)
            return
        if not done.by_us:
            logger.info("this version was already answered under another event")

    def _answer(
        self,
        reaction: Reaction,
        version: Version,
        user: str | None,
        judge: Callable[[], Judgment],
        text: str,
    ) -> dict[str, Any]:
        judgment = judge()
        if version.answered:
            logger.info("this version was already answered in the thread")
            return {}
        if not self._has_audience(reaction, judgment, version):
            _record(judgment, reaction, self._clock(), posted=False)
            return {}
        if judgment.outcome is Outcome.DELETED:
            user = reaction.user
        texts = self._texts if user is None else self._locales.texts(user)
        post = self._create_post(reaction, judgment, version, text, texts)
        # Counted while Slack takes the post, which somebody waits for.
        counting = self._executor.submit(self._count, reaction, judgment)
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
        _record(judgment, reaction, self._clock(), posted=True)
        return {}

    def _count(self, reaction: Reaction, judgment: Judgment) -> None:
        if judgment.is_verdict:
            self._verdict_counts.add(
                reaction.team,
                reaction.channel,
                judgment.outcome.value,
                judgment.kinds,
                self._clock(),
            )

    def _mode(self, reaction: Reaction) -> AnswerMode:
        return self._settings.answer_in(reaction.channel)

    def _has_audience(self, reaction: Reaction, judgment: Judgment, version: Version) -> bool:
        if self._mode(reaction) is AnswerMode.NUDGE:
            return judgment.toxic and version.author is not None
        return judgment.outcome is not Outcome.OWN_ANSWER

    def _create_post(
        self, reaction: Reaction, judgment: Judgment, version: Version, text: str, texts: Texts
    ) -> Post:
        wording = self._settings.wording
        if not judgment.is_verdict:
            return nothing_to_judge_post(judgment.outcome, wording, texts, reaction.user)
        mode = self._mode(reaction)
        buttons = verdict_buttons(
            judgment,
            ts=reaction.ts,
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
                reaction.ts,
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
            asked_by=reaction.user,
            private=private,
            to_author=private and reaction.user == version.author,
            reply=reaction.ts if version.thread != reaction.ts else None,
            edited=version.edited,
            buttons=buttons,
        )


def _record(judgment: Judgment, reaction: Reaction, now: float, *, posted: bool) -> None:
    milliseconds = (now - float(reaction.event_ts)) * 1e3
    if not judgment.is_verdict:
        count("NothingToJudge", reason=judgment.outcome)
    elif posted:
        count("VerdictPosted", verdict=judgment.outcome)
        measure("AnswerMilliseconds", milliseconds)
    logger.info(
        "answered" if posted else "judged without an answer",
        verdict=judgment.outcome.value,
        score=round(judgment.score, 4),
        kinds=list(judgment.kinds),
        latency_ms=round(milliseconds),
    )


def _record_refusal(error: SlackRefusedError) -> None:
    count("SlackRefused", error=error.error)
    logger.error(str(error), slack_error=error.error)
