"""Fuse the parts of an ONNX graph: attention, layer normalization, GELU, embeddings.

What only the first token needs is then computed for it alone (`model_build.first_token`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions
from tokenizers import Tokenizer

from model_build.graph import first_token
from model_build.graph.parity import PROBES, assert_parity
from model_build.graph.runner import OnnxGraph, encode, quiet
from model_build.work import GRAPH, MODEL, Work


def run(work: Work, *, force: bool = False) -> Path:
    """Do the step: write ``optimize/model.onnx``."""
    source = work.needed("export", GRAPH)
    checkpoint = work.needed(str(work.record("export")["settings"]["source"]), MODEL)

    def action(folder: Path) -> Mapping[str, Any]:
        fused = optimize(source, folder / GRAPH, checkpoint)
        tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
        probes = encode(tokenizer, PROBES, _longest(checkpoint))
        before, after = OnnxGraph(source), OnnxGraph(folder / GRAPH)
        expected = [before.run(p) for p in probes]
        parity = assert_parity(expected, [after.run(p) for p in probes], "optimized graph")
        return {"fused": fused, "parity": parity}

    # The graph depends on this code as well: after a change of it the step is done again.
    code = [Path(__file__), Path(first_token.__file__)]
    return work.run("optimize", {}, [source, *code], action, force=force)


def optimize(source: Path, target: Path, checkpoint: Path) -> dict[str, int]:
    """Write a fused graph and return how many of each fusion were made.

    Parameters
    ----------
    source
        The graph as exported.
    target
        The file to write.
    checkpoint
        The folder whose ``config.json`` tells the numbers of heads and the width.

    Returns
    -------
    dict of str to int
        Such as ``{"Attention": 6}``.
    """
    config = json.loads((checkpoint / "config.json").read_bytes())
    options = FusionOptions("bert")
    # A mask of 0 and 1 that the fused operator reads as it is.
    options.use_raw_attention_mask(True)
    with quiet():
        model = optimizer.optimize_model(
            str(source),
            model_type="bert",
            num_heads=config["num_attention_heads"],
            hidden_size=config["hidden_size"],
            optimization_options=options,
            opt_level=1,
        )
        counts = model.get_fused_operator_statistics()
        counts["nodes for the first token alone"] = first_token.keep_first_token(model.model)
        model.save_model_to_file(str(target))
    return {name: int(count) for name, count in counts.items() if count}


def _longest(checkpoint: Path) -> int:
    config = json.loads((checkpoint / "config.json").read_bytes())
    return min(256, int(config["max_position_embeddings"]) - 2)
