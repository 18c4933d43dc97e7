"""The commands that build images and try them, and the sizes that the images may have."""

from __future__ import annotations

import argparse
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from image import ImageError, UnavailableError, registry, standin, tables
from image.bad_builds import check_bad_builds
from image.engine import Buildah, Docker, Engine, find_engine
from image.images import (
    APP,
    BASE,
    BASE_DOCKERFILE,
    SERVICE,
    STANDALONE,
    build_app,
    build_base,
    build_service,
    build_standalone,
    local_name,
)
from image.service_trial import try_service
from image.standalone_trial import REACTIONS, try_standalone
from image.trial import added_bytes, check_contents, run_trials

MAX_BASE_BYTES = 150e6
"""Bytes that the base image may add to its parent."""
MAX_SERVICE_BYTES = 40e6
"""Bytes that the service image may add to the base image."""
MAX_STANDALONE_BYTES = 6e6
"""Bytes that the standalone image may add to the base image."""
MAX_APP_BYTES = 1.45e6
"""Bytes that the app image may add to the base image."""
TEST_TIMEOUT = 1200
"""Seconds; allows for a slow package mirror and a busy machine."""


def test(arguments: argparse.Namespace, log: Path, console: Console) -> None:
    """Build the bot's images, run them, and print their sizes, timings and memory use.

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
    _try_standalone_on(engine, log, console)
    for message in check_bad_builds(engine, parent, log):
        console.print(f"failed as expected: {message}", soft_wrap=True)


def _try_standalone_on(engine: Engine, log: Path, console: Console) -> None:
    build_standalone(engine, log)
    image = local_name(engine, STANDALONE)
    _check_size(engine, STANDALONE, MAX_STANDALONE_BYTES, console)
    check_contents(engine, image)
    for transport in ("socket", "listen"):
        trial = try_standalone(engine, image, transport)
        console.print(
            f"{transport}: killed after {trial.answered} of {REACTIONS} answers and started again, "
            f"it lost none and answered none twice; ready after {trial.ready_ms:.0f} ms, peak "
            f"memory {tables.megabytes(trial.peak_bytes)}",
            soft_wrap=True,
        )


def _check_size(engine: Engine, tag: str, most: float, console: Console) -> None:
    """Print how much an image adds to the base image."""
    base = engine.layers(local_name(engine, BASE))
    added = added_bytes(engine.layers(local_name(engine, tag)), base)
    console.print(f"{tag} adds {tables.megabytes(added)} to {BASE}")
    if added > most:
        raise ImageError(f"the image is too large: reduce it to {most / 1e6:.0f} MB")


def _try_service_on(engine: Engine, parent: str, log: Path, console: Console) -> None:
    console.print(f"building on {parent}")
    build_base(engine, log, {"BASE": parent})
    build_service(engine, log)
    image = local_name(engine, SERVICE)
    _check_size(engine, SERVICE, MAX_SERVICE_BYTES, console)
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
