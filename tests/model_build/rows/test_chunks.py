"""Long texts are cut into chunks for training, as the bot cuts them into windows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from model_build.rows.chunks import later_chunks

WORD = st.text("abcde", min_size=1, max_size=3)


@given(st.lists(WORD, max_size=90))
def test_a_short_text_has_no_later_chunks(words: list[str]) -> None:
    assert list(later_chunks(" ".join(words))) == []


@given(st.integers(91, 900))
def test_the_chunks_of_a_long_text_have_the_same_length_and_cover_it(count: int) -> None:
    words = [str(number) for number in range(count)]
    chunks = [chunk.split() for chunk in later_chunks(" ".join(words))]
    assert all(len(chunk) == 90 for chunk in chunks)
    assert set(words[90:]) <= {word for chunk in chunks for word in chunk}


def test_the_number_of_chunks_is_limited() -> None:
    assert len(list(later_chunks("word " * 10_000))) == 12
