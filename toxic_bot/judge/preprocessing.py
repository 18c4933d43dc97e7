"""Text to windows, or to the reason why there is nothing to judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toxic_bot.judge.language import is_english
from toxic_bot.judge.normalization import read
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
    """

    encodings: Sequence[Encoding] = ()
    reason: Reason | None = None


class Preprocessor:
    """Reads texts as the model does. Safe to share between threads.

    Parameters
    ----------
    config
        What the model folder says about its model.
    tokenizer
        The model's own.
    """

    def __init__(self, config: ModelConfig, tokenizer: Tokenizer) -> None:
        self._tokenizer = WindowTokenizer(tokenizer, config.window)

    def windows(self, text: str) -> Windows:
        """Return the windows of a text."""
        reading = read(text)
        if not (reading.legible and is_english(text, reading.text)):
            return Windows(reason=Reason.LANGUAGE)
        if not _has_words(text, reading.text):
            return Windows(reason=Reason.NO_WORDS)
        return Windows(self._tokenizer.split(reading.text))


def _has_words(text: str, normalized: str) -> bool:
    """Report whether there is more than signs: a letter, a digit or an emoji."""
    if not any(map(str.isalnum, normalized)):
        return False
    return any(character.isalnum() or character >= _FIRST_EMOJI for character in text)
