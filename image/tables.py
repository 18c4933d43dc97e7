"""What a test of the images found, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from image.engine import Layer
from image.trial import Trial

ABOVE = ("dependencies", "model", "code")
"""The project's own layers, the lowest first."""


def megabytes(size: float) -> str:
    """Return a size as text."""
    return f"{size / 1e6:.2f} MB"


def layers(image: Sequence[Layer], base: Sequence[Layer]) -> Table:
    """Return the table of an image's layers.

    Parameters
    ----------
    image, base
        All layers of the image, and of the base image it starts from.
    """
    table = Table("layer", "size", title="Layers, uncompressed")
    table.add_row("base image", megabytes(sum(one.size for one in base)))
    for name, layer in zip(ABOVE, image[len(base) :], strict=True):
        table.add_row(name, megabytes(layer.size))
    return table


def trials(done: Sequence[Trial]) -> Table:
    """Return the table of what the functions did."""
    table = Table("function", "cold", "warm (median)", "peak memory", title="In the container")
    for one in done:
        table.add_row(one.function, f"{one.cold:.0f} ms", f"{one.warm:.1f} ms", megabytes(one.peak))
    return table
