"""Pictures of the results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes

from benchmarks.load import ClassifierLoad
from benchmarks.percentiles import Latency
from benchmarks.reactions import Load
from benchmarks.serving.ways import Timed

SIZE = (11, 3.6)
"""Inches."""


def draw_classifier(load: ClassifierLoad, path: Path) -> None:
    """Draw the latency and, if it was measured, the memory."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=SIZE, layout="constrained")
    _draw_latencies(left, {f"{load.rate:g} messages per second": load.latency})
    left.set_title("Arrival to verdict")
    right.set_title("Memory")
    if load.memory:
        right.plot([one.messages for one in load.memory], [one.mebibytes for one in load.memory])
        right.set_ylim(bottom=0)
    right.set_xlabel("messages")
    right.set_ylabel("resident MiB")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def draw_reactions(loads: Sequence[Load], path: Path) -> None:
    """Draw the latency, the oldest waiting reaction, and where the CPU time goes."""
    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=SIZE, layout="constrained")
    _draw_latencies(left, {one.name: one.latency for one in loads})
    left.set_title("Reaction to answer")
    for load in loads:
        middle.plot([one.seconds for one in load.samples], [one.age for one in load.samples])
    middle.set_title("Oldest waiting reaction")
    middle.set_xlabel("seconds")
    middle.set_ylabel("seconds")
    if loads:
        used = loads[0].cpu
        right.barh(list(used), list(used.values()))
    right.set_title("CPU time per reaction")
    right.set_xlabel("milliseconds")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def draw_ways(timed: Sequence[Timed], path: Path) -> None:
    """Draw the median of each way to a verdict by the length of the text."""
    figure, axes = pyplot.subplots(figsize=(SIZE[0] / 2, SIZE[1]), layout="constrained")
    for name in dict.fromkeys(one.way for one in timed):
        mine = [one for one in timed if one.way == name]
        lengths, medians = [one.tokens for one in mine], [one.latency.p50 for one in mine]
        axes.plot(lengths, medians, marker="o", label=name)
    axes.set_xticks([*dict.fromkeys(one.tokens for one in timed)])
    axes.set_xlabel("tokens")
    axes.set_ylabel("milliseconds, p50")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _draw_latencies(axes: Axes, latencies: dict[str, Latency]) -> None:
    for name, one in latencies.items():
        values = (one.p50, one.p90, one.p99, one.p999)
        axes.plot(("p50", "p90", "p99", "p99.9"), values, marker="o", label=name)
    axes.set_yscale("log")
    axes.set_ylabel("milliseconds")
    axes.legend(fontsize="small")
