"""Texts judged without Slack: a few of them, or JSON lines by the thousand."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from toxic_bot.judge.classifier import Classifier, Verdict
from toxic_bot.terminal.console import one_line, shorten

READ_AHEAD = 256
"""Lines that are read before the first of them is written."""
_MAX_KINDS = 2
_KINDS_WIDTH = 16
_HEADER = f"verdict   score  limit      ms  {'kinds':{_KINDS_WIDTH}}  text"


@dataclass(frozen=True, slots=True)
class TimedVerdict:
    """A text's verdict, and how long it took in milliseconds."""

    verdict: Verdict
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Line:
    """The result of one JSON line.

    Parameters
    ----------
    json
        The line to write.
    error
        Why the input could not be judged; empty if it was.
    """

    json: str
    error: str


def classify_timed(classifier: Classifier, text: str) -> TimedVerdict:
    """Judge one text and time it."""
    started = time.perf_counter()
    verdict = classifier.classify(text)
    return TimedVerdict(verdict, (time.perf_counter() - started) * 1000)


def print_verdicts(classifier: Classifier, texts: Sequence[str]) -> None:
    """Print a table of verdicts, each row as soon as it is known."""
    console = Console(highlight=False, markup=False)
    width = console.width - len(_HEADER) + len("text") if console.is_terminal else None
    _print_line(console, _HEADER, style="bold")
    for text in texts:
        timed = classify_timed(classifier, text)
        shown = one_line(text)
        if width is not None:
            shown = shorten(shown, max(20, width))
        _print_line(console, _row(timed, classifier.threshold, shown))


def _row(timed: TimedVerdict, threshold: float, text: str) -> Text:
    verdict = timed.verdict
    if not verdict.legible:
        return Text("cannot judge: the text is not in English", style="dim")
    if not verdict.windows:
        return Text("nothing to judge: the text has no words", style="dim")
    kinds = ", ".join(verdict.kinds[:_MAX_KINDS])
    word, color = ("toxic", "red") if verdict.toxic else ("fine", "green")
    return Text.assemble(
        (f"{word:7}", color),
        f"  {verdict.score:6.4f}  {threshold:5.2f}  {timed.milliseconds:6.1f}",
        f"  {kinds:{_KINDS_WIDTH}}  {text}",
    )


def _print_line(console: Console, line: str | Text, style: str | None = None) -> None:
    # A line is never wrapped or cropped, so that a program can read it.
    console.print(line, style=style, soft_wrap=True)


def judge_lines(
    classifier: Classifier, lines: Iterable[bytes], threads: int | None = None
) -> Iterator[Line]:
    """Judge JSON lines as they arrive, and yield their verdicts in the same order.

    Parameters
    ----------
    classifier
        Loaded with one thread: several lines are judged at a time, each on one thread.
    lines
        Each ``{"id": ..., "text": "..."}``; blank lines are skipped.
    threads
        Lines that are judged at a time; None for one per available CPU.

    Yields
    ------
    Line
        The verdict, or the error of a malformed line.
    """
    pending: queue.Queue[Future[Line] | None] = queue.Queue(READ_AHEAD)
    executor = ThreadPoolExecutor(threads or len(os.sched_getaffinity(0)))

    def read() -> None:
        try:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    pending.put(executor.submit(_judge_line, classifier, number, line))
        except (OSError, RuntimeError) as error:
            # Raised again where the verdicts are read; after a shutdown, nobody reads them.
            failed: Future[Line] = Future()
            failed.set_exception(error)
            pending.put(failed)
        pending.put(None)

    try:
        # A thread of its own, so that waiting for the next line delays no verdict.
        threading.Thread(target=read, name="reader", daemon=True).start()
        while (future := pending.get()) is not None:
            yield future.result()
    finally:
        executor.shutdown(cancel_futures=True)


def _judge_line(classifier: Classifier, number: int, line: bytes) -> Line:
    name, text, error = _parse(line)
    if error:
        content = {"id": name, "line": number, "error": error}
        return Line(json.dumps(content), f"line {number}: {error}")
    timed = classify_timed(classifier, text)
    content = {
        "id": name,
        "toxic": timed.verdict.toxic,
        "score": round(timed.verdict.score, 6),
        "kinds": list(timed.verdict.kinds),
        "probabilities": {k: round(p, 6) for k, p in timed.verdict.probabilities.items()},
        "legible": timed.verdict.legible,
        "windows": timed.verdict.windows,
        "ms": round(timed.milliseconds, 3),
    }
    return Line(json.dumps(content), "")


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
