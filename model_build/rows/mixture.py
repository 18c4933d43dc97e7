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


WORKPLACE_SOURCES = (
    "toxicr_code_review",
    "se_gitter",
    "sgid4se_github",
    "strudel_github_issues",
    "stanford_politeness_weakneg",
    "wiki_context_toxicity",
)
"""Sources of work talk whose benign rows may surround a message that is put into them."""

DEFAULT_SHARE = SourceShare()
SOURCE_SHARES = {
    "workplace_written": SourceShare(repeats=4, toxic_weight=2, benign_weight=2),
    "strudel_github_issues": SourceShare(repeats=3, toxic_weight=4),
    "toxicr_code_review": SourceShare(max_negatives=5000, benign_weight=1.5),
    "se_gitter": SourceShare(benign_weight=2),
    "heatdetector_so": SourceShare(),
    "sgid4se_github": SourceShare(max_negatives=3000),
    "stanford_politeness_weakneg": SourceShare(max_negatives=2000),
    "jigsaw_wiki_slices": SourceShare(
        max_negatives=3000,
        max_positives=3000,
        toxic_weight=2,
        max_weak=400,
        weak_weight=1.0,
        weak_target=0.9,
    ),
    "wiki_context_toxicity": SourceShare(max_negatives=3500, benign_weight=1.5),
    "toxic_spans_civil": SourceShare(max_positives=2500),
    "davidson_tweets": SourceShare(max_negatives=2500, max_weak=3000),
    "tweeteval_offensive": SourceShare(max_negatives=4500, toxic_weight=2),
    "tweeteval_hate": SourceShare(max_positives=2000),
    "hatemoji_build": SourceShare(repeats=2, toxic_weight=2),
    "ethos": SourceShare(toxic_weight=1.5),
    "stormfront_vicomtech": SourceShare(max_negatives=2500),
    "convabuse": SourceShare(repeats=2, toxic_weight=2),
    "edos_sexism": SourceShare(max_positives=2500),
    "online_misogyny_reddit": SourceShare(max_negatives=700),
    "swad_swearing": SourceShare(repeats=2),
    "paradetox": SourceShare(max_negatives=2500, max_weak=2000),
    # Many attacks are among these rows, which were never annotated for them.
    "goemotions_weakneg": SourceShare(max_negatives=5000),
    "conda_dota": SourceShare(max_negatives=3000, max_positives=1500),
    "gametox": SourceShare(max_negatives=3500),
    "github_locked_incivility": SourceShare(benign_weight=1.5),
    "workplace_sexism": SourceShare(repeats=2),
    "kaggle_insults": SourceShare(toxic_weight=2, benign_weight=1.5),
    "implicit_hate": SourceShare(max_negatives=3500, max_positives=3500),
    "gab_hate_corpus": SourceShare(max_negatives=1500, max_positives=1500),
    "hatexplain": SourceShare(max_positives=2000),
    "social_bias_frames": SourceShare(max_negatives=3500, max_positives=3000),
    "toxigen_human": SourceShare(max_negatives=2500),
    "cmsb_sexism": SourceShare(max_negatives=2500),
    "jigsaw_civil_more": SourceShare(max_negatives=400),
    "jigsaw_civil_stripped": SourceShare(max_negatives=1000, max_positives=1000),
}


def source_share(source: str) -> SourceShare:
    """Return what a source contributes; an unknown source gets `DEFAULT_SHARE`."""
    return SOURCE_SHARES.get(source, DEFAULT_SHARE)
