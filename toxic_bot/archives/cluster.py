"""An archive judged by a Ray cluster: parts of it in Ray Data, judged by a pool of actors.

The archive is read here and the report is written here; the cluster needs neither file. The parts
wait in Ray's object store, which spills to disk. Code and model travel with the job; the packages
that they need have to be there.
"""

from __future__ import annotations

import json
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

# Errors take one line, and Ray sends no usage statistics.
os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import pyarrow as pa
import ray
import ray.data
from pyarrow import parquet
from ray.exceptions import RayError

import toxic_bot
from toxic_bot.archives import ArchiveError
from toxic_bot.archives.archived import Advance, Archived
from toxic_bot.archives.scan import Scan, judged, numbered_parts, path_of
from toxic_bot.judge.classifier import load
from toxic_bot.judge.config import OperatingPoint

_PATIENCE = 10.0
"""Seconds in which the cluster has to answer."""
_MODEL_FILES = ("config.json", "model.onnx", "tokenizer.json")


class Judge:
    """An actor's work: judges parts with its own model.

    Parameters
    ----------
    model
        The content of the model folder's files by their names.
    operating_point
        What the threshold is for.
    texts, people
        Whether the report has the messages' texts, and who wrote them.
    """

    def __init__(
        self, model: dict[str, bytes], operating_point: str, *, texts: bool, people: bool
    ) -> None:
        with TemporaryDirectory(prefix="model-") as name:
            for file, content in model.items():
                (Path(name) / file).write_bytes(content)
            self._classifier = load(Path(name), 1, OperatingPoint(operating_point))
        self._texts, self._people = texts, people

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the report of a part, as a parquet file, with its number."""
        part = [Archived(*fields) for fields in json.loads(row["messages"])]
        report = BytesIO()
        table = judged(self._classifier, part, texts=self._texts, people=self._people)
        parquet.write_table(table, report)
        return {"number": row["number"], "report": report.getvalue()}


def judge_parts(address: str, scan: Scan, parts: Path, advance: Advance) -> int:
    """Judge what is missing on a Ray cluster, and return the number of parts.

    Parameters
    ----------
    address
        The cluster's; ``local`` to start one on this machine.
    scan
        What is scanned.
    parts
        The folder for the parts' reports.
    advance
        Called with the bytes of the archive that have been read.

    Raises
    ------
    ArchiveError
        When there is no such cluster, it cannot judge, or the archive cannot be read.
    """
    with _cluster(address):
        count, blocks = 0, []
        for count, part in numbered_parts(scan, advance):
            if not path_of(parts, count).exists():
                content = json.dumps([astuple(message) for message in part]).encode()
                block = pa.table({"number": [count], "messages": [content]})
                blocks.append(ray.put(block))
        if blocks:
            _judge_blocks(blocks, scan, parts)
    return count


def _judge_blocks(blocks: list[Any], scan: Scan, parts: Path) -> None:
    actors = scan.processes or max(1, int(ray.cluster_resources().get("CPU", 1)))
    model = {name: (scan.model / name).read_bytes() for name in _MODEL_FILES}
    reports = ray.data.from_arrow_refs(blocks).map(
        Judge,
        fn_constructor_args=(model, str(scan.operating_point)),
        fn_constructor_kwargs={"texts": scan.texts, "people": scan.people},
        compute=ray.data.ActorPoolStrategy(size=min(actors, len(blocks))),
        num_cpus=1,
    )
    for row in reports.iter_rows():
        path = path_of(parts, row["number"])
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(row["report"])
        temporary.rename(path)


@contextmanager
def _cluster(address: str) -> Iterator[None]:
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        _reach(address)
        ray.init(
            address=address,
            runtime_env={"py_modules": [str(Path(toxic_bot.__file__).parent)]},
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
        yield
    except (OSError, RayError, RuntimeError, ValueError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[-1][:200]
        raise ArchiveError(
            f"the Ray cluster {address} cannot judge ({reason}): check that it runs and has the "
            "packages in requirements/ray.txt, and run the same command again to resume"
        ) from error
    finally:
        ray.shutdown()


def _reach(address: str) -> None:
    """Connect to a cluster that is named by host and port; Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host:
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
