"""A comment's sentences."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.service.perspective.comment_spans import MAX_SPANS, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[begin:end] for begin, end in sentence_spans(text)]


def test_sentences_end_with_punctuation_or_the_line() -> None:
    text = "What is this?! Version 1.2 of it... fine\n\nBye."
    assert sentences(text) == ["What is this?!", "Version 1.2 of it...", "fine", "Bye."]


@pytest.mark.slow
@given(st.text())
def test_spans_cover_all_but_white_space_in_order(text: str) -> None:
    spans = sentence_spans(text)
    assert len(spans) <= MAX_SPANS
    end = 0
    for begin, next_end in spans:
        assert not text[end:begin].strip()
        assert begin < next_end
        assert text[begin:next_end] == text[begin:next_end].strip()
        end = next_end
    assert not text[end:].strip()


def test_the_rest_of_a_long_comment_is_one_span() -> None:
    spans = sentence_spans("No. " * 1000)
    assert len(spans) == MAX_SPANS
    assert spans[-1][1] == 3999


def test_splitting_takes_linear_time() -> None:
    for text in ("." * 20_000, "a" * 20_000, " ." * 10_000, "a. " * 7_000, "\n" * 20_000):
        started = time.process_time()
        sentence_spans(text)
        assert time.process_time() - started < 1
