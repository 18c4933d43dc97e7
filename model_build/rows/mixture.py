"""How much of each data set goes into training, and which of its labels are believed.

The remarks of each data set's authors and a reading of its rows decide: ``strict`` rows
carry this project's notion of toxic; a row whose source does not decide that notion has
only its source's own label, which some sources earn a small weight.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """What is taken of one source.

    Parameters
    ----------
    negatives, positives
        Most rows of each strict label.
    loose
        Most rows that are toxic in the source's own notion and undecided in ours.
    loose_target
        What such a row is trained towards, as a probability of toxic.
    loose_weight
        What such a row counts, where a strict row counts 1.
    repeats
        How often each strict row is shown in one epoch.
    toxic_weight, benign_weight
        What a strict row of each label counts. One threshold serves every kind of text:
        where toxic rows are common and sure, they weigh more, and so do benign rows of the
        kinds in which a false alarm would be worst, so that each kind is cut well there.
    """

    negatives: int = 6000
    positives: int = 6000
    loose: int = 0
    loose_target: float = 0.8
    loose_weight: float = 0.5
    repeats: int = 1
    toxic_weight: float = 1.0
    benign_weight: float = 1.0


OTHER = Share()
SHARES = {
    "strudel_github_issues": Share(repeats=2, toxic_weight=3),
    "toxicr_code_review": Share(benign_weight=1.5),
    "se_gitter": Share(benign_weight=2),
    "heatdetector_so": Share(),
    "sgid4se_github": Share(),
    "stanford_politeness_weakneg": Share(negatives=4000),
    "jigsaw_wiki_slices": Share(
        toxic_weight=2, repeats=2, loose=400, loose_weight=1.0, loose_target=0.9
    ),
    "wiki_context_toxicity": Share(negatives=9000, benign_weight=1.5),
    "toxic_spans_civil": Share(positives=5000),
    "davidson_tweets": Share(loose=12000),
    "tweeteval_offensive": Share(negatives=8000, repeats=2, toxic_weight=3),
    "tweeteval_hate": Share(positives=3600),
    "hatemoji_build": Share(repeats=3, toxic_weight=2),
    "ethos": Share(repeats=2, toxic_weight=1.5),
    "stormfront_vicomtech": Share(negatives=5000),
    "convabuse": Share(repeats=3, toxic_weight=3),
    "edos_sexism": Share(),
    "online_misogyny_reddit": Share(),
    "swad_swearing": Share(),
    "paradetox": Share(negatives=5000, loose=6000),
    "goemotions_weakneg": Share(negatives=24000, benign_weight=2),
}


def share(source: str) -> Share:
    """Return what is taken of a source; unknown ones are capped, not refused."""
    return SHARES.get(source, OTHER)
