"""The commands of ``python -m image``."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from image import ImageError, UnavailableError, standin, tables
from image.bad_builds import check_refusals
from image.engine import Buildah, Docker, Engine, choose
from image.images import APP, AWS_BASE, BASE, build_app, build_base, local
from image.trial import check_contents, over, try_out
from local import ROOT
from toxic_bot.command_line import run

MOST_OVER_BASE = 400e6
MOST_APP = 1e6
"""Bytes that the images may add to what they start from."""
TEST_LIMIT = 900
"""Seconds that a test may take, a slow mirror and a busy machine included."""


def build(arguments: argparse.Namespace, log: Path, console: Console) -> None:
    """Build both images.

    Raises
    ------
    ImageError
        When one of them cannot be built.
    """
    engine = choose()
    given = {
        "BASE": arguments.base,
        "PROFILE": arguments.profile,
        "CHECKPOINT": arguments.checkpoint,
        "BUILD_REQUIREMENTS": arguments.requirements,
    }
    build_base(engine, log, given)
    build_app(engine, log)
    console.print(f"built {BASE} and {APP}")


def test(arguments: argparse.Namespace, log: Path, console: Console) -> None:
    """Build both images, let them answer, and print what they weigh and take.

    With buildah all of it happens in a store of its own, which is removed.

    Raises
    ------
    ImageError
        When they do not answer, or are larger than they may be.
    """
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(TEST_LIMIT)
    engine = choose()
    if isinstance(engine, Docker):
        _test_on(engine, engine.pulled(arguments.base or AWS_BASE, log), log, console)
        return
    if arguments.base:
        _test_on(engine, arguments.base, log, console)
        return
    with tempfile.TemporaryDirectory(prefix="images-", ignore_cleanup_errors=True) as folder:
        apart = Buildah(Path(folder))
        try:
            console.print("making a stand-in for AWS's base image")
            _test_on(apart, standin.build(apart, log), log, console)
        finally:
            apart.close()


def _test_on(engine: Engine, base: str, log: Path, console: Console) -> None:
    console.print(f"building on {base}")
    build_base(engine, log, {"BASE": base})
    build_app(engine, log)
    below, whole = engine.layers(base), engine.layers(local(engine, APP))
    heavy = over(engine.layers(local(engine, BASE)), below)
    thin = over(whole, below) - heavy
    console.print(tables.layers(whole, below))
    heavier, thinner = tables.megabytes(heavy), tables.megabytes(thin)
    console.print(f"over the base image: {heavier} heavy, {thinner} thin")
    if heavy > MOST_OVER_BASE or thin > MOST_APP:
        raise ImageError(
            "the images are too large: at most "
            f"{tables.megabytes(MOST_OVER_BASE)} and {tables.megabytes(MOST_APP)}"
        )
    check_contents(engine, local(engine, APP))
    console.print(tables.trials(try_out(engine, local(engine, APP))))
    for line in check_refusals(engine, base, log):
        console.print(f"refused as it should be: {line}", soft_wrap=True)


def _too_long(_: int, __: object) -> None:
    raise UnavailableError(f"the test took longer than {TEST_LIMIT} seconds")


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    root = argparse.ArgumentParser(prog="python -m image", description=__doc__)
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    builder = commands.add_parser("build", help="build both images with Docker or buildah")
    builder.add_argument("--base", default="", help="base image (AWS's Python image)")
    builder.add_argument("--profile", default="", help="kind of model, with --checkpoint")
    builder.add_argument(
        "--checkpoint", default="", help="hub id, or folder under checkpoint/ (the embedded model)"
    )
    builder.add_argument(
        "--requirements",
        default="",
        metavar="FILE",
        help="of requirements/, with --checkpoint: build-cpu.txt if pip finds PyTorch's CPU build",
    )
    builder.set_defaults(action=build)
    tester = commands.add_parser("test", help="build both images and let them answer")
    tester.add_argument("--base", default="", help="base image (AWS's, or a stand-in made here)")
    tester.add_argument(
        "--if-possible",
        action="store_true",
        help="do nothing where the machine lacks what it takes, and say so",
    )
    tester.set_defaults(action=test)
    return root


def main() -> int:
    """Run a command and return its exit status."""
    arguments = parser().parse_args()
    log = ROOT / "build" / "image.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text("", "utf-8")
    return run(lambda: _run(arguments, log))


def _run(arguments: argparse.Namespace, log: Path) -> int:
    try:
        arguments.action(arguments, log, Console())
    except UnavailableError as error:
        if not getattr(arguments, "if_possible", False):
            raise
        print(f"skipped the test of the images: {error}")
    except ImageError:
        print(f"everything that was printed is in {log.relative_to(ROOT)}", file=sys.stderr)
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
