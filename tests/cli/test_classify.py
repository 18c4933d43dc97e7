"""``toxic-bot classify``, as a user runs it."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import run
from toxic_bot.cli.classify import READ_AHEAD, judge_lines
from toxic_bot.judge.classifier import load


def classify(*arguments: str, content: bytes = b"") -> subprocess.CompletedProcess[str]:
    return run("classify", *arguments, content=content)


@pytest.fixture
def model(model_folder: Path) -> str:
    return str(model_folder)


@pytest.mark.slow
def test_each_text_is_judged_on_a_line_of_its_own(model: str) -> None:
    result = classify("--model", model, "You are a pathetic idiot", "Thanks, that was quick!")
    header, first, second = result.stdout.splitlines()
    assert header.split() == ["verdict", "score", "threshold", "ms", "kinds", "text"]
    assert re.match(
        r"toxic +0\.\d{4} +0\.\d\d +\d+\.\d  [a-z, ]{16}  You are a pathetic idiot$", first
    )
    assert second.startswith("fine")
    assert result.returncode == 0


@pytest.mark.slow
def test_json_lines_are_answered_in_order_with_their_ids(model: str) -> None:
    rows = [
        {"id": number, "text": f"message {number} " * (39 if number % 20 == 0 else number % 4)}
        for number in range(3 * READ_AHEAD)
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    result = classify("--model", model, "--jsonl", content=lines)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [row["id"] for row in rows]
    for answer in answers:
        assert set(answer) == {
            "id", "status", "toxic", "score", "kinds", "probabilities", "legible", "windows", "ms"
        }  # fmt: skip
        assert isinstance(answer["toxic"], bool)
        assert 0 <= answer["score"] <= 1
        assert answer["windows"] >= bool(rows[answer["id"]]["text"])
        assert answer["ms"] > 0
    assert result.returncode == 0


@pytest.mark.slow
def test_any_text_in_a_json_line_gets_a_verdict(model: str) -> None:
    texts = ["", " ", "\x00", "\ud800", "\u200b", "שלום", ":tada:", "a" * 40_000]
    lines = "".join(json.dumps({"id": "x", "text": text}) + "\n" for text in texts).encode()
    result = classify("--model", model, "--jsonl", content=lines)
    assert len(result.stdout.splitlines()) == len(texts)
    assert result.returncode == 0


def test_a_malformed_line_is_named_and_the_others_are_judged(model: str) -> None:
    lines = b'{"id": 1, "text": "a"}\nnonsense\n\n{"id": 2}\n[]\n\xff\n{"id": "z", "text": "b"}\n'
    result = classify("--model", model, "--jsonl", content=lines)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer.get("line") for answer in answers] == [None, 2, 4, 5, 6, None]
    assert [answer["id"] for answer in answers] == [1, None, 2, None, None, "z"]
    assert result.returncode == 1
    [message] = result.stderr.splitlines()
    assert message.startswith("error: 4 of 6 lines could not be judged; line 2: it is not JSON")


@pytest.mark.slow
def test_no_input_lines_produce_no_output(model: str) -> None:
    result = classify("--model", model, "--jsonl")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("arguments", [("--jsonl", "text"), ("--nonsense",)])
def test_bad_usage_exits_with_status_2(arguments: tuple[str, ...]) -> None:
    assert classify(*arguments).returncode == 2


@pytest.mark.slow
def test_standard_input_is_judged_as_one_text(model: str) -> None:
    result = classify("--model", model, content=b"You are\na pathetic\tidiot\n")
    _, row = result.stdout.splitlines()
    assert row.startswith("toxic")
    assert row.endswith("  You are a pathetic idiot")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("text", [b"", b" \n", "\u200b".encode()])
def test_an_empty_text_has_nothing_to_judge(model: str, text: bytes) -> None:
    result = classify("--model", model, content=text)
    _, row = result.stdout.splitlines()
    assert " ".join(row.split()) == "nothing to judge: the text has no words"
    assert result.returncode == 0


@pytest.mark.slow
def test_no_text_can_break_its_line_or_control_the_terminal(model: str) -> None:
    texts = ("one\ntwo", "\x1b[31mred\x07", "a\rb", "\u2028x")
    result = classify("--model", model, *texts)
    _, *rows = result.stdout.splitlines()
    assert [row.split("  ")[-1] for row in rows] == ["one two", "\ufffd[31mred\ufffd", "a b", "x"]


@pytest.mark.slow
def test_bytes_that_are_not_utf_8_are_judged_anyway(model: str) -> None:
    result = classify("--model", model, content=b"thanks \xff\xfe!")
    assert result.stdout.splitlines()[1].startswith("fine")
    assert result.returncode == 0


def test_a_missing_model_is_explained_in_one_line(tmp_path: Path) -> None:
    result = classify("--model", str(tmp_path / "none"), "text")
    [message] = result.stderr.splitlines()
    assert message.startswith("error: ")
    assert "model_build" in message
    assert result.returncode == 1


def test_a_verdict_is_written_before_the_next_line_arrives(model_folder: Path) -> None:
    answered: set[int] = set()

    def slow_lines() -> Iterator[bytes]:
        for number in range(3):
            yield json.dumps({"id": number, "text": "hello"}).encode()
            while number not in answered:
                time.sleep(0.001)

    for line in judge_lines(load(model_folder, threads=1), slow_lines(), threads=1):
        answered.add(json.loads(line.json)["id"])
    assert answered == {0, 1, 2}
