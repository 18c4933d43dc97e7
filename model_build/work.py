"""The work folder: where each step reads what the step before it wrote."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.errors import ToxicBotError

logger = logging.getLogger(__name__)
RECORD = "step.json"
# What steps call what they write: a graph, a Hugging Face folder.
GRAPH = "model.onnx"
MODEL = "model"


class StepError(ToxicBotError):
    """A step lacks an earlier step's output, or was asked for something impossible."""


@dataclass(frozen=True, slots=True)
class Work:
    """A folder that holds one folder for each step.

    Parameters
    ----------
    folder
        Such as ``build/minilm``.
    """

    folder: Path

    def step(self, name: str) -> Path:
        """Return the folder of a step."""
        return self.folder / name

    def needed(self, name: str, file: str) -> Path:
        """Return a file that an earlier step made.

        Raises
        ------
        StepError
            When it is not there.
        """
        path = self.step(name) / file
        if not path.exists():
            raise StepError(f"{path} is missing: run 'python -m model_build {name}' first")
        return path

    def record(self, name: str) -> dict[str, Any]:
        """Return what a step noted of itself when it ended; empty if it never did."""
        path = self.step(name) / RECORD
        if not path.exists():
            return {}
        try:
            record = json.loads(path.read_bytes())
        except ValueError as error:
            raise StepError(f"{path} is damaged: remove it and run the step again") from error
        return record if isinstance(record, dict) else {}

    def run(
        self,
        name: str,
        settings: Mapping[str, Any],
        inputs: list[Path],
        action: Callable[[Path], Mapping[str, Any]],
        *,
        force: bool = False,
    ) -> Path:
        """Do a step unless it was done with the same settings and inputs.

        Parameters
        ----------
        name
            Of the step; also of its folder.
        settings
            What the step was asked for; noted in its record.
        inputs
            Files and folders whose content decides the result.
        action
            Does the work in the step's folder and returns its results.
        force
            Do it again even so.

        Returns
        -------
        pathlib.Path
            The step's folder.
        """
        folder = self.step(name)
        asked = json.loads(json.dumps(dict(settings), default=_plain, sort_keys=True))
        checksums = {path.name: checksum(path) for path in inputs}
        done = self.record(name)
        if not force and done.get("settings") == asked and done.get("inputs") == checksums:
            logger.info("%s: done before with these settings (--force does it again)", name)
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RECORD).unlink(missing_ok=True)
        logger.info("%s: %s", name, json.dumps(asked))
        start = time.monotonic()
        results = action(folder)
        record = {
            "step": name,
            "settings": asked,
            "inputs": checksums,
            "results": dict(results),
            "seconds": round(time.monotonic() - start, 1),
        }
        write_json(folder / RECORD, record)
        logger.info("%s: %.0f s", name, record["seconds"])
        return folder


def lineage(checkpoints: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the records of the steps that made some checkpoints, where they lie beside them."""
    records = (checkpoint.parent / RECORD for checkpoint in checkpoints)
    return [json.loads(record.read_bytes()) for record in records if record.is_file()]


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, or of all files of a folder, records left out."""
    digest = hashlib.sha256()
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if file.is_file() and file.name != RECORD:
            digest.update(file.relative_to(path).as_posix().encode())
            with file.open("rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()


def file_checksum(path: Path) -> str:
    """Return the SHA-256 of one file, in the form that ``config.json`` lists it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write JSON for people and programs, whole or not at all."""
    fresh = path.with_suffix(".new")
    fresh.write_text(
        json.dumps(content, indent=2, ensure_ascii=False, default=_plain) + "\n", encoding="utf-8"
    )
    fresh.replace(path)


def _plain(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return str(value)
