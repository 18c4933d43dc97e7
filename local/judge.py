"""Texts judged without Slack: a few of them, or JSON lines by the thousand."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from handler.classifier import Classifier, Verdict

AHEAD = 256
"""Lines that are read before the first of them is written."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A text's verdict, and how long it took in milliseconds."""

    verdict: Verdict
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Line:
    """What becomes of one line.

    Parameters
    ----------
    json
        What is written.
    error
        Why it could not be judged; empty if it was.
    """

    json: str
    error: str


def judge(classifier: Classifier, text: str) -> Judged:
    """Judge one text."""
    started = time.perf_counter()
    verdict = classifier.classify(text)
    return Judged(verdict, (time.perf_counter() - started) * 1000)


def judge_lines(
    classifier: Classifier, lines: Iterable[bytes], threads: int | None = None
) -> Iterator[Line]:
    """Judge JSON lines as they come, and return their verdicts in the same order.

    Parameters
    ----------
    classifier
        Loaded with one thread: each line is judged on one, several lines at a time.
    lines
        Each ``{"id": ..., "text": "..."}``; empty ones are left out.
    threads
        Lines that are judged at the same time; None takes the CPUs of this process.

    Yields
    ------
    Line
        With the verdict, or with the error of a line that is not of that form.
    """
    waiting: queue.Queue[Future[Line] | None] = queue.Queue(AHEAD)
    with ThreadPoolExecutor(threads or len(os.sched_getaffinity(0))) as executor:

        def read() -> None:
            try:
                for number, line in enumerate(lines, start=1):
                    if line.strip():
                        waiting.put(executor.submit(_judge_line, classifier, number, line))
            finally:
                waiting.put(None)

        # A thread of its own, so that a slow writer of lines does not hold up what is done.
        threading.Thread(target=read, name="reader", daemon=True).start()
        while (future := waiting.get()) is not None:
            yield future.result()


def _judge_line(classifier: Classifier, number: int, line: bytes) -> Line:
    name, text, wrong = _parse(line)
    if wrong:
        error = f"line {number}: {wrong}"
        return Line(json.dumps({"id": name, "line": number, "error": wrong}), error)
    judged = judge(classifier, text)
    shown = {
        "id": name,
        "toxic": judged.verdict.toxic,
        "score": round(judged.verdict.score, 6),
        "windows": judged.verdict.windows,
        "ms": round(judged.milliseconds, 3),
    }
    return Line(json.dumps(shown), "")


def _parse(line: bytes) -> tuple[Any, str, str]:
    """Return a line's id, its text, and what is wrong with it."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None, "", "it is not JSON"
    if not isinstance(row, dict):
        return None, "", 'it is not an object with "id" and "text"'
    if "id" not in row:
        return None, "", 'it has no "id"'
    if not isinstance(row.get("text"), str):
        return row["id"], "", 'its "text" is missing or is not a string'
    return row["id"], row["text"], ""
