"""The rows of the scoreboard, read where they are and never copied into the project."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.model import suite

HATECHECK = {
    "en": "hatecheck",
    "de": "hatecheck_german",
    "es": "hatecheck_spanish",
    "fr": "hatecheck_french",
    "it": "hatecheck_italian",
    "pt": "hatecheck_portuguese",
}
"""File of HateCheck in each language, without its ending."""
DISPUTED = ("target_indiv_nh", "target_group_nh")
"""Functions of HateCheck with abuse that it calls "not hate" and this project calls toxic."""
CHAT = ("se_gitter", "stanford_politeness_weakneg", "gametox")
"""Sources of which the benign rows are chat: of developers, questions among peers, and games."""
IDENTITIES = {
    "gender": r"wom[ae]n|girls?|females?|m[ae]n|boys?|males?",
    "orientation": r"gays?|lesbians?|bisexuals?|homosexuals?|queers?",
    "transgender": r"trans|transgender|nonbinary",
    "religion": r"muslims?|islam|jew(?:s|ish)?|christians?|catholics?|hindus?",
    "race": r"blacks?|whites?|asians?|latinos?|hispanics?|african",
    "origin": r"immigrants?|migrants?|refugees?|mexicans?|chinese|indians?|foreigners?",
    "disability": r"disabled|deaf|blind|autis\w+|retard\w*",
}
"""Words that name a group, as regular expressions."""
_PER_SLICE, _PER_SOURCE = 150, 400
_SEED = 29


@dataclass(frozen=True, slots=True)
class Row:
    """One text.

    Parameters
    ----------
    text
        The text.
    toxic
        Whether it is toxic.
    group
        Its part of the set: a function, an identity, a suite or a source.
    """

    text: str
    toxic: bool
    group: str


@dataclass(frozen=True, slots=True)
class RowSet:
    """Rows that are reported together.

    Parameters
    ----------
    name
        Its name.
    language
        ISO 639 code.
    rows
        The rows.
    """

    name: str
    language: str
    rows: tuple[Row, ...]

    @property
    def undisputed(self) -> RowSet:
        """The rows of all functions but those that this project sees differently."""
        rows = tuple(row for row in self.rows if row.group not in DISPUTED)
        return replace(self, name=f"{self.name} without two functions", rows=rows)

    def part(self, group: str) -> RowSet:
        """Return the rows of one group."""
        return replace(self, name=group, rows=tuple(row for row in self.rows if row.group == group))

    @property
    def groups(self) -> list[str]:
        """The groups, in the order of their first rows."""
        return list(dict.fromkeys(row.group for row in self.rows))


def row_sets(evaluate_only: Path, data: Path | None) -> tuple[list[RowSet], list[str]]:
    """Return the sets that are there, and what is left out, each with what it takes.

    Parameters
    ----------
    evaluate_only
        Folder with HateCheck.
    data
        Folder with other public sources; None for none.
    """
    sets, missing = [], []
    for language, file in HATECHECK.items():
        path = evaluate_only / f"{file}.parquet"
        if path.exists():
            rows = tuple(Row(r["text"], bool(r["label"]), r["function"]) for r in _read(path))
            sets.append(RowSet(f"HateCheck {language}", language, rows))
        else:
            missing.append(f"HateCheck {language}: {path.name} is not in --evaluate-only")
    sets += suites()
    if data is None:
        return sets, [*missing, "hatemoji, identities and chat: give --data FOLDER"]
    for name, rows in (
        ("hatemoji", hatemoji(data)),
        ("identities", identities(data)),
        ("chat", chat(data)),
    ):
        if rows:
            sets.append(RowSet(name, "en", rows))
        else:
            missing.append(f"{name}: --data has no rows for it")
    return sets, missing


def suites() -> list[RowSet]:
    """Return this project's own suites, which nothing was trained on."""
    english = {
        "workplace": suite.workplace(),
        "plain abuse": suite.toxic(),
        "obfuscated abuse": suite.obfuscated(),
        "disguises": suite.disguises(),
        "banter and swearing": suite.banter(),
        "benign": suite.benign(),
        "African-American English": suite.african_american_english(),
    }
    rows = tuple(
        Row(one.text, one.toxic, name) for name, samples in english.items() for one in samples
    )
    sets = [RowSet("our suites en", "en", rows)]
    for language in ("de", "es", "fr", "it", "pt"):
        samples = suite.multilingual(language)
        rows = tuple(Row(one.text, one.toxic, language) for one in samples)
        sets.append(RowSet(f"our suites {language}", language, rows))
    return sets


def hatemoji(data: Path) -> tuple[Row, ...]:
    """Return HatemojiBuild's test split."""
    return tuple(
        Row(row["text"], bool(row["label"]), "hatemoji")
        for row in _test_rows(data, ["hatemoji_build"])
    )


def identities(data: Path) -> tuple[Row, ...]:
    """Return rows that name an identity, with as many of each label as there are, up to a bound."""
    sources = sorted(path.stem for path in data.glob("*.parquet"))
    english = [
        row
        for row in _test_rows(data, sources)
        if row["strict_label"] is not None and row.get("lang", "en") == "en"
    ]
    chosen = []
    for name, words in IDENTITIES.items():
        pattern = re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
        found = [row for row in english if pattern.search(row["text"])]
        for label in (0, 1):
            rows = _some([row for row in found if row["strict_label"] == label], _PER_SLICE)
            chosen += [Row(row["text"], bool(label), name) for row in rows]
    return tuple(chosen)


def chat(data: Path) -> tuple[Row, ...]:
    """Return benign chat."""
    chosen = []
    for source in CHAT:
        rows = [row for row in _test_rows(data, [source]) if row["strict_label"] == 0]
        chosen += [Row(row["text"], toxic=False, group=source) for row in _some(rows, _PER_SOURCE)]
    return tuple(chosen)


def _test_rows(data: Path, sources: Sequence[str]) -> Iterator[dict[str, Any]]:
    for source in sources:
        path = data / f"{source}.parquet"
        if path.exists():
            yield from (row for row in _read(path) if row.get("split") == "test")


def _some(rows: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    return random.Random(_SEED).sample(rows, most) if len(rows) > most else rows


def _read(path: Path) -> list[dict[str, Any]]:
    from pyarrow import parquet

    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return rows
