"""What functions write to their log: lines of JSON, and the emulator's own lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_DECODER = json.JSONDecoder()
_START = '{"'


def log_records(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a log: log records and metrics.

    Python writes a line in several steps, a traceback too, so that the lines of two execution
    environments may have run into one. On Lambda each has its own log stream.
    """
    for line in text.splitlines():
        start = line.find(_START)
        while start >= 0:
            try:
                record, start = _DECODER.raw_decode(line, start)
            except ValueError:
                # The line of a process that was killed, or no record.
                start += 1
            else:
                yield record
            start = line.find(_START, start)
