"""The work folder, where each step of the pipeline reads what earlier steps wrote."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toxic_bot.judge.errors import ToxicBotError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

logger = logging.getLogger(__name__)
# Which of several training processes this one is, as torchrun says.
RANK = int(os.environ.get("RANK", "0"))
PROCESSES = int(os.environ.get("WORLD_SIZE", "1"))
IS_FIRST = RANK == 0
"""The first process writes, logs and validates for all."""
RECORD = "step.json"
# What steps call their output: an ONNX graph, a Hugging Face folder.
GRAPH = "model.onnx"
MODEL = "model"
KINDS_ROWS = "kinds.parquet"


class StepError(ToxicBotError):
    """A step is missing the output of an earlier step, or its options are invalid."""


@dataclass(frozen=True, slots=True)
class Work:
    """A folder with one subfolder per step.

    Parameters
    ----------
    folder
        For example ``build/minilm``.
    """

    folder: Path

    def step(self, name: str) -> Path:
        """Return the folder of a step."""
        return self.folder / name

    def require(self, name: str, file: str) -> Path:
        """Return the path of a file that an earlier step wrote.

        Raises
        ------
        StepError
            When the file does not exist.
        """
        path = self.step(name) / file
        if not path.exists():
            raise StepError(f"{path} is missing: run 'python -m model_build {name}' first")
        return path

    def record(self, name: str) -> dict[str, Any]:
        """Return the record that a step wrote when it finished; empty if it never did."""
        path = self.step(name) / RECORD
        if not path.exists():
            return {}
        try:
            record = json.loads(path.read_bytes())
        except ValueError as error:
            raise StepError(f"{path} is damaged: delete it and run the step again") from error
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
        """Run a step unless it has already run with the same settings and inputs.

        Parameters
        ----------
        name
            Name of the step and of its folder.
        settings
            Settings of the step, kept in its record.
        inputs
            Files and folders whose content determines the result.
        action
            Does the work in the step's folder and returns the results for the record.
        force
            Run the step even if it is up to date.

        Returns
        -------
        pathlib.Path
            The step's folder.
        """
        folder = self.step(name)
        options = json.loads(json.dumps(dict(settings), default=_to_json, sort_keys=True))
        checksums = {path.name: checksum(path) for path in inputs}
        last = self.record(name)
        if not force and last.get("settings") == options and last.get("inputs") == checksums:
            logger.info("%s: up to date (--force runs it again)", name)
            return folder
        if not IS_FIRST:
            action(folder)
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RECORD).unlink(missing_ok=True)
        logger.info("%s: %s", name, json.dumps(options))
        start = time.monotonic()
        results = action(folder)
        record = {
            "step": name,
            "settings": options,
            "inputs": checksums,
            "results": dict(results),
            "seconds": round(time.monotonic() - start, 1),
        }
        write_json(folder / RECORD, record)
        logger.info("%s: finished in %.0f s", name, record["seconds"])
        return folder


def as_record(value: DataclassInstance) -> dict[str, Any]:
    """Return a dataclass as a step's record stores it.

    A field with a ``key`` in its metadata is stored under that key, which keeps the records
    stable when fields are renamed.
    """
    return {
        field.metadata.get("key", field.name): getattr(value, field.name)
        for field in dataclasses.fields(value)
    }


def lineage(checkpoints: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the records of the steps that wrote some checkpoints, if they are beside them."""
    records = (checkpoint.parent / RECORD for checkpoint in checkpoints)
    return [json.loads(record.read_bytes()) for record in records if record.is_file()]


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, or of all files in a folder except records."""
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
    """Return the SHA-256 of one file, as ``config.json`` lists it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write indented JSON atomically."""
    temporary = path.with_suffix(".new")
    temporary.write_text(
        json.dumps(content, indent=2, ensure_ascii=False, default=_to_json) + "\n",
        encoding="utf-8",
    )
    temporary.replace(path)


def _to_json(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return as_record(value)
    return str(value)
