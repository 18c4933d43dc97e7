"""Perspective's attributes, from the score and the kinds.

TOXICITY is the score, on Perspective's scale. SEVERE_TOXICITY is TOXICITY with its log-odds
shifted, so that it is 0.5 where TOXICITY is `SEVERE`. Each other attribute is the score of a kind
(`toxic_bot.service.kind_scores`), on the same scale.
A model that tells no kinds cannot tell these attributes apart; each then has the score of the
text, which no kind exceeds, so that no limit on one of them lets a toxic text through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toxic_bot.judge.config import Kind
from toxic_bot.judge.verdict import Verdict
from toxic_bot.service.kind_scores import SEVERE, kind_score, shift
from toxic_bot.service.perspective.scale import Scale

Attribute = Callable[[Verdict, Sequence[Kind], Scale], float]


def _toxicity(verdict: Verdict, _: Sequence[Kind], scale: Scale) -> float:
    return scale(verdict.score)


def _severe_toxicity(verdict: Verdict, _: Sequence[Kind], scale: Scale) -> float:
    return shift(scale(verdict.score), SEVERE)


def _of_kinds(*names: str) -> Attribute:
    def score(verdict: Verdict, kinds: Sequence[Kind], scale: Scale) -> float:
        found = kind_score(verdict, kinds, *names)
        return scale(verdict.score if found is None else found)

    return score


ATTRIBUTES: dict[str, Attribute] = {
    "TOXICITY": _toxicity,
    "SEVERE_TOXICITY": _severe_toxicity,
    "IDENTITY_ATTACK": _of_kinds("identity"),
    "INSULT": _of_kinds("insult", "putdown"),
    "PROFANITY": _of_kinds("obscene"),
    "THREAT": _of_kinds("threat"),
    "SEXUALLY_EXPLICIT": _of_kinds("sexual"),
}
