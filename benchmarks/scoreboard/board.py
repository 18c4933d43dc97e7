"""The scoreboard: every classifier that is there on every set of rows that is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.scoreboard.classifiers import Contestant, Heard, contestants, listen
from benchmarks.scoreboard.figures import Figures
from benchmarks.scoreboard.rows import RowSet, row_sets
from tests.model import suite
from toxic_bot.judge.errors import ToxicBotError

TIMED = 200
"""Texts that are timed."""
SHORT = 120
"""Characters of the longest of them."""


@dataclass(frozen=True, slots=True)
class Place:
    """A classifier on the board.

    Parameters
    ----------
    contestant
        The classifier.
    heard
        What it said of all rows.
    """

    contestant: Contestant
    heard: Heard

    def figures(self, rows: RowSet) -> Figures | None:
        """Return its figures on rows; None if it does not claim to read their language."""
        if rows.language not in self.contestant.languages:
            return None
        return Figures.of(
            [row.toxic for row in rows.rows],
            [self.heard.scores[row.text] for row in rows.rows],
            self.contestant.limit,
        )


@dataclass(frozen=True, slots=True)
class Board:
    """The whole scoreboard.

    Parameters
    ----------
    places
        The classifiers.
    sets
        The sets of rows.
    missing
        What is not there, each with what it takes.
    """

    places: tuple[Place, ...]
    sets: tuple[RowSet, ...]
    missing: tuple[str, ...]

    def named(self, name: str) -> RowSet | None:
        """Return the set of that name, if it is there."""
        return next((one for one in self.sets if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Settings:
    """What is compared on what.

    Parameters
    ----------
    model
        This project's model folder.
    evaluate_only
        Folder with HateCheck.
    data
        Folder with other public sources; None for none.
    environments
        Folder with the peers' environments.
    transformers
        Folders or hub IDs of further classifiers.
    cache
        Folder for scores, which are computed once.
    """

    model: Path
    evaluate_only: Path
    data: Path | None
    environments: Path
    transformers: tuple[str, ...] = ()
    cache: Path = Path("build/scoreboard")


def play(settings: Settings, say: Callable[[str], None] = print) -> Board:
    """Have every classifier score every set in a language that it reads.

    What is not there, or fails, is left out and named.
    """
    sets, missing = row_sets(settings.evaluate_only, settings.data)
    places = []
    for each in contestants(settings.model, settings.environments, settings.transformers):
        if not each.is_there:
            missing.append(f"{each.name}: {each.remedy}")
            continue
        say(f"{each.name} …")
        try:
            places.append(Place(each, listen(each, _texts(sets, each), timed(), settings.cache)))
        except ToxicBotError as error:
            missing.append(str(error))
    for line in missing:
        say(f"left out: {line}")
    return Board(tuple(places), tuple(sets), tuple(missing))


def timed() -> list[str]:
    """Return the short texts that are timed one by one."""
    return [one.text for one in suite.workplace() if len(one.text) <= SHORT][:TIMED]


def _texts(sets: Sequence[RowSet], contestant: Contestant) -> list[str]:
    texts = (row.text for one in sets if one.language in contestant.languages for row in one.rows)
    return list(dict.fromkeys(texts))
