"""Build and test the container images, and audit what they contain.

``build`` needs Python and a builder, and no package: the others import theirs when they run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from image import ImageError, UnavailableError, registry
from image.engine import find_engine
from image.images import APP, AWS_BASE, BASE, BASE_DOCKERFILE, build_app, build_base
from simulators import ROOT
from toxic_bot.cli.command_line import run


def build(arguments: argparse.Namespace, log: Path) -> None:
    """Build both images.

    Raises
    ------
    ImageError
        If either of them cannot be built.
    """
    engine = find_engine()
    build_arguments = {
        "BASE": arguments.base,
        "PROFILE": arguments.profile,
        "CHECKPOINT": arguments.checkpoint,
        "BUILD_REQUIREMENTS": arguments.requirements,
    }
    build_base(engine, log, build_arguments)
    build_app(engine, log)
    print(f"built {BASE} and {APP}")
    if not arguments.base and not registry.is_pinned(BASE_DOCKERFILE):
        print(
            f"{registry.parent(BASE_DOCKERFILE)} is a tag, which moves: run 'make pin', and commit "
            "Dockerfile.base"
        )


def pin(_: argparse.Namespace, __: Path) -> None:
    """Pin AWS's image in Dockerfile.base to its digest of today.

    Raises
    ------
    ImageError
        If the registry cannot be asked.
    """
    print(f"Dockerfile.base builds on {registry.pin(BASE_DOCKERFILE, AWS_BASE)}")


def _later(module: str, name: str) -> Callable[[argparse.Namespace, Path], None]:
    """Return a command of a module that is imported when the command runs."""

    def command(arguments: argparse.Namespace, log: Path) -> None:
        from importlib import import_module

        from rich.console import Console

        getattr(import_module(f"image.{module}"), name)(arguments, log, Console())

    return command


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    root = argparse.ArgumentParser(prog="python -m image", description=__doc__)
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    builder = commands.add_parser("build", help="build both images with Docker or buildah")
    builder.add_argument("--base", default="", help="parent image (AWS's Python image)")
    builder.add_argument("--profile", default="", help="profile of the model, with --checkpoint")
    builder.add_argument(
        "--checkpoint", default="", help="hub ID, or folder under checkpoint/ (the embedded model)"
    )
    builder.add_argument(
        "--requirements",
        default="",
        metavar="FILE",
        help="lock file in requirements/ to install for --checkpoint (build.txt); "
        "build-cpu.txt if pip finds PyTorch's CPU build",
    )
    builder.set_defaults(action=build)
    tester = commands.add_parser(
        "test", help="build the bot's images, run them as Lambda would, and kill one in a burst"
    )
    tester.set_defaults(action=_later("checks", "test"))
    server = commands.add_parser("service", help="build the service image and let it give verdicts")
    server.set_defaults(action=_later("checks", "service"))
    for command in (tester, server):
        command.add_argument(
            "--base", default="", help="parent image (AWS's Python image, or a stand-in built here)"
        )
        command.add_argument(
            "--if-possible",
            action="store_true",
            help="skip the test, and say why, if the machine lacks something it needs",
        )
    pinner = commands.add_parser(
        "pin", help="pin AWS's base image in Dockerfile.base to its digest of today"
    )
    pinner.set_defaults(action=pin)
    auditor = commands.add_parser("audit", help="look for known vulnerabilities of what is shipped")
    auditor.set_defaults(action=_later("audits", "audit"))
    lister = commands.add_parser("licences", help="rewrite docs/licences.md")
    lister.set_defaults(action=_later("audits", "write_licences"))
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
        arguments.action(arguments, log)
    except UnavailableError as error:
        if not getattr(arguments, "if_possible", False):
            raise
        print(f"skipped the image test: {error}")
    except ImageError:
        print(f"the full output is in {log.relative_to(ROOT)}", file=sys.stderr)
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
