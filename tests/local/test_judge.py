"""Texts judged without Slack, through the command as a person runs it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from handler.classifier import load
from local.aws import ROOT
from local.judge import AHEAD, judge_lines


def classify(*arguments: str, lines: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "local", "classify", *arguments],
        input=lines,
        capture_output=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )


@pytest.fixture
def model(model_folder: Path) -> str:
    return str(model_folder)


def test_texts_are_judged_one_a_line(model: str) -> None:
    done = classify("--model", model, "You are a pathetic idiot", "Thanks, that was quick!")
    first, second = done.stdout.decode().splitlines()
    assert first.startswith("toxic")
    assert second.startswith("fine")
    assert done.returncode == 0


def test_json_lines_come_back_in_order_with_their_ids(model: str) -> None:
    rows = [
        {"id": number, "text": f"message {number} " * (number % 40)} for number in range(3 * AHEAD)
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    done = classify("--model", model, "--jsonl", lines=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [row["id"] for row in rows]
    for answer in answers:
        assert set(answer) == {"id", "toxic", "score", "windows", "ms"}
        assert isinstance(answer["toxic"], bool)
        assert 0 <= answer["score"] <= 1
        assert answer["windows"] >= 1
        assert answer["ms"] > 0
    assert done.returncode == 0


def test_any_json_text_gets_a_verdict(model: str) -> None:
    texts = ["", " ", "\x00", "\ud800", "\u200b", "שלום", ":tada:", "a" * 40_000]
    lines = "".join(json.dumps({"id": "x", "text": text}) + "\n" for text in texts).encode()
    done = classify("--model", model, "--jsonl", lines=lines)
    assert len(done.stdout.splitlines()) == len(texts)
    assert done.returncode == 0


def test_a_bad_line_is_named_and_the_others_are_judged(model: str) -> None:
    lines = b'{"id": 1, "text": "a"}\nnonsense\n\n{"id": 2}\n[]\n\xff\n{"id": "z", "text": "b"}\n'
    done = classify("--model", model, "--jsonl", lines=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer.get("line") for answer in answers] == [None, 2, 4, 5, 6, None]
    assert [answer["id"] for answer in answers] == [1, None, 2, None, None, "z"]
    assert done.returncode == 1
    [message] = done.stderr.decode().splitlines()
    assert message.startswith("error: 4 of 6 lines could not be judged; line 2: it is not JSON")


def test_no_lines_make_no_verdicts(model: str) -> None:
    done = classify("--model", model, "--jsonl")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("arguments", [(), ("--jsonl", "text")])
def test_bad_usage_is_status_2(arguments: tuple[str, ...]) -> None:
    assert classify(*arguments).returncode == 2


def test_a_missing_model_is_one_line(tmp_path: Path) -> None:
    done = classify("--model", str(tmp_path / "none"), "text")
    [message] = done.stderr.decode().splitlines()
    assert message.startswith("error: ")
    assert "model_build" in message
    assert done.returncode == 1


def test_a_verdict_is_written_before_the_next_line_is_there(model_folder: Path) -> None:
    answered: set[int] = set()

    def slow_lines() -> Iterator[bytes]:
        for number in range(3):
            yield json.dumps({"id": number, "text": "hello"}).encode()
            while number not in answered:
                time.sleep(0.001)

    for line in judge_lines(load(model_folder, threads=1), slow_lines(), threads=1):
        answered.add(json.loads(line.json)["id"])
    assert answered == {0, 1, 2}
