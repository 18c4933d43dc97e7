"""Text to windows, or to the verdict that there is nothing to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toxic_bot.judge.language import is_english
from toxic_bot.judge.normalization import read
from toxic_bot.judge.postprocessing import NOT_ENGLISH, NOTHING_TO_JUDGE, Verdict
from toxic_bot.judge.windows import WindowTokenizer

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    from toxic_bot.judge.config import ModelConfig

_FIRST_EMOJI = "\u2600"


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

    def windows(self, text: str) -> list[Encoding] | Verdict:
        """Return the windows of a text, or its verdict if there is nothing to judge."""
        reading = read(text)
        if not (reading.legible and is_english(text, reading.text)):
            return NOT_ENGLISH
        if not _has_words(text, reading.text):
            return NOTHING_TO_JUDGE
        return self._tokenizer.split(reading.text)


def _has_words(text: str, normalized: str) -> bool:
    """Report whether there is more than signs: a letter, a digit or an emoji."""
    if not any(map(str.isalnum, normalized)):
        return False
    return any(character.isalnum() or character >= _FIRST_EMOJI for character in text)
