"""Judge many texts as the bot does: through the handler's own classifier."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from judge import classifier
from model_build.terminal import progress


def scores(folder: Path, texts: Sequence[str], threads: int = 2) -> NDArray[np.float64]:
    """Return the toxic probability of each text, as a model folder gives it.

    Parameters
    ----------
    folder
        As `handler.classifier` loads it.
    texts
        Plain or normalized texts.
    threads
        Texts judged at a time, each with one thread.

    Returns
    -------
    numpy.ndarray
        Shape (texts,).

    Raises
    ------
    ModelError
        When the folder is missing or damaged.
    """
    judge = classifier.load(folder, threads=1)
    # Long texts first, so that no thread ends with the longest alone.
    order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
    found = np.zeros(len(texts))
    with ThreadPoolExecutor(threads) as pool, progress() as bar:
        verdicts = pool.map(lambda place: judge.classify(texts[place]).score, order)
        for place, score in zip(
            order, bar.track(verdicts, total=len(order), description="judging"), strict=True
        ):
            found[place] = score
    return found
