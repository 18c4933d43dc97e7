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
from local import ROOT
from local.aws.runtime import emulator

TAG = "localhost/toxic-bot-standin:latest"
RUNTIME_CLIENT = ("awslambdaric", "simplejson", "snapshot-restore-py")
"""What AWS's image has, and the project's runtime requirements therefore lack."""

_NOT_NEEDED = ("./dev/*", "./proc/*", "./sys/*", "./usr/share/doc", "./usr/share/locale")
_CACHES = ("./var/cache/apt", "./var/lib/apt/lists", "./var/log/*")


def build(engine: Buildah, log: Path) -> str:
    """Build the stand-in and return its tag.

    Parameters
    ----------
    engine
        In whose store it is put.
    log
        Takes what the programs print.

    Raises
    ------
    UnavailableError
        When this machine cannot make it, or cannot run a command in it.
    """
    if os.geteuid() != 0:
        raise UnavailableError("only root can make a stand-in base: use sudo, or Docker")
    try:
        _build(engine, log)
        with engine.container(TAG, []) as container:
            run([*container.command, "true"], limit=60)
    except ImageError as error:
        raise UnavailableError(f"no stand-in base can be made here: {error}") from error
    return TAG


def _build(engine: Buildah, log: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="standin-") as name:
        folder = Path(name)
        bootstrap = ["debootstrap", "--variant=minbase", "--include=python3,python3-pip"]
        run([*bootstrap, "bookworm", str(folder / "root")], log=log, limit=600)
        without = [f"--exclude={one}" for one in (*_NOT_NEEDED, *_CACHES)]
        archive = ["tar", *without, "--create", "--file=root.tar", "--directory=root", "."]
        run(archive, folder=folder, log=log, limit=120)
        for one in ("Dockerfile", "bootstrap", "lambda-entrypoint.sh"):
            shutil.copy(Path(__file__).parent / one, folder)
        shutil.copy(emulator(), folder / "aws-lambda-rie")
        pins = (ROOT / "requirements" / "development.txt").read_text("utf-8")
        (folder / "requirements.txt").write_text(pinned(pins, RUNTIME_CLIENT), "utf-8")
        engine.build(Path("Dockerfile"), TAG, folder, {}, log)


def pinned(lock: str, names: tuple[str, ...]) -> str:
    """Return the lines of a lock file that pin these packages, with their hashes.

    Raises
    ------
    ImageError
        When one is not in it.
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
