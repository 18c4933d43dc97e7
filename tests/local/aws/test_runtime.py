"""Lambda's own emulator with a function that misbehaves on demand."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from local.aws.account import Credentials, FunctionConfig
from local.aws.runtime import Function, InvocationError

CONFIG = FunctionConfig(
    name="sample",
    handler="tests.local.aws.runtime_sample.handler",
    environment={"GREETING": "hello"},
    timeout=2,
    memory=512,
    credentials=Credentials("AKIAROLE", "secret", "session"),
)


@pytest.fixture
def function(tmp_path: Path) -> Iterator[Function]:
    started = Function(CONFIG, endpoint="http://127.0.0.1:1", log=tmp_path / "sample.log")
    yield started
    started.stop()


def test_a_function_runs_with_its_own_environment_and_role_alone(
    function: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THIS_PROCESS", "x")
    outcome = function.invoke({})
    assert outcome["name"] == "sample"
    assert 0 < outcome["left"] <= 2000
    environment = outcome["environment"]
    assert environment["GREETING"] == "hello"
    assert environment["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert environment["AWS_ACCESS_KEY_ID"] == "AKIAROLE"
    assert environment["AWS_SESSION_TOKEN"] == "session"
    assert environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "512"
    assert "SECRET_OF_THIS_PROCESS" not in environment


def test_a_warm_function_stays_the_same_process(function: Function) -> None:
    assert function.invoke({})["pid"] == function.invoke({})["pid"]


def test_an_exception_is_an_error_and_keeps_the_process(function: Function) -> None:
    pid = function.invoke({})["pid"]
    with pytest.raises(InvocationError, match="ValueError: oh") as error:
        function.invoke({"raise": "oh"})
    assert error.value.kind == "ValueError"
    assert function.invoke({})["pid"] == pid


def test_a_crash_is_an_error_and_the_next_invocation_starts_again(function: Function) -> None:
    with pytest.raises(InvocationError) as error:
        function.invoke({"die": True})
    assert error.value.kind == "Runtime.ExitError"
    assert function.invoke({})["name"] == "sample"


def test_a_time_out_is_an_error(function: Function) -> None:
    with pytest.raises(InvocationError) as error:
        function.invoke({"sleep": 5})
    assert error.value.kind == "Sandbox.Timedout"
    assert function.invoke({})["name"] == "sample"


def test_a_function_can_be_killed_in_the_middle(function: Function) -> None:
    function.invoke({})
    threading.Timer(0.3, function.kill).start()
    with pytest.raises(InvocationError):
        function.invoke({"sleep": 1.8})
    assert function.invoke({})["name"] == "sample"


def test_invocations_at_once_take_turns(function: Function) -> None:
    with ThreadPoolExecutor(5) as executor:
        outcomes = list(executor.map(function.invoke, [{"sleep": 0.02}] * 5))
    assert len({outcome["pid"] for outcome in outcomes}) == 1


def test_more_environments_run_at_once(tmp_path: Path) -> None:
    function = Function(
        CONFIG, endpoint="http://127.0.0.1:1", log=tmp_path / "sample.log", concurrency=2
    )
    try:
        with ThreadPoolExecutor(2) as executor:
            outcomes = list(executor.map(function.invoke, [{"sleep": 1}] * 2))
    finally:
        function.stop()
    assert len({outcome["pid"] for outcome in outcomes}) == 2


def test_what_a_function_prints_is_kept(function: Function) -> None:
    function.invoke({"print": "for the log"})
    end = time.monotonic() + 5
    while "text=for the log" not in function.log.read_text() and time.monotonic() < end:
        time.sleep(0.02)
    assert "text=for the log" in function.log.read_text()
