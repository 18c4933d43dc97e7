"""A served model folder turned back into a checkpoint, to train it further.

The folder that the bot serves is in every clone, so a model can be improved with more messages
and no download. Its weights lie on the steps of 8 bits, and most are moved by less than half a
step: see `model_build.graph.rounding`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import onnx
import torch
from tokenizers import Tokenizer
from transformers import BertConfig

from model_build.training.checkpoint import Checkpoint
from model_build.training.pretrained import CheckpointError
from model_build.training.slicing import bert_class
from model_build.work import GRAPH
from toxic_bot.huggingface.weights import read_encoder


def is_served(folder: Path) -> bool:
    """Report whether a folder is one that the bot serves."""
    return (folder / GRAPH).is_file() and (folder / "tokenizer.json").is_file()


def restore(folder: Path) -> Checkpoint:
    """Return the checkpoint that a served folder was made from, as its int8 weights have it.

    Parameters
    ----------
    folder
        Contains ``config.json``, ``tokenizer.json`` and an int8 graph of a BERT encoder made by
        this pipeline.

    Raises
    ------
    CheckpointError
        When the graph is of another encoder.
    """
    # Folders of earlier formats can be trained further too.
    served = json.loads((folder / "config.json").read_bytes())
    kinds = [kind["name"] for kind in served.get("kinds", ())]
    graph = onnx.load(str(folder / GRAPH)).graph
    try:
        encoder = read_encoder(graph)
        weights, config = encoder.weights, BertConfig(**encoder.config)
        if encoder.is_pruned:
            config.heads_per_layer = encoder.heads_per_layer
            config.neurons_per_layer = encoder.neurons_per_layer
        labels = [*served["labels"], *kinds]
        config.id2label = dict(enumerate(labels))
        config.label2id = {label: number for number, label in enumerate(labels)}
        config.kinds = kinds
        model = bert_class(config, mean_pooled=encoder.is_mean_pooled)(config)
        # Exit heads are left out and retrained: not all of them are served.
        model.load_state_dict({n: torch.from_numpy(weights[n]) for n in model.state_dict()})
    except (KeyError, IndexError, RuntimeError) as error:
        raise CheckpointError(
            f"{folder} cannot be trained further ({type(error).__name__}): "
            "only int8 BERT encoders that this pipeline made can"
        ) from error
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    padding = tokenizer.token_to_id("[PAD]")
    model.config.pad_token_id = tokenizer.token_to_id("<pad>") if padding is None else padding
    names = tuple(served["labels"]), tuple(served["toxic_labels"])
    return Checkpoint(model.eval(), tokenizer, *names, tuple(kinds))


def provenance(folder: Path) -> dict[str, Any]:
    """Return what a step that trains a served model further records about it.

    Returns
    -------
    dict
        ``checkpoint``: the model's name and the start of its graph's SHA-256; ``earlier``: the
        records of the trainings that made it.
    """
    config = json.loads((folder / "config.json").read_bytes())
    made = config["provenance"]
    trainings = [*made["earlier_training"], {"step": made["made_from"]}]
    return {
        "checkpoint": f"{config['name']} {config['files'][GRAPH]['sha256'][:12]}",
        "earlier": [_record(made, training) for training in trainings],
    }


def _record(made: dict[str, Any], training: dict[str, Any]) -> dict[str, Any]:
    """Return a training as the record of its step."""
    settings = {k: v for k, v in training.items() if k not in ("step", "steps")}
    settings = settings or made["settings"].get(training["step"], {})
    results = {"checkpoint": made["checkpoint"], "steps": training.get("steps")}
    return {"step": training["step"], "settings": settings, "results": results}
