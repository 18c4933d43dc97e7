"""The moderators' cases as CSV, out of both stores."""

from __future__ import annotations

import csv
import time
from dataclasses import replace
from pathlib import Path

import pytest

from handler.case_table import CaseTable
from tests.aws_account import dynamodb
from tests.cli.command import run
from tests.slack.cases.test_case_stores import LATER, SINCE, case, changed, entry
from toxic_bot.operator.exported_cases import (
    COLUMNS,
    CasesError,
    cases_in_database,
    cases_in_table,
    write,
)
from toxic_bot.slack.cases.case import Case, CaseStore
from toxic_bot.slack.gestures.case_gestures import CaseOutcome, Step
from toxic_bot.standalone.case_database import SQLiteCases
from toxic_bot.standalone.database import Database

AT = 1766000000


def keep(store: CaseStore) -> Case:
    """Store two cases, of which the later one was dealt with, and one whose time is over."""
    store.open(replace(case(3), author=""), SINCE, int(time.time()) - 5)
    direct = replace(case(1, at=AT), channel="", ts="", link="", reporter="U0ASKS")
    store.open(direct, AT - 1, LATER)
    opened = store.open(case(2, at=AT + 60), AT - 1, LATER)
    taken = changed(opened, opened.taken(replace(entry(Step.TAKE), at=AT + 90)))
    wrote = replace(entry(Step.WRITE, key="k2"), at=AT + 120)
    begun = changed(taken, taken.begun(wrote))
    settled = changed(begun, begun.settled("k2", "done"))
    over = replace(entry(Step.CLOSE, key="k3"), at=AT + 150)
    closed = changed(settled, settled.closed(over, CaseOutcome.TALKED_TO))
    for version in (taken, begun, settled, closed):
        assert store.change(version, LATER)
    return closed


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("home", ["dynamodb", "sqlite"])
def test_the_export_has_who_did_what_and_when(
    home: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "cases.csv"
    if home == "dynamodb":
        request.getfixturevalue("account")
        keep(CaseTable(dynamodb(), "claims"))
        write(cases_in_table("claims"), path)
    else:
        database = Database(tmp_path / "bot.sqlite")
        keep(SQLiteCases(database))
        database.close()
        write(cases_in_database(tmp_path / "bot.sqlite"), path)
    assert path.stat().st_mode & 0o777 == 0o600
    direct, closed = rows(path)
    assert tuple(direct) == COLUMNS
    assert direct["channel"] == direct["link"] == direct["trail"] == ""
    assert (direct["reporter"], direct["state"]) == ("U0ASKS", "open")
    assert closed == {
        "id": case(2).id,
        "opened": "2025-12-17T19:34:20Z",
        "channel": "C0001",
        "link": case(2).link,
        "author": "U0WROTE",
        "reporter": "",
        "reason": "insult",
        "kinds": "insult",
        "score": "0.9300",
        "state": "closed",
        "outcome": "talked_to",
        "trail": (
            "2025-12-17T19:34:50Z U0MOD take; 2025-12-17T19:35:20Z U0MOD write (done); "
            "2025-12-17T19:35:50Z U0MOD close (talked_to)"
        ),
    }


def test_the_command_writes_a_file_and_says_how_many(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    keep(SQLiteCases(database))
    database.close()
    output = tmp_path / "out.csv"
    result = run(
        *("cases", "export", "--database", str(tmp_path / "bot.sqlite"), "--output", str(output))
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"2 cases written to {output}.\n"
    assert len(rows(output)) == 2


def test_the_command_says_in_one_line_what_is_wrong(tmp_path: Path) -> None:
    missing = tmp_path / "nothing.sqlite"
    result = run("cases", "export", "--database", str(missing))
    assert result.returncode == 1
    assert result.stderr.startswith(f"error: {missing} does not exist")
    assert result.stderr.count("\n") == 1


@pytest.mark.usefixtures("account")
def test_a_table_that_is_not_there_is_explained() -> None:
    with pytest.raises(CasesError, match="the table missing cannot be read"):
        cases_in_table("missing")


def test_a_file_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    with pytest.raises(CasesError, match="cannot be written"):
        write([], tmp_path)
