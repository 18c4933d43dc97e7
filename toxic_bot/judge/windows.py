"""Text to windows of token ids, unpadded and of bounded number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenizers import Tokenizer

from toxic_bot.judge.config import WindowConfig

if TYPE_CHECKING:
    from tokenizers import Encoding


class WindowTokenizer:
    """Splits texts of any length into windows that the model can read.

    Parameters
    ----------
    tokenizer
        The model's own; its padding and truncation are set here.
    config
        Length, overlap and number of the windows.
    """

    def __init__(self, tokenizer: Tokenizer, config: WindowConfig) -> None:
        self._max_windows = config.max_windows
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(config.tokens, stride=config.overlap)

    def split(self, text: str) -> list[Encoding]:
        """Return the windows of a normalized text, at least one, in reading order.

        When there are more than ``max_windows``, those in the middle are dropped.
        """
        encoding = self._tokenizer.encode(text)
        windows = [encoding, *encoding.overflowing]
        if len(windows) > self._max_windows:
            head = self._max_windows // 2
            windows = windows[:head] + windows[head - self._max_windows :]
        return windows


def passage(window: Encoding) -> tuple[int, int]:
    """Return where a window begins and ends in its normalized text."""
    places = [place for place in window.offsets if place != (0, 0)]
    return (places[0][0], places[-1][1]) if places else (0, 0)
