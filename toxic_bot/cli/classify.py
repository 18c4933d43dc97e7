"""``toxic-bot classify``."""

from __future__ import annotations

import argparse
import json
import os
import queue
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toxic_bot.cli.arguments import add_device, add_model
from toxic_bot.judge.verdict import MAX_NAMED
from toxic_bot.terminal.console import (
    ConsoleError,
    Style,
    one_line,
    shorten,
    standard_input,
    styled,
)

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands
    from toxic_bot.judge.classifier import Classifier
    from toxic_bot.judge.verdict import Verdict

READ_AHEAD = 256
"""Lines that are read before the first of them is written."""
_KINDS_WIDTH = 16
_HEADER = f"verdict   score  threshold      ms  {'kinds':{_KINDS_WIDTH}}  text"
_NOT_JUDGED = {
    "language": "cannot judge: the model does not read this language",
    "no_words": "nothing to judge: the text has no words",
}


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "classify",
        help="judge texts, without Slack",
        description="Judge texts and print a line for each: verdict, score, the threshold "
        "from which a text counts as toxic, milliseconds, kinds of toxicity and the text. Without "
        "TEXT, judge standard input as one text.",
        epilog='With --jsonl, read {"id": ..., "text": "..."} lines and write '
        '{"id", "status", "toxic", "score", "kinds", "probabilities", "legible", "windows", "ms"} '
        'lines in the same order. "status" is "toxic", "fine" or "not_judged"; "legible" is false '
        "for a text in a language that the model does not read.",
    )
    texts = parser.add_mutually_exclusive_group()
    texts.add_argument("text", nargs="*", default=[], metavar="TEXT", help="a text to judge")
    texts.add_argument(
        "--jsonl", action="store_true", help="read JSON lines from standard input instead"
    )
    add_model(parser)
    add_device(parser)
    parser.add_argument(
        "--operating-point",
        choices=["cautious", "balanced", "sensitive"],
        default="balanced",
        help="the threshold to use: balanced (default) finds most with few false alarms, cautious "
        "raises the fewest, sensitive finds more",
    )
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Judge texts from the command line or from standard input."""
    from toxic_bot.judge.classifier import load
    from toxic_bot.judge.config import OperatingPoint
    from toxic_bot.judge.device import Device

    point = OperatingPoint(options.operating_point)
    device = Device(options.device)
    if not options.jsonl:
        texts = options.text or [standard_input("one text").read().decode("utf-8", "replace")]
        print_verdicts(load(options.model, None, point, device), texts)
        return 0
    errors: list[str] = []
    count = 0
    lines = standard_input("JSON lines")
    for line in judge_lines(load(options.model, 1, point, device), lines):
        print(line.json, flush=True)
        count += 1
        if line.error:
            errors.append(line.error)
    if errors:
        raise ConsoleError(f"{len(errors)} of {count} lines could not be judged; {errors[0]}")
    return 0


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
    width = None
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - len(_HEADER) + len("text")
    print(styled(_HEADER, Style.BOLD))
    for text in texts:
        timed = classify_timed(classifier, text)
        shown = one_line(text)
        if width is not None:
            shown = shorten(shown, max(20, width))
        print(_row(timed, classifier.threshold, shown), flush=True)


def _row(timed: TimedVerdict, threshold: float, text: str) -> str:
    verdict = timed.verdict
    if verdict.reason is not None:
        return styled(_NOT_JUDGED[verdict.reason], Style.DIM)
    kinds = ", ".join(verdict.kinds[:MAX_NAMED])
    status = styled(f"{verdict.status:7}", Style.RED if verdict.toxic else Style.GREEN)
    return (
        f"{status}  {verdict.score:6.4f}  {threshold:9.2f}  {timed.milliseconds:6.1f}"
        f"  {kinds:{_KINDS_WIDTH}}  {text}"
    )


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
        # In its own thread, so waiting for the next line delays no verdict.
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
        "status": timed.verdict.status,
        "toxic": timed.verdict.toxic,
        "score": round(timed.verdict.score, 6),
        "kinds": list(timed.verdict.kinds),
        "probabilities": {k: round(p, 6) for k, p in timed.verdict.probabilities.items()},
        "legible": timed.verdict.reason != "language",
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
