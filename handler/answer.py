"""From a reaction to one verdict: look at the message, judge it, answer once.

Two claims keep the answer single. A *look* reads and judges a message; a reaction that
happened before a look is covered by it and costs Slack no call. An *answer* belongs to
one version of the message, so an edit is judged again and nothing else is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from handler.claims import ANSWER_MEMORY, LOOK_MEMORY, AnswerKey, Claims, LookKey
from handler.classifier import Classifier
from handler.errors import SlackRefusedError, TryAgainError
from handler.events import Reaction
from handler.normalization import normalize
from handler.settings import AnswerMode
from handler.slack import Message, Post, Slack
from handler.telemetry import count, logger, measure
from handler.text import plain_text
from handler.verdict import Outcome, nothing_post, nudge_post, verdict_post

PAUSES = (2.0, 8.0, 20.0, 30.0)
"""Seconds between one look at a message and the next; the last one repeats. Fifty people
who react within a minute cost four looks at most, and somebody who edits a message and
reacts again at once waits two seconds."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a look at a message found. It holds no text.

    Parameters
    ----------
    event_id
        The reaction it was made for.
    covers_until
        Unix seconds; a reaction up to here is covered.
    thread, edited, author
        Of the message, as it stood then; empty or None if it is gone.
    outcome
        What it came to.
    score
        Probability of toxic, 0 to 1, where there was something to judge.
    """

    event_id: str
    covers_until: float
    thread: str
    edited: str
    author: str | None
    outcome: Outcome
    score: float

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Look:
        """Read what ``asdict`` made of a look."""
        return cls(**{**raw, "outcome": Outcome(raw["outcome"])})


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
        if self._mode is AnswerMode.EPHEMERAL:
            self._answer_or_record(reaction, look, None, seconds_left)

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
        message: Message | None = None
        outcome, score = Outcome.DELETED, 0.0
        try:
            message = self._slack.fetch(
                reaction.channel,
                reaction.ts,
                with_answer=self._mode is AnswerMode.THREAD,
                seconds_left=seconds_left,
            )
            if message is not None:
                outcome, score = self._judge(message)
        except SlackRefusedError as error:
            outcome = Outcome.REFUSED
            _record_refusal(error)
        look = Look(
            event_id=reaction.event_id,
            covers_until=covers_until,
            thread=message.thread if message else "",
            edited=message.edited if message else "",
            author=message.author if message else reaction.author,
            outcome=outcome,
            score=score,
        )
        self._answer_or_record(reaction, look, message, seconds_left)
        return look

    def _judge(self, message: Message) -> tuple[Outcome, float]:
        if message.is_answer:
            return Outcome.OWN_ANSWER, 0.0
        if message.deleted:
            return Outcome.DELETED, 0.0
        text = plain_text(message.text)
        if not normalize(text):
            return (Outcome.ONLY_FILES if message.has_files else Outcome.EMPTY), 0.0
        started = time.perf_counter()
        verdict = self._classifier.classify(text)
        measure("ClassifyMilliseconds", (time.perf_counter() - started) * 1e3)
        return (Outcome.TOXIC if verdict.toxic else Outcome.FINE), verdict.score

    def _answer_or_record(
        self,
        reaction: Reaction,
        look: Look,
        message: Message | None,
        seconds_left: Callable[[], float],
    ) -> None:
        if look.outcome in (Outcome.REFUSED, Outcome.OWN_ANSWER):
            return
        nudge = self._mode is AnswerMode.NUDGE
        if nudge and (look.outcome is not Outcome.TOXIC or look.author is None):
            _record(look, reaction, self._clock(), posted=False)
            return
        user = {
            AnswerMode.THREAD: None,
            AnswerMode.EPHEMERAL: reaction.user,
            AnswerMode.NUDGE: look.author,
        }[self._mode]
        key = AnswerKey(reaction.team, reaction.channel, reaction.ts, look.edited, user)
        try:
            self._answer(
                key=key, reaction=reaction, look=look, message=message, seconds_left=seconds_left
            )
        except SlackRefusedError as error:
            _record_refusal(error)

    def _answer_now(
        self,
        *,
        key: AnswerKey,
        reaction: Reaction,
        look: Look,
        message: Message | None,
        seconds_left: Callable[[], float],
    ) -> None:
        post = self._post(reaction, look)
        if look.outcome is Outcome.DELETED:
            # No thread is left to answer in: the person who asked is told.
            self._slack.post_to_one(
                reaction.channel, None, reaction.user, post, seconds_left=seconds_left
            )
        elif key.user is not None:
            thread = look.thread if look.thread != reaction.ts else None
            self._slack.post_to_one(
                reaction.channel, thread, key.user, post, seconds_left=seconds_left
            )
        elif message is not None and not message.answered:
            self._slack.post_in_thread(message, post, seconds_left=seconds_left)
        else:
            logger.info("answered before: an earlier try posted and did not live to say so")
            return
        _record(look, reaction, self._clock(), posted=True)

    def _post(self, reaction: Reaction, look: Look) -> Post:
        if look.outcome not in (Outcome.TOXIC, Outcome.FINE):
            return nothing_post(look.outcome, reaction.user)
        if self._mode is AnswerMode.NUDGE:
            return nudge_post(look.score)
        return verdict_post(
            toxic=look.outcome is Outcome.TOXIC,
            score=look.score,
            threshold=self._classifier.config.threshold,
            asked_by=reaction.user,
        )


def _record(look: Look, reaction: Reaction, now: float, *, posted: bool) -> None:
    milliseconds = (now - float(reaction.event_ts)) * 1e3
    if look.outcome in (Outcome.TOXIC, Outcome.FINE):
        if posted:
            count("VerdictPosted", verdict=look.outcome)
            measure("AnswerMilliseconds", milliseconds)
    else:
        count("NothingToJudge", reason=look.outcome)
    logger.info(
        "answered" if posted else "judged, and there is nobody to tell",
        verdict=look.outcome.value,
        score=round(look.score, 4),
        latency_ms=round(milliseconds),
    )


def _record_refusal(error: SlackRefusedError) -> None:
    count("SlackRefused", error=error.error)
    logger.error(str(error), slack_error=error.error)
