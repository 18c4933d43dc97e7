"""Perspective's attributes, from the score and the kinds.

TOXICITY is the score. SEVERE_TOXICITY is the score with its log-odds shifted, so that it is 0.5
where the score is `SEVERE`. Each other attribute is the score of a kind
(`toxic_bot.service.kind_scores`).
A model that tells no kinds cannot tell these attributes apart; each then has the score of the
text, which no kind exceeds, so that no limit on one of them lets a toxic text through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toxic_bot.judge.config import Kind
from toxic_bot.judge.verdict import Verdict
from toxic_bot.service.kind_scores import SEVERE, kind_score, shift

Attribute = Callable[[Verdict, Sequence[Kind]], float]


def _toxicity(verdict: Verdict, _: Sequence[Kind]) -> float:
    return verdict.score


def _severe_toxicity(verdict: Verdict, _: Sequence[Kind]) -> float:
    return shift(verdict.score, SEVERE)


def _of_kinds(*names: str) -> Attribute:
    def score(verdict: Verdict, kinds: Sequence[Kind]) -> float:
        found = kind_score(verdict, kinds, *names)
        return verdict.score if found is None else found

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
