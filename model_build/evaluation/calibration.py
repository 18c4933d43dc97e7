"""Choose offset, temperature and thresholds on validation rows, for a stated objective."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import f1_score

from model_build.rows.reading import own_labels, written

WORKPLACE_SOURCES = (
    "toxicr_code_review",
    "se_gitter",
    "stanford_politeness_weakneg",
    "wiki_context_toxicity",
)
"""Sources of work talk. GoEmotions is not among them: its rows were never annotated for
toxicity, and many attacks are labeled 0 there."""
EVERYDAY_SOURCES = (
    "de_tatoeba_weakneg",
    "de_tickets_weakneg",
    "es_tickets_weakneg",
    "es_umsab_weakneg",
    "fr_tatoeba_weakneg",
    "fr_tickets_weakneg",
    "pt_tickets_weakneg",
    "pt_umsab_weakneg",
)
"""The nearest to it in other languages: support mail, everyday sentences, tweets. XPersona's
dialogues are not among them: translated by machine, they are what nobody would write."""
MAX_FALSE_POSITIVE_RATE = 0.006
MAX_CAUTIOUS_FALSE_POSITIVE_RATE = 0.0003
MAX_SENSITIVE_FALSE_POSITIVE_RATE = 0.015
MAX_WRITTEN_FALSE_POSITIVE_RATE = 0.052
"""The same for the benign messages written in each language, most of which are made to look like
abuse."""
MAX_READ_FALSE_POSITIVE_RATE = 0.024
"""The same for the benign rows that were read, of whatever source, in English and in each other
language of which enough were."""
MIN_PRECISION = {0.8: 0.93, 0.9: 0.97}
"""What share of the rows that score so or more is toxic, at least."""
MIN_REACHED = 0.1
"""What share of the toxic rows scores 0.9 or more, at least: a limit there has to find something,
and of a handful of rows, all may be toxic by chance."""
CONFIDENCE = 0.95
"""Of the lower bound of these shares, which has to be so high: they are chosen on these rows."""
MIN_KIND_PRECISION = 0.92
"""Two points more than is asked for: on rows that chose neither weights nor thresholds, one or two
less are right, and threats pull down the share of all."""
MIN_THREAT_PRECISION = 0.75
"""The worst kind should not go unnamed, at the price of more mistakes."""
OBJECTIVE = (
    "*balanced*: the best macro-F1 on the rows that were read or written for this project,\n"
    f"  with at most {MAX_FALSE_POSITIVE_RATE:.1%} false positives on the benign workplace rows,\n"
    f"  {MAX_READ_FALSE_POSITIVE_RATE:.1%} on the benign rows that were read, in each language of "
    "which enough were,\n"
    f"  and {MAX_WRITTEN_FALSE_POSITIVE_RATE:.1%} on the benign messages written for it in each "
    "language,\n  which are made to look like abuse\n"
    f"- *cautious*: at most {MAX_CAUTIOUS_FALSE_POSITIVE_RATE:.2%} of the benign workplace rows\n"
    f"- *sensitive*: at most {MAX_SENSITIVE_FALSE_POSITIVE_RATE:.1%} of the benign workplace rows\n"
    "- the temperature: of the rows that were read and score 0.8 or more, at least 93% are\n"
    f"  toxic, of those that score 0.9 or more, at least 97%, with {CONFIDENCE:.0%} confidence,\n"
    f"  or as nearly as it can be where {MIN_REACHED:.0%} of the toxic rows score 0.9 or more\n"
    f"- a kind is named where at least {MIN_KIND_PRECISION:.0%} of what is named so shows it,\n"
    f"  a threat where {MIN_THREAT_PRECISION:.0%} does, with {CONFIDENCE:.0%} confidence"
)
BALANCED_THRESHOLD = 0.5
"""By definition: the offset makes it so."""
_MARGINS = np.round(np.arange(-3, 6.001, 0.05), 2)
_TEMPERATURES = np.round(np.geomspace(0.2, 5, 200), 3)
_KIND_THRESHOLDS = np.round(np.arange(0.05, 1, 0.01), 2)
_NEVER = 0.999
"""A threshold that hardly any probability reaches."""
_MIN_NAMED = 10
"""Rows without which a share of them tells nothing."""
_MIN_ROWS_PER_LABEL = 20
_MIN_READ = 200
"""Benign rows of a language without which a share of them is mostly chance."""
_ENGLISH = "en"
_PRIOR_ROWS = 50
_CURVE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Tradeoff:
    """What a threshold finds, and what it flags by mistake, on validation rows.

    Parameters
    ----------
    threshold
        The score from which a text is toxic.
    recall
        Share of the toxic rows that are found; this and the next two on rows with labels of this
        project's own.
    precision
        Share of what is found that is toxic.
    macro_f1
        Macro-F1.
    false_positives
        Share of the benign workplace rows that are flagged.
    """

    threshold: float
    recall: float
    precision: float
    macro_f1: float
    false_positives: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """How log-odds become a score, and the thresholds.

    Parameters
    ----------
    offset
        Log-odds of toxic at the balanced threshold.
    offsets
        The same for each language, by ISO 639 code, if there are several.
    temperature
        The smallest with which high scores are as sure as `MIN_PRECISION` asks, in other languages
        than English if there are several.
    cautious, sensitive
        Thresholds of these operating points.
    curve
        The trade-off at several thresholds, among them those of the operating points.
    """

    offset: float
    offsets: Mapping[str, float]
    temperature: float
    cautious: float
    sensitive: float
    curve: tuple[Tradeoff, ...]

    def scores(self, rows: pd.DataFrame, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the calibrated scores of rows, for scores with offset 0 and temperature 1."""
        offsets = np.array([self.offsets.get(one, self.offset) for one in languages_of(rows)])
        return sigmoid((logit(raw) - offsets) / self.temperature)


