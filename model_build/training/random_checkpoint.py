"""A RoBERTa classifier with random weights, to measure and test without a model hub.

Its size and speed, and every step of the pipeline, are the same as for a checkpoint from the
hub; its verdicts are meaningless.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from tokenizers import ByteLevelBPETokenizer, processors

from model_build.rows.sentences import sentences

SPECIAL_TOKENS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
_LABELS = ("NOT-HATE", "HATE")


@dataclass(frozen=True, slots=True)
class Size:
    """Dimensions of the model; by default those of DistilRoBERTa.

    Parameters
    ----------
    layers, heads
        Layers of the encoder and attention heads per layer.
    hidden, intermediate
        Width of a layer and of its feed-forward network.
    vocabulary
        Rows of the embedding table; the tokenizer may have fewer tokens.
    positions
        Maximum sequence length plus two, which RoBERTa reserves for padding.
    """

    layers: int = 6
    heads: int = 12
    hidden: int = 768
    intermediate: int = 3072
    vocabulary: int = 50265
    positions: int = 514


def write(folder: Path, size: Size = Size(), seed: int = 2) -> Path:
    """Write a Hugging Face folder and return its path.

    Parameters
    ----------
    folder
        Folder to write; created if missing.
    size
        Dimensions of the model.
    seed
        Random seed of the weights and of the sentences that the tokenizer is trained on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(
        [sentence.text for sentence in sentences(seed)],
        vocab_size=size.vocabulary,
        special_tokens=SPECIAL_TOKENS,
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
        intermediate_size=size.intermediate,
        max_position_embeddings=size.positions,
        type_vocab_size=1,
        id2label=dict(enumerate(_LABELS)),
        label2id={label: index for index, label in enumerate(_LABELS)},
    )
    model = transformers.RobertaForSequenceClassification(config)
    # With small random weights the logits would hardly depend on the text, and a parity
    # check would prove little.
    with torch.no_grad():
        model.classifier.out_proj.weight.mul_(40)
    model.save_pretrained(folder)
    return folder
