"""The weights of a BERT encoder and its head, read from the int8 graph that the bot serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

_QUANTIZED = "_quantized"
_MEAN, _SCALE = "/model/Squeeze_output_0", "/model/Squeeze_1_output_0"
"""What a head that reads the mean over the tokens subtracts from it and multiplies it by."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """A BERT classifier as PyTorch knows it.

    Parameters
    ----------
    weights
        Its parameters by name, float32: what 8 bits have kept of them.
    config
        Its sizes, by the names of ``transformers.BertConfig``.
    heads_per_layer, neurons_per_layer
        The sizes of each layer; they differ if it was pruned.
    """

    weights: dict[str, NDArray[np.float32]]
    config: dict[str, int]
    heads_per_layer: list[int]
    neurons_per_layer: list[int]

    @property
    def is_pruned(self) -> bool:
        """Whether layers have fewer heads or neurons than the configuration says."""
        full = self.config["num_attention_heads"], self.config["intermediate_size"]
        sizes = zip(self.heads_per_layer, self.neurons_per_layer, strict=True)
        return any(size != full for size in sizes)

    @property
    def is_mean_pooled(self) -> bool:
        """Whether its head reads the mean over the tokens, not the first token."""
        return "standardization.weight" in self.weights


def read_encoder(graph: onnx.GraphProto) -> Encoder:
    """Return the encoder in an int8 graph that `model_build` made.

    Raises
    ------
    KeyError, IndexError
        When the graph is of another encoder.
    """
    graph = flat(graph)
    weights = weights_of(graph)
    attentions = [node for node in graph.node if node.op_type == "QAttention"]
    heads = [next(a.i for a in node.attribute if a.name == "num_heads") for node in attentions]
    layers = [f"bert.encoder.layer.{number}" for number in range(len(attentions))]
    neurons = [weights[f"{layer}.intermediate.dense.weight"].shape[0] for layer in layers]
    words = weights["bert.embeddings.word_embeddings.weight"]
    head_size = weights[f"{layers[0]}.attention.self.query.weight"].shape[0] // heads[0]
    config = {
        "vocab_size": words.shape[0],
        "hidden_size": words.shape[1],
        "num_hidden_layers": len(attentions),
        "num_attention_heads": words.shape[1] // head_size,
        "intermediate_size": max(neurons),
        "max_position_embeddings": weights["bert.embeddings.position_embeddings.weight"].shape[0],
        "type_vocab_size": weights["bert.embeddings.token_type_embeddings.weight"].shape[0],
    }
    return Encoder(weights, config, heads, neurons)


def flat(graph: onnx.GraphProto) -> onnx.GraphProto:
    """Return the nodes and weights of a graph and of all its branches, side by side."""
    whole = onnx.GraphProto()
    nodes = []
    for node in graph.node:
        branches = [flat(a.g) for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]
        nodes += [node, *(inner for branch in branches for inner in branch.node)]
        whole.initializer.extend(weight for branch in branches for weight in branch.initializer)
    whole.node.extend(nodes)
    whole.initializer.extend(graph.initializer)
    return whole


def weights_of(graph: onnx.GraphProto) -> dict[str, NDArray[np.float32]]:
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
    if _MEAN in values:
        weights["standardization.weight"] = np.stack([values[_MEAN], values[_SCALE]])
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
    packed, scale = values[f"{name}{_QUANTIZED}"], values[f"{name}_scale"]
    if scale.dtype == np.float16:
        # Two weights of four bits to a byte, with a scale for each block of a row.
        steps = np.stack([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
        blocks = steps.reshape(*scale.shape, -1) * scale.astype(np.float32)[..., None]
        return np.asarray(blocks.reshape(len(packed), -1), np.float32)
    quantized = packed.astype(np.float32)
    # A table with a scale for each row is symmetric.
    zero_point = values.get(f"{name}_zero_point", np.zeros((), np.float32)).astype(np.float32)
    dequantized: NDArray[np.float32] = (quantized - zero_point) * scale
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
