"""Texts of one batch are padded to the longest, and the mask says what is text."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

from hypothesis import given
from hypothesis import strategies as st

from model_build.training.batches import TokenizedTexts

PADDING = 7
ids = st.lists(st.lists(st.integers(0, 60_000), min_size=1, max_size=20), min_size=1, max_size=8)


@given(ids, st.data())
def test_a_batch_holds_the_tokens_of_its_texts_and_nothing_else(
    ids: list[list[int]], data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(ids) - 1), min_size=1, max_size=6))
    tensors = TokenizedTexts(ids, PADDING).tensors(chosen)
    tokens, mask = tensors["input_ids"], tensors["attention_mask"]
    assert tokens.shape == mask.shape == (len(chosen), max(len(ids[i]) for i in chosen))
    for row, index in enumerate(chosen):
        length = len(ids[index])
        assert tokens[row, :length].tolist() == ids[index]
        assert (tokens[row, length:] == PADDING).all()
        assert mask[row].tolist() == [1] * length + [0] * (mask.shape[1] - length)
