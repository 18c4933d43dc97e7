"""Copies of training texts with obfuscated words, written as people do to get past filters.

In most toxic rows these are indicative words: the words that are most typical of toxic rows, found
by counting, so that the project keeps no list of abuse. In other copies, toxic and benign, any word
is obfuscated, so obfuscation alone means nothing. Some copies lose the spaces around a word.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable

_SENTENCE_END = re.compile(r"(?<=[.!?]) ")
_MAX_SURROUNDING_SENTENCES = 8
_WORD = re.compile(r"[^\W\d_]{3,}")
_VOWEL = re.compile(r"(?<=\w)[aeiouAEIOU](?=\w)")
_MIN_COUNT = 10
_JOINED = 0.1
"""Share of the copies in which words are joined instead."""
_DIGITS = str.maketrans("aeiostAEIOST", "431057431057")
_SYMBOLS = str.maketrans("aisoAISO", "@!$0@!$0")


def indicative_words(rows: Iterable[tuple[str, bool]], max_words: int = 500) -> frozenset[str]:
    """Return the words that best separate toxic texts from the others.

    Parameters
    ----------
    rows
        Texts and whether they are toxic.
    max_words
        Maximum number of words.

    Returns
    -------
    frozenset of str
        The lower-case words with the highest log odds of a toxic text.
    """
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    totals = [1, 1]
    for text, toxic in rows:
        words = {word.lower() for word in _WORD.findall(text)}
        counts[toxic].update(words)
        totals[toxic] += 1
    odds = {
        word: math.log((count + 0.5) / totals[1]) - math.log((counts[0][word] + 0.5) / totals[0])
        for word, count in counts[1].items()
        if count >= _MIN_COUNT
    }
    best = sorted(odds, key=lambda word: (-odds[word], word))[:max_words]
    return frozenset(word for word in best if odds[word] > 1)


def obfuscate(text: str, words: frozenset[str] | None, random_: random.Random) -> str | None:
    """Return the text with one or two of its words obfuscated.

    Parameters
    ----------
    text
        Any text.
    words
        Lower-case words to choose from; None for any word of at least four letters.
    random_
        Chooses the words and how each is obfuscated.

    Returns
    -------
    str or None
        None when the text has no word to obfuscate.
    """
    candidates = [
        match
        for match in _WORD.finditer(text)
        if (match.group().lower() in words if words is not None else len(match.group()) > 3)
    ]
    if not candidates:
        return None
    if random_.random() < _JOINED:
        return _join(text, random_.choice(candidates), random_)
    chosen = random_.sample(candidates, min(len(candidates), random_.choice((1, 1, 2))))
    for match in sorted(chosen, key=lambda match: -match.start()):
        change = random_.choice(_OBFUSCATIONS)
        text = text[: match.start()] + change(match.group(), random_) + text[match.end() :]
    return text


def embed(message: str, surroundings: str, random_: random.Random) -> str:
    """Return a longer text with a message as one of its sentences.

    Parameters
    ----------
    message
        The message.
    surroundings
        The text to put it into; of a long one, its first sentences.
    random_
        Chooses the place.
    """
    sentences = _SENTENCE_END.split(surroundings)[:_MAX_SURROUNDING_SENTENCES]
    sentences.insert(random_.randint(0, len(sentences)), message)
    return " ".join(sentences)


def _join(text: str, word: re.Match[str], random_: random.Random) -> str:
    """Return the text without the spaces between a word and up to two words on either side."""
    before, after = text[: word.start()].split(" "), text[word.end() :].split(" ")
    left, right = random_.choice(((1, 0), (0, 1), (1, 1), (2, 1), (1, 2)))
    first, last = " ".join(before[: -left - 1]), " ".join(after[right + 1 :])
    joined = "".join(before[-left - 1 :]) + word.group() + "".join(after[: right + 1])
    return " ".join(part for part in (first, joined, last) if part)


def _use_digits(word: str, random_: random.Random) -> str:
    return "".join(c.translate(_DIGITS) if random_.random() < 0.7 else c for c in word)


def _use_symbols(word: str, random_: random.Random) -> str:
    return "".join(c.translate(_SYMBOLS) if random_.random() < 0.7 else c for c in word)


def _mask(word: str, random_: random.Random) -> str:
    symbol = random_.choice("***#-_.")
    if random_.random() < 0.5:
        masked = _VOWEL.sub(symbol, word, count=random_.choice((1, 2)))
        if masked != word:
            return masked
    end = random_.choice((len(word) - 1, len(word)))
    return word[0] + symbol * (end - 1) + word[end:]


def _space_out(word: str, random_: random.Random) -> str:
    return random_.choice((" ", " ", ".", "-", "_", "  ", "*")).join(word)


def _split(word: str, random_: random.Random) -> str:
    cut = random_.randint(1, len(word) - 1)
    return word[:cut] + random_.choice((" ", " ", "-", ".", "'")) + word[cut:]


def _swap_letters(word: str, random_: random.Random) -> str:
    at = random_.randint(0, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _drop_letter(word: str, random_: random.Random) -> str:
    at = random_.randint(1, len(word) - 1)
    return word[:at] + word[at + 1 :]


def _drop_vowels(word: str, _random: random.Random) -> str:
    return _VOWEL.sub("", word)


def _repeat_letter(word: str, random_: random.Random) -> str:
    at = random_.randint(0, len(word) - 1)
    return word[: at + 1] + word[at] * random_.randint(1, 4) + word[at + 1 :]


def _respell(word: str, random_: random.Random) -> str:
    sounds = (("ck", "k"), ("c", "k"), ("f", "ph"), ("s", "z"), ("i", "y"), ("oo", "u"), ("u", "v"))
    for sound, other in random_.sample(sounds, len(sounds)):
        if sound in word:
            return word.replace(sound, other, 1)
    return _repeat_letter(word, random_)


def _mix_case(word: str, random_: random.Random) -> str:
    return "".join(c.upper() if random_.random() < 0.5 else c.lower() for c in word)


_OBFUSCATIONS: tuple[Callable[[str, random.Random], str], ...] = (
    _use_digits, _use_digits, _use_symbols, _mask, _mask, _space_out, _space_out, _split,
    _swap_letters, _drop_letter, _drop_vowels, _repeat_letter, _respell, _mix_case,
)  # fmt: skip
