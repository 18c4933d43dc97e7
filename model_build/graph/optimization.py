"""Fuse the nodes of an ONNX graph into attention, layer normalization, GELU and embeddings.

What follows the last attention is then computed for the first token only
(`model_build.graph.first_token`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions
from tokenizers import Tokenizer

from model_build.graph import first_token
from model_build.graph.parity import PROBES, assert_parity, max_probe_tokens
from model_build.graph.runner import OnnxGraph, encode, quiet_logging
from model_build.work import GRAPH, MODEL, Work

_MAX_FUSED_VOCABULARY = 55_000
"""More pieces than any encoder of one language has; DistilRoBERTa has 50,265."""


def run(work: Work, *, force: bool = False) -> Path:
    """Run the step: write ``optimize/model.onnx``."""
    source = work.require("export", GRAPH)
    checkpoint = work.require(str(work.record("export")["settings"]["source"]), MODEL)

    def action(folder: Path) -> Mapping[str, Any]:
        fused = optimize(source, folder / GRAPH, checkpoint)
        tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
        max_tokens = max_probe_tokens(int(_read_config(checkpoint)["max_position_embeddings"]))
        probes = encode(tokenizer, PROBES, max_tokens)
        before, after = OnnxGraph(source), OnnxGraph(folder / GRAPH)
        expected = [before.run_all_heads(probe) for probe in probes]
        actual = [after.run_all_heads(probe) for probe in probes]
        return {"fused": fused, "parity": assert_parity(expected, actual, "optimized graph")}

    # The code is an input too: when it changes, the step runs again.
    code = [Path(__file__), Path(first_token.__file__)]
    return work.run("optimize", {}, [source, *code], action, force=force)


def optimize(source: Path, target: Path, checkpoint: Path) -> dict[str, int]:
    """Write a fused graph and return how often each fusion was applied.

    Parameters
    ----------
    source
        The graph as exported.
    target
        The file to write.
    checkpoint
        The folder whose ``config.json`` states the hidden size and the number of attention heads
        of a layer that is not pruned.

    Returns
    -------
    dict of str to int
        Such as ``{"Attention": 6}``.
    """
    config = _read_config(checkpoint)
    options = FusionOptions("bert")
    # The fused operator reads the mask of zeros and ones directly.
    options.use_raw_attention_mask(True)
    # Fused, the embeddings of a large vocabulary could not be looked up in int8.
    options.enable_embed_layer_norm = config["vocab_size"] <= _MAX_FUSED_VOCABULARY
    with quiet_logging():
        model = optimizer.optimize_model(
            str(source),
            model_type="bert",
            num_heads=config["num_attention_heads"],
            hidden_size=config["hidden_size"],
            optimization_options=options,
            opt_level=1,
        )
        _count_heads(model.model.graph, config["hidden_size"] // config["num_attention_heads"])
        counts = model.get_fused_operator_statistics()
        counts["nodes for the first token alone"] = first_token.hoist_first_token(model.model)
        model.save_model_to_file(str(target))
    return {name: int(count) for name, count in counts.items() if count}


def _count_heads(graph: onnx.GraphProto, head_size: int) -> None:
    """Set the number of heads of each attention, in place: pruned layers have fewer.

    The optimizer writes the number that it is given, because the exported graph leaves it open.
    """
    shapes = {value.name: value.dims for value in graph.initializer}
    for node in graph.node:
        if node.op_type == "Attention":
            heads = next(attribute for attribute in node.attribute if attribute.name == "num_heads")
            heads.i = shapes[node.input[1]][1] // (3 * head_size)


def _read_config(checkpoint: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((checkpoint / "config.json").read_bytes())
    return config
