"""How many rows of each data set are trained on, and which of its labels are trusted.

This follows from what the authors of each data set say about it and from reading its rows.
Strict labels use this project's definition of toxic. A row that cannot be labeled by that
definition has only the label of its source, a weak label; for some sources, weakly labeled
toxic rows are trained on too.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceShare:
    """What one source contributes to the training rows.

    Parameters
    ----------
    max_negatives, max_positives
        Maximum rows of each strict label.
    max_weak
        Maximum toxic rows that have only a weak label.
    weak_target
        Training target of such a row, as a probability of toxic.
    weak_weight
        Loss weight of such a row.
    repeats
        How often each strictly labeled row is seen per epoch.
    toxic_weight, benign_weight
        Loss weights of the strictly labeled rows. One threshold serves every kind of text, and
        the weights shift each kind so that it is separated well there: toxic rows weigh more
        in sources where they are common and reliable, benign rows where a false positive
        would be worst.
    """

    max_negatives: int = 6000
    max_positives: int = 6000
    max_weak: int = 0
    weak_target: float = 0.8
    weak_weight: float = 0.5
    repeats: int = 1
    toxic_weight: float = 1.0
    benign_weight: float = 1.0


DEFAULT_SHARE = SourceShare()
SOURCE_SHARES = {
    "strudel_github_issues": SourceShare(repeats=2, toxic_weight=3),
    "toxicr_code_review": SourceShare(benign_weight=1.5),
    "se_gitter": SourceShare(benign_weight=2),
    "heatdetector_so": SourceShare(),
    "sgid4se_github": SourceShare(),
    "stanford_politeness_weakneg": SourceShare(max_negatives=4000),
    "jigsaw_wiki_slices": SourceShare(
        toxic_weight=2, repeats=2, max_weak=400, weak_weight=1.0, weak_target=0.9
    ),
    "wiki_context_toxicity": SourceShare(max_negatives=9000, benign_weight=1.5),
    "toxic_spans_civil": SourceShare(max_positives=5000),
    "davidson_tweets": SourceShare(max_weak=12000),
    "tweeteval_offensive": SourceShare(max_negatives=8000, repeats=2, toxic_weight=3),
    "tweeteval_hate": SourceShare(max_positives=3600),
    "hatemoji_build": SourceShare(repeats=3, toxic_weight=2),
    "ethos": SourceShare(repeats=2, toxic_weight=1.5),
    "stormfront_vicomtech": SourceShare(max_negatives=5000),
    "convabuse": SourceShare(repeats=3, toxic_weight=3),
    "edos_sexism": SourceShare(),
    "online_misogyny_reddit": SourceShare(),
    "swad_swearing": SourceShare(),
    "paradetox": SourceShare(max_negatives=5000, max_weak=6000),
    "goemotions_weakneg": SourceShare(max_negatives=24000, benign_weight=2),
}


def source_share(source: str) -> SourceShare:
    """Return what a source contributes; an unknown source gets `DEFAULT_SHARE`."""
    return SOURCE_SHARES.get(source, DEFAULT_SHARE)
