"""Build and test the container images, and audit what they contain."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from image import ImageError, UnavailableError, licences, registry, standin, tables
from image.bad_builds import check_bad_builds
from image.engine import Buildah, Docker, Engine, find_engine
from image.images import (
    APP,
    AWS_BASE,
    BASE,
    BASE_DOCKERFILE,
    SERVICE,
    build_app,
    build_base,
    build_service,
    local_name,
)
from image.licences import RUNTIME, pins
from image.licences import SERVICE as SERVICE_LOCK
from image.service_trial import try_service
from image.trial import added_bytes, check_contents, run_trials
from image.vulnerabilities import UnreachableError, vulnerabilities
from simulators import ROOT
from toxic_bot.cli.command_line import run

MAX_BASE_BYTES = 170e6
"""Bytes that the base image may add to its parent."""
MAX_SERVICE_BYTES = 40e6
"""Bytes that the service image may add to the base image."""
MAX_APP_BYTES = 1.1e6
"""Bytes that the app image may add to the base image."""
TEST_TIMEOUT = 800
"""Seconds; allows for a slow package mirror and a busy machine."""


def build(arguments: argparse.Namespace, log: Path, console: Console) -> None:
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
    console.print(f"built {BASE} and {APP}")
    if not arguments.base and not registry.is_pinned(BASE_DOCKERFILE):
        console.print(
            f"{registry.parent(BASE_DOCKERFILE)} is a tag, which moves: run 'make pin', and commit "
            "Dockerfile.base",
            soft_wrap=True,
        )


def test(arguments: argparse.Namespace, log: Path, console: Console) -> None:
    """Build both images, run them, and print their sizes, timings and memory use.

    Buildah works in a temporary image store, which is removed at the end.

    Raises
    ------
    ImageError
        If the images do not work, or are too large.
    """
    _on_parent(arguments, log, console, _test_on)


def service(arguments: argparse.Namespace, log: Path, console: Console) -> None:
    """Build the service image, let it give verdicts, and print its size and timings.

    Buildah works in a temporary image store, which is removed at the end, unless a parent image
    is named.

    Raises
    ------
    ImageError
        If the image does not work, or is too large.
    """
    _on_parent(arguments, log, console, _try_service_on)


def pin(_: argparse.Namespace, __: Path, console: Console) -> None:
    """Pin AWS's image in Dockerfile.base to its digest of today.

    Raises
    ------
    ImageError
        If the registry cannot be asked.
    """
    console.print(f"Dockerfile.base builds on {registry.pin(BASE_DOCKERFILE, AWS_BASE)}")


def audit(_: argparse.Namespace, log: Path, console: Console) -> None:
    """Look for known vulnerabilities of what is shipped.

    Where the database cannot be reached, say so.

    Raises
    ------
    ImageError
        If there are any, or pip-audit fails.
    """
    shipped = pins(RUNTIME)
    for name, versions in pins(SERVICE_LOCK).items():
        shipped[name] = shipped.get(name, set()) | versions
    try:
        found = vulnerabilities(shipped, log)
    except UnreachableError as error:
        console.print(f"skipped the search for known vulnerabilities: {error}", soft_wrap=True)
        return
    for vulnerability in found:
        console.print(str(vulnerability), soft_wrap=True, highlight=False)
    if found:
        raise ImageError(
            f"what is shipped has known vulnerabilities ({len(found)}): raise the versions in "
            "pyproject.toml, and run 'make lock'"
        )
    console.print(f"no known vulnerabilities in {len(shipped)} packages")


def write_licences(_: argparse.Namespace, __: Path, console: Console) -> None:
    """Rewrite the page of licenses.

    Raises
    ------
    ImageError
        If a package is not installed.
    """
    licences.PAGE.write_text(licences.page(), "utf-8")
    console.print(f"wrote {licences.PAGE.relative_to(ROOT)}")


def _on_parent(
    arguments: argparse.Namespace,
    log: Path,
    console: Console,
    action: Callable[[Engine, str, Path, Console], None],
) -> None:
    """Do something with an engine and the name of a parent image that it has."""
    signal.signal(signal.SIGALRM, _time_out)
    signal.alarm(TEST_TIMEOUT)
    engine = find_engine()
    if isinstance(engine, Docker):
        parent = arguments.base or registry.parent(BASE_DOCKERFILE)
        action(engine, engine.pull_if_missing(parent, log), log, console)
        return
    if arguments.base:
        action(engine, arguments.base, log, console)
        return
    with tempfile.TemporaryDirectory(prefix="images-", ignore_cleanup_errors=True) as folder:
        isolated = Buildah(Path(folder))
        try:
            console.print("building a stand-in for AWS's base image")
            action(isolated, standin.build(isolated, log), log, console)
        finally:
            isolated.close()


def _test_on(engine: Engine, parent: str, log: Path, console: Console) -> None:
    console.print(f"building on {parent}")
    build_base(engine, log, {"BASE": parent})
    build_app(engine, log)
    parent_layers = engine.layers(parent)
    app_layers = engine.layers(local_name(engine, APP))
    base_bytes = added_bytes(engine.layers(local_name(engine, BASE)), parent_layers)
    app_bytes = added_bytes(app_layers, parent_layers) - base_bytes
    console.print(tables.layers(app_layers, parent_layers))
    base_size, app_size = tables.megabytes(base_bytes), tables.megabytes(app_bytes)
    console.print(f"{BASE} adds {base_size} to its parent, {APP} adds {app_size} to that")
    if base_bytes > MAX_BASE_BYTES or app_bytes > MAX_APP_BYTES:
        raise ImageError(
            f"the images are too large: reduce {BASE} to {tables.megabytes(MAX_BASE_BYTES)} "
            f"and {APP} to {tables.megabytes(MAX_APP_BYTES)}"
        )
    check_contents(engine, local_name(engine, APP))
    console.print(tables.trials(run_trials(engine, local_name(engine, APP))))
    for message in check_bad_builds(engine, parent, log):
        console.print(f"failed as expected: {message}", soft_wrap=True)


def _try_service_on(engine: Engine, parent: str, log: Path, console: Console) -> None:
    console.print(f"building on {parent}")
    build_base(engine, log, {"BASE": parent})
    build_service(engine, log)
    base, image = local_name(engine, BASE), local_name(engine, SERVICE)
    added = added_bytes(engine.layers(image), engine.layers(base))
    console.print(f"{SERVICE} adds {tables.megabytes(added)} to {BASE}")
    if added > MAX_SERVICE_BYTES:
        raise ImageError(f"the image is too large: reduce it to {MAX_SERVICE_BYTES / 1e6:.0f} MB")
    check_contents(engine, image)
    trial = try_service(engine, image)
    console.print(
        f"first verdict after {trial.ready_ms:.0f} ms, then {trial.verdict_ms:.1f} ms (median of "
        f"requests with one text), peak memory {tables.megabytes(trial.peak_bytes)}"
    )


def _time_out(_: int, __: object) -> None:
    raise UnavailableError(
        f"the test took longer than {TEST_TIMEOUT} seconds: try again when the machine is less busy"
    )


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
    tester = commands.add_parser("test", help="build both images and run them as Lambda would")
    tester.set_defaults(action=test)
    server = commands.add_parser("service", help="build the service image and let it give verdicts")
    server.set_defaults(action=service)
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
    auditor.set_defaults(action=audit)
    lister = commands.add_parser("licences", help="rewrite docs/licences.md")
    lister.set_defaults(action=write_licences)
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
        print(f"skipped the image test: {error}")
    except ImageError:
        print(f"the full output is in {log.relative_to(ROOT)}", file=sys.stderr)
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
