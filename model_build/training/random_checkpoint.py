"""A RoBERTa classifier with random weights, for what does not depend on weights.

Size, speed and the whole pipeline are the same as with a checkpoint of the hub; the
verdicts mean nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from tokenizers import ByteLevelBPETokenizer, processors

from model_build.rows.sentences import sentences

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
_LABELS = ("NOT-HATE", "HATE")


@dataclass(frozen=True, slots=True)
class Size:
    """How large the model is; by default DistilRoBERTa.

    Parameters
    ----------
    layers, heads
        Of the encoder.
    hidden, inner
        Width of a layer, and of its feed-forward part.
    vocabulary
        Rows of the embedding; the tokenizer may have fewer tokens.
    positions
        Longest sequence, and two for RoBERTa's padding.
    """

    layers: int = 6
    heads: int = 12
    hidden: int = 768
    inner: int = 3072
    vocabulary: int = 50265
    positions: int = 514


def write(folder: Path, size: Size = Size(), seed: int = 2) -> Path:
    """Write a Hugging Face folder and return it.

    Parameters
    ----------
    folder
        Is made where it is missing.
    size
        Of the model.
    seed
        Of the weights and of the sentences that the tokenizer is trained on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(
        [sentence.text for sentence in sentences(seed)],
        vocab_size=size.vocabulary,
        special_tokens=SPECIAL,
        show_progress=False,
    )
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.save(str(folder / "tokenizer.json"))
    tokens = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
    content = {"tokenizer_class": "PreTrainedTokenizerFast", **tokens}
    (folder / "tokenizer_config.json").write_text(json.dumps(content))
    torch.manual_seed(seed)
    config = transformers.RobertaConfig(
        vocab_size=size.vocabulary,
        hidden_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=size.inner,
        max_position_embeddings=size.positions,
        type_vocab_size=1,
        id2label=dict(enumerate(_LABELS)),
        label2id={label: place for place, label in enumerate(_LABELS)},
    )
    model = transformers.RobertaForSequenceClassification(config)
    # Random heads say the same of every text; a wider one makes parity worth proving.
    with torch.no_grad():
        model.classifier.out_proj.weight.mul_(40)
    model.save_pretrained(folder)
    return folder