def calibrate(rows: pd.DataFrame, scores: NDArray[np.float64]) -> Calibration:
    """Choose offset, temperature and thresholds for the objective that `OBJECTIVE` states.

    Parameters
    ----------
    rows
        Validation rows with columns strict and source, and optionally read and lang; rows without
        a strict label are ignored.
    scores
        Toxic probability of each row, with offset 0 and temperature 1.
    """
    labeled = rows["strict"].notna().to_numpy()
    rows, margins = rows[labeled], logit(scores[labeled])
    labels = rows["strict"].to_numpy(int)
    ours = own_labels(rows)
    benign = benign_sources(rows) & (labels == 0)
    if not benign.any():
        benign = labels == 0
    languages = np.array(languages_of(rows))
    fine = written(rows) & (labels == 0)
    # Written messages come in pairs that are nearly alike: what a score means, the world tells.
    world = rows["read"].to_numpy(bool) if "read" in rows else np.zeros(len(rows), dtype=bool)
    bounds = [
        (benign, MAX_FALSE_POSITIVE_RATE),
        (fine, MAX_WRITTEN_FALSE_POSITIVE_RATE),
        (world & (labels == 0), MAX_READ_FALSE_POSITIVE_RATE),
    ]
    everything = np.ones(len(rows), dtype=bool)
    offset = _balanced(margins, labels, ours, bounds, everything)
    offsets = {}
    if len(set(languages)) > 1:
        english = languages == _ENGLISH
        offsets[_ENGLISH] = _balanced(margins, labels, ours, bounds, english)
        for language in sorted(set(languages) - {_ENGLISH}):
            mask = languages == language
            offsets[language] = _offset(
                fine=margins[mask & fine],
                everyday=margins[mask & benign],
                read=margins[mask & world & (labels == 0)],
                prior=offset,
            )
    centered = margins - np.array([offsets.get(language, offset) for language in languages])
    told = world if _has_both(labels[world]) else ours
    # A model that reads several languages seldom judges English alone: see `second_opinion`.
    elsewhere = told & (languages != _ENGLISH)
    told = elsewhere if offsets and _has_both(labels[elsewhere]) else told
    temperature = _lowest_temperature(centered[told], labels[told])
    calibrated = sigmoid(centered / temperature)

    def operating_point(max_rate: float) -> float:
        margin = np.array([_lowest_margin(centered[benign], max_rate) / temperature])
        return round(float(sigmoid(margin)[0]), 3)

    cautious = max(0.5, operating_point(MAX_CAUTIOUS_FALSE_POSITIVE_RATE))
    sensitive = min(0.5, operating_point(MAX_SENSITIVE_FALSE_POSITIVE_RATE))
    thresholds = sorted({*_CURVE, cautious, sensitive})
    return Calibration(
        offset=offset,
        offsets=offsets,
        temperature=temperature,
        cautious=cautious,
        sensitive=sensitive,
        curve=tuple(_tradeoff(t, calibrated, labels, ours, benign) for t in thresholds),
    )


