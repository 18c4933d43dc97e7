"""The kinds of toxicity that a row shows, as far as its source tells.

Kinds are known of rows that were read, of the messages written for this project, and of files that
state them in a column. Public data sets name kinds by notions of their own ("obscene" of any swear
word), so what they say is not used. What is unknown is left out of the loss; a row that is not
toxic shows no kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

KINDS = ("insult", "threat", "identity", "sexual", "obscene", "putdown")
COLUMNS = tuple(f"kind_{kind}" for kind in KINDS)

NO_KIND = dict.fromkeys(KINDS, 0.0)
UNKNOWN = dict.fromkeys(KINDS, math.nan)

# Other names of the kinds.
_NAMES = {
    "insult": "insult",
    "threat": "threat",
    "identity": "identity",
    "identity_hate": "identity",
    "sexual": "sexual",
    "obscene": "obscene",
    "profanity": "obscene",
    "putdown": "putdown",
    "sarcasm": "putdown",
    "exclusion": "putdown",
}


def complete(names: Iterable[str]) -> dict[str, float]:
    """Return the kinds of a row whose kinds are all known.

    Parameters
    ----------
    names
        Those that it shows; names that are not in `KINDS` or their synonyms are ignored.
    """
    shown = {_NAMES[name] for name in names if name in _NAMES}
    return {kind: float(kind in shown) for kind in KINDS}


def partial(names: Iterable[str], absent: Iterable[str] = ()) -> dict[str, float]:
    """Return the kinds of a row of which only some are known; the rest are NaN."""
    shown = {_NAMES[name] for name in names if name in _NAMES}
    return UNKNOWN | dict.fromkeys(absent, 0.0) | dict.fromkeys(shown, 1.0)
