"""From a reaction to one verdict: look at the message, judge it, answer once.

Two claims keep the answer single. A *look* reads and judges a message; a reaction that
happened before a look is covered by it and costs Slack no call. An *answer* belongs to
one version of the message, so an edit is judged again and nothing else is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

from handler.claims import ANSWER_MEMORY, LOOK_MEMORY, AnswerKey, Claims, LookKey
from handler.classifier import Classifier
from handler.errors import SlackRefusedError, TryAgainError
from handler.events import Reaction
from handler.look import Judgement, Look, Version
from handler.message import Message, Post
from handler.normalization import normalize
from handler.settings import AnswerMode
from handler.slack import Slack
from handler.telemetry import count, logger, measure
from handler.text import plain_text
from handler.verdict import Outcome, nothing_post, nudge_post, verdict_post

PAUSES = (2.0, 8.0, 20.0, 30.0)
"""Seconds between one look at a message and the next; the last one repeats. Fifty people
who react within a minute cost four looks at most, and somebody who edits a message and
reacts again at once waits two seconds."""


class Answerer:
    """Answers reactions.

    Parameters
    ----------
    slack
        The workspace.
    classifier
        The judge.
    claims
        What keeps an answer single.
    mode
        To whom the verdict goes.
    clock
        Gives Unix seconds.
    """

    def __init__(
        self,
        slack: Slack,
        classifier: Classifier,
        claims: Claims,
        mode: AnswerMode,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._slack = slack
        self._classifier = classifier
        self._mode = mode
        self._clock = clock
        self._judges = ThreadPoolExecutor(thread_name_prefix="judge")
        self._look = claims.once(
            self._look_now,
            prefix="look",
            memory=LOOK_MEMORY,
            to_dict=asdict,
            from_dict=Look.from_dict,
        )
        self._answer = claims.once(
            self._answer_now,
            prefix="answer",
            memory=ANSWER_MEMORY,
            to_dict=lambda _: {},
            from_dict=lambda _: None,
        )

    def answer(self, reaction: Reaction, seconds_left: Callable[[], float]) -> None:
        """Give a reaction its verdict, unless it has it already.

        Parameters
        ----------
        reaction
            Who asks, and about which message.
        seconds_left
            Seconds left for waiting on Slack.

        Raises
        ------
        TryAgainError
            When the event should come back later. Nothing is half done then that a
            later try would do twice.
        """
        look = self._covering_look(reaction, seconds_left)
        if look.event_id == reaction.event_id:
            return
        count("ReactionCovered")
        logger.info("reaction covered by an earlier look", covered_by=look.event_id)
        if self._mode is AnswerMode.EPHEMERAL and look.judgement.outcome is not Outcome.REFUSED:
            self._answer_version(reaction, look.version, lambda: look.judgement, seconds_left)

    def _covering_look(self, reaction: Reaction, seconds_left: Callable[[], float]) -> Look:
        number = 0
        while True:
            key = LookKey(reaction.team, reaction.channel, reaction.ts, number)
            look = self._look(key=key, reaction=reaction, seconds_left=seconds_left)
            if look.event_id == reaction.event_id:
                return look
            if float(reaction.event_ts) <= look.covers_until:
                return look
            pause = look.covers_until + PAUSES[min(number, len(PAUSES) - 1)] - self._clock()
            if pause > 0:
                raise TryAgainError(
                    "the message was looked at just now", reason="cooldown", delay=pause
                )
            number += 1

    def _look_now(
        self,
        *,
        key: LookKey,  # noqa: ARG002 - the claim's, read by Powertools
        reaction: Reaction,
        seconds_left: Callable[[], float],
    ) -> Look:
        # Read before the fetch: an edit after this moment may not be seen.
        covers_until = max(self._clock(), float(reaction.event_ts))
        version = Version(thread=reaction.ts, edited="", author=reaction.author)
        try:
            message = self._slack.fetch(
                reaction.channel,
                reaction.ts,
                with_answer=self._mode is AnswerMode.THREAD,
                seconds_left=seconds_left,
            )
        except SlackRefusedError as error:
            _record_refusal(error)
            refused = Judgement(Outcome.REFUSED)
            return Look(reaction.event_id, covers_until, version, refused)
        if message is not None:
            version = Version(message.thread, message.edited, message.author, message.answered)
        # The model runs while the claim is made: a few milliseconds less to wait.
        judging = self._judges.submit(self._judge, message)
        self._answer_version(reaction, version, judging.result, seconds_left)
        return Look(reaction.event_id, covers_until, version, judging.result())

    def _judge(self, message: Message | None) -> Judgement:
        if message is None or message.deleted:
            return Judgement(Outcome.DELETED)
        if message.is_answer:
            return Judgement(Outcome.OWN_ANSWER)
        text = plain_text(message.text)
        if not normalize(text):
            return Judgement(Outcome.ONLY_FILES if message.has_files else Outcome.EMPTY)
        started = time.perf_counter()
        verdict = self._classifier.classify(text)
        measure("ClassifyMilliseconds", (time.perf_counter() - started) * 1e3)
        return Judgement(Outcome.TOXIC if verdict.toxic else Outcome.FINE, verdict.score)

    def _answer_version(
        self,
        reaction: Reaction,
        version: Version,
        judgement: Callable[[], Judgement],
        seconds_left: Callable[[], float],
    ) -> None:
        user = {
            AnswerMode.THREAD: None,
            AnswerMode.EPHEMERAL: reaction.user,
            AnswerMode.NUDGE: version.author,
        }[self._mode]
        key = AnswerKey(reaction.team, reaction.channel, reaction.ts, version.edited, user)
        # A version that was never edited was first looked at under the one claim of its first
        # look: where the thread tells whether that was answered, a second claim adds nothing.
        thread_tells = version.answered is not None and not version.edited
        answer = self._answer_now if thread_tells else self._answer
        try:
            answer(
                key=key,
                reaction=reaction,
                version=version,
                judgement=judgement,
                seconds_left=seconds_left,
            )
        except SlackRefusedError as error:
            _record_refusal(error)

    def _answer_now(
        self,
        *,
        key: AnswerKey,
        reaction: Reaction,
        version: Version,
        judgement: Callable[[], Judgement],
        seconds_left: Callable[[], float],
    ) -> None:
        judged = judgement()
        if version.answered:
            logger.info("this version has its answer in the thread")
            return
        if not self._is_for_somebody(judged, version):
            _record(judged, reaction, self._clock(), posted=False)
            return
        post = self._post(reaction, judged, version)
        user = reaction.user if judged.outcome is Outcome.DELETED else key.user
        if user is None:
            self._slack.post_in_thread(
                reaction.channel,
                reaction.ts,
                post,
                thread=version.thread,
                edited=version.edited,
                seconds_left=seconds_left,
            )
        else:
            thread = version.thread if version.thread != reaction.ts else None
            self._slack.post_to_one(
                reaction.channel, user, post, thread=thread, seconds_left=seconds_left
            )
        _record(judged, reaction, self._clock(), posted=True)

    def _is_for_somebody(self, judged: Judgement, version: Version) -> bool:
        if self._mode is AnswerMode.NUDGE:
            return judged.outcome is Outcome.TOXIC and version.author is not None
        return judged.outcome is not Outcome.OWN_ANSWER

    def _post(self, reaction: Reaction, judged: Judgement, version: Version) -> Post:
        if judged.outcome not in (Outcome.TOXIC, Outcome.FINE):
            return nothing_post(judged.outcome, reaction.user)
        if self._mode is AnswerMode.NUDGE:
            return nudge_post(judged.score)
        return verdict_post(
            toxic=judged.outcome is Outcome.TOXIC,
            score=judged.score,
            threshold=self._classifier.config.threshold,
            asked_by=reaction.user,
            reply=reaction.ts if version.thread != reaction.ts else None,
        )


def _record(judged: Judgement, reaction: Reaction, now: float, *, posted: bool) -> None:
    milliseconds = (now - float(reaction.event_ts)) * 1e3
    if judged.outcome not in (Outcome.TOXIC, Outcome.FINE):
        count("NothingToJudge", reason=judged.outcome)
    elif posted:
        count("VerdictPosted", verdict=judged.outcome)
        measure("AnswerMilliseconds", milliseconds)
    logger.info(
        "answered" if posted else "judged, and there is nobody to tell",
        verdict=judged.outcome.value,
        score=round(judged.score, 4),
        latency_ms=round(milliseconds),
    )


def _record_refusal(error: SlackRefusedError) -> None:
    count("SlackRefused", error=error.error)
    logger.error(str(error), slack_error=error.error)
