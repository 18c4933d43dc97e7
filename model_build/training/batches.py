"""Batches of texts of similar length, which need little padding."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

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
        width = max(len(self.ids[index]) for index in indices)
        ids = torch.full((len(indices), width), self.padding_id, dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, index in enumerate(indices):
            tokens = self.ids[index]
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        return {"input_ids": ids, "attention_mask": mask}


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
