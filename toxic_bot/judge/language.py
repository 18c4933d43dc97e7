"""Whether a text is in English, the only language that the model can judge.

Two opinions have to agree. Most words of an English text are known words, slang and missing
apostrophes included (`toxic_bot.judge.words`). Only when too few are does Google's Compact Language
Detector (CLD3) have its say, so an English message costs nothing more than a look into a
dictionary.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from toxic_bot.judge.words import words

_MAX_LENGTH = 1000
"""Characters that are looked at; CLD3 says no more about more."""
_MIN_WORDS = 4
_MAX_KNOWN_SHARE = 0.62
_MIN_PROBABILITY = 0.7
_ENGLISH = ("en", "und")
_WORD = re.compile(r"[a-z]+")


def is_english(text: str, normalized: str) -> bool:
    """Return False if a text is most likely in another language.

    Parameters
    ----------
    text
        The text as it was written: its marks tell languages apart.
    normalized
        The same after `toxic_bot.judge.normalization.read`.
    """
    found = _WORD.findall(normalized[:_MAX_LENGTH].lower())
    if len(found) < _MIN_WORDS:
        return True
    known_words = words()
    known = sum(len(word) == 1 or word in known_words for word in found)
    if known > _MAX_KNOWN_SHARE * len(found):
        return True
    language, probability = _detect(text[:_MAX_LENGTH])
    return language in _ENGLISH or probability < _MIN_PROBABILITY


def detected_language(text: str) -> str | None:
    """Return the ISO 639 code of the language that a text is most likely in; None if unclear."""
    language, probability = _detect(text[:_MAX_LENGTH])
    return language if language != "und" and probability >= _MIN_PROBABILITY else None


def _detect(text: str) -> tuple[str, float]:
    """Return the likeliest language, as an ISO 639 code, and its probability."""
    # CLD3 takes UTF-8, which has no unpaired surrogates, and ends at a NUL.
    encodable = text.encode(errors="ignore").decode().replace("\0", " ")
    result = _detector().FindLanguage(text=encodable)
    return result.language, result.probability


@cache
def _detector() -> Any:
    from gcld3 import NNetLanguageIdentifier

    return NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=4 * _MAX_LENGTH)
