"""Relearn the outputs for the kinds, on what the served graph says of a text.

In training, the kinds share the encoder and the loss with the verdict, and each row counts once:
a kind that few rows show is hardly learned. Here the encoder stays as it is, and logistic
regressions on its last hidden vector learn the kinds with the rare ones balanced. Only the
weights of these outputs change, so every verdict keeps its bits.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pandas as pd
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from sklearn.linear_model import LogisticRegression
from tokenizers import Tokenizer

from model_build.graph.quantization import FP16_GRAPH
from model_build.graph.runner import encode, unpadded_feed
from model_build.terminal import progress
from model_build.work import GRAPH, KINDS_ROWS, MODEL, StepError, Work
from toxic_bot.judge.session import create_session

_MAX_TOKENS = 128
_MAX_ROWS_PER_SOURCE = 4_000
_MAX_BENIGN_ROWS = 8_000
_MIN_ROWS_PER_LABEL = 20
_BENIGN_WEIGHT = 0.1
"""Weight of all benign rows together; the toxic rows that show a kind have 0.5, as the others."""
_INVERSE_REGULARIZATION = 16_000.0
_MAX_ITERATIONS = 1_000
_SEED = 1


@dataclass(frozen=True, slots=True)
class KindsHead:
    """The weights of the outputs for some kinds.

    Parameters
    ----------
    kinds
        Their names.
    weights
        Shape (kinds, width of the encoder).
    biases
        Shape (kinds,).
    """

    kinds: tuple[str, ...]
    weights: NDArray[np.float32]
    biases: NDArray[np.float32]


def run(work: Work, *, as_trained: bool = False, force: bool = False) -> Path:
    """Run the step: write ``kinds/model.onnx``, and the graph for GPUs if there is one.

    Parameters
    ----------
    work
        Work folder that holds the quantized graph.
    as_trained
        Whether the outputs stay as training left them: after a long training with many messages
        of each kind, they are better than relearned ones.
    force
        Run the step even if it is up to date.
    """
    graphs = [work.require("quantize", GRAPH)]
    graphs += [path for path in [work.step("quantize") / FP16_GRAPH] if path.exists()]
    exported = work.record("export")
    tokenizer = work.require(str(exported["settings"]["source"]), f"{MODEL}/tokenizer.json")
    training = training_file(work)

    def action(folder: Path) -> Mapping[str, Any]:
        for graph in graphs:
            shutil.copyfile(graph, folder / graph.name)
        if as_trained or not training.exists():
            return {"learned": []}
        copies = [folder / graph.name for graph in graphs]
        kinds = exported["results"]["kinds"]
        return {"learned": learn(copies, tokenizer, pd.read_parquet(training), kinds)}

    # The code is an input too: when it changes, the step runs again.
    inputs = [*graphs, tokenizer, Path(__file__), *([training] if training.exists() else [])]
    settings = {"as_trained": True} if as_trained else {}
    return work.run("kinds", settings, inputs, action, force=force)


def training_file(work: Work) -> Path:
    """Return the rows from which kinds are learned: all, even if training emphasizes some."""
    every = work.step("data") / KINDS_ROWS
    return every if every.exists() else work.step("data") / "train.parquet"


def learn(
    graphs: Sequence[Path], tokenizer: Path, rows: pd.DataFrame, kinds: Sequence[str]
) -> list[str]:
    """Relearn the outputs for the kinds, in place.

    Parameters
    ----------
    graphs
        The int8 graph, on which they are learned, and others with the same weights.
    tokenizer
        ``tokenizer.json``.
    rows
        Training rows with columns text, strict and source and, for each kind, ``kind_NAME``
        (1, 0 or NaN).
    kinds
        Names of the last outputs of the graphs.

    Returns
    -------
    list of str
        The kinds that were learned: those that enough rows show and enough do not.

    Raises
    ------
    StepError
        When the last layer of a graph cannot be found, as in one with early exit.
    """
    rows = select(rows, kinds)
    learnable = [kind for kind in kinds if _is_learnable(rows, kind)]
    if not learnable:
        return []
    ids = encode(Tokenizer.from_file(str(tokenizer)), list(rows["text"]), _MAX_TOKENS)
    head = fit(hidden_vectors(graphs[0], ids), rows, learnable)
    positions = [kinds.index(kind) - len(kinds) for kind in learnable]
    for graph in graphs:
        model = onnx.load(str(graph))
        replace(model, head, positions)
        onnx.save(model, str(graph))
    return learnable


def select(rows: pd.DataFrame, kinds: Sequence[str]) -> pd.DataFrame:
    """Return the rows to learn from: toxic ones of which a kind is known, and benign ones."""
    columns = [f"kind_{kind}" for kind in kinds]
    if not set(columns) <= set(rows.columns):
        return rows.iloc[:0]
    unique = rows[rows["strict"].notna()].drop_duplicates("text")
    toxic = unique[(unique["strict"] == 1) & unique[columns].notna().any(axis=1)]
    toxic = toxic.sample(frac=1, random_state=_SEED).groupby("source").head(_MAX_ROWS_PER_SOURCE)
    benign = unique[unique["strict"] == 0]
    benign = benign.sample(min(len(benign), _MAX_BENIGN_ROWS), random_state=_SEED)
    return pd.concat([toxic, benign], ignore_index=True)


def _is_learnable(rows: pd.DataFrame, kind: str) -> bool:
    if rows.empty:
        return False
    shown = rows.loc[rows["strict"] == 1, f"kind_{kind}"]
    return bool(min((shown == 1).sum(), (shown == 0).sum()) >= _MIN_ROWS_PER_LABEL)


def hidden_vectors(graph: Path, ids: Sequence[NDArray[np.int64]]) -> NDArray[np.float32]:
    """Return what the last layer of a graph reads of each text, shape (texts, width)."""
    model = onnx.load(str(graph))
    vector = _vector_name(model.graph)
    value = helper.make_tensor_value_info(vector, onnx.TensorProto.FLOAT, None)
    model.graph.output.append(value)
    session = create_session(model.SerializeToString(), 1)
    inputs = [entry.name for entry in session.get_inputs()]

    def read(text_ids: NDArray[np.int64]) -> NDArray[np.float32]:
        feed = unpadded_feed(text_ids)
        texts: NDArray[np.float32] = session.run([vector], {n: feed[n] for n in inputs})[0]
        return texts.reshape(-1)

    with ThreadPoolExecutor(2) as pool, progress() as bar:
        read_texts = bar.track(pool.map(read, ids), total=len(ids), description="reading")
        return np.stack(list(read_texts))


def fit(vectors: NDArray[np.float32], rows: pd.DataFrame, kinds: Sequence[str]) -> KindsHead:
    """Fit a logistic regression for each kind.

    Parameters
    ----------
    vectors
        Shape (rows, width).
    rows
        As `select` returns them.
    kinds
        The kinds to learn.

    Returns
    -------
    KindsHead
        Deterministic for the same input on one machine.
    """
    weights, biases = [], []
    for kind in kinds:
        known = rows[f"kind_{kind}"].notna().to_numpy(bool)
        labels = rows.loc[known, f"kind_{kind}"].to_numpy(int)
        regression = LogisticRegression(C=_INVERSE_REGULARIZATION, max_iter=_MAX_ITERATIONS)
        regression.fit(vectors[known], labels, _row_weights(rows[known], labels))
        weights.append(regression.coef_[0])
        biases.append(regression.intercept_[0])
    return KindsHead(
        tuple(kinds), np.array(weights, dtype=np.float32), np.array(biases, dtype=np.float32)
    )


def _row_weights(rows: pd.DataFrame, labels: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return what each row counts: large sources less per row, both labels alike."""
    toxic = (rows["strict"] == 1).to_numpy(bool)
    sizes = rows.groupby("source")["source"].transform("size").to_numpy(float)
    weights: NDArray[np.float64] = sizes**-0.5
    for part, total in (
        (toxic & (labels == 1), 0.5),
        (toxic & (labels == 0), 0.5),
        (~toxic, _BENIGN_WEIGHT),
    ):
        weights[part] *= total / max(weights[part].sum(), 1e-9)
    return weights


