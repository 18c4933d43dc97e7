"""A stand-in for AWS's base image, made of Debian's packages."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from image import ImageError, UnavailableError
from image.engine import Buildah
from image.shell import run
from simulators import ROOT
from simulators.aws.runtime import emulator_path

TAG = "localhost/toxic-bot-standin:latest"
SUITE = "trixie"
"""The Debian release with the Python of AWS's image."""
RUNTIME_CLIENT = ("awslambdaric", "simplejson", "snapshot-restore-py")
"""Packages that AWS's image includes, and that requirements/runtime.txt therefore lacks."""

_UNUSED = ("./dev/*", "./proc/*", "./sys/*", "./usr/share/doc", "./usr/share/locale")
_CACHES = ("./var/cache/apt", "./var/lib/apt/lists", "./var/log/*")
_PACKAGES = ROOT / "build" / "debian"
"""Debian's packages, so that only the first build downloads them."""


def build(engine: Buildah, log: Path) -> str:
    """Build the stand-in and return its tag.

    Parameters
    ----------
    engine
        The engine whose store receives it.
    log
        File to which the output of the programs is appended.

    Raises
    ------
    UnavailableError
        If this machine cannot build it, or cannot run a command in it.
    """
    if os.geteuid() != 0:
        raise UnavailableError("only root can build the stand-in image: use sudo or Docker")
    try:
        _build(engine, log)
        with engine.container(TAG, []) as container:
            run([*container.command, "true"], timeout=60)
    except ImageError as error:
        raise UnavailableError(
            f"the stand-in image cannot be built on this machine: {error}"
        ) from error
    return TAG


def _build(engine: Buildah, log: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="standin-") as name:
        folder = Path(name)
        _PACKAGES.mkdir(parents=True, exist_ok=True)
        # debootstrap mounts /proc; if it is killed, the mount ends with its namespace.
        bootstrap = ["unshare", "--mount", "--propagation=private", "debootstrap"]
        bootstrap += ["--variant=minbase", "--include=python3,python3-pip"]
        bootstrap += [f"--cache-dir={_PACKAGES}", SUITE, str(folder / "root")]
        run(bootstrap, log=log, timeout=400)
        excludes = [f"--exclude={pattern}" for pattern in (*_UNUSED, *_CACHES)]
        archive = ["tar", *excludes, "--create", "--file=root.tar", "--directory=root", "."]
        run(archive, folder=folder, log=log, timeout=120)
        for file in ("Dockerfile", "bootstrap", "lambda-entrypoint.sh"):
            shutil.copy(Path(__file__).parent / file, folder)
        shutil.copy(emulator_path(), folder / "aws-lambda-rie")
        lock = (ROOT / "requirements" / "development.txt").read_text("utf-8")
        (folder / "requirements.txt").write_text(pinned(lock, RUNTIME_CLIENT), "utf-8")
        engine.build(Path("Dockerfile"), TAG, folder, {}, log)


def pinned(lock: str, names: tuple[str, ...]) -> str:
    """Return the lines of a lock file that pin the named packages, with their hashes.

    Raises
    ------
    ImageError
        If the lock file lacks one of them.
    """
    blocks = {
        block.partition("==")[0]: block
        for block in re.split(r"(?m)^(?=[A-Za-z0-9])", lock)
        if block
    }
    missing = [name for name in names if name not in blocks]
    if missing:
        raise ImageError(f"requirements/development.txt lacks {missing[0]}: run 'make lock'")
    return "".join(blocks[name] for name in names)
