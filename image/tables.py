"""The results of the image test, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from image.engine import Layer
from image.trial import Trial

PROJECT_LAYERS = ("dependencies", "model", "code")
"""The layers that the project adds to the parent image, bottom first."""


def megabytes(size: float) -> str:
    """Return a size in bytes as text."""
    return f"{size / 1e6:.2f} MB"


def layers(image: Sequence[Layer], parent: Sequence[Layer]) -> Table:
    """Return the table of an image's layers.

    Parameters
    ----------
    image, parent
        All layers of the image and of its parent image.
    """
    table = Table("layer", "size", title="Layers, uncompressed")
    table.add_row("parent image", megabytes(sum(layer.size for layer in parent)))
    for name, layer in zip(PROJECT_LAYERS, image[len(parent) :], strict=True):
        table.add_row(name, megabytes(layer.size))
    return table


def trials(results: Sequence[Trial]) -> Table:
    """Return the table of the functions' timings and memory use."""
    table = Table("function", "cold", "warm (median)", "peak memory", title="In the container")
    for trial in results:
        table.add_row(
            trial.function,
            f"{trial.cold_ms:.0f} ms",
            f"{trial.warm_ms:.1f} ms",
            megabytes(trial.peak_bytes),
        )
    return table
