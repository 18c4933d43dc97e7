"""The kinds of toxicity that a row shows, as far as its source tells.

Few sources tell all kinds. What a source does not tell about a toxic row is unknown, and the
training loss leaves it out; a row that is not toxic shows no kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

KINDS = ("insult", "threat", "identity", "sexual", "obscene", "putdown")
COLUMNS = tuple(f"kind_{kind}" for kind in KINDS)

NO_KIND = dict.fromkeys(KINDS, 0.0)
UNKNOWN = dict.fromkeys(KINDS, math.nan)

# What sources call the kinds in ``kinds=a+b``, and the six labels of the Jigsaw challenge.
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
_JIGSAW = ("insult", "threat", "identity", "obscene")
# Sources all of whose toxic rows attack an identity.
_ATTACKS_ON_IDENTITY = {
    "edos_sexism",
    "ethos",
    "hatemoji_build",
    "hatexplain",
    "stormfront_vicomtech",
    "tweeteval_hate",
}
# Parts of a raw label that tell one kind.
_PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    "edos_sexism": {"1. threats, plans to harm and incitement": ("threat",)},
    "hatemoji_build": {"threatening": ("threat",)},
    "davidson_tweets": {"0_hate": ("identity",)},
    "online_misogyny_reddit": {
        "Misogynistic": ("identity",),
        "Misogynistic_personal_attack": ("insult",),
        "Nonmisogynistic_personal_attack": ("insult",),
    },
    "sgid4se_github": {
        "Sexual objectification": ("sexual",),
        "Anti-LGBTQ+": ("identity",),
        "Discredit": ("identity",),
        "Stereotyping": ("identity",),
    },
    "swad_swearing": {"abusive_swear=Yes": ("obscene",)},
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


def from_raw_label(source: str, raw_label: str, *, toxic: bool) -> Mapping[str, float]:
    """Return what the label of a source says about the kinds of a row.

    Parameters
    ----------
    source
        Name of the source.
    raw_label
        Its original label; parts are separated by ``|``.
    toxic
        Whether the row counts as toxic.

    Returns
    -------
    mapping of str to float
        1 shown, 0 not shown, NaN unknown; by the names in `KINDS`.
    """
    if not toxic:
        return NO_KIND
    parts = raw_label.split("|")
    stated = next((part[6:].split("+") for part in parts if part.startswith("kinds=")), [])
    if source == "workplace_written":
        return complete(stated)
    if source == "jigsaw_wiki_slices" or parts[0] == "wiki":
        labels = raw_label.removeprefix("wiki|").split("|")[0].split("+")
        return partial(labels, _JIGSAW) if labels != ["toxic"] else UNKNOWN
    names = [*stated, *(name for part in parts for name in _PARTS.get(source, {}).get(part, ()))]
    if source in _ATTACKS_ON_IDENTITY:
        names.append("identity")
    absent = ("threat",) if source in ("edos_sexism", "hatemoji_build") else ()
    return partial(names, absent)
