"""Messages as the rows of a table: CSV, JSON lines, parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from toxic_bot.archives.archived import Advance, Archived, month_of
from toxic_bot.archives.encodings import UNREADABLE, WINDOWS, encoding_of, opened
from toxic_bot.archives.skips import Skips

TEXT = ("text", "message", "comment", "body", "content", "comment_text", "message_text")
_CHANNEL = ("channel", "channel_name", "room", "forum")
_TIME = ("time", "timestamp", "ts", "date", "created_at")
_USER = ("user", "user_id", "author", "username")
_ID = ("id", "message_id", "ts")
_DELIMITERS = (",", ";", "\t", "|")
MAX_FIELD = 1 << 20
"""Characters of a CSV field. A quotation mark that is never closed would swallow the file."""
_STEP = 1000
"""Rows between two looks at how much has been read."""


@dataclass(frozen=True, slots=True)
class Table:
    """One file, and how it is read.

    Parameters
    ----------
    path
        The file.
    name
        What it is called in the report.
    column
        The column with the texts; None for the usual ones.
    skips
        Where what cannot be read is counted.
    """

    path: Path
    name: str
    column: str | None
    skips: Skips

    @property
    def text(self) -> tuple[str, ...]:
        """The columns that may have the text, in lower case."""
        return TEXT if self.column is None else (self.column.strip().lower(),)

    @property
    def no_text(self) -> str:
        """Why there is nothing to judge without such a column."""
        if self.column is not None:
            return f"no column '{self.column}'"
        return "no column 'text': name the column with the messages with --column"

    def has_text(self, columns: Iterable[str]) -> bool:
        """Report whether there is a column with texts."""
        return not set(map(_plain, columns)).isdisjoint(self.text)

    def encoding(self) -> str:
        """Return the file's encoding, and note one that nobody would expect."""
        encoding = encoding_of(self.path)
        if encoding == WINDOWS:
            self.skips.note(f"{self.name} is not in UTF-8, and is read as Windows-1252")
        return encoding

    def message(self, row: Mapping[str, Any], number: int) -> Archived | None:
        """Return a row's message; None, and skipped, if its text is none."""
        fields = {_plain(name): value for name, value in row.items() if value is not None}
        text = _decoded(next((fields[name] for name in self.text if name in fields), ""))
        if text is None:
            self.skips.skip(f"{self.name}, row {number}", "its text is not text")
            return None
        return Archived(
            self.name,
            _first(fields, _ID) or str(number),
            _first(fields, _CHANNEL),
            month_of(_first(fields, _TIME)),
            _first(fields, _USER),
            text,
        )


def csv_rows(table: Table, advance: Advance) -> Iterator[Archived]:
    """Yield the messages of a CSV file, whatever separates its fields."""
    csv.field_size_limit(MAX_FIELD)
    with opened(table.path, table.encoding()) as (lines, content):
        line = lines.readline()
        # Excel's own way to name the delimiter.
        header, delimiter = _header(table, lines.readline() if line.startswith("sep=") else line)
        if not header:
            table.skips.skip(table.name, table.no_text)
            return
        progress = _Progress(advance, table.path)
        reader = csv.reader(lines, delimiter=delimiter)
        number = 0
        while True:
            try:
                fields = next(reader, None)
            except csv.Error:
                place = f"{table.name}, line {reader.line_num + 1}"
                table.skips.skip(place, f"a field has more than {MAX_FIELD:,} characters")
                continue
            if fields is None:
                break
            if not fields:
                continue
            number += 1
            if any(map(UNREADABLE.search, fields)):
                table.skips.skip(f"{table.name}, row {number}", "it is not in the file's encoding")
            elif message := table.message(dict(zip(header, fields, strict=False)), number):
                yield message
            progress.at(number, content.tell())
        progress.end()


def _header(table: Table, line: str) -> tuple[Sequence[str], str]:
    """Return the columns of a CSV file and what separates them; no columns if none has texts."""
    for delimiter in _DELIMITERS:
        columns = next(csv.reader([line], delimiter=delimiter), [])
        if table.has_text(columns):
            return columns, delimiter
    return (), ","


def json_rows(table: Table, advance: Advance) -> Iterator[Archived]:
    """Yield the messages of a file with a JSON object in each line."""
    with opened(table.path, table.encoding()) as (lines, content):
        progress = _Progress(advance, table.path)
        for number, line in enumerate(lines, start=1):
            if line.strip() and (row := _object(table, line, number)):
                if not table.has_text(row):
                    table.skips.skip(f"{table.name}, row {number}", table.no_text)
                elif message := table.message(row, number):
                    yield message
            progress.at(number, content.tell())
        progress.end()


def _object(table: Table, line: str, number: int) -> dict[str, Any]:
    place = f"{table.name}, row {number}"
    if UNREADABLE.search(line):
        table.skips.skip(place, "it is not in the file's encoding")
        return {}
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        table.skips.skip(place, "it is not JSON")
        return {}
    if not isinstance(row, dict):
        table.skips.skip(place, "it is no JSON object")
        return {}
    return row


def parquet_rows(table: Table, advance: Advance) -> Iterator[Archived]:
    """Yield the messages of a parquet file."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(table.path) as file:
        columns = file.schema_arrow.names
        if not table.has_text(columns):
            table.skips.skip(table.name, table.no_text)
            return
        used = {*table.text, *_CHANNEL, *_TIME, *_USER, *_ID}
        wanted = [column for column in columns if _plain(column) in used]
        number = 0
        for batch in file.iter_batches(_STEP, columns=wanted):
            for row in batch.to_pylist():
                number += 1
                if message := table.message(row, number):
                    yield message
    advance(table.path.stat().st_size)


class _Progress:
    def __init__(self, advance: Advance, path: Path) -> None:
        self._advance = advance
        self._size = path.stat().st_size
        self._told = 0

    def at(self, number: int, position: int) -> None:
        """Tell the position now and then."""
        if number % _STEP == 0:
            self._tell(min(position, self._size))

    def end(self) -> None:
        """Tell that all has been read."""
        self._tell(self._size)

    def _tell(self, position: int) -> None:
        self._advance(position - self._told)
        self._told = position


def _plain(column: object) -> str:
    return str(column).strip().lower()


def _decoded(value: object) -> str | None:
    """Return a value as text; None if it is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None
    return None


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    value = next((fields[name] for name in names if name in fields), "")
    if isinstance(value, datetime):
        return value.isoformat()
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
