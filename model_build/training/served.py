"""A served model folder turned back into a checkpoint, to train it further.

The folder that the bot serves is in every clone, so a model can be improved with more messages
and no download. Its weights have been rounded to 8 bits; the first training steps make up for
that.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from tokenizers import Tokenizer
from transformers import BertConfig, BertForSequenceClassification

from model_build.training.checkpoint import Checkpoint
from model_build.training.pretrained import CheckpointError
from model_build.training.slicing import PrunedBert, is_pruned
from model_build.work import GRAPH

_QUANTIZED = "_quantized"


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
        graph = _flat(graph)
        weights = _weights(graph)
        config = _encoder_config(graph, weights)
        labels = [*served["labels"], *kinds]
        config.id2label = dict(enumerate(labels))
        config.label2id = {label: number for number, label in enumerate(labels)}
        config.kinds = kinds
        kind = PrunedBert if is_pruned(config) else BertForSequenceClassification
        model = kind(config)
        # Exit heads are left out and retrained: not all of them are served.
        model.load_state_dict({n: torch.from_numpy(weights[n]) for n in model.state_dict()})
    except (KeyError, IndexError, RuntimeError) as error:
        raise CheckpointError(
            f"{folder} cannot be trained further ({type(error).__name__}): "
            "only int8 BERT encoders that this pipeline made can"
        ) from error
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    model.config.pad_token_id = tokenizer.token_to_id("[PAD]")
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


def _flat(graph: onnx.GraphProto) -> onnx.GraphProto:
    """Return the nodes and weights of a graph and of all its branches, side by side."""
    flat = onnx.GraphProto()
    nodes = []
    for node in graph.node:
        branches = [_flat(a.g) for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]
        nodes += [node, *(inner for branch in branches for inner in branch.node)]
        flat.initializer.extend(weight for branch in branches for weight in branch.initializer)
    flat.node.extend(nodes)
    flat.initializer.extend(graph.initializer)
    return flat


def _weights(graph: onnx.GraphProto) -> dict[str, NDArray[np.float32]]:
    """Return the parameters of the encoder and its head by their names in PyTorch."""
    values = {value.name: numpy_helper.to_array(value) for value in graph.initializer}
    producers = {output: node for node in graph.node for output in node.output}
    weights = {
        name.removeprefix("model."): value.astype(np.float32)
        for name, value in values.items()
        if name.startswith("model.") and name.endswith((".weight", ".bias"))
    }
    for name in values:
        if name.startswith("model.") and name.endswith(f"embeddings.weight{_QUANTIZED}"):
            key = name.removesuffix(_QUANTIZED)
            weights[key.removeprefix("model.")] = _dequantized(values, key)
    layer = 0
    for node in graph.node:
        if node.op_type == "QAttention":
            weights |= _attention(values, node, layer)
            layer += 1
        elif node.op_type == "MatMulInteger":
            weight = _dequantized(values, node.input[1].removesuffix(_QUANTIZED))
            activation = producers[producers[node.input[0]].input[0]]
            factor = next((values[n] for n in activation.input if n.endswith("/factor")), None)
            if factor is not None:
                weight = weight * factor[:, None]
            weights[f"{_module(node)}.weight"] = np.ascontiguousarray(weight.T, dtype=np.float32)
    return weights


def _module(node: onnx.NodeProto) -> str:
    """Return the PyTorch module that a matrix product was exported from."""
    output = str(node.output[0])
    if output.startswith("logits"):
        return "classifier"
    path = output.split("/MatMul_output")[0].split("/Gemm_output")[0]
    return path.removeprefix("/model/").replace("/", ".")


def _dequantized(values: dict[str, NDArray[Any]], name: str) -> NDArray[np.float32]:
    quantized = values[f"{name}{_QUANTIZED}"].astype(np.float32)
    zero_point = values[f"{name}_zero_point"].astype(np.float32)
    dequantized: NDArray[np.float32] = (quantized - zero_point) * values[f"{name}_scale"]
    return dequantized


def _attention(
    values: dict[str, NDArray[Any]], node: onnx.NodeProto, layer: int
) -> dict[str, NDArray[np.float32]]:
    """Return query, key and value of a fused attention."""
    weight = _dequantized(values, node.input[1].removesuffix(_QUANTIZED))
    bias = values[node.input[2]].astype(np.float32)
    parts = zip(
        ("query", "key", "value"), np.split(weight, 3, axis=1), np.split(bias, 3), strict=True
    )
    prefix = f"bert.encoder.layer.{layer}.attention.self"
    weights = {}
    for name, part, offset in parts:
        weights[f"{prefix}.{name}.weight"] = np.ascontiguousarray(part.T)
        weights[f"{prefix}.{name}.bias"] = offset
    return weights


def _encoder_config(graph: onnx.GraphProto, weights: dict[str, NDArray[np.float32]]) -> BertConfig:
    attentions = [node for node in graph.node if node.op_type == "QAttention"]
    heads = [next(a.i for a in node.attribute if a.name == "num_heads") for node in attentions]
    layers = [f"bert.encoder.layer.{number}" for number in range(len(attentions))]
    neurons = [weights[f"{layer}.intermediate.dense.weight"].shape[0] for layer in layers]
    words = weights["bert.embeddings.word_embeddings.weight"]
    head_size = weights[f"{layers[0]}.attention.self.query.weight"].shape[0] // heads[0]
    config = BertConfig(
        vocab_size=words.shape[0],
        hidden_size=words.shape[1],
        num_hidden_layers=len(attentions),
        num_attention_heads=words.shape[1] // head_size,
        intermediate_size=max(neurons),
        max_position_embeddings=weights["bert.embeddings.position_embeddings.weight"].shape[0],
        type_vocab_size=weights["bert.embeddings.token_type_embeddings.weight"].shape[0],
    )
    full = config.num_attention_heads, config.intermediate_size
    if any(sizes != full for sizes in zip(heads, neurons, strict=True)):
        config.heads_per_layer, config.neurons_per_layer = heads, neurons
    return config
