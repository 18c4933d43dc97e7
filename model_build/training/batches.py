"""Batches of texts of similar length, which need little padding."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from tokenizers import Tokenizer

_BATCHES_PER_BUCKET = 64


@dataclass(frozen=True, slots=True)
class TokenizedTexts:
    """Token ids of texts.

    Parameters
    ----------
    ids
        Token ids of each text.
    padding_id
        Token id that pads the shorter texts of a batch.
    """

    ids: list[list[int]]
    padding_id: int

    def tensors(self, indices: Sequence[int]) -> dict[str, torch.Tensor]:
        """Return ``input_ids`` and ``attention_mask`` of some texts: int64, (texts, tokens)."""
        chosen = [self.ids[index] for index in indices]
        lengths = np.fromiter(map(len, chosen), np.int64, len(chosen))
        mask = np.arange(lengths.max()) < lengths[:, None]
        ids = np.full(mask.shape, self.padding_id, np.int64)
        ids[mask] = np.fromiter(chain.from_iterable(chosen), np.int64, lengths.sum())
        return {
            "input_ids": torch.from_numpy(ids),
            "attention_mask": torch.from_numpy(mask.astype(np.int64)),
        }


def tokenize(
    tokenizer: Tokenizer, texts: Sequence[str], max_tokens: int, padding_id: int
) -> TokenizedTexts:
    """Tokenize normalized texts, truncated to ``max_tokens`` tokens."""
    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.enable_truncation(max_tokens)
    ids = [encoding.ids for encoding in copy.encode_batch_fast(list(texts))]
    return TokenizedTexts(ids, padding_id)


def shuffled_batches(tokens: TokenizedTexts, batch_size: int, seed: int) -> list[list[int]]:
    """Return one epoch of shuffled batches, each of texts of similar length.

    Parameters
    ----------
    tokens
        The texts.
    batch_size
        Maximum texts per batch.
    seed
        Random seed of the order.

    Returns
    -------
    list of list of int
        Indices of the texts in each batch; every index once.
    """
    random_ = random.Random(seed)
    indices = list(range(len(tokens.ids)))
    random_.shuffle(indices)
    bucket_size = batch_size * _BATCHES_PER_BUCKET
    batches = []
    for start in range(0, len(indices), bucket_size):
        bucket = sorted(
            indices[start : start + bucket_size], key=lambda index: len(tokens.ids[index])
        )
        batches += [bucket[at : at + batch_size] for at in range(0, len(bucket), batch_size)]
    random_.shuffle(batches)
    return batches


def batches_by_length(tokens: TokenizedTexts, batch_size: int) -> list[list[int]]:
    """Return batches of indices ordered from short to long texts, for inference."""
    indices = sorted(range(len(tokens.ids)), key=lambda index: len(tokens.ids[index]))
    return [indices[at : at + batch_size] for at in range(0, len(indices), batch_size)]
