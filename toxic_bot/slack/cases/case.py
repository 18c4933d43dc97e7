"""A case: what is stored about it, which is no text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Protocol

from toxic_bot.slack.gestures.case_gestures import CaseOutcome, Step

DAY = 24 * 3600
REPEAT_DAYS = 90
"""Days in which an author's earlier cases are counted."""

NOTE = "note"
"""Where a case comes from, if nobody has reported the message; a report has its reason there."""

BEGUN, DONE, UNKNOWN = "begun", "done", "unknown"
"""What became of an action; otherwise Slack's name for why it refused it."""


class State(StrEnum):
    """Whether somebody has to look at a case."""

    OPEN = "open"
    TAKEN = "taken"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that was done with a case.

    Parameters
    ----------
    key
        Identifies the gesture; by it, a gesture that comes again is recognized.
    at
        Unix seconds.
    user
        Who did it.
    step
        What.
    detail
        What became of an action, or the outcome with which the case was closed.
    """

    key: str
    at: int
    user: str
    step: Step
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A case.

    Parameters
    ----------
    id
        The same for whatever leads to the same case.
    opened_at
        Unix seconds.
    reason
        Why the message was reported, or `NOTE`.
    channel, ts
        The message; empty for a direct message, which moderators cannot open.
    message
        Identifies the message among those of its author.
    link
        The message's URL; empty where moderators cannot open it.
    author
        Who wrote it; empty if Slack does not say.
    reporter
        Who reported it; empty for anonymous reports and for notes.
    verdict, score, kinds
        What the bot makes of it; the kinds are comma-separated.
    state, taken_by, outcome
        How far it is.
    post, post_link
        Timestamp and URL of its post in the moderators' channel; empty until it is there.
    number
        How many messages of the author became cases lately, with this one.
    version
        How often it was changed.
    trail
        What was done, the earliest first.
    """

    id: str
    opened_at: float
    reason: str
    channel: str
    ts: str
    message: str
    link: str
    author: str
    reporter: str
    verdict: str
    score: float
    kinds: str
    state: State = State.OPEN
    taken_by: str = ""
    outcome: str = ""
    post: str = ""
    post_link: str = ""
    number: int = 0
    version: int = 0
    trail: tuple[Entry, ...] = ()

    def to_json(self) -> str:
        """Return the form in which it is stored."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, stored: str) -> Case:
        """Read the result of `to_json`."""
        raw: dict[str, Any] = json.loads(stored)
        trail = tuple(Entry(**one | {"step": Step(one["step"])}) for one in raw.pop("trail"))
        return cls(**raw | {"state": State(raw["state"]), "trail": trail})

    def entry(self, key: str) -> Entry | None:
        """Return what a gesture has done, if it has come before."""
        return next((one for one in self.trail if one.key == key), None)

    def taken(self, entry: Entry) -> Case:
        """Return the case as somebody takes it."""
        return replace(self._with(entry), state=State.TAKEN, taken_by=entry.user)

    def opened(self, entry: Entry) -> Case:
        """Return the case as it is for anybody to take, again."""
        return replace(self._with(entry), state=State.OPEN, taken_by="", outcome="")

    def closed(self, entry: Entry, outcome: CaseOutcome) -> Case:
        """Return the case with its outcome."""
        entry = replace(entry, detail=outcome.value)
        return replace(self._with(entry), state=State.CLOSED, outcome=outcome.value)

    def begun(self, entry: Entry) -> Case:
        """Return the case as somebody begins an action, for which they take it."""
        case = self
        if self.state is State.OPEN:
            key = f"{entry.key}-{Step.TAKE}"
            case = self.taken(replace(entry, key=key, step=Step.TAKE, detail=""))
        return case._with(replace(entry, detail=BEGUN))

    def settled(self, key: str, detail: str) -> Case:
        """Return the case with what became of an action; without it if it did not begin."""
        trail = (one if one.key != key else replace(one, detail=detail) for one in self.trail)
        return replace(self, trail=tuple(one for one in trail if one.key != key or detail))

    def _with(self, entry: Entry) -> Case:
        return replace(self, trail=(*self.trail, entry))


def short_hash(*parts: str) -> str:
    """Return what identifies some texts together, in sixteen characters."""
    return hashlib.sha256("#".join(parts).encode()).hexdigest()[:16]


class CaseStore(Protocol):
    """Where cases are stored. Every method may raise StoreUnavailableError."""

    def open(self, case: Case, since: float, expires_at: int) -> Case:
        """Store a case, numbered, unless it is stored already; return what is stored.

        Parameters
        ----------
        case
            The case.
        since
            Unix seconds from which the messages of its author count.
        expires_at
            Unix seconds after which it is deleted.
        """

    def read(self, case: str) -> Case | None:
        """Return a case by its ID; None if it is no longer kept."""

    def change(self, case: Case, expires_at: int) -> bool:
        """Store a new version of a case; return whether it was the next one.

        To store the same again is no change, and succeeds.
        """

    def unclosed(self) -> Sequence[Case]:
        """Return the cases that are open or taken, the oldest first."""
