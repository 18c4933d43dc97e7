"""Words disguised as people disguise them, to train on.

Which words: those that tell the toxic rows of the training data from the others, found by
counting, so that no list of abuse has to be kept; and, in rows that are not toxic, any word,
so that a disguise alone means nothing.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable

_WORD = re.compile(r"[A-Za-z]{3,}")
_VOWEL = re.compile(r"(?<=\w)[aeiouAEIOU](?=\w)")
_LEAST_COUNT = 10
_DIGITS = str.maketrans("aeiostAEIOST", "431057431057")
_SIGNS = str.maketrans("aisoAISO", "@!$0@!$0")


def telling_words(rows: Iterable[tuple[str, bool]], most: int = 500) -> frozenset[str]:
    """Return the words that tell toxic texts from the others best.

    Parameters
    ----------
    rows
        Texts and whether they are toxic.
    most
        How many words at the most.

    Returns
    -------
    frozenset of str
        Lower-case words, those with the highest log-odds of a toxic text.
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
        if count >= _LEAST_COUNT
    }
    best = sorted(odds, key=lambda word: (-odds[word], word))[:most]
    return frozenset(word for word in best if odds[word] > 1)


def disguised(text: str, words: frozenset[str] | None, random_: random.Random) -> str | None:
    """Return the text with one or two of its words disguised.

    Parameters
    ----------
    text
        Any text.
    words
        Lower-case words to choose from; None chooses among all of four letters or more.
    random_
        Decides which words and how.

    Returns
    -------
    str or None
        None when the text holds no word to disguise.
    """
    found = [
        match
        for match in _WORD.finditer(text)
        if (match.group().lower() in words if words is not None else len(match.group()) > 3)
    ]
    if not found:
        return None
    chosen = random_.sample(found, min(len(found), random_.choice((1, 1, 2))))
    for match in sorted(chosen, key=lambda match: -match.start()):
        change = random_.choice(_CHANGES)
        text = text[: match.start()] + change(match.group(), random_) + text[match.end() :]
    return text


def _digits(word: str, random_: random.Random) -> str:
    return "".join(c.translate(_DIGITS) if random_.random() < 0.7 else c for c in word)


def _signs(word: str, random_: random.Random) -> str:
    return "".join(c.translate(_SIGNS) if random_.random() < 0.7 else c for c in word)


def _masked(word: str, random_: random.Random) -> str:
    sign = random_.choice("***#-_.")
    if random_.random() < 0.5:
        masked = _VOWEL.sub(sign, word, count=random_.choice((1, 2)))
        if masked != word:
            return masked
    end = random_.choice((len(word) - 1, len(word)))
    return word[0] + sign * (end - 1) + word[end:]


def _apart(word: str, random_: random.Random) -> str:
    return random_.choice((" ", " ", ".", "-", "_", "  ", "*")).join(word)


def _split(word: str, random_: random.Random) -> str:
    cut = random_.randint(1, len(word) - 1)
    return word[:cut] + random_.choice((" ", " ", "-", ".", "'")) + word[cut:]


def _swapped(word: str, random_: random.Random) -> str:
    at = random_.randint(0, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _dropped(word: str, random_: random.Random) -> str:
    at = random_.randint(1, len(word) - 1)
    return word[:at] + word[at + 1 :]


def _vowelless(word: str, _random: random.Random) -> str:
    return _VOWEL.sub("", word)


def _repeated(word: str, random_: random.Random) -> str:
    at = random_.randint(0, len(word) - 1)
    return word[: at + 1] + word[at] * random_.randint(1, 4) + word[at + 1 :]


def _replaced(word: str, random_: random.Random) -> str:
    sounds = (("ck", "k"), ("c", "k"), ("f", "ph"), ("s", "z"), ("i", "y"), ("oo", "u"), ("u", "v"))
    for sound, other in random_.sample(sounds, len(sounds)):
        if sound in word:
            return word.replace(sound, other, 1)
    return _repeated(word, random_)


def _mixed(word: str, random_: random.Random) -> str:
    return "".join(c.upper() if random_.random() < 0.5 else c.lower() for c in word)


_CHANGES: tuple[Callable[[str, random.Random], str], ...] = (
    _digits, _digits, _signs, _masked, _masked, _apart, _apart, _split, _swapped, _dropped,
    _vowelless, _repeated, _replaced, _mixed,
)  # fmt: skip
