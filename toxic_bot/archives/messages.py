"""Messages read from an archive, in a fixed order."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from toxic_bot.archives import ArchiveError
from toxic_bot.slack.web_api.mrkdwn import plain_text

SUFFIXES = (".csv", ".jsonl", ".parquet", ".zip")
_TEXT = ("text", "message", "comment", "body")
_CHANNEL = ("channel", "channel_name", "room", "forum")
_TIME = ("time", "timestamp", "ts", "date", "created_at")
_USER = ("user", "user_id", "author", "username")
_ID = ("id", "message_id", "ts")
# What Slack itself writes, such as "has joined the channel", has a subtype.
_WRITTEN = (None, "thread_broadcast", "me_message", "file_share")

# What the readers of these formats raise; an encrypted zip file is a RuntimeError.
_DAMAGED = (OSError, EOFError, ValueError, RuntimeError, BadZipFile, csv.Error, zlib.error)

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Archived:
    """A message of an archive.

    Parameters
    ----------
    source
        The file that it is in, below the archive's folder.
    id
        What tells it from the others there: its own ID, or the number of its line.
    channel, month
        Where and when it was written, as far as the archive says; the month as ``2026-11``.
    user
        Who wrote it.
    text
        Plain text.
    """

    source: str
    id: str
    channel: str
    month: str
    user: str
    text: str


def files_of(archive: Path) -> list[Path]:
    """Return the files of an archive, in a fixed order.

    Raises
    ------
    ArchiveError
        When there are none.
    """
    found = [archive] if archive.is_file() else sorted(p for p in archive.rglob("*") if p.is_file())
    files = [path for path in found if path.suffix.lower() in SUFFIXES]
    if archive.is_dir() and (archive / "channels.json").is_file():
        # Slack's export, unpacked.
        files += [path for path in found if path.suffix == ".json" and path.parent != archive]
    if not files:
        raise ArchiveError(
            f"{archive} has nothing to read: name a Slack export (.zip), or CSV, JSONL or parquet "
            "files with a column 'text'"
        )
    return files


def messages(archive: Path, advance: Advance = lambda _: None) -> Iterator[Archived]:
    """Yield the messages of an archive that have a text.

    Parameters
    ----------
    archive
        A file, or a folder with files.
    advance
        Called with the bytes that have been read.

    Raises
    ------
    ArchiveError
        When a file cannot be read; it names the file.
    """
    readers = {
        ".csv": _csv,
        ".jsonl": _json_lines,
        ".parquet": _parquet,
        ".zip": _export,
        ".json": _day,
    }
    for path in files_of(archive):
        name = path.name if path == archive else str(path.relative_to(archive))
        try:
            for message in readers[path.suffix.lower()](path, name, advance):
                if message.text.strip():
                    yield message
        except ArchiveError:
            raise
        except _DAMAGED as error:
            raise ArchiveError(f"{path} cannot be read ({type(error).__name__})") from error


def total_bytes(archive: Path) -> int:
    """Return the bytes that reading an archive takes, as `messages` counts them."""
    total = 0
    for path in files_of(archive):
        if path.suffix.lower() == ".zip":
            try:
                with ZipFile(path) as export:
                    total += sum(entry.file_size for entry in _days(export))
            except (OSError, BadZipFile) as error:
                raise ArchiveError(f"{path} is no zip file") from error
        else:
            total += path.stat().st_size
    return total


def _export(path: Path, name: str, advance: Advance) -> Iterator[Archived]:
    with ZipFile(path) as export:
        for entry in _days(export):
            content = json.loads(export.read(entry))
            yield from _slack(content, f"{name}/{entry.filename}", Path(entry.filename).parent.name)
            advance(entry.file_size)


def _days(export: ZipFile) -> list[Any]:
    """Return the entries with messages: a folder for each channel, a file for each day."""
    return [e for e in export.infolist() if e.filename.endswith(".json") and "/" in e.filename]


def _day(path: Path, name: str, advance: Advance) -> Iterator[Archived]:
    yield from _slack(json.loads(path.read_bytes()), name, path.parent.name)
    advance(path.stat().st_size)


def _slack(content: Any, source: str, channel: str) -> Iterator[Archived]:
    for message in content if isinstance(content, list) else []:
        if not isinstance(message, dict) or message.get("type") != "message":
            continue
        text = message.get("text")
        if message.get("subtype") not in _WRITTEN or not isinstance(text, str):
            continue
        ts = str(message.get("ts", ""))
        user = str(message.get("user", ""))
        yield Archived(source, ts, channel, _month(ts), user, plain_text(text))


def _csv(path: Path, name: str, advance: Advance) -> Iterator[Archived]:
    with path.open("r", encoding="utf-8-sig", errors="replace", newline="") as lines:
        reader = csv.DictReader(lines)
        _require_text(reader.fieldnames or (), path)
        for number, row in enumerate(reader, start=1):
            yield _row(row, name, number)
    advance(path.stat().st_size)


def _json_lines(path: Path, name: str, advance: Advance) -> Iterator[Archived]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            row = json.loads(line) if line.strip() else {}
            if not isinstance(row, dict):
                raise ArchiveError(f"{path}, line {number}, is no JSON object")
            if row:
                _require_text(tuple(row), path)
                yield _row(row, name, number)
            advance(len(line))


def _parquet(path: Path, name: str, advance: Advance) -> Iterator[Archived]:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        columns = file.schema_arrow.names
        _require_text(columns, path)
        wanted = [c for c in columns if c in {*_TEXT, *_CHANNEL, *_TIME, *_USER, *_ID}]
        number = 0
        for batch in file.iter_batches(1000, columns=wanted):
            for row in batch.to_pylist():
                number += 1
                yield _row(row, name, number)
    advance(path.stat().st_size)


def _require_text(columns: Any, path: Path) -> None:
    if not any(column in _TEXT for column in columns):
        raise ArchiveError(f"{path} has no column 'text'")


def _row(row: dict[str, Any], source: str, number: int) -> Archived:
    def first(names: tuple[str, ...]) -> str:
        found = next((row[n] for n in names if row.get(n) is not None), "")
        return found.isoformat() if isinstance(found, datetime) else str(found)

    return Archived(
        source,
        first(_ID) or str(number),
        first(_CHANNEL),
        _month(first(_TIME)),
        first(_USER),
        first(_TEXT),
    )


def _month(time: str) -> str:
    """Return the month of a time: seconds since 1970, or ISO 8601; empty if it is neither."""
    try:
        moment = datetime.fromtimestamp(float(time), UTC)
    except (ValueError, OverflowError, OSError):
        try:
            moment = datetime.fromisoformat(time)
        except ValueError:
            return ""
    return f"{moment:%Y-%m}"
