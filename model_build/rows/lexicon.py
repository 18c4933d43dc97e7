"""The lexicon ``toxic_bot/judge/words.txt``: known words, first those most often meant.

Of the rows of a multilingual model, ``foreign_words.txt`` instead: the words that tell that a text
is not in English, though many of its words are English words too.

It tells a disguised word from a broken one, and English from other languages. The words are
those of the model's vocabulary, and what people write besides, counted in the training rows:
slang, abbreviations, insults that an encyclopedia lacks.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from model_build.work import StepError, Work
from toxic_bot.judge.normalization import normalize

logger = logging.getLogger(__name__)

_MIN_ROWS = 10
_MIN_SOURCES = 4
"""Sources that a word occurs in: what fewer have is a name, a hashtag or a typing error."""
_HURTFUL = 0.5
"""Share of toxic rows above which a word is more likely to hurt than not."""
_HIDDEN = 5
"""How many times as often people hide a letter of such a word."""
_ENGLISH = "en"
_MIN_FOREIGN_ROWS = 8
_FOREIGN_RATIO = 20
"""How many times as often the other languages have a word as English has."""
_WORD = re.compile(r"(?<![\w'*])[a-z]{2,20}(?![\w'*])")
_WHOLE_WORD = re.compile(r"[a-z]{2,}")


def write(work: Work, model: Path, output: Path) -> None:
    """Count the words of the training rows, and write the lexicon.

    Parameters
    ----------
    work
        Work folder that holds the rows of the step ``data``.
    model
        The model folder whose tokenizer has the vocabulary.
    output
        The file to write: a word a line.

    Raises
    ------
    StepError
        When there are no rows, or no tokenizer.
    """
    rows, tokenizer = work.require("data", "train.parquet"), model / "tokenizer.json"
    frame = pd.read_parquet(rows)
    if "lang" in frame and frame["lang"].nunique() > 1:
        words = foreign(frame)
        output.write_text("\n".join(words) + "\n", encoding="ascii")
        logger.info("%s: %d words", output, len(words))
        return
    if not tokenizer.is_file():
        raise StepError(f"{tokenizer} is missing: give a model folder")
    vocabulary = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    known = frozenset(token for token in vocabulary if _WHOLE_WORD.fullmatch(token))
    ranked = rank(frame, known)
    output.write_text("\n".join(ranked) + "\n", encoding="ascii")
    logger.info("%s: %d words, %d of the vocabulary", output, len(ranked), len(known))


def rank(rows: pd.DataFrame, vocabulary: Iterable[str]) -> list[str]:
    """Return the words of a vocabulary and those that enough rows have.

    Parameters
    ----------
    rows
        Training rows with text, source and target, the probability that the text is toxic.
    vocabulary
        Words that are kept however rare they are.

    Returns
    -------
    list of str
        The most frequent one first, where words count `_HIDDEN` times whose rows are toxic
        more often than not; in the order of the alphabet where they count the same.
    """
    count: Counter[str] = Counter()
    toxic: defaultdict[str, float] = defaultdict(float)
    sources: defaultdict[str, set[str]] = defaultdict(set)
    for text, source, target in zip(rows["text"], rows["source"], rows["target"], strict=True):
        for word in set(_WORD.findall(text.lower())):
            count[word] += 1
            toxic[word] += target
            sources[word].add(source)
    chosen = frozenset(vocabulary) | {
        word
        for word, found in sources.items()
        if len(found) >= _MIN_SOURCES and count[word] >= _MIN_ROWS
    }
    meant = {
        word: count[word] * (_HIDDEN if toxic[word] > _HURTFUL * count[word] else 1)
        for word in chosen
    }
    return sorted(chosen, key=lambda word: (-meant[word], word))


def foreign(rows: pd.DataFrame) -> list[str]:
    """Return the words that are much more frequent in other languages than in English.

    Parameters
    ----------
    rows
        Training rows with text and lang.

    Returns
    -------
    list of str
        Words of two letters and more, without marks, in the order of the alphabet.
    """
    count: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    totals: Counter[bool] = Counter()
    unique = rows.drop_duplicates("text")
    for text, language in zip(unique["text"], unique["lang"], strict=True):
        is_english = language == _ENGLISH
        words = set(_WORD.findall(normalize(text).lower()))
        count[is_english].update(words)
        totals[is_english] += 1
    smallest = 1 / totals[True]
    return sorted(
        word
        for word, found in count[False].items()
        if found >= _MIN_FOREIGN_ROWS
        and found / totals[False]
        >= _FOREIGN_RATIO * max(count[True][word] / totals[True], smallest / 2)
    )
