"""Cut a vocabulary to what chat in the languages of a model needs.

The vocabulary is half of a small encoder's file, and most of a multilingual one's. A fifth of a
WordPiece vocabulary is other scripts and unused entries: a text without those gets the same tokens
as before. Of a multilingual Unigram vocabulary, the pieces that the rows use are kept, and then the
likeliest ones in Latin letters.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from model_build.training.checkpoint import Checkpoint
from model_build.training.pretrained import CheckpointError

_LATIN = re.compile(r"\u2581?[ -~\u00a1-\u017f\u2018-\u201f\u20ac]*$")


def prune(checkpoint: Checkpoint) -> Checkpoint:
    """Return the checkpoint with only the ASCII tokens.

    Parameters
    ----------
    checkpoint
        A checkpoint with a WordPiece tokenizer; its model is changed in place.

    Returns
    -------
    Checkpoint
        Has the same logits for every ASCII text.

    Raises
    ------
    CheckpointError
        When the tokenizer is not a WordPiece tokenizer.
    """
    content: dict[str, Any] = json.loads(checkpoint.tokenizer.to_str())
    if content["model"]["type"] != "WordPiece":
        raise CheckpointError(
            "only a WordPiece vocabulary can be cut to ASCII: set ascii_vocabulary to False"
        )
    special = {token["content"] for token in content["added_tokens"]}
    old: dict[str, int] = content["model"]["vocab"]
    kept = [
        token
        for token, _ in sorted(old.items(), key=lambda item: item[1])
        if token in special or (token.isascii() and not token.startswith("[unused"))
    ]
    new = {token: number for number, token in enumerate(kept)}
    content["model"]["vocab"] = new
    for token in content["added_tokens"]:
        token["id"] = new[token["content"]]
    _renumber(content["post_processor"], new)
    rows = np.array([old[token] for token in kept])
    return _with_vocabulary(checkpoint, content, rows, new["[PAD]"])


def prune_unigram(checkpoint: Checkpoint, texts: Iterable[str], most: int) -> Checkpoint:
    """Return the checkpoint with only the pieces that some texts use most.

    Parameters
    ----------
    checkpoint
        A checkpoint with a Unigram tokenizer; its model is changed in place.
    texts
        What it has to read.
    most
        Number of pieces to keep. Those of one Latin character are kept in any case, so that nothing
        is unknown.

    Raises
    ------
    CheckpointError
        When the tokenizer is not a Unigram tokenizer.
    """
    content: dict[str, Any] = json.loads(checkpoint.tokenizer.to_str())
    if content["model"]["type"] != "Unigram":
        raise CheckpointError("only a Unigram vocabulary can be cut to the pieces that texts use")
    pieces: list[list[Any]] = content["model"]["vocab"]
    used = Counter[int]()
    for encoding in checkpoint.tokenizer.encode_batch_fast(list(texts)):
        used.update(encoding.ids)
    special = {token["id"] for token in content["added_tokens"]} | {content["model"]["unk_id"]}
    latin = [number for number, (piece, _) in enumerate(pieces) if _LATIN.match(piece)]
    single = {number for number in latin if len(pieces[number][0].lstrip("\u2581")) <= 1}
    likely = sorted(latin, key=lambda number: -pieces[number][1])
    order = [*sorted(special | single), *(number for number, _ in used.most_common()), *likely]
    kept = np.array(sorted([*dict.fromkeys(order)][:most]))
    new = {pieces[number][0]: position for position, number in enumerate(kept)}
    content["model"]["vocab"] = [pieces[number] for number in kept]
    content["model"]["unk_id"] = new[pieces[content["model"]["unk_id"]][0]]
    for token in content["added_tokens"]:
        token["id"] = new[token["content"]]
    _renumber(content["post_processor"], new)
    return _with_vocabulary(checkpoint, content, kept, new["<pad>"])


def _with_vocabulary(
    checkpoint: Checkpoint, content: dict[str, Any], rows: NDArray[np.int64], padding: int
) -> Checkpoint:
    """Return the checkpoint with some rows of its word embeddings and a tokenizer to match."""
    model = checkpoint.model
    embedding = model.get_input_embeddings()
    weights = embedding.weight.detach()[torch.from_numpy(rows)].clone()
    smaller = torch.nn.Embedding.from_pretrained(weights, freeze=False, padding_idx=padding)
    model.set_input_embeddings(smaller)
    model.config.vocab_size = len(rows)
    model.config.pad_token_id = padding
    tokenizer = Tokenizer.from_str(json.dumps(content))
    return dataclasses.replace(checkpoint, tokenizer=tokenizer)


def _renumber(processor: dict[str, Any] | None, new: dict[str, int]) -> None:
    if processor is None:
        return
    for token in processor.get("special_tokens", {}).values():
        token["ids"] = [new[name] for name in token["tokens"]]
    for end in ("cls", "sep"):
        if end in processor:
            processor[end] = [processor[end][0], new[processor[end][0]]]
