"""How many rows of each source are trained on, and what its own labels are worth.

Rows that were read are all trained on, with the label that reading gave them. The other rows of a
source have only its own label, which follows its authors' notion of toxic. What that label is worth
is counted on the rows of the validation split that were read: of those that the source calls toxic,
some share is toxic by this project's notion, and that share is the target of the unread rows. Where
it tells little, they are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

WEAK = "weak"
"""The label of a row that is toxic by its source's notion, and by no definition like ours."""


@dataclass(frozen=True, slots=True)
class SourceShare:
    """What one source contributes to the training rows.

    Parameters
    ----------
    max_rows
        Maximum unread rows of each of its labels; None for all of them in any case.
    repeats
        How often each row is seen per epoch.
    weight
        Loss weight of an unread row.
    """

    max_rows: int | None = 1500
    repeats: int = 1
    weight: float = 1.0


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
    "workplace_written": SourceShare(max_rows=None, repeats=2, weight=1.5),
    # Adversarial rows, and the only ones of their kind.
    "hatemoji_build": SourceShare(max_rows=None),
    # Hardly any benign row of it is left, and each names a group.
    "de_gahd": SourceShare(max_rows=1500),
    "toxigen_human": SourceShare(max_rows=2500),
    "implicit_hate": SourceShare(max_rows=2500),
    "toxicr_code_review": SourceShare(max_rows=3000),
    "goemotions_weakneg": SourceShare(max_rows=4000),
    "stanford_politeness_weakneg": SourceShare(max_rows=2500),
    "wiki_context_toxicity": SourceShare(max_rows=2500),
}
_OTHER_LANGUAGES_WRITTEN = frozenset(f"{lang}_written" for lang in ("de", "fr", "es", "pt", "it"))
WRITTEN_REPEATS = 3
"""How often a message that was written in another language than English is seen per epoch."""
NOT_TRAINED_ON = frozenset(
    {
        "de_derstandard_problematic",
        "de_germs_sexism",
        "de_omp_weakneg",
        "de_rpmod",
        "fr_cyberado",
        "it_qa4faq_weakneg",
        "it_sentipolc_weakneg",
        "pt_fortuna_hate",
        "pt_hatebr",
    }
)
"""Sources whose license bars commercial use: they serve evaluation alone."""
_SAMPLED_WORTH = {
    # Not hate there is also every insult of a single person: its benign rows are left out.
    "de_gahd": (0.5, 0.83),
    "de_germeval2018": (0.1, 0.75),
    "de_germeval2019": (0.08, 0.75),
    "de_germeval2021": (0.1, 0.5),
    "es_offendes": (0.05, 0.78),
    "fr_mlma": (0.18, 0.75),
    "it_whatsapp_bullying": (0.05, 0.9),
    "pt_offcombr": (0.1, 0.83),
    "pt_toldbr": (0.1, 0.85),
}
"""Share of toxic rows among 40 that were read of each label, not toxic and toxic."""
_PRIOR_ROWS = 4.0
"""Rows in favor of the source's label that are added to those counted."""
_UNTOLD = (0.3, 0.7)
"""Between these, a source's label says too little about a row."""


def source_share(source: str, *, multilingual: bool = False) -> SourceShare:
    """Return what a source contributes; an unknown source gets `DEFAULT_SHARE`.

    Parameters
    ----------
    source
        Its name.
    multilingual
        Whether the model reads several languages: then, the messages written in English are seen
        no more often than others, for they are many more.
    """
    if source in _OTHER_LANGUAGES_WRITTEN:
        return SourceShare(max_rows=None, repeats=WRITTEN_REPEATS, weight=1.5)
    share = SOURCE_SHARES.get(source, DEFAULT_SHARE)
    return replace(share, repeats=1) if multilingual else share


def worth(rows: pd.DataFrame) -> pd.Series[float]:
    """Return the share of rows that are toxic, by source and by the source's own label.

    Parameters
    ----------
    rows
        Rows as `model_build.rows.reading.read` returns them; those of the validation split that
        were read are counted.

    Returns
    -------
    pandas.Series
        Shares from 0 to 1; the index has the levels source and stated.
    """
    read = rows[rows["read"] & (rows["split"] == "validation")]
    groups = read.groupby(["source", "stated"])["strict"]
    prior = groups.size().index.get_level_values("stated").map({"0": 0.0, "1": 1.0, WEAK: 0.5})
    shares = (groups.sum() + _PRIOR_ROWS * np.asarray(prior)) / (groups.size() + _PRIOR_ROWS)
    return shares.astype(float)


def unread_targets(rows: pd.DataFrame, shares: pd.Series[float]) -> pd.Series[float]:
    """Return the training target of each row by its source's own label.

    Parameters
    ----------
    rows
        Columns source and stated.
    shares
        As `worth` returns them. Where no row of a source was read, its label is believed.

    Returns
    -------
    pandas.Series
        Targets from 0 to 1; NaN where the label tells too little.
    """
    known = shares.reindex(pd.MultiIndex.from_frame(rows[["source", "stated"]])).to_numpy()
    stated = rows["stated"].map({"0": 0.0, "1": 1.0}).to_numpy(float)
    sampled = np.array([_SAMPLED_WORTH.get(source, (0.0, 1.0)) for source in rows["source"]])
    sampled = sampled.reshape(-1, 2)
    believed = np.where(stated == 1, sampled[:, 1], np.where(stated == 0, sampled[:, 0], np.nan))
    targets = pd.Series(np.where(np.isnan(known), believed, known), index=rows.index)
    return targets.mask(targets.between(*_UNTOLD, inclusive="neither"))
