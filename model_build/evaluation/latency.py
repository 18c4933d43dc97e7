"""Measure how fast each form of a model is: PyTorch, ONNX Runtime, fused, int8.

Each form runs in its own process, because spinning threads of one form would slow down the
others. The processes take turns, because the speed of a machine drifts over minutes.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from model_build.terminal import show
from model_build.work import GRAPH, MODEL, StepError, Work, write_json

logger = logging.getLogger(__name__)
PYTORCH = "PyTorch fp32"
FORMS = {
    PYTORCH: (None, MODEL),
    "PyTorch int8": (None, MODEL),
    "ONNX Runtime fp32": ("export", GRAPH),
    "ONNX Runtime optimized": ("optimize", GRAPH),
    "ONNX Runtime int8": ("quantize", GRAPH),
}
"""Forms of a model and, for each, the step and the file that it is loaded from."""

_WARMUP_RUNS = 3
_MIN_RUNS = 5

Forward = Callable[[NDArray[np.int64]], object]
Loader = Callable[[int], tuple[Forward, Path]]
"""From the number of threads to a forward pass and the file with the weights."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured.

    Parameters
    ----------
    tokens
        Text lengths.
    batches
        Batch sizes.
    threads
        Threads per inference.
    rounds
        Turns of each form.
    seconds
        Time spent on each shape per turn.
    """

    tokens: tuple[int, ...] = (12, 32, 64, 128, 256)
    batches: tuple[int, ...] = (1,)
    threads: tuple[int, ...] = (2,)
    rounds: int = 3
    seconds: float = 0.5


def run(work: Work, settings: Settings, *, baseline: Path | None = None) -> Path:
    """Run the step, which is never skipped: write ``benchmark/ladder.json`` and ``ladder.png``.

    Parameters
    ----------
    work
        Work folder that holds all forms of the model.
    settings
        What is measured.
    baseline
        A checkpoint whose PyTorch fp32 form the ratios refer to; None for the checkpoint in
        the work folder.

    Returns
    -------
    pathlib.Path
        The step's folder.
    """
    work.require("export", GRAPH)
    source = str(work.record("export")["settings"]["source"])
    paths = {name: work.require(step or source, file) for name, (step, file) in FORMS.items()}
    reference = PYTORCH
    if baseline is not None:
        if not (baseline / "config.json").exists():
            raise StepError(f"{baseline} is not a checkpoint: pass a Hugging Face model folder")
        reference = f"{PYTORCH}, {baseline.name}"
        paths = {reference: baseline, **paths}
    folder = work.step("benchmark")
    folder.mkdir(parents=True, exist_ok=True)
    ladder = measure_ladder(paths, settings, reference)
    write_json(folder / "ladder.json", {"settings": asdict(settings), "ladder": ladder})
    _show(ladder, settings)
    _plot(folder / "ladder.png", ladder, settings)
    return folder


def measure_ladder(paths: Mapping[str, Path], settings: Settings, reference: str) -> dict[str, Any]:
    """Measure several forms, interleaved, each in its own process.

    Parameters
    ----------
    paths
        The folder or file of each form. A name that begins with ``PyTorch`` is one of `FORMS`; any
        other is a graph.
    settings
        What is measured.
    reference
        The form that the ratios refer to.

    Returns
    -------
    dict
        For each form ``file MB``, ``load ms``, ``resident MB`` and ``shapes``, and for each shape
        ``median ms``, ``p99 ms`` and ``ratio``, which is above 1 for what is faster.
    """
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in paths}
    for round_ in range(settings.rounds):
        for name, path in paths.items():
            logger.info("round %d of %d: %s", round_ + 1, settings.rounds, name)
            results[name].append(_measure_in_subprocess(name, path, settings))
    return _summarize(results, reference)


def _measure_in_subprocess(name: str, path: Path, settings: Settings) -> dict[str, Any]:
    request = json.dumps({"name": name, "path": str(path), "settings": asdict(settings)})
    process = subprocess.run(
        [sys.executable, "-m", "model_build.evaluation.latency"],
        input=request,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_WAIT_POLICY": "ACTIVE"},
    )
    if process.returncode:
        reason = (process.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise StepError(f"{name} cannot be measured: {reason[:200]}")
    result: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return result


def _summarize(results: Mapping[str, list[dict[str, Any]]], reference: str) -> dict[str, Any]:
    ladder: dict[str, Any] = {}
    for name, turns in results.items():
        shapes = {}
        for shape in turns[0]["shapes"]:
            times = np.concatenate([turn["shapes"][shape] for turn in turns])
            shapes[shape] = {
                "median ms": round(float(np.median(times)), 3),
                "p99 ms": round(float(np.quantile(times, 0.99)), 3),
            }
        ladder[name] = {
            "file MB": turns[0]["file MB"],
            "load ms": round(float(np.median([turn["load ms"] for turn in turns])), 1),
            "resident MB": round(float(np.median([turn["resident MB"] for turn in turns])), 1),
            "shapes": shapes,
        }
    for rung in ladder.values():
        for shape, row in rung["shapes"].items():
            reference_ms = ladder[reference]["shapes"][shape]["median ms"]
            row["ratio"] = round(reference_ms / row["median ms"], 2)
    return ladder


def _show(ladder: Mapping[str, Any], settings: Settings) -> None:
    shapes = list(next(iter(ladder.values()))["shapes"])
    lines = []
    for name, rung in ladder.items():
        cells = [
            f"{rung['shapes'][s]['median ms']} ({rung['shapes'][s]['ratio']}x)" for s in shapes
        ]
        lines.append(
            [name, str(rung["file MB"]), str(rung["load ms"]), str(rung["resident MB"]), *cells]
        )
    show(
        f"median ms (speedup over the first row), {settings.rounds} rounds",
        ["model", "file MB", "load ms", "resident MB", *shapes],
        lines,
    )


def _plot(path: Path, ladder: Mapping[str, Any], settings: Settings) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot, ticker

    figure, axes = pyplot.subplots(figsize=(7, 5))
    batch, threads = settings.batches[0], settings.threads[0]
    for name, rung in ladder.items():
        times = [rung["shapes"][_shape(t, batch, threads)]["median ms"] for t in settings.tokens]
        axes.plot(settings.tokens, times, marker="o", label=name)
    axes.set(
        title=f"batch {batch}, {threads} threads",
        xlabel="tokens",
        ylabel="median ms",
        xscale="log",
        yscale="log",
    )
    axes.set_xticks(settings.tokens, labels=[str(tokens) for tokens in settings.tokens])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _shape(tokens: int, batch: int, threads: int) -> str:
    return f"{tokens} tokens, batch {batch}, {threads} threads"


def measure(name: str, path: Path, settings: Settings) -> dict[str, Any]:
    """Measure one form of a model in this process.

    Parameters
    ----------
    name
        One of `FORMS`, or the first of them with a suffix.
    path
        A Hugging Face folder for PyTorch, a graph for ONNX Runtime.
    settings
        What is measured.

    Returns
    -------
    dict
        ``file MB``, ``load ms``, ``resident MB`` (growth of resident memory) and ``shapes``:
        the duration of every run in milliseconds.
    """
    prepare = _pytorch_loader if name.startswith("PyTorch") else _onnx_loader
    # Libraries are imported here, before the clock starts; a server imports them once.
    load = prepare(path, int8="int8" in name)
    resident_before = _resident_mb()
    shapes: dict[str, list[float]] = {}
    load_ms = 0.0
    for threads in settings.threads:
        start = time.perf_counter()
        forward, file = load(threads)
        load_ms = load_ms or (time.perf_counter() - start) * 1000
        for batch in settings.batches:
            for tokens in settings.tokens:
                ids = np.random.default_rng(1).integers(5, 900, (batch, tokens), dtype=np.int64)
                shapes[_shape(tokens, batch, threads)] = _time_runs(forward, ids, settings.seconds)
    return {
        "file MB": round(file.stat().st_size / 1e6, 1),
        "load ms": load_ms,
        "resident MB": _resident_mb() - resident_before,
        "shapes": shapes,
    }


def _pytorch_loader(path: Path, *, int8: bool) -> Loader:
    import torch

    from model_build.training.checkpoint import load as load_checkpoint

    def load(threads: int) -> tuple[Forward, Path]:
        torch.set_num_threads(threads)
        model = load_checkpoint(str(path), fresh_head=False).model
        if int8:
            model = torch.ao.quantization.quantize_dynamic(
                model, {torch.nn.Linear}, dtype=torch.qint8
            )

        def forward(ids: NDArray[np.int64]) -> object:
            tensor = torch.from_numpy(ids)
            with torch.inference_mode():
                return model(input_ids=tensor, attention_mask=torch.ones_like(tensor)).logits

        return forward, path / "model.safetensors"

    return load


def _onnx_loader(path: Path, *, int8: bool) -> Loader:
    del int8  # stored in the graph itself
    from model_build.graph.runner import OnnxGraph

    return lambda threads: (OnnxGraph(path, threads).run, path)


def _time_runs(forward: Forward, ids: NDArray[np.int64], seconds: float) -> list[float]:
    for _ in range(_WARMUP_RUNS):
        forward(ids)
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < _MIN_RUNS or time.perf_counter() < end:
        start = time.perf_counter()
        forward(ids)
        times.append((time.perf_counter() - start) * 1000)
    return times


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def _main() -> None:
    request = json.load(sys.stdin)
    raw = request["settings"]
    settings = Settings(
        tokens=tuple(raw["tokens"]),
        batches=tuple(raw["batches"]),
        threads=tuple(raw["threads"]),
        rounds=raw["rounds"],
        seconds=raw["seconds"],
    )
    print(json.dumps(measure(request["name"], Path(request["path"]), settings)))


if __name__ == "__main__":
    _main()
