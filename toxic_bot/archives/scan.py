"""An archive judged on all cores, part by part, so a stopped scan resumes where it left off.

A part is a fixed number of messages. Each is judged by one process and written as one parquet
file under a temporary name, which gets its own only when it is complete.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from toxic_bot.archives import ArchiveError
from toxic_bot.archives.archived import Advance, Archived
from toxic_bot.archives.messages import files_of, messages
from toxic_bot.archives.skips import Skips
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import OperatingPoint

PART = 500
"""Messages of a part."""
REPORT = "report.parquet"
_PLAN = "scan.json"
_classifier: Classifier | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """What is scanned, and how.

    Parameters
    ----------
    archive
        A file or a folder.
    output
        The folder for the report.
    model
        The model folder.
    operating_point
        What the threshold is for.
    texts, people
        Whether the report has the messages' texts, and who wrote them.
    processes
        How many judge; None for one for each available CPU, of this machine or of the cluster.
    column
        The column with the texts; None for the usual ones.
    skips
        Where what cannot be read is counted.
    """

    archive: Path
    output: Path
    model: Path
    operating_point: OperatingPoint = OperatingPoint.BALANCED
    texts: bool = False
    people: bool = False
    processes: int | None = None
    column: str | None = None
    skips: Skips = field(default_factory=Skips, compare=False)


JudgeParts = Callable[[Scan, Path, Advance], int]
"""Judges the parts that are missing in a folder, and returns the number of all parts."""


def run(
    scan: Scan, advance: Advance = lambda _: None, judge_parts: JudgeParts | None = None
) -> pa.Table:
    """Judge an archive and write ``report.parquet``; return its content.

    Parameters
    ----------
    scan
        What is scanned.
    advance
        Called with the bytes of the archive that have been read.
    judge_parts
        Where the parts are judged; None for this machine.

    Raises
    ------
    ToxicBotError
        When the archive or the model cannot be read, or the folder holds another scan.
    """
    load(scan.model, 1, scan.operating_point)
    parts = scan.output / "parts"
    _begin(scan, parts)
    try:
        count = (judge_parts or _judge_parts_here)(scan, parts, advance)
    except ArchiveError:
        if not any(parts.iterdir()):
            # There is nothing to go on with, so other options may be tried.
            _forget(scan, parts)
        raise
    return _finish(scan, parts, count)


def numbered_parts(scan: Scan, advance: Advance) -> Iterator[tuple[int, Sequence[Archived]]]:
    """Yield the archive's parts, numbered from 1."""
    return enumerate(_batched(messages(scan.archive, advance, scan.skips, scan.column)), start=1)


def path_of(parts: Path, number: int) -> Path:
    """Return the file of a part that has been judged."""
    return parts / f"{number:07}.parquet"


def _judge_parts_here(scan: Scan, parts: Path, advance: Advance) -> int:
    pool = ProcessPoolExecutor(
        scan.processes or len(os.sched_getaffinity(0)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_load,
        initargs=(scan.model, scan.operating_point),
    )
    try:
        with pool:
            return _judge_parts(scan, parts, pool, advance)
    except BrokenProcessPool as error:
        raise ArchiveError("a process died: run the same command again to go on") from error


def _judge_parts(scan: Scan, parts: Path, pool: ProcessPoolExecutor, advance: Advance) -> int:
    running: deque[Future[None]] = deque()
    count = 0
    try:
        for count, part in numbered_parts(scan, advance):
            path = path_of(parts, count)
            if path.exists():
                continue
            running.append(pool.submit(_judge, part, path, scan.texts, scan.people))
            # Only so much is read ahead.
            while len(running) > 4 * (scan.processes or len(os.sched_getaffinity(0))):
                running.popleft().result()
        while running:
            running.popleft().result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    return count


def _batched(found: Iterator[Archived]) -> Iterator[Sequence[Archived]]:
    part: list[Archived] = []
    for message in found:
        part.append(message)
        if len(part) == PART:
            yield part
            part = []
    if part:
        yield part


def _load(model: Path, operating_point: OperatingPoint) -> None:
    global _classifier
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    _classifier = load(model, 1, operating_point)


def _end_with_parent() -> None:
    """End this process when the one that started it is killed; it would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _judge(part: Sequence[Archived], path: Path, texts: bool, people: bool) -> None:
    assert _classifier is not None
    temporary = path.with_suffix(f".{os.getpid()}")
    parquet.write_table(judged(_classifier, part, texts=texts, people=people), temporary)
    temporary.rename(path)


def judged(
    classifier: Classifier, part: Sequence[Archived], *, texts: bool, people: bool
) -> pa.Table:
    """Return the report's rows for some messages."""
    rows = []
    for message in part:
        verdict = classifier.classify(message.text)
        row: dict[str, Any] = {
            "source": message.source,
            "id": message.id,
            "channel": message.channel,
            "month": message.month,
            "judged": verdict.judged,
            "toxic": verdict.toxic,
            "score": round(verdict.score, 6),
            "kinds": list(verdict.kinds),
        }
        if people:
            row["user"] = message.user
        if texts:
            row["text"] = message.text.encode(errors="replace").decode()
        rows.append(row)
    return pa.Table.from_pylist(rows, _schema(texts=texts, people=people))


def _schema(*, texts: bool, people: bool) -> pa.Schema:
    fields = [
        ("source", pa.string()),
        ("id", pa.string()),
        ("channel", pa.string()),
        ("month", pa.string()),
        ("judged", pa.bool_()),
        ("toxic", pa.bool_()),
        ("score", pa.float64()),
        ("kinds", pa.list_(pa.string())),
    ]
    fields += [("user", pa.string())] * people + [("text", pa.string())] * texts
    return pa.schema(fields)


def _begin(scan: Scan, parts: Path) -> None:
    """Make the folder, and see that parts in it belong to the same scan."""
    plan = json.dumps(_plan(scan), indent=1)
    path = scan.output / _PLAN
    try:
        parts.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.read_text("utf-8") != plan:
            raise ArchiveError(
                f"{scan.output} holds another scan, or the archive, the model or the options have "
                "changed since: name another folder with --output, or delete this one"
            )
        path.write_text(plan, "utf-8")
    except OSError as error:
        raise ArchiveError(f"{scan.output} cannot be written ({error.strerror})") from error


def _plan(scan: Scan) -> dict[str, Any]:
    files = [(str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in files_of(scan.archive)]
    return {
        "archive": hashlib.sha256(json.dumps(files).encode()).hexdigest(),
        "model": hashlib.sha256((scan.model / "config.json").read_bytes()).hexdigest(),
        "part": PART,
        "operating point": scan.operating_point,
        "column": scan.column,
        "texts": scan.texts,
        "people": scan.people,
    }


def _finish(scan: Scan, parts: Path, count: int) -> pa.Table:
    schema = _schema(texts=scan.texts, people=scan.people)
    paths = [path_of(parts, number) for number in range(1, count + 1)]
    tables = [parquet.read_table(path, schema=schema) for path in paths]
    table = pa.concat_tables(tables) if tables else schema.empty_table()
    temporary = scan.output / f"{REPORT}.{os.getpid()}"
    parquet.write_table(table, temporary)
    temporary.rename(scan.output / REPORT)
    _forget(scan, parts)
    return table


def _forget(scan: Scan, parts: Path) -> None:
    shutil.rmtree(parts)
    (scan.output / _PLAN).unlink()
