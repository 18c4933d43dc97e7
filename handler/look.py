"""What a look at a message found, as it is remembered by its claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from handler.verdict import Outcome


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a message came to.

    Parameters
    ----------
    outcome
        The verdict, or why there is none.
    score
        Probability of toxic, 0 to 1, where there was something to judge.
    """

    outcome: Outcome
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a message, as a look found it, and where an answer to it goes.

    Parameters
    ----------
    thread
        The timestamp under which an answer goes; the message's own if it is gone.
    edited
        When it was last edited; empty if never.
    author
        Who wrote it, where there is somebody.
    answered
        Whether the bot had answered it in the thread; None where that is not known.
    """

    thread: str
    edited: str
    author: str | None
    answered: bool | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """A look at a message, as it is remembered. It holds no text.

    Parameters
    ----------
    event_id
        The reaction it was made for.
    covers_until
        Unix seconds; a reaction up to here is covered.
    version, judgement
        What it found.
    """

    event_id: str
    covers_until: float
    version: Version
    judgement: Judgement

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Look:
        """Read what ``asdict`` made of a look."""
        judgement = raw["judgement"]
        return cls(
            event_id=raw["event_id"],
            covers_until=raw["covers_until"],
            version=Version(**raw["version"]),
            judgement=Judgement(Outcome(judgement["outcome"]), judgement["score"]),
        )
