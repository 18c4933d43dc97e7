"""The work on a text is bounded by its length, so that no message can stop the bot."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.text import FRAGMENTS, shapes
from toxic_bot.judge import normalization, obfuscation
from toxic_bot.judge.explanation import _pieces
from toxic_bot.judge.normalization import MAX_LENGTH, normalize
from toxic_bot.slack.web_api import mrkdwn
from toxic_bot.slack.web_api.mrkdwn import plain_text

FRAGMENT = st.sampled_from(FRAGMENTS)
REPEATED = st.builds(lambda fragment, times: fragment * times, FRAGMENT, st.integers(1, 60))
TEXTS = st.lists(REPEATED, max_size=8).map("".join)
LONG, SHORT = shapes(8000), shapes(2000)

LONGEST = shapes(40_000)
CPU_SECONDS = 1.0
"""Thirty times what any of the longest texts takes; a quadratic pattern takes ten times as long."""


class CountingPattern:
    """A compiled pattern that counts the characters that it is asked to search."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern.pattern
        self.characters = 0
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._pattern, name)

        def counted(*arguments: Any) -> Any:
            # The text comes last, after the replacement of `sub`.
            self.characters += len(arguments[-1])
            return method(*arguments)

        return counted


@pytest.fixture(scope="module")
def patterns() -> Iterator[list[CountingPattern]]:
    """Replace every pattern on a text's way to the tokenizer."""
    counting = []
    with pytest.MonkeyPatch.context() as patch:
        for module in (mrkdwn, normalization, obfuscation):
            for name, value in vars(module).copy().items():
                if isinstance(value, re.Pattern):
                    counting.append(CountingPattern(value))
                    patch.setattr(module, name, counting[-1])
        yield counting


def searched(patterns: list[CountingPattern], text: str) -> int:
    """Return how many characters the patterns search in one text, all together."""
    before = sum(pattern.characters for pattern in patterns)
    normalize(plain_text(text))
    return sum(pattern.characters for pattern in patterns) - before


@given(text=TEXTS)
def test_the_characters_searched_grow_with_the_length_only(
    patterns: list[CountingPattern], text: str
) -> None:
    # An emoji becomes its name: a few dozen characters, each searched a dozen times.
    assert searched(patterns, text) <= 800 * len(text) + 100


@pytest.mark.parametrize("shape", LONG)
@pytest.mark.slow
def test_no_shape_of_text_is_searched_more_often_when_it_is_longer(
    patterns: list[CountingPattern], shape: str
) -> None:
    # What was looked up once is remembered.
    normalize(plain_text(LONG[shape]))
    assert searched(patterns, LONG[shape]) <= 5 * searched(patterns, SHORT[shape]) + 100


@pytest.mark.parametrize("shape", LONGEST)
@pytest.mark.slow
def test_no_pattern_goes_back_over_a_text_again_and_again(shape: str) -> None:
    # What a pattern does within one search cannot be counted from outside.
    started = time.thread_time()
    normalize(plain_text(LONGEST[shape]))
    assert time.thread_time() - started < CPU_SECONDS


@pytest.mark.parametrize("shape", [*LONGEST, "spaces", "newlines"])
@pytest.mark.slow
def test_no_pattern_that_splits_a_text_into_parts_goes_back_over_it(shape: str) -> None:
    text = LONGEST.get(shape) or {"spaces": " ", "newlines": " \n"}[shape] * 40_000
    started = time.thread_time()
    list(_pieces(f"a{text}b", (0, len(text) + 2)))
    assert time.thread_time() - started < CPU_SECONDS


@pytest.mark.parametrize("shape", [shape for shape in LONG if shape.startswith("different")])
def test_few_of_many_different_characters_are_looked_up(
    monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    looked_up: set[int] = set()

    def spelled(code: int) -> str:
        looked_up.add(code)
        return " "

    monkeypatch.setattr(normalization, "_SPELLED", normalization._Table(spelled))
    normalize(LONG[shape])
    assert len({ord(character) for character in LONG[shape]}) == 8000
    # A character may be folded into several.
    assert 0 < len(looked_up) < 2 * normalization._MAX_DISTINCT


def test_an_insult_is_read_among_thousands_of_different_characters() -> None:
    crowd = "".join(map(chr, range(0x4E00, 0x4E00 + 5000)))
    assert normalize(f"{crowd} you idiot {crowd}") == "you idiot"


@pytest.mark.parametrize("fragment", ["\u337e ab ", "\U0001f600", "\u3392 ", "ab "])
def test_normalized_text_is_bounded(fragment: str) -> None:
    assert 0 < len(normalize(fragment * MAX_LENGTH)) <= MAX_LENGTH
