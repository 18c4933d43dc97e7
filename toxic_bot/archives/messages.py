"""Messages read from an archive, in a fixed order."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from toxic_bot.archives import ArchiveError
from toxic_bot.archives.archived import Advance, Archived
from toxic_bot.archives.rows import Table, csv_rows, json_rows, parquet_rows
from toxic_bot.archives.skips import Skips
from toxic_bot.archives.slack_export import day_messages, days, export_messages

SUFFIXES = (".csv", ".jsonl", ".parquet", ".zip")
# What the readers of these formats raise; an encrypted zip file is a RuntimeError.
_DAMAGED = (OSError, EOFError, ValueError, RuntimeError, BadZipFile, csv.Error, zlib.error)
_TABLES: dict[str, Callable[[Table, Advance], Iterator[Archived]]] = {
    ".csv": csv_rows,
    ".jsonl": json_rows,
    ".parquet": parquet_rows,
}
_EXPORTS: dict[str, Callable[[Path, str, Skips, Advance], Iterator[Archived]]] = {
    ".zip": export_messages,
    ".json": day_messages,
}


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


def messages(
    archive: Path,
    advance: Advance = lambda _: None,
    skips: Skips | None = None,
    column: str | None = None,
) -> Iterator[Archived]:
    """Yield the messages of an archive that have a text.

    Parameters
    ----------
    archive
        A file, or a folder with files.
    advance
        Called with the bytes that have been read.
    skips
        Where what cannot be read is counted; without it, nothing may be left out.
    column
        The column with the texts; None for the usual ones.

    Raises
    ------
    ArchiveError
        When there is nothing to read, or something cannot be read and may not be left out.
    """
    if skips is None:
        skips = Skips(strict=True)
    count = 0
    for path in files_of(archive):
        name = path.name if path == archive else str(path.relative_to(archive))
        try:
            for message in _read(path, name, advance, skips, column):
                if message.text.strip():
                    count += 1
                    yield message
        except _DAMAGED as error:
            skips.skip(name, f"it cannot be read to its end ({type(error).__name__})")
    if not count and skips.count:
        raise ArchiveError(f"nothing in {archive} can be read: {skips.named[0]}")


def _read(
    path: Path, name: str, advance: Advance, skips: Skips, column: str | None
) -> Iterator[Archived]:
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        return _TABLES[suffix](Table(path, name, column, skips), advance)
    return _EXPORTS[suffix](path, name, skips, advance)


def total_bytes(archive: Path) -> int:
    """Return the bytes that reading an archive takes, as `messages` counts them."""
    return sum(map(_bytes_of, files_of(archive)))


def _bytes_of(path: Path) -> int:
    if path.suffix.lower() != ".zip":
        return path.stat().st_size
    try:
        with ZipFile(path) as export:
            return sum(entry.file_size for entry in days(export))
    except (OSError, BadZipFile):
        # Whoever reads it says so.
        return 0
