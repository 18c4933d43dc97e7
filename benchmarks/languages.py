"""How often the bot is wrong about a message's language, by language and length.

The messages are those written for this project. The word list that helps to recognize a language
was counted on the training rows, most of these among them; the suites, from other hands, were not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

from simulators import ROOT
from toxic_bot.judge.language import ENGLISH, MULTILINGUAL, OTHER, UNDETERMINED, language_of
from toxic_bot.judge.normalization import read

ROWS, SUITES = ROOT / "model_build" / "rows", ROOT / "tests" / "model" / "multilingual"
LENGTHS = {"1 to 3": 3, "4 to 8": 8, "9 and more": None}
"""Most words of each class of length."""
Counts = dict[tuple[str, str, str], Counter[str]]
"""How often each language was recognized, by where a message comes from, language and length."""


def count_languages() -> Counts:
    """Recognize the language of every message written for this project."""
    counts: Counts = {}
    for origin, language, text in _messages():
        words = len(text.split())
        length = next(name for name, most in LENGTHS.items() if most is None or words <= most)
        recognized = language_of(text, read(text).text)
        counts.setdefault((origin, language, length), Counter())[recognized] += 1
    return counts


def _messages() -> Iterator[tuple[str, str, str]]:
    folders = {ENGLISH: ROWS / "written"}
    folders |= {one: ROWS / "multilingual" / one for one in sorted(MULTILINGUAL)}
    for language, folder in folders.items():
        for file in sorted(folder.glob("*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines():
                yield "rows", language, json.loads(line)["text"]
    for language in sorted(MULTILINGUAL):
        for row in _suite(SUITES / f"{language}.json"):
            yield "suite", language, row["text"]


def _suite(file: Path) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return rows


def languages_table(counts: Counts) -> Table:
    """Return the counts as a table, in percent of the messages."""
    table = Table(
        title="Which language a message is taken for",
        caption="none: no model reads it, so it is not judged. Undetermined: the multilingual "
        "model judges it",
        title_justify="left",
        caption_justify="left",
    )
    for heading in ("from", "language", "words"):
        table.add_column(heading)
    for heading in ("messages", "right", "undetermined", "English", "another", "none"):
        table.add_column(heading, justify="right")
    for (origin, language, length), found in sorted(counts.items(), key=_order):
        total = found.total()
        taken = {
            "right": found[language],
            "undetermined": found[UNDETERMINED],
            "English": 0 if language == ENGLISH else found[ENGLISH],
            "another": sum(found[one] for one in MULTILINGUAL - {language}),
            "none": found[OTHER],
        }
        shares = (f"{number / total:.1%}" for number in taken.values())
        table.add_row(origin, language, length, f"{total:,}", *shares)
    return table


def _order(entry: tuple[tuple[str, str, str], Counter[str]]) -> tuple[str, bool, str, int]:
    origin, language, length = entry[0]
    return origin, language != ENGLISH, language, list(LENGTHS).index(length)
