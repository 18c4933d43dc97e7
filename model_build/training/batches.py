"""Batches of texts of like length, so that little of a batch is padding."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer

_BUCKET = 64


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids of texts, each cut to a length.

    Parameters
    ----------
    ids
        One list of ids a text.
    padding
        Id that fills a batch up.
    """

    ids: list[list[int]]
    padding: int

    def tensors(self, places: Sequence[int]) -> dict[str, torch.Tensor]:
        """Return ``input_ids`` and ``attention_mask``, int64, shape (rows, tokens)."""
        width = max(len(self.ids[place]) for place in places)
        ids = torch.full((len(places), width), self.padding, dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, place in enumerate(places):
            tokens = self.ids[place]
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        return {"input_ids": ids, "attention_mask": mask}


def tokenize(tokenizer: Tokenizer, texts: Sequence[str], most: int, padding: int) -> Tokens:
    """Return the token ids of normalized texts, cut to ``most`` tokens."""
    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.enable_truncation(most)
    ids = [encoding.ids for encoding in copy.encode_batch_fast(list(texts))]
    return Tokens(ids, padding)


def epoch(tokens: Tokens, batch: int, seed: int) -> list[list[int]]:
    """Return the places of every row, in shuffled batches of like length.

    Parameters
    ----------
    tokens
        What is put into batches.
    batch
        Rows of a batch at the most.
    seed
        Decides the order.

    Returns
    -------
    list of list of int
        Every place once.
    """
    random_ = random.Random(seed)
    places = list(range(len(tokens.ids)))
    random_.shuffle(places)
    batches = []
    for start in range(0, len(places), batch * _BUCKET):
        bucket = sorted(
            places[start : start + batch * _BUCKET], key=lambda place: len(tokens.ids[place])
        )
        batches += [bucket[at : at + batch] for at in range(0, len(bucket), batch)]
    random_.shuffle(batches)
    return batches


def in_order(tokens: Tokens, batch: int) -> list[list[int]]:
    """Return batches from short to long, for forward passes alone."""
    places = sorted(range(len(tokens.ids)), key=lambda place: len(tokens.ids[place]))
    return [places[at : at + batch] for at in range(0, len(places), batch)]
