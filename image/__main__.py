"""The commands: ``python -m image build`` and ``python -m image test``."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from handler.errors import ToxicBotError
from image import standin
from image.engine import Buildah, Docker, Engine, Layer, choose
from image.errors import ImageError
from image.trial import Trial, check_contents, over, try_out
from local.aws import ROOT

AWS_BASE = "public.ecr.aws/lambda/python:3.13"
BASE = "toxic-bot-base:latest"
APP = "toxic-bot:latest"
MOST_OVER_BASE = 400e6
MOST_APP = 1e6


def build(engine: Engine, log: Path, arguments: dict[str, str]) -> None:
    """Build the heavy image and the thin one on it.

    Parameters
    ----------
    engine
        What builds.
    log
        Takes what it prints.
    arguments
        Build arguments of ``Dockerfile.base``.

    Raises
    ------
    ImageError
        When one of them cannot be built; it has no tag then.
    """
    engine.build(Path("Dockerfile.base"), BASE, ROOT, arguments, log)
    engine.build(Path("Dockerfile.app"), APP, ROOT, {"BASE": _local(engine, BASE)}, log)


def _local(engine: Engine, tag: str) -> str:
    # Without a registry's name before it, buildah would look for an image elsewhere first.
    return tag if isinstance(engine, Docker) else f"localhost/{tag}"


def test(engine: Engine, base: str, log: Path, console: Console) -> None:
    """Build both images, let them answer, and print what they weigh and take.

    Raises
    ------
    ImageError
        When they do not answer, or are larger than they may be.
    """
    console.print(f"building on {base}")
    build(engine, log, {"BASE": base})
    layers = engine.layers(_local(engine, APP))
    below = engine.layers(base)
    heavy = over(engine.layers(_local(engine, BASE)), below)
    thin = over(layers, below) - heavy
    console.print(_layer_table(layers, below))
    console.print(f"over the base image: {_mb(heavy)} heavy, {_mb(thin)} thin")
    if heavy > MOST_OVER_BASE or thin > MOST_APP:
        raise ImageError(
            f"the images are too large: at most {_mb(MOST_OVER_BASE)} and {_mb(MOST_APP)}"
        )
    check_contents(engine, _local(engine, APP))
    console.print(_trial_table(try_out(engine, _local(engine, APP))))


def _mb(size: float) -> str:
    return f"{size / 1e6:.2f} MB"


def _layer_table(layers: list[Layer], below: list[Layer]) -> Table:
    table = Table("layer", "size", title="Layers, uncompressed")
    table.add_row("base image", _mb(sum(layer.size for layer in below)))
    names = ("dependencies", "model", "handler")
    above = layers[len(below) :]
    for name, layer in zip(names, above, strict=True):
        table.add_row(f"{name}", _mb(layer.size))
    return table


def _trial_table(trials: list[Trial]) -> Table:
    table = Table("function", "cold", "warm (median)", "peak memory", title="In the container")
    for one in trials:
        table.add_row(one.function, f"{one.cold:.0f} ms", f"{one.warm:.1f} ms", _mb(one.peak))
    return table


def main() -> int:
    """Run a command of the command line, and return its exit code."""
    parser = argparse.ArgumentParser("python -m image", description="Build the Lambda images.")
    commands = parser.add_subparsers(dest="command", required=True)
    builder = commands.add_parser("build", help="build both images with Docker or buildah")
    builder.add_argument("--base", default="", help="base image (AWS's Python image)")
    builder.add_argument("--profile", default="", help="model profile, with --checkpoint")
    builder.add_argument(
        "--checkpoint", default="", help="hub id, or folder under checkpoint/ (the embedded model)"
    )
    tester = commands.add_parser("test", help="build both images and let them answer")
    tester.add_argument("--base", default="", help="base image (AWS's, or a stand-in made here)")
    arguments = parser.parse_args()
    console = Console()
    folder = Path(tempfile.mkdtemp(prefix="images-"))
    log = ROOT / "build" / "image.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text("", "utf-8")
    try:
        engine = choose()
        if arguments.command == "build":
            given = {
                "BASE": arguments.base,
                "PROFILE": arguments.profile,
                "CHECKPOINT": arguments.checkpoint,
            }
            build(engine, log, given)
            console.print(f"built {BASE} and {APP}")
        elif isinstance(engine, Docker):
            test(engine, arguments.base or AWS_BASE, log, console)
        else:
            apart = Buildah(folder) if not arguments.base else Buildah()
            test(apart, arguments.base or standin.build(apart, log), log, console)
    except ToxicBotError as error:
        print(f"error: {error}", file=sys.stderr)
        print(f"all that was printed is in {log.relative_to(ROOT)}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