def replace(model: onnx.ModelProto, head: KindsHead, positions: Sequence[int]) -> None:
    """Put a head into a graph; its other weights stay as they are.

    Parameters
    ----------
    model
        An int8 graph, or one in floats.
    head
        What to put in.
    positions
        Where each of its kinds stands among the logits, counted from the end.
    """
    initializers = {value.name: value for value in model.graph.initializer}

    def change(name: str, axis: int, new: NDArray[np.generic]) -> None:
        values = numpy_helper.to_array(initializers[name]).copy()
        index = (slice(None),) * axis + (list(positions),)
        values[index] = new.astype(values.dtype)
        initializers[name].CopyFrom(numpy_helper.from_array(values, name))

    last = _last(model.graph)
    bias = next(name for name in last.input if name in initializers and name.endswith("bias"))
    change(bias, 0, head.biases)
    if last.op_type == "Gemm":
        change(last.input[1], 0, head.weights)
        return
    weight = _product(model.graph, last).input[1].removesuffix("_quantized")
    scales = np.abs(head.weights).max(axis=1) / 127
    change(f"{weight}_quantized", 1, np.round(head.weights / scales[:, None]).T)
    change(f"{weight}_scale", 0, scales)
    change(f"{weight}_zero_point", 0, np.zeros_like(scales))


def _last(graph: onnx.GraphProto) -> onnx.NodeProto:
    """Return the node that adds the last bias."""
    producers = {output: node for node in graph.node for output in node.output}
    node = producers["logits"]
    while node.op_type == "Cast":
        node = producers[node.input[0]]
    if node.op_type not in ("Add", "Gemm"):
        raise StepError(
            f"the kinds cannot be learned in a graph that ends in {node.op_type}: "
            "use one without early exit"
        )
    return node


def _product(graph: onnx.GraphProto, last: onnx.NodeProto) -> onnx.NodeProto:
    """Return the matrix product of integers before the last bias."""
    producers = {output: node for node in graph.node for output in node.output}
    node = last
    while node.op_type != "MatMulInteger":
        node = producers[next(name for name in node.input if name in producers)]
    return node


def _vector_name(graph: onnx.GraphProto) -> str:
    """Return what the last matrix product reads, before it is quantized."""
    last = _last(graph)
    if last.op_type == "Gemm":
        return str(last.input[0])
    producers = {output: node for node in graph.node for output in node.output}
    return str(producers[_product(graph, last).input[0]].input[0])
