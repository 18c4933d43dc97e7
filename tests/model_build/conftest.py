"""Tiny models and a small data set."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from model_build.rows.sentences import sentences
from model_build.work import Work


@pytest.fixture(scope="session", autouse=True)
def _fp32() -> None:
    if find_spec("torch") is not None:
        from tests.model_build.fp32 import use_fp32

        use_fp32()


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of labeled texts."""
    folder = tmp_path_factory.mktemp("texts")
    rows = [{"text": s.text, "label": int(s.toxic)} for s in sentences(7)[::12]]
    (folder / "talk.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture(scope="session")
def built(
    tmp_path_factory: pytest.TempPathFactory, texts: Path, tiny_bert: Path
) -> tuple[Work, Path]:
    """Return the work folder and the model folder of a tiny build."""
    from tests.model_build.tiny import build_tiny

    folder = tmp_path_factory.mktemp("built")
    work = Work(folder / "work")
    return work, build_tiny(work, folder / "model", texts, tiny_bert)


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a two-layer BERT with random weights and a WordPiece vocabulary."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("bert")
    tokenizer = Tokenizer(models.WordPiece(_vocabulary(900), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    tokenizer_config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "unk_token": "[UNK]",
        "pad_token": "[PAD]",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer_config))
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def _vocabulary(size: int) -> dict[str, int]:
    """Return the same vocabulary every time; a trained one varies, because ties are random."""
    words = Counter(re.findall(r"\w+|[^\w\s]", " ".join(s.text for s in sentences(7)).lower()))
    letters = sorted({letter for word in words for letter in word} | {"ü", "日"})
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{c}" for c in letters)]
    common = sorted(words.keys() - set(letters), key=lambda word: (-words[word], word))
    return {token: index for index, token in enumerate([*tokens, *common][:size])}


@pytest.fixture(scope="session")
def tiny_roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a two-layer RoBERTa classifier with a byte-level BPE vocabulary."""
    from model_build.training import random_checkpoint

    size = random_checkpoint.Size(
        layers=2, heads=2, hidden=32, intermediate=64, vocabulary=900, positions=130
    )
    return random_checkpoint.write(tmp_path_factory.mktemp("roberta"), size)