def benign_sources(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which rows are of sources whose benign rows are few false alarms' measure."""
    is_one = rows["source"].isin((*WORKPLACE_SOURCES, *EVERYDAY_SOURCES))
    return np.asarray(is_one, dtype=bool)


def languages_of(rows: pd.DataFrame) -> list[str]:
    """Return the language of each row: English if it does not say."""
    return list(rows["lang"]) if "lang" in rows else ["en"] * len(rows)


def _offset(
    fine: NDArray[np.float64],
    everyday: NDArray[np.float64],
    read: NDArray[np.float64],
    prior: float,
) -> float:
    """Return the offset of a language.

    Parameters
    ----------
    fine
        Margins of the benign messages written in it.
    everyday
        Margins of benign everyday talk in it.
    read
        Margins of its benign rows that were read.
    prior
        Offset of all languages together. Where it is higher, it counts as `_PRIOR_ROWS` rows do;
        where it is lower, it would let more be flagged than the bounds do.
    """
    own = _lowest_margin(fine, MAX_WRITTEN_FALSE_POSITIVE_RATE) if len(fine) else prior
    if len(everyday):
        own = max(own, _lowest_margin(everyday, MAX_FALSE_POSITIVE_RATE))
    if len(read) >= _MIN_READ:
        own = max(own, _lowest_margin(read, MAX_READ_FALSE_POSITIVE_RATE))
    shrunk = (len(fine) * own + _PRIOR_ROWS * prior) / (len(fine) + _PRIOR_ROWS)
    return round(max(own, shrunk), 2)


def made_alike(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which rows are the benign half of a written pair.

    They were made to look like abuse, and are many more than in the world: what share of named
    kinds is right, they do not tell.
    """
    return np.asarray(written(rows) & (rows["strict"] == 0).to_numpy(bool))


def _has_both(labels: NDArray[np.int_]) -> bool:
    return len(np.unique(labels)) == 2


def _balanced(
    margins: NDArray[np.float64],
    labels: NDArray[np.int_],
    ours: NDArray[np.bool_],
    bounds: Sequence[tuple[NDArray[np.bool_], float]],
    among: NDArray[np.bool_],
) -> float:
    """Return the margin of the best macro-F1 that flags few enough benign rows.

    Parameters
    ----------
    margins, labels
        Of each row.
    ours
        Which rows count for macro-F1.
    bounds
        Which benign rows are bounded, and what share of them is flagged at most.
    among
        Which rows count at all.
    """
    ours = ours & among

    def quality(margin: float) -> tuple[float, float]:
        return round(_macro_f1(margins[ours] >= margin, labels[ours]), 4), margin

    best = max(_MARGINS, key=quality) if ours.any() else _MARGINS[0]
    least = [
        _lowest_margin(margins[bounded & among], rate)
        for bounded, rate in bounds
        if (bounded & among).any()
    ]
    return float(max([best, *least]))


def _macro_f1(predictions: NDArray[np.bool_], labels: NDArray[np.int_]) -> float:
    return float(f1_score(labels, predictions, average="macro", zero_division=0.0))


def _lowest_margin(benign: NDArray[np.float64], max_rate: float) -> float:
    """Return the lowest margin at which few enough benign rows are flagged."""
    allowed = [m for m in _MARGINS if (benign >= m).mean() <= max_rate]
    return float(min(allowed, default=_MARGINS[-1]))


def _tradeoff(
    threshold: float,
    scores: NDArray[np.float64],
    labels: NDArray[np.int_],
    ours: NDArray[np.bool_],
    benign: NDArray[np.bool_],
) -> Tradeoff:
    found = scores >= threshold
    toxic = labels[ours] == 1
    return Tradeoff(
        threshold=threshold,
        recall=round(float(found[ours][toxic].mean()), 4),
        precision=round(float(toxic[found[ours]].mean()) if found[ours].any() else 1.0, 4),
        macro_f1=round(_macro_f1(found[ours], labels[ours]), 4),
        false_positives=round(float(found[benign].mean()), 5),
    )


def kind_thresholds(
    rows: pd.DataFrame,
    probabilities: Mapping[str, NDArray[np.float64]],
    toxic: NDArray[np.bool_],
) -> dict[str, float]:
    """Return the probability from which each kind is named.

    It is the lowest from which on `MIN_KIND_PRECISION` of what is named shows the kind, or
    `MIN_THREAT_PRECISION` a threat, among the rows that were read as well as among all: in written
    ones, kinds are plainer. Where too few read rows are named to tell, all rows decide. Both shares
    have to be so high with `CONFIDENCE`, for the probability is chosen on these very rows. A kind
    with no such probability is never named.

    Parameters
    ----------
    rows
        Validation rows with, for each kind, the column ``kind_NAME`` (1, 0 or NaN).
    probabilities
        Probability of each kind for each row.
    toxic
        Whether each row's verdict is toxic: only those name kinds.
    """
    read = rows["read"].to_numpy(bool) if "read" in rows else np.zeros(len(rows), dtype=bool)

    def threshold(kind: str, values: NDArray[np.float64]) -> float:
        if f"kind_{kind}" not in rows:
            return 0.5
        known = rows[f"kind_{kind}"].notna().to_numpy(bool) & toxic
        shown = (rows.loc[known, f"kind_{kind}"] == 1).to_numpy(bool)
        precision = MIN_THREAT_PRECISION if kind == "threat" else MIN_KIND_PRECISION
        return _sure_threshold(values[known], shown, read[known], precision)

    return {kind: threshold(kind, values) for kind, values in probabilities.items()}


def _sure_threshold(
    probabilities: NDArray[np.float64],
    shown: NDArray[np.bool_],
    read: NDArray[np.bool_],
    precision: float,
) -> float:
    if min(shown.sum(), (~shown).sum()) < _MIN_ROWS_PER_LABEL:
        return 0.5

    def is_sure(threshold: float) -> bool:
        named = probabilities >= threshold
        if named.sum() < _MIN_NAMED or _lower_bound(shown[named]) < precision:
            return False
        of_read = shown[named & read]
        return len(of_read) < _MIN_NAMED or _lower_bound(of_read) >= precision

    return float(min(filter(is_sure, _KIND_THRESHOLDS), default=_NEVER))


def logit(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of probabilities."""
    clipped = np.clip(probabilities, 1e-9, 1 - 1e-9)
    log_odds: NDArray[np.float64] = np.log(clipped) - np.log1p(-clipped)
    return log_odds


def sigmoid(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of log-odds."""
    probabilities: NDArray[np.float64] = 1 / (1 + np.exp(-log_odds))
    return probabilities


def _lower_bound(hits: NDArray[np.int_] | NDArray[np.bool_]) -> float:
    """Return what a share is at least, with `CONFIDENCE`: the lower end of Wilson's interval.

    Parameters
    ----------
    hits
        1 or 0 for each row.

    References
    ----------
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    rows, z = len(hits), NormalDist().inv_cdf(CONFIDENCE)
    share = float(hits.mean())
    spread = z * np.sqrt(share * (1 - share) / rows + (z / (2 * rows)) ** 2)
    return float((share + z**2 / (2 * rows) - spread) / (1 + z**2 / rows))


def _lowest_temperature(margins: NDArray[np.float64], labels: NDArray[np.int_]) -> float:
    """Return the lowest temperature with which high scores are sure enough, or the surest."""
    highest = max(MIN_PRECISION)

    def surplus(temperature: float) -> float:
        scores = sigmoid(margins / temperature)
        if (scores[labels == 1] >= highest).mean() < MIN_REACHED:
            return -np.inf
        return min(
            _lower_bound(labels[scores >= score]) - share for score, share in MIN_PRECISION.items()
        )

    surpluses = np.array([surplus(temperature) for temperature in _TEMPERATURES])
    if np.isneginf(surpluses).all():
        return 1.0
    sure = _TEMPERATURES[surpluses >= 0]
    return float(sure.min() if len(sure) else _TEMPERATURES[surpluses.argmax()])
