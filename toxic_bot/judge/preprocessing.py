"""Text to windows, or to the reason why there is nothing to judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toxic_bot.judge.language import ENGLISH, MULTILINGUAL, OTHER, UNDETERMINED, language_of
from toxic_bot.judge.normalization import Reading, read
from toxic_bot.judge.verdict import Reason
from toxic_bot.judge.windows import WindowTokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenizers import Encoding, Tokenizer

    from toxic_bot.judge.config import ModelConfig

_FIRST_EMOJI = "\u2600"


@dataclass(frozen=True, slots=True)
class Windows:
    """A text as the model computes it.

    Parameters
    ----------
    encodings
        Its windows; none if it is not judged.
    reason
        Why it is not judged; None if it is.
    language
        What it is written in; see `toxic_bot.judge.language.language_of`.
    """

    encodings: Sequence[Encoding] = ()
    reason: Reason | None = None
    language: str = ENGLISH


class Preprocessor:
    """Reads texts as the model does. Safe to share between threads.

    Parameters
    ----------
    config
        What the model folder says about its model.
    tokenizer
        The model's own.
    undetermined
        Whether it also reads what is not clearly in any language; another model may be there for
        that.
    """

    def __init__(
        self, config: ModelConfig, tokenizer: Tokenizer, *, undetermined: bool = True
    ) -> None:
        self._tokenizer = WindowTokenizer(tokenizer, config.window)
        self._marks = config.multilingual
        self._languages = {ENGLISH} | (MULTILINGUAL if config.multilingual else set())
        if undetermined:
            self._languages.add(UNDETERMINED)

    def read(self, text: str, language: str | None = None) -> Reading:
        """Return a text as the model reads it."""
        return read(text, marks=self._keeps_marks(language))

    def _keeps_marks(self, language: str | None) -> bool:
        """Report whether marks on letters are read; in English they say nothing ("coöperate")."""
        return self._marks and language != ENGLISH

    def windows(self, text: str, language: str | None = None) -> Windows:
        """Return the windows of a text.

        Parameters
        ----------
        text
            Plain text.
        language
            What it is written in, if that is known already.
        """
        reading = None
        if language is None:
            reading = read(text)
            language = language_of(text, reading.text) if reading.legible else OTHER
        if reading is None or self._keeps_marks(language):
            reading = self.read(text, language)
        if not (reading.legible and language in self._languages):
            return Windows(reason=Reason.LANGUAGE, language=language)
        if not _has_words(text, reading.text):
            return Windows(reason=Reason.NO_WORDS, language=language)
        return Windows(self._tokenizer.split(reading.text), language=language)


def _has_words(text: str, normalized: str) -> bool:
    """Report whether there is more than signs: a letter, a digit or an emoji."""
    if not any(map(str.isalnum, normalized)):
        return False
    return any(character.isalnum() or character >= _FIRST_EMOJI for character in text)
