"""Judge texts as the bot does, with `toxic_bot.judge.classifier`."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from model_build.terminal import progress
from toxic_bot.judge import classifier
from toxic_bot.judge.verdict import Verdict


def judge_texts(
    folder: Path,
    texts: Sequence[str],
    languages: Sequence[str] | None = None,
    threads: int = 2,
) -> list[Verdict]:
    """Return the verdict of a model folder on each text.

    Parameters
    ----------
    folder
        Model folder, as `toxic_bot.judge.classifier` loads it.
    texts
        Plain or normalized texts.
    languages
        What each is written in; None to have that detected.
    threads
        Texts judged in parallel, each with one thread.

    Raises
    ------
    ModelError
        When the folder is missing or damaged.
    """
    model = classifier.load(folder, threads=1)
    # Longest first, so that no thread is left alone with a long text at the end.
    order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
    known = languages if languages is not None else [None] * len(texts)

    def judge(index: int) -> Verdict:
        return model.classify(texts[index], known[index])

    with ThreadPoolExecutor(threads) as pool, progress() as bar:
        results = pool.map(judge, order)
        judged = bar.track(results, total=len(order), description="judging")
        verdicts = dict(zip(order, judged, strict=True))
    return [verdicts[index] for index in range(len(texts))]


def scores_of(verdicts: Sequence[Verdict]) -> NDArray[np.float64]:
    """Return the score of each verdict, shape (verdicts,)."""
    return np.array([verdict.score for verdict in verdicts])


def kinds_of(verdicts: Sequence[Verdict]) -> dict[str, NDArray[np.float64]]:
    """Return the probabilities of each kind, shape (verdicts,); 0 where nothing was judged."""
    names = next((list(v.probabilities) for v in verdicts if v.probabilities), [])
    return {name: np.array([v.probabilities.get(name, 0.0) for v in verdicts]) for name in names}
