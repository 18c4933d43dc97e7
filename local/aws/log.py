"""What functions write to their log: lines of JSON, and the emulator's own lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_DECODER = json.JSONDecoder()


def log_records(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a log: log records and metrics.

    Python writes the end of a line by itself, so that the lines of two execution environments
    may have run into one. On Lambda each has a log stream of its own.
    """
    for line in text.splitlines():
        start = 0
        while line.startswith("{", start):
            try:
                record, start = _DECODER.raw_decode(line, start)
            except ValueError:
                break
            yield record
