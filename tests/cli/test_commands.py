"""The commands that start a local stack, as a user runs them."""

from __future__ import annotations

import json
import re
import socket
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulators import ROOT
from simulators.invocation import send
from simulators.samples import CHANNEL, EVENT_MESSAGES, PRIVATE_CHANNEL, SAMPLES
from simulators.stack import Stack
from tests.cli.command import run

EVENTS = ROOT / "events"


@pytest.mark.slow
def test_the_demo_answers_every_sample_once_and_ends_without_a_terminal(
    model_folder: Path,
) -> None:
    result = run("demo", "--model", str(model_folder))
    assert result.returncode == 0, result.stdout + result.stderr
    total = len(SAMPLES)
    assert f"{total} of {total} messages got the expected verdict, once each." in result.stdout
    assert re.search(r"toxic +insult +[\d.]+ +\d+ +3x +1 *$", result.stdout, re.MULTILINE), (
        result.stdout
    )
    assert "http://127.0.0.1:" in result.stdout
    assert f"message {total} of {total}, waiting for the verdict" in result.stderr


@pytest.mark.long
@pytest.mark.slow
def test_invoke_sends_an_event_through_the_real_runtime(model_folder: Path) -> None:
    text = "Thanks, that was a great help!"
    event = str(EVENTS / "reaction_added.json")
    result = run("invoke", event, "--model", str(model_folder), "--text", text)
    assert result.returncode == 0, result.stderr
    response, _, posted = result.stdout.partition("posted:")
    assert json.loads(response.partition("returned:")[2])["statusCode"] == 200
    [line] = posted.strip().splitlines()
    assert line.startswith("in C0GENERAL1, in the thread of 1766000000.000100: ")
    assert "does not read as toxic" in line


def sample_event(name: str, stack: Stack) -> dict[str, Any]:
    """Return a sample event about new messages, because other tests send the same event."""
    seconds = f"{uuid.uuid4().int % 10**9:010d}"
    for message in EVENT_MESSAGES:
        thread = message.thread_ts and message.thread_ts.replace("1766000000", seconds)
        stack.workspace.put(
            replace(message, ts=message.ts.replace("1766000000", seconds), thread_ts=thread)
        )
    text = (EVENTS / f"{name}.json").read_text()
    event: dict[str, Any] = json.loads(
        text.replace("1766000000.", f"{seconds}.").replace("Ev08LOCAL", f"Ev{seconds}")
    )
    return event


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "status", "channel", "thread"),
    [
        ("reaction_added", 200, CHANNEL, ".000100"),
        ("reaction_added_thread", 200, CHANNEL, ".000200"),
        ("reaction_added_private", 200, PRIVATE_CHANNEL, ".000400"),
        ("reaction_added_retry", 200, CHANNEL, ".000100"),
        ("reaction_added_other_emoji", 200, None, None),
        ("reaction_removed", 200, None, None),
        ("url_verification", 200, None, None),
        ("bad_signature", 401, None, None),
    ],
)
def test_every_sample_event_has_the_outcome_that_the_readme_states(
    stack: Stack, name: str, status: int, channel: str | None, thread: str | None
) -> None:
    event = sample_event(name, stack)
    outcome = send(event, stack)
    assert outcome.response["statusCode"] == status
    if channel is None or thread is None:
        assert outcome.posted == []
    else:
        [message] = outcome.posted
        assert message.channel == channel
        assert message.thread_ts is not None
        assert message.thread_ts.endswith(thread)
    if name == "url_verification":
        assert outcome.response["body"] == json.loads(event["body"])["challenge"]


@pytest.mark.slow
def test_in_a_poisoned_batch_only_the_poisoned_record_fails(stack: Stack) -> None:
    event = sample_event("sqs_batch_poisoned", stack)
    outcome = send(event, stack)
    poisoned = event["Records"][1]["messageId"]
    assert outcome.response == {"batchItemFailures": [{"itemIdentifier": poisoned}]}
    assert len(outcome.posted) == 2


def test_the_readme_lists_every_sample_event() -> None:
    listed = set(re.findall(r"^\| `(\w+\.json)`", (EVENTS / "README.md").read_text(), re.MULTILINE))
    assert listed == {path.name for path in EVENTS.glob("*.json")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("{", "is not JSON"),
        ("[]", "neither"),
        ('{"a": 1}', "neither"),
        ('{"headers": null}', "neither"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_a_bad_event_file_is_explained_in_one_line(
    tmp_path: Path, content: str | None, message: str
) -> None:
    path = tmp_path / "event.json"
    if content is not None:
        path.write_text(content)
    result = run("invoke", str(path))
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert message in line


@pytest.mark.slow
def test_a_missing_model_is_explained_in_one_line(tmp_path: Path) -> None:
    result = run("demo", "--model", str(tmp_path))
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert "config.json" in line


@pytest.mark.slow
def test_a_damaged_model_is_explained_at_startup(tmp_path: Path, model_folder: Path) -> None:
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((model_folder / name).read_bytes())
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    result = run("demo", "--model", str(tmp_path))
    assert result.returncode == 1
    assert "model.onnx is damaged" in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


@pytest.mark.slow
def test_a_port_in_use_is_explained_in_one_line(model_folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = run("workspace", "--port", port, "--model", str(model_folder))
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith(f"error: port {port} cannot be used")
