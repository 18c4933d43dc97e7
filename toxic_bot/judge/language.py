"""Which language a text is in, as far as the models need to know.

Two opinions have to agree. Most words of an English text are known words, slang and missing
apostrophes included (`toxic_bot.judge.words`). Only when too few are, or some letters have marks,
does Google's Compact Language Detector (CLD3) have its say, so most English messages cost nothing
more than a look into a dictionary. Of a few words it can tell little, and neither can it of mixed
languages: what is not clearly in a language is undetermined.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from toxic_bot.judge.words import foreign_words, words

ENGLISH = "en"
MULTILINGUAL = frozenset({"de", "es", "fr", "it", "pt"})
"""The languages beside English that the multilingual model reads, as ISO 639 codes."""
_RELATIVES = frozenset({"co", "gl", "lb"})
"""Corsican, Galician and Luxembourgish: what CLD3 takes for one of these is nearly always in one of
those above, and the multilingual model reads them, too."""
UNDETERMINED = "und"
"""A text of a few words, or of several languages (ISO 639-2)."""
OTHER = "mis"
"""A language that no model reads (ISO 639-2: one without a code of its own)."""

_MAX_LENGTH = 1000
"""Characters that are looked at; CLD3 says no more about more."""
_MIN_WORDS = 4
_MAX_KNOWN_SHARE = 0.62
_MIN_PROBABILITY = 0.7
_MIN_PROBABILITY_OF_OURS = 0.4
"""Less certainty is needed for a language that a model reads: the text is judged in any case."""
_MIN_PROBABILITY_TO_BE_SURE = 0.95
"""More is needed where a first opinion says otherwise."""
_MIN_KNOWN_SHARE_OF_FEW = 0.5
_MAX_FOREIGN_SHARE = 0.2
"""Share of words of the other languages up to which a text may be English."""
_MIN_SHARE_OF_OURS = 0.35
"""Share from which it is in one of them, even if CLD3 takes it for another (Catalan)."""
_FEW_WORDS, _MIN_SHARE_OF_OURS_IN_FEW = 8, 0.1
"""In a text of so few words, a smaller share suffices unless CLD3 is sure."""
_WORD = re.compile(r"[a-z]+")
_MARKED = re.compile(r"[À-ÖØ-öø-ɏ]")


def language_of(text: str, normalized: str) -> str:
    """Return the language of a text: an ISO 639 code that the models know, or one of the above.

    Parameters
    ----------
    text
        The text as it was written: its marks tell languages apart.
    normalized
        The same after `toxic_bot.judge.normalization.read`, in ASCII.
    """
    found = _WORD.findall(normalized[:_MAX_LENGTH].lower())
    known_words, foreign = words(), foreign_words()
    known = sum(len(word) == 1 or word in known_words for word in found)
    share = sum(map(foreign.__contains__, found)) / max(1, len(found))
    is_foreign = share > _MAX_FOREIGN_SHARE
    if len(found) < _MIN_WORDS:
        is_known = not found or known > _MIN_KNOWN_SHARE_OF_FEW * len(found)
        return ENGLISH if is_known and not is_foreign else UNDETERMINED
    head = text[:_MAX_LENGTH]
    if known > _MAX_KNOWN_SHARE * len(found) and not is_foreign:
        # Letters with a mark are rare in English: "on est mieux à l'étage" is made of known words.
        is_marked = share > 0 and _MARKED.search(head) is not None
        return (_sure_of_ours(head) if is_marked else None) or ENGLISH
    language, probability = _detect(head)
    if language in MULTILINGUAL and probability >= _MIN_PROBABILITY_OF_OURS:
        return language
    if (read := _sure_of_ours(normalized[:_MAX_LENGTH])) is not None:
        # "s3i un c r e t i n o" is no language before it is read.
        return read
    is_like_ours = len(found) <= _FEW_WORDS and share > _MIN_SHARE_OF_OURS_IN_FEW
    least = _MIN_PROBABILITY_TO_BE_SURE if is_like_ours else _MIN_PROBABILITY
    is_unclear = probability < least or share > _MIN_SHARE_OF_OURS
    if is_unclear or language in MULTILINGUAL | _RELATIVES | {UNDETERMINED}:
        return UNDETERMINED
    return ENGLISH if language == ENGLISH else OTHER


def _sure_of_ours(text: str) -> str | None:
    """Return the language of a text if it is surely one that the multilingual model reads."""
    language, probability = _detect(text)
    is_sure = language in MULTILINGUAL and probability >= _MIN_PROBABILITY_TO_BE_SURE
    return language if is_sure else None


def detected_language(text: str) -> str | None:
    """Return the ISO 639 code of the language that a text is most likely in; None if unclear."""
    language, probability = _detect(text[:_MAX_LENGTH])
    return language if language != UNDETERMINED and probability >= _MIN_PROBABILITY else None


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
