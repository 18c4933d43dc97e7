"""Texts of a load are as long as what people write."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from benchmarks.chat import TOKENS_BY_SHARE, Chat, tokens_at


@pytest.fixture(scope="module")
def tokenizer(model_folder: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(model_folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@pytest.mark.parametrize(("share", "tokens"), TOKENS_BY_SHARE)
def test_each_measured_share_has_its_number_of_tokens(share: float, tokens: int) -> None:
    assert tokens_at(share) == tokens


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_has_no_fewer_tokens(one: float, other: float) -> None:
    assert tokens_at(min(one, other)) <= tokens_at(max(one, other))


def test_texts_are_spread_like_real_messages(tokenizer: Tokenizer) -> None:
    chat = Chat(tokenizer)
    lengths = sorted(len(tokenizer.encode(chat.text()).ids) for _ in range(3000))
    assert 30 <= statistics.mean(lengths) <= 36
    assert 20 <= lengths[len(lengths) // 2] <= 26
    assert 150 <= lengths[-len(lengths) // 100] <= 220
    assert lengths[-1] > 500


def test_a_seed_repeats_its_texts(tokenizer: Tokenizer) -> None:
    chats = [Chat(tokenizer, seed) for seed in (1, 1, 2)]
    first, again, other = ([chat.text() for _ in range(20)] for chat in chats)
    assert first == again
    assert first != other
