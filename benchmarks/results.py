"""The results of the load commands: JSON, pictures, and one page of all of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.load import ClassifierLoad
from benchmarks.pictures import draw_classifier, draw_reactions, draw_ways
from benchmarks.reactions import Load
from benchmarks.report import Report
from benchmarks.serving.ways import Timed
from toxic_bot.judge.errors import ToxicBotError

PAGE = "README.md"
"""The page's file: what code hosts and editors show of a folder."""


def rows_table(title: str, columns: Sequence[str], rows: Sequence[dict[str, str]]) -> Table:
    """Return columns of figures as a table; a column may lack rows."""
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    for name in _names(rows):
        table.add_row(name, *(one.get(name, "-") for one in rows))
    return table


def save_classifier(load: ClassifierLoad, folder: Path) -> None:
    """Write the results of the classifier, and rewrite the page.

    Raises
    ------
    ToxicBotError
        When the folder cannot be written.
    """
    rows = [load.rows()]
    _save(folder, "load", f"The classifier, {load.model}", [""], rows, asdict(load))
    draw_classifier(load, folder / "load.png")
    _write_page(folder)


def save_reactions(name: str, title: str, loads: Sequence[Load], folder: Path) -> None:
    """Write the results of one command's loads, and rewrite the page.

    Raises
    ------
    ToxicBotError
        When the folder cannot be written.
    """
    rows, columns = [one.rows() for one in loads], [one.name for one in loads]
    _save(folder, name, title, columns, rows, [asdict(one) for one in loads])
    draw_reactions(loads, folder / f"{name}.png")
    _write_page(folder)


def ways_columns(timed: Sequence[Timed]) -> tuple[list[str], list[dict[str, str]]]:
    """Return the ways to a verdict, and the rows of each: a row for each length."""
    names = list(dict.fromkeys(one.way for one in timed))
    rows = [
        {
            f"{one.tokens} tokens": f"{one.latency.p50:.2f} / {one.latency.p99:.2f}"
            for one in timed
            if one.way == name
        }
        for name in names
    ]
    return names, rows


def save_ways(title: str, timed: Sequence[Timed], folder: Path) -> None:
    """Write how long each way to a verdict takes, and the page.

    Raises
    ------
    ToxicBotError
        When the folder cannot be written.
    """
    columns, rows = ways_columns(timed)
    _save(folder, "ways", title, columns, rows, [asdict(one) for one in timed])
    draw_ways(timed, folder / "ways.png")
    _write_page(folder, "Ways to a verdict")


def page(results: Sequence[tuple[str, dict[str, Any]]], heading: str = "Load") -> str:
    """Return a page in Markdown of all results.

    Parameters
    ----------
    results
        Name and content of each file of results.
    heading
        The page's.
    """
    lines = [f"# {heading}", ""]
    for name, result in results:
        lines += [f"## {result['title']}", "", f"{result['machine']}", ""]
        columns, rows = result["columns"], result["rows"]
        lines += ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
        lines += [
            f"| {row} | " + " | ".join(one.get(row, "-") for one in rows) + " |"
            for row in _names(rows)
        ]
        lines += ["", f"![{result['title']}]({name}.png)", ""]
    return "\n".join(lines)


def _save(
    folder: Path,
    name: str,
    title: str,
    columns: list[str],
    rows: list[dict[str, str]],
    measured: object,
) -> None:
    here = Report.for_this_machine("", ())
    content = {
        "title": title,
        "machine": f"{here.cpus} CPUs ({here.machine}), Python {here.python}, {here.date}",
        "columns": columns,
        "rows": rows,
        "measured": measured,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise ToxicBotError(f"{folder} cannot be written ({error.strerror})") from error


def _write_page(folder: Path, heading: str = "Load") -> None:
    files = sorted(folder.glob("*.json"))
    results = [(one.stem, json.loads(one.read_text("utf-8"))) for one in files]
    (folder / PAGE).write_text(page(results, heading), "utf-8")


def _names(rows: Sequence[dict[str, str]]) -> list[str]:
    return list(dict.fromkeys(name for one in rows for name in one))
