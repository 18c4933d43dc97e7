"""Votes in, a new model out that has changed its mind."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

from handler.answer.votes import Vote
from handler.slack.message import Message
from judge.classifier import load
from model_build.__main__ import main
from model_build.work import Work
from standalone.claim_database import SQLiteClaims
from standalone.database import Database
from tests.model_build.tiny import TRAINING, build_tiny
from toxic_bot.feedback import count_opinions, export, votes_in_database, write

FOREVER = 4_102_444_800
CLOWN = "you are a stupid clown"
BANTER = [CLOWN] + [
    f"{start} {CLOWN} {end}".strip()
    for start in ("hey", "haha", "well")
    for end in ("", "haha", "see you at lunch")
]
"""What the tiny model takes for insults, as among strangers they are."""
PRAISE = "thanks for the review"
INSULT = "shut up you fool"
PEOPLE = 12
BRIEF = dataclasses.replace(TRAINING, epochs=8)


def vote(path: Path, ts: str, *, right: bool, verdict: str) -> None:
    """Let some people click on a button below a verdict."""
    database = Database(path)
    claims = SQLiteClaims(database)
    kinds = "insult" if verdict == "toxic" else ""
    for number in range(PEOPLE):
        user = f"U{number:04}"
        claims.keep_vote(
            Vote("T1", "C1", ts, "", user, right, verdict, 0.9, kinds, "0" * 12, 1766000000.0),
            FOREVER,
        )
    database.close()


@pytest.mark.slow
def test_votes_in_and_a_new_model_out_that_has_changed_its_mind(
    built: tuple[Work, Path], texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = load(built[1])
    assert [before.classify(text).toxic for text in (CLOWN, PRAISE, INSULT)] == [True, False, True]
    messages = {f"{number}.000001": text for number, text in enumerate([PRAISE, *BANTER])}
    for ts, text in messages.items():
        verdict = "fine" if text == PRAISE else "toxic"
        vote(tmp_path / "claims.sqlite", ts, right=text == PRAISE, verdict=verdict)
    votes = export(
        count_opinions(votes_in_database(tmp_path / "claims.sqlite")),
        lambda channel, ts: Message(
            channel, ts, ts, "", messages[ts], "U9", False, False, False, None
        ),
    )
    file = tmp_path / "feedback.jsonl"
    write(votes.rows, file)

    few = tmp_path / "few"
    few.mkdir()
    lines = (texts / "talk.jsonl").read_text("utf-8").splitlines()
    (few / "talk.jsonl").write_text("\n".join(lines[::8]), "utf-8")
    output = build_tiny(
        Work(tmp_path / "work"),
        tmp_path / "model",
        few,
        built[1],
        training=BRIEF,
        feedback=(str(file),),
    )

    after = load(output)
    assert [after.classify(text).toxic for text in (CLOWN, PRAISE, INSULT)] == [False, False, True]
    approval = {}
    for name, model in (("before", built[1]), ("after", output)):
        folder = tmp_path / name
        arguments = ["evaluate", "--feedback", str(file), "--model", str(model)]
        assert main([*arguments, "--work", str(folder)]) == 0
        approval[name] = json.loads((folder / "evaluate-feedback" / "figures.json").read_text())
    wrong = {name: figures["called wrong"] for name, figures in approval.items()}
    assert wrong["after"]["votes"] == PEOPLE * len(BANTER)
    assert wrong["before"]["before"] == 0
    assert wrong["after"]["now"] > wrong["before"]["now"]
    assert approval["after"]["called right"]["now"] == 1
    assert approval["after"]["kind: insult"] == wrong["after"]
    assert "votes that call the verdict right" in capsys.readouterr().out
