"""Long texts are trained on as the bot cuts them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from model_build.rows.chunks import later_pieces

WORD = st.text("abcde", min_size=1, max_size=3)


@given(st.lists(WORD, max_size=90))
def test_a_short_text_has_no_later_pieces(words: list[str]) -> None:
    assert list(later_pieces(" ".join(words))) == []


@given(st.integers(91, 900))
def test_the_pieces_of_a_long_text_cover_it_and_are_as_long_as_a_window(count: int) -> None:
    words = [str(number) for number in range(count)]
    pieces = [piece.split() for piece in later_pieces(" ".join(words))]
    assert all(len(piece) == 90 for piece in pieces)
    assert set(words[90:]) <= {word for piece in pieces for word in piece}


def test_an_endless_text_has_no_endless_pieces() -> None:
    assert len(list(later_pieces("word " * 10_000))) == 12
