"""The picture of the scoreboard: quality against time, with the size of the weights."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

from benchmarks.scoreboard.board import Board
from benchmarks.scoreboard.page import ENGLISH

_SIZE = (7.5, 4.5)
"""Inches."""


def draw(board: Board, path: Path) -> None:
    """Draw a disk for each classifier that scored the English HateCheck."""
    rows = board.named(ENGLISH)
    if rows is None:
        return
    figure, axes = pyplot.subplots(figsize=_SIZE, layout="constrained")
    scored = [(place, place.figures(rows)) for place in board.places]
    shown = [(place, figures) for place, figures in scored if figures is not None]
    # Those of about the same quality side by side, so that their labels can take turns.
    shown.sort(key=lambda one: (round(one[1].macro_f1, 1), one[0].heard.latency.p50))
    for number, (place, figures) in enumerate(shown):
        x, y = place.heard.latency.p50, figures.macro_f1
        axes.scatter(x, y, s=40 + 12 * place.heard.megabytes, alpha=0.6)
        label = f"{place.contestant.name}, {max(place.heard.megabytes, 0.1):.1f} MB"
        # Above and below in turns, so that neighbors do not meet.
        away = (0, -26 if number % 2 else 16)
        axes.annotate(label, (x, y), xytext=away, textcoords="offset points", ha="center")
    axes.set(xscale="log", xlabel="ms for a short text on one CPU (median)")
    axes.set(ylabel="macro-F1 on HateCheck", ylim=(0.2, 1))
    axes.margins(x=0.25)
    axes.grid(visible=True, alpha=0.3)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
