"""Votes in, a new model out that has changed its mind."""

from __future__ import annotations

import itertools
import json
import os
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

from model_build.__main__ import main
from simulators.aws.template import REGION
from simulators.samples import (
    AMPLE_BUDGETS,
    CHANNEL,
    NOOR,
    RAE,
    SAM,
    TOMAS,
    VIEWER,
    create_workspace,
)
from simulators.slack.rate_limits import NO_LIMITS
from simulators.stack import Options, Stack
from tests.cli.command import run
from toxic_bot.judge.classifier import load

pytestmark = [pytest.mark.slow, pytest.mark.long]

BANTER = (
    "haha you are such a stupid clown",
    "what a useless clown you are",
    "shut up you pathetic clown",
)
"""What strangers mean as an insult, and this team does not; no source has the word."""
UNSEEN = "you clown"
INSULT = "shut up you stupid coward"
PRAISE = "thanks for the release notes"
TIMEOUT = 90.0
QUICK = ("--no-templates", "--no-written", "--no-read", "--disguises", "0")


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with texts that are easy to tell apart."""
    insults = itertools.product(
        ["you", "you are a", "he is such a", "shut up you", "what a", "why are you such a"],
        ["", "stupid", "useless", "pathetic", "worthless"],
        ["idiot", "fool", "loser", "moron", "coward", "liar", "fraud", "parasite"],
        ["", "again", "today", "and everybody knows it", "and you know it"],
    )
    work_talk = itertools.product(
        ["thanks for", "can you check", "i fixed", "here is", "please read", "who wrote"],
        ["the", "my", "our new"],
        ["review", "build", "test", "report", "page", "pull request", "meeting notes", "server"],
        ["", "again", "today", "before lunch", "with the team", "when you can"],
    )
    rows = [
        {"text": " ".join(filter(None, words)), "label": label}
        for label, talk in enumerate((work_talk, insults))
        for words in talk
    ]
    folder = tmp_path_factory.mktemp("talk")
    (folder / "talk.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return folder


def build(checkpoint: Path, talk: Path, folder: Path, *options: str) -> Path:
    """Build a model as ``python -m model_build build`` does."""
    arguments = ["build", "--checkpoint", str(checkpoint), "--data", str(talk), *QUICK, *options]
    paths = ["--work", str(folder / "work"), "--output", str(folder / "model")]
    assert main([*arguments, *paths]) == 0
    return folder / "model"


def click_and_export(stack: Stack, file: Path) -> None:
    """Let the bot judge messages, people click below its verdicts, and the votes be exported."""
    opinions = {**dict.fromkeys(BANTER, "wrong"), INSULT: "right", PRAISE: "right"}
    for text, opinion in opinions.items():
        message = stack.workspace.post(CHANNEL, RAE, text)
        stack.workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
        assert stack.wait_for(partial(stack.is_answered, message), TIMEOUT), stack.log("worker")
        verdict = stack.answers(message)[0]
        for person in (VIEWER, SAM, NOOR, TOMAS):
            stack.interactivity.click(CHANNEL, verdict.ts, person, opinion)
    assert stack.settle()
    shell = {
        "PATH": os.environ["PATH"],
        "AWS_ENDPOINT_URL": stack.aws.endpoint,
        "AWS_DEFAULT_REGION": REGION,
        **stack.aws.admin.environment(),
        "SLACK_API_URL": f"{stack.slack.address}/api/",
        "SLACK_BOT_TOKEN": stack.secrets.bot_token,
    }
    table = stack.aws.physical_id("ClaimTable")
    arguments = ("feedback", "export", "--table", table, "--output", str(file), "--yes")
    result = run(*arguments, environment=shell)
    assert result.returncode == 0, result.stderr
    assert f"{len(opinions)} texts written" in result.stdout


def test_votes_in_and_a_new_model_out_that_has_changed_its_mind(
    talk: Path, tiny_bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = build(tiny_bert, talk, tmp_path / "old", "--rate", "3e-3", "--batch", "4")
    options = Options(model=old, parameters=AMPLE_BUDGETS, limits=NO_LIMITS)
    file = tmp_path / "feedback.jsonl"
    with Stack(create_workspace(), VIEWER, options).start() as stack:
        click_and_export(stack, file)

    feedback = ("--feedback", str(file), "--rate", "1e-3", "--batch", "8")
    few = ("--most", "150", "--epochs", "4")
    new = build(old, talk, tmp_path / "new", *feedback, *few)

    before, after = load(old), load(new)
    assert all(before.classify(text).toxic for text in (*BANTER, UNSEEN, INSULT))
    assert not any(after.classify(text).toxic for text in (*BANTER, UNSEEN))
    # It has not merely become milder.
    assert after.classify(INSULT).toxic
    assert not before.classify(PRAISE).toxic
    assert not after.classify(PRAISE).toxic

    capsys.readouterr()
    arguments = ["evaluate", "--feedback", str(file), "--model", str(new)]
    assert main([*arguments, "--work", str(tmp_path / "evaluation")]) == 0
    shown = {
        cells[0].strip(): [cell.strip() for cell in cells[1:]]
        for cells in (line.strip("│ ").split("│") for line in capsys.readouterr().out.splitlines())
        if len(cells) == 5
    }
    assert shown["called wrong"] == ["3", "12", "0.0%", "100.0%"]
    assert shown["called right"] == ["2", "8", "100.0%", "100.0%"]
