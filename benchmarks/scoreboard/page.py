"""The tables of the scoreboard, in Markdown, and where they stand in its page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from benchmarks.marked_page import replace_between, table
from benchmarks.report import Report
from benchmarks.scoreboard.board import Board, Place
from benchmarks.scoreboard.figures import Figures
from benchmarks.scoreboard.published import PUBLISHED
from benchmarks.scoreboard.rows import RowSet

BEGIN = "<!-- From here on, written by 'python -m benchmarks scoreboard'. -->"
END = "<!-- Up to here. -->"
LANGUAGES = {
    "de": "German", "es": "Spanish", "fr": "French", "it": "Italian", "pt": "Portuguese",
}  # fmt: skip
ENGLISH = "HateCheck en"


def write(board: Board, path: Path) -> None:
    """Put the tables between the two marks of the page.

    Raises
    ------
    ToxicBotError
        When the page or its marks are missing.
    """
    replace_between(path, BEGIN, END, tables(board))


def tables(board: Board) -> str:
    """Return all tables, each under its heading."""
    machine = Report.for_this_machine("", ())
    parts = [f"{machine.machine}, Python {machine.python}, {machine.date}."]
    english = board.named(ENGLISH)
    if english is not None:
        parts += ["## HateCheck, English", _quality(board.places, [english, english.undisputed])]
    parts += ["## Published by others", _published()]
    parts += ["## Time and size", _costs(board.places)]
    parts += _multilingual(board)
    for name, title in (
        ("hatemoji", "## Emoji: HatemojiBuild's test split"),
        ("our suites en", "## Our own suites, English"),
        ("identities", "## Texts that name a group"),
        ("chat", "## False alarms on benign chat"),
    ):
        rows = board.named(name)
        if rows is not None:
            parts += [title, _by_group(board.places, rows)]
    if english is not None:
        parts += ["## HateCheck by function", _by_function(board.places, english)]
    if board.missing:
        left_out = "\n".join(f"- {line}" for line in board.missing)
        parts += ["## Left out in this run", left_out]
    return "\n\n".join(parts) + "\n"


def _quality(places: Sequence[Place], sets: Sequence[RowSet]) -> str:
    lines = []
    for rows in sets:
        for place in places:
            figures = place.figures(rows)
            if figures is not None:
                lines.append([_count(rows), _name(place), *_cells(figures)])
    return table(["rows", "classifier", "AUC", "macro-F1", "found", "false alarms"], lines)


def _published() -> str:
    return table(
        ["model", "size", "macro-F1 on HateCheck", "remark", "source"],
        [
            [one.model, one.size or "–", one.macro_f1, one.remark, f"[page]({one.source})"]
            for one in PUBLISHED
        ],
    )


def _costs(places: Sequence[Place]) -> str:
    return table(
        ["classifier", "version", "MB", "p50 ms", "p99 ms"],
        [
            [
                place.contestant.name,
                place.heard.version,
                f"{place.heard.megabytes:.2f}" if place.heard.megabytes < 1
                else f"{place.heard.megabytes:.1f}",
                f"{place.heard.latency.p50:.2f}",
                f"{place.heard.latency.p99:.2f}",
            ]
            for place in places
        ],
    )  # fmt: skip


def _multilingual(board: Board) -> list[str]:
    parts = []
    for prefix, title in (
        ("HateCheck", "## Multilingual HateCheck"),
        ("our suites", "## Our own suites, other languages"),
    ):
        lines = []
        for language, name in LANGUAGES.items():
            rows = board.named(f"{prefix} {language}")
            for place in board.places if rows else ():
                assert rows is not None
                figures = place.figures(rows)
                if figures is None:
                    continue
                without = place.figures(rows.undisputed) if prefix == "HateCheck" else None
                more = [_number(without.macro_f1)] if without else []
                lines.append([name, str(figures.rows), _name(place), *_cells(figures), *more])
        if lines:
            head = ["language", "rows", "classifier", "AUC", "macro-F1", "found", "false alarms"]
            more = ["macro-F1 without two functions"] if prefix == "HateCheck" else []
            parts += [title, table([*head, *more], lines)]
    return parts


def _by_group(places: Sequence[Place], rows: RowSet) -> str:
    lines = []
    for group in rows.groups:
        for place in places:
            figures = place.figures(rows.part(group))
            if figures is not None:
                lines.append([group, str(figures.rows), _name(place), *_cells(figures)])
    return table(["part", "rows", "classifier", "AUC", "macro-F1", "found", "false alarms"], lines)


def _by_function(places: Sequence[Place], rows: RowSet) -> str:
    """Return the share of each function's rows that each classifier gets right."""
    readers = [place for place in places if rows.language in place.contestant.languages]
    lines = []
    for group in rows.groups:
        part = rows.part(group)
        toxic = part.rows[0].toxic
        right = []
        for place in readers:
            figures = place.figures(part)
            assert figures is not None
            right.append(_percent(figures.found if toxic else 1 - figures.false_alarms))
        lines.append([f"`{group}`", "toxic" if toxic else "not", str(len(part.rows)), *right])
    return table(["function", "it is", "rows", *map(_name, readers)], lines)


def _count(rows: RowSet) -> str:
    functions = "" if rows.name == ENGLISH else ", without two functions"
    return f"{len(rows.rows):,}{functions}"


def _name(place: Place) -> str:
    name = place.contestant.name
    return f"**{name}**" if name == "Toxic Bot" else name


def _cells(figures: Figures) -> list[str]:
    return [
        _number(figures.auc),
        _number(figures.macro_f1),
        _percent(figures.found),
        _percent(figures.false_alarms),
    ]


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _percent(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.1%}"
