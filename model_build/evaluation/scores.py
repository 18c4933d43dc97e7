"""Score texts as the bot does, with `judge.classifier`."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from judge import classifier
from model_build.terminal import progress


def score_texts(folder: Path, texts: Sequence[str], threads: int = 2) -> NDArray[np.float64]:
    """Return the toxic probability that a model folder gives each text.

    Parameters
    ----------
    folder
        Model folder, as `judge.classifier` loads it.
    texts
        Plain or normalized texts.
    threads
        Texts scored in parallel, each with one thread.

    Returns
    -------
    numpy.ndarray
        Shape (texts,).

    Raises
    ------
    ModelError
        When the folder is missing or damaged.
    """
    model = classifier.load(folder, threads=1)
    # Longest first, so that no thread is left alone with a long text at the end.
    order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
    scores = np.zeros(len(texts))
    with ThreadPoolExecutor(threads) as pool, progress() as bar:
        results = pool.map(lambda index: model.classify(texts[index]).score, order)
        for index, score in zip(
            order, bar.track(results, total=len(order), description="scoring"), strict=True
        ):
            scores[index] = score
    return scores
