"""Watched channels: every message is judged once, as it comes, and what follows if it is toxic.

The text comes with the event, is judged under a claim, and is gone. What follows needs no text: a
nudge or an answer in the thread goes the way of a reaction's, so the message is read as it is by
then, and the claims keep it single; a note to the moderators goes the way of theirs.
"""

from __future__ import annotations

from typing import Any

from toxic_bot.slack.answers.answerer import Answerer
from toxic_bot.slack.answers.assessment import Judgment, Outcome, Version
from toxic_bot.slack.answers.budgets import Admission
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.channel_settings import WatchAction
from toxic_bot.slack.gestures.watched_messages import JudgedMessage, WatchedMessage
from toxic_bot.slack.moderators.notes import Notes
from toxic_bot.slack.moderators.urgent_notes import UrgentNotes
from toxic_bot.slack.telemetry import count, logger
from toxic_bot.slack.web_api.mrkdwn import plain_text

WATCH_EXPIRY = 3 * 3600
"""Seconds for which a message counts as judged. Slack's last retry comes after five minutes, but a
machine's clock may be an hour off, and be set right. What follows has claims of its own, which are
kept for a week."""


class Watcher:
    """Judges the messages of a watched channel.

    Parameters
    ----------
    judge
        Judges texts, by the channel's threshold for this.
    claims
        Let each version of a message be judged once.
    action
        What follows if one is toxic.
    answerer
        Nudges authors, or answers in threads; whichever the action is.
    asked
        Answers reactions in the channel.
    notes
        Tells moderators.
    urgent
        Tells people of what they have to see at once.
    """

    def __init__(
        self,
        judge: Judge,
        claims: Claims,
        action: WatchAction,
        answerer: Answerer,
        asked: Answerer,
        notes: Notes,
        urgent: UrgentNotes,
    ) -> None:
        self._judge = judge
        self._claims = claims
        self._action = action
        self._answerer = answerer
        self._asked = asked
        self._notes = notes
        self._urgent = urgent

    def judge(self, message: WatchedMessage, deadline: float) -> JudgedMessage:
        """Judge a message, unless that has been done, and return what is left of it.

        Parameters
        ----------
        message
            The message.
        deadline
            Unix seconds at which this invocation ends, and the claim lapses.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        """
        done = self._claims.once(
            f"watched#{message.channel}#{message.ts}#{message.edited}",
            lambda: self._judged(message.text),
            deadline=deadline,
            expires_after=WATCH_EXPIRY,
        )
        if done.by_us:
            count("MessageWatched", verdict=done.result["outcome"])
            # The log names messages, and is not to say of one that its author is unwell.
            is_in_need = done.result["outcome"] == Outcome.SELF_HARM
            verdict = Outcome.FINE.value if is_in_need else done.result["outcome"]
            logger.info("watched message judged", verdict=verdict)
        else:
            logger.info("this version was already judged")
        toxic = done.result["outcome"] == Outcome.TOXIC
        return message.judged(
            toxic=toxic,
            score=done.result["score"],
            kinds=tuple(done.result["kinds"]),
            listed=done.result.get("listed", False),
            self_harm=done.result["outcome"] == Outcome.SELF_HARM,
            urgent=tuple(done.result.get("urgent", ())),
        )

    def follow(self, message: JudgedMessage, deadline: float, admission: Admission) -> None:
        """Do what follows from a judgment, unless that has been done.

        Parameters
        ----------
        message
            What was judged.
        deadline
            Unix seconds at which this invocation ends, and the claims that it makes lapse.
        admission
            Whether the budgets allow it.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        """
        version = Version(message.thread, message.edited, message.user)
        kinds, urgent = _split(message.kinds), _split(message.urgent)
        outcome = Outcome.SELF_HARM if message.self_harm else Outcome.TOXIC
        judgment = Judgment(outcome, message.score, kinds, message.listed, urgent)
        if message.toxic or message.self_harm:
            self._urgent.post(message, version, judgment, deadline)
        answers_here = self._action is WatchAction.THREAD
        if message.asked:
            answerer = self._answerer if answers_here else self._asked
            answerer.followed.judge_again(message, deadline, admission)
        if message.self_harm:
            self._answerer.answer(message, deadline, admission)
            return
        if not message.toxic or (answers_here and message.asked):
            return
        if self._action is WatchAction.NOTE:
            self._notes.post(message, version, judgment, deadline)
            return
        self._answerer.answer(message, deadline, admission)

    def _judged(self, text: str) -> dict[str, Any]:
        judgment = self._judge.text(plain_text(text))
        return {
            "outcome": judgment.outcome.value,
            "score": judgment.score,
            "kinds": list(judgment.kinds),
            "listed": judgment.listed,
            "urgent": list(judgment.urgent),
        }


def _split(kinds: str) -> tuple[str, ...]:
    return tuple(filter(None, kinds.split(",")))
