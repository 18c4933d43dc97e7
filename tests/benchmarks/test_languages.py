"""How often a message's language is recognized is counted on every message."""

from __future__ import annotations

import io
from collections import Counter

import pytest
from rich.console import Console

from benchmarks import languages
from benchmarks.languages import Counts, count_languages, languages_table


def test_each_message_counts_where_its_length_and_language_belong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    messages = [
        ("rows", "de", "Du Vollidiot"),
        ("rows", "de", "Danke für die schnelle Hilfe, das Deployment läuft wieder"),
        ("suite", "it", "s3i un c r e t i n o c0smico, e pure scars0 al calcetto"),
    ]
    monkeypatch.setattr(languages, "_messages", lambda: iter(messages))
    assert count_languages() == {
        ("rows", "de", "1 to 3"): Counter({"und": 1}),
        ("rows", "de", "9 and more"): Counter({"de": 1}),
        ("suite", "it", "9 and more"): Counter({"it": 1}),
    }


def test_the_table_shows_what_a_message_is_taken_for() -> None:
    counts: Counts = {
        ("rows", "de", "4 to 8"): Counter(de=5, und=2, en=1, fr=1, mis=1),
        ("rows", "en", "1 to 3"): Counter(en=3, und=1),
    }
    console = Console(file=io.StringIO(), width=120)
    console.print(languages_table(counts))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined] # a StringIO
    rows = [line.split("│")[1:-1] for line in lines if line.startswith("│")]
    english, german = ([cell.strip() for cell in row] for row in rows)
    assert english == ["rows", "en", "1 to 3", "4", "75.0%", "25.0%", "0.0%", "0.0%", "0.0%"]
    assert german == ["rows", "de", "4 to 8", "10", "50.0%", "20.0%", "10.0%", "10.0%", "10.0%"]
