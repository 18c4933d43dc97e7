from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest

from tests.cli.command import started
from toxic_bot.operator.feedback import (
    FeedbackError,
    count_opinions,
    export,
    votes_in_database,
    votes_in_table,
    write,
)
from toxic_bot.slack.answers.votes import Vote
from toxic_bot.slack.web_api.message import Message
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import SQLiteStore

VOTE = Vote(
    team="T0001",
    channel="C0001",
    ts="1766000000.000100",
    edited="",
    user="U0001",
    right=False,
    verdict="toxic",
    score=0.92,
    kinds="insult",
    model="0123456789ab",
    voted_at=1766000009.0,
)


def votes(*opinions: bool, verdict: str = "toxic") -> list[Vote]:
    return [
        dataclasses.replace(VOTE, user=f"U{number}", right=right, verdict=verdict)
        for number, right in enumerate(opinions)
    ]


def message(text: str = "you &amp; me", *, edited: str = "", deleted: bool = False) -> Message:
    return Message("C0001", VOTE.ts, VOTE.ts, edited, text, "U9", False, deleted, False, None)


@pytest.mark.parametrize(
    ("verdict", "opinions", "label", "weight"),
    [
        ("toxic", (False,), 0, 1),
        ("toxic", (True, True, False), 1, 1),
        ("fine", (False, False), 1, 2),
        ("fine", (True, True, True), 0, 3),
    ],
)
def test_the_majority_labels_a_text_and_its_lead_is_the_weight(
    verdict: str, opinions: tuple[bool, ...], label: int, weight: int
) -> None:
    result = export(count_opinions(votes(*opinions, verdict=verdict)), lambda *_: message())
    [row] = result.rows
    assert (row["text"], row["label"], row["weight"]) == ("you & me", label, weight)
    assert row["kinds"] == ("insult" if (verdict, label) == ("toxic", 1) else None)


def test_an_even_disagreement_is_shown_and_its_text_never_read() -> None:
    def fetch(*_: str) -> Message:
        raise AssertionError("the text was read")

    result = export(count_opinions(votes(True, False)), fetch)
    assert (result.rows, result.conflicts) == ([], 1)


@pytest.mark.parametrize(
    "found", [None, message(deleted=True), message(edited="1766000005.000100")]
)
def test_what_was_deleted_or_edited_since_is_left_out(found: Message | None) -> None:
    result = export(count_opinions(votes(False)), lambda *_: found)
    assert (result.rows, result.gone) == ([], 1)


def test_the_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "feedback.jsonl"
    write(export(count_opinions(votes(False)), lambda *_: message()).rows, path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text("utf-8"))["source"] == "feedback"


def test_the_votes_of_the_standalone_bot_are_read(tmp_path: Path) -> None:
    path = tmp_path / "claims.sqlite"
    database = Database(path)
    SQLiteStore(database).keep_vote(VOTE, 4102444800)
    database.close()
    assert votes_in_database(path) == [VOTE]
    with pytest.raises(FeedbackError, match="does not exist"):
        votes_in_database(tmp_path / "nothing.sqlite")


@pytest.mark.parametrize("region", [{}, {"AWS_REGION": "eu-central-1"}])
def test_a_table_that_cannot_be_read_is_explained(
    region: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    shell = region | {"AWS_CONFIG_FILE": os.devnull, "AWS_EC2_METADATA_DISABLED": "true"}
    for name, value in (shell | {"AWS_SHARED_CREDENTIALS_FILE": os.devnull}).items():
        monkeypatch.setenv(name, value)
    missing = "NoCredentialsError" if region else "NoRegionError"
    with pytest.raises(FeedbackError, match=f"claims cannot be read \\({missing}\\)"):
        list(votes_in_table("claims"))


def test_the_command_asks_for_a_token_in_one_line(tmp_path: Path) -> None:
    arguments = ("feedback", "export", "--database", str(tmp_path / "claims.sqlite"))
    with started(*arguments, environment={"PATH": "/usr/bin"}) as process:
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert errors.decode().count("\n") == 1
    assert "SLACK_BOT_TOKEN" in errors.decode()
