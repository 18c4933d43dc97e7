"""What the classifier says about one text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

SEVERITY = ("threat", "sexual", "identity", "obscene", "insult", "putdown")
"""The kinds of toxicity, the worst first."""

LIKELY_FROM = {"threat": 0.3, "sexual": 0.3}
"""The worst kinds, and the probability from which a toxic text may well show them. To name them
in public takes more: moderators look for themselves, and one that nobody sees is worse."""

SURE_FROM = {"threat": 0.97}
"""The probability from which a text is toxic for showing this kind, however it scores: a threat of
a few words can be too short for its score to tell."""

LESSER = frozenset({"obscene", "insult", "putdown"})
"""The kinds whose names would play a threat or sexual harassment down."""

MAX_NAMED = 2
"""Kinds that a reader is told about one text."""


class Status(StrEnum):
    """What became of a text."""

    TOXIC = "toxic"
    FINE = "fine"
    NOT_JUDGED = "not_judged"


class Reason(StrEnum):
    """Why a text was not judged."""

    NO_WORDS = "no_words"
    """It has neither letters nor digits nor emoji."""
    LANGUAGE = "language"
    """It is in a language that the model does not read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model says about one text.

    Parameters
    ----------
    status
        Whether the score reaches the threshold, if the text was judged.
    reason
        Why it was not judged; None if it was.
    score
        How likely the worst window is toxic, 0 to 1; the threshold of the balanced operating
        point is 0.5, which a text that surely shows a kind of `SURE_FROM` reaches, too. 0 if the
        text was not judged.
    kinds
        The kinds of toxicity that a toxic text shows, the worst first; see `worst_first`.
    probabilities
        Probability of each kind in the worst window, by name.
    windows
        Number of windows judged.
    passage
        Where in the normalized text the worst window begins and ends.
    language
        What the text is written in, as an ISO 639 code: ``en``, ``de``, ``es``, ``fr``, ``it``
        or ``pt``, ``und`` if that is not clear, ``mis`` for any other language.
    """

    status: Status
    score: float = 0.0
    kinds: tuple[str, ...] = ()
    reason: Reason | None = None
    probabilities: Mapping[str, float] = field(default_factory=dict)
    windows: int = 0
    passage: tuple[int, int] = (0, 0)
    language: str = "en"

    def __post_init__(self) -> None:
        """Put the worst kind first, in whatever order the model knows them."""
        object.__setattr__(self, "kinds", worst_first(self.kinds))

    @property
    def toxic(self) -> bool:
        """Whether the text is toxic."""
        return self.status is Status.TOXIC

    @property
    def judged(self) -> bool:
        """Whether the text was judged at all."""
        return self.status is not Status.NOT_JUDGED

    @classmethod
    def not_judged(cls, reason: Reason, language: str = "en") -> Verdict:
        """Return the verdict on a text that cannot be judged."""
        return cls(Status.NOT_JUDGED, reason=reason, language=language)


def worst_first(kinds: Iterable[str], most: int | None = None) -> tuple[str, ...]:
    """Return kinds of toxicity by `SEVERITY`, the worst first.

    Parameters
    ----------
    kinds
        Their names; those of unknown severity come last, in the order given.
    most
        How many to return; None for all, and `MAX_NAMED` for what a reader is told.
    """
    ranks = {name: rank for rank, name in enumerate(SEVERITY)}
    return tuple(sorted(kinds, key=lambda kind: ranks.get(kind, len(ranks))))[:most]


def not_played_down(kinds: Collection[str], probabilities: Mapping[str, float]) -> tuple[str, ...]:
    """Return kinds of toxicity without the lesser ones if a worst one is likely, but not named.

    A threat must not be called an insult because it is less surely a threat.

    Parameters
    ----------
    kinds
        The kinds that are sure enough to be named.
    probabilities
        The probability of each kind, by name.
    """
    likely = {kind for kind, least in LIKELY_FROM.items() if probabilities.get(kind, 0) >= least}
    if likely <= set(kinds):
        return tuple(kinds)
    return tuple(kind for kind in kinds if kind not in LESSER)
