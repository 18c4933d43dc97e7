"""One classifier in a process of its own: ``python peer_process.py NAME OPTION ASKED ANSWER``.

It runs in the classifier's own environment, so it imports nothing but Python's library and that
classifier. ASKED is a JSON file with ``texts`` to score and ``timed`` to time one by one on one
CPU; ANSWER gets ``version``, ``bytes`` of weights or word lists, ``scores`` and ``milliseconds``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TF_NUM_INTRAOP_THREADS")
_WARM_UP = 20
_CHUNK = 256


class Peer(NamedTuple):
    """A loaded classifier.

    Attributes
    ----------
    score
        Texts to scores.
    version
        Of the package or model.
    size
        Bytes of weights or word lists.
    """

    score: Callable[[Sequence[str]], list[float]]
    version: str
    size: int


def toxic_bot(option: str) -> Peer:
    """This project's classifier; ``option`` is the model folder."""
    from toxic_bot import Classifier

    folder = Path(option)
    classifier = Classifier.load(folder)
    limit = classifier.threshold
    # Others are asked at 0.5, so a threshold elsewhere would need a column of its own.
    assert limit == 0.5, f"the balanced threshold of {folder} is {limit}"
    files = [path for path in folder.rglob("*") if path.suffix in {".onnx", ".json"}]
    return Peer(
        lambda texts: [verdict.score for verdict in classifier.batch(texts)],
        classifier.config.name,
        _size(path for path in files if path.name != "config.json"),
    )


def alt_profanity_check(_: str) -> Peer:
    """A linear model over words."""
    import profanity_check

    folder = Path(profanity_check.__file__).parent / "data"
    return Peer(
        lambda texts: [float(one) for one in profanity_check.predict_prob(list(texts))],
        metadata.version("alt-profanity-check"),
        _size(folder.glob("*.joblib")),
    )


def better_profanity(_: str) -> Peer:
    """A word list with look-alike letters."""
    from better_profanity import better_profanity as package
    from better_profanity import profanity

    profanity.load_censor_words()
    folder = Path(package.__file__).parent
    return Peer(
        lambda texts: [float(profanity.contains_profanity(text)) for text in texts],
        metadata.version("better-profanity"),
        _size([folder / "profanity_wordlist.txt"]),
    )


def glin_profanity(_: str) -> Peer:
    """Word lists of many languages."""
    import glin_profanity

    checker = glin_profanity.Filter({"all_languages": True, "detect_leetspeak": True})
    folder = Path(glin_profanity.__file__).parent / "data" / "dictionaries"
    return Peer(
        lambda texts: [float(checker.is_profane(text)) for text in texts],
        metadata.version("glin-profanity"),
        _size(folder.glob("*.json")),
    )


def tox_block(_: str) -> Peer:
    """An LSTM of 2020; its files need Keras 2 and what that was packaged with."""
    os.environ |= {"TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    from tox_block import prediction

    folder = Path(prediction.__file__).parent / "trained_models"

    def score(texts: Sequence[str]) -> list[float]:
        predicted = prediction.make_predictions(list(texts))
        return [float(predicted[number]["toxic"]) for number in range(len(texts))]

    files = [*folder.glob("lstm_model_*.h5"), *folder.glob("encoder_*.pkl")]
    return Peer(score, metadata.version("tox-block"), _size(files))


TOXIC_LABELS = ("toxic", "toxicity", "hate", "hateful", "offensive", "abusive", "label_1")


def transformers(option: str) -> Peer:
    """Any sequence classifier: a folder or hub ID, with ``=LABEL`` for the label to read."""
    from transformers import pipeline

    name, _, wanted = option.partition("=")
    judge: Any = pipeline("text-classification", model=name, top_k=None, truncation=True)
    labels = {label.lower(): label for label in judge.model.config.label2id}
    known = [labels[label] for label in TOXIC_LABELS if label in labels]
    label = wanted or next(iter(known), "")
    if label not in judge.model.config.label2id:
        raise SystemExit(f"error: {name} has the labels {sorted(labels)}: name one with =LABEL")

    def score(texts: Sequence[str]) -> list[float]:
        answers = judge(list(texts), batch_size=16)
        return [{one["label"]: one["score"] for one in each}[label] for each in answers]

    # The hub often has the same weights in several formats.
    size = sum(each.nbytes for each in judge.model.parameters())
    return Peer(score, f"{Path(name).name}, label {label}", size)


def _size(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files)


PEERS: dict[str, Callable[[str], Peer]] = {
    "toxic-bot": toxic_bot,
    "alt-profanity-check": alt_profanity_check,
    "better-profanity": better_profanity,
    "glin-profanity": glin_profanity,
    "tox-block": tox_block,
    "transformers": transformers,
}


def answer(name: str, option: str, asked: dict[str, list[str]]) -> dict[str, Any]:
    """Score and time texts.

    Parameters
    ----------
    name
        Of `PEERS`.
    option
        What it takes to load it.
    asked
        ``texts`` and ``timed``.
    """
    cpus = os.sched_getaffinity(0)
    # Before it is loaded, because libraries start their threads then.
    os.sched_setaffinity(0, {min(cpus)})
    for variable in _THREADS:
        os.environ[variable] = "1"
    peer = PEERS[name](option)
    for text in asked["timed"][:_WARM_UP]:
        peer.score([text])
    milliseconds = []
    for text in asked["timed"]:
        started = time.perf_counter()
        peer.score([text])
        milliseconds.append((time.perf_counter() - started) * 1e3)
    os.sched_setaffinity(0, cpus)
    texts = asked["texts"]
    scores: list[float] = []
    for start in range(0, len(texts), _CHUNK):
        scores += peer.score(texts[start : start + _CHUNK])
    return {
        "version": peer.version,
        "bytes": peer.size,
        "scores": scores,
        "milliseconds": milliseconds,
    }


if __name__ == "__main__":
    name_, option_, asked_, answer_ = sys.argv[1:]
    answered = answer(name_, option_, json.loads(Path(asked_).read_text("utf-8")))
    Path(answer_).write_text(json.dumps(answered), "utf-8")
