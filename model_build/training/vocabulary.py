"""Cut a WordPiece vocabulary to what English chat needs.

The vocabulary is half of a small encoder's file, and a fifth of it is other scripts and unused
entries. A text without those gets the same tokens as before.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import torch
from tokenizers import Tokenizer

from model_build.training.checkpoint import Checkpoint
from model_build.training.pretrained import CheckpointError


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
    model = checkpoint.model
    embedding = model.get_input_embeddings()
    rows = torch.tensor([old[token] for token in kept])
    smaller = torch.nn.Embedding.from_pretrained(
        embedding.weight.detach()[rows].clone(), freeze=False, padding_idx=new["[PAD]"]
    )
    model.set_input_embeddings(smaller)
    model.config.vocab_size = len(kept)
    model.config.pad_token_id = new["[PAD]"]
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
