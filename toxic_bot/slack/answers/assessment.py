"""What the bot found out about a message, in the form that its claim stores."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toxic_bot.judge.verdict import Reason, Verdict


class Outcome(StrEnum):
    """The result of assessing a message."""

    TOXIC = "toxic"
    FINE = "fine"
    ONLY_FILES = "only_files"
    EMPTY = "empty"
    NOT_LEGIBLE = "not_legible"
    DELETED = "deleted"
    OWN_ANSWER = "own_answer"
    SELF_HARM = "self_harm"
    """Its author may need help, and is not judged."""
    REFUSED = "refused"

    @classmethod
    def of(cls, verdict: Verdict) -> Outcome:
        """Return what a verdict says."""
        if verdict.reason is None:
            return cls(verdict.status)
        return _NOT_JUDGED[verdict.reason]


_NOT_JUDGED = {Reason.NO_WORDS: Outcome.EMPTY, Reason.LANGUAGE: Outcome.NOT_LEGIBLE}


@dataclass(frozen=True, slots=True)
class Judgment:
    """The outcome of a message, with its score.

    Parameters
    ----------
    outcome
        The verdict, or why there is none.
    score
        How likely the message is toxic, 0 to 1; 0 when there was nothing to judge.
    kinds
        The kinds of toxicity that a toxic message shows, the worst first.
    listed
        Whether it is toxic because of the channel's list, whatever the score.
    urgent
        The kinds of `LIKELY_FROM` that are likely enough; of a message whose author may need help,
        those of the rest of it.
    """

    outcome: Outcome
    score: float = 0.0
    kinds: tuple[str, ...] = ()
    listed: bool = False
    urgent: tuple[str, ...] = ()

    @property
    def is_verdict(self) -> bool:
        """Whether the message was judged."""
        return self.outcome in (Outcome.TOXIC, Outcome.FINE)

    @property
    def toxic(self) -> bool:
        """Whether the message is toxic."""
        return self.outcome is Outcome.TOXIC

    @property
    def is_urgent(self) -> bool:
        """Whether somebody has to see the message at once."""
        return self.outcome is Outcome.SELF_HARM or bool(self.urgent)


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a message, and where an answer to it belongs.

    Parameters
    ----------
    thread
        Timestamp of the thread that an answer belongs to; the message's own if it is gone.
    edited
        When it was last edited; empty if never.
    author
        Who wrote it, if anybody.
    answered
        Whether the bot had already answered it in the thread; None if that is unknown.
    """

    thread: str
    edited: str
    author: str | None
    answered: bool | None = None


@dataclass(frozen=True, slots=True)
class Assessment:
    """A message read and judged once. It contains no text.

    Parameters
    ----------
    event_id
        The reaction that prompted it.
    covers_until
        Unix seconds; it covers every reaction up to this time.
    version
        The version that was read.
    judgment
        What the model says about it.
    """

    event_id: str
    covers_until: float
    version: Version
    judgment: Judgment

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Assessment:
        """Restore an assessment from the result of ``asdict``."""
        judgment = raw["judgment"]
        return cls(
            event_id=raw["event_id"],
            covers_until=raw["covers_until"],
            version=Version(**raw["version"]),
            judgment=Judgment(
                Outcome(judgment["outcome"]),
                judgment["score"],
                tuple(judgment.get("kinds", ())),
                listed=judgment.get("listed", False),
                urgent=tuple(judgment.get("urgent", ())),
            ),
        )
