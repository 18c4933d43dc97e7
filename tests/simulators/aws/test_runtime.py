"""AWS's Lambda emulator, with a function that misbehaves on demand."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from simulators.aws.account import Credentials, FunctionConfig
from simulators.aws.runtime import Function, InvocationError, ThrottledError

CONFIG = FunctionConfig(
    name="sample",
    handler="tests.simulators.aws.runtime_sample.handler",
    environment={"GREETING": "hello"},
    timeout=30,
    memory=512,
    credentials=Credentials("AKIAROLE", "secret", "session"),
)


@pytest.fixture
def function(tmp_path: Path) -> Iterator[Function]:
    function = Function(CONFIG, endpoint="http://127.0.0.1:1", log=tmp_path / "sample.log")
    yield function
    function.stop()


def test_a_function_sees_only_its_own_variables_and_credentials(
    function: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THIS_PROCESS", "x")
    result = function.invoke({})
    assert result["name"] == "sample"
    assert 0 < result["milliseconds_left"] <= 30_000
    environment = result["environment"]
    assert environment["GREETING"] == "hello"
    assert environment["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert environment["AWS_ACCESS_KEY_ID"] == "AKIAROLE"
    assert environment["AWS_SESSION_TOKEN"] == "session"
    assert environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "512"
    assert "SECRET_OF_THIS_PROCESS" not in environment


def test_a_warm_invocation_reuses_the_process(function: Function) -> None:
    assert function.invoke({})["pid"] == function.invoke({})["pid"]


def test_an_exception_is_reported_and_the_process_keeps_running(function: Function) -> None:
    pid = function.invoke({})["pid"]
    with pytest.raises(InvocationError, match="ValueError: oh") as error:
        function.invoke({"raise": "oh"})
    assert error.value.error_type == "ValueError"
    assert function.invoke({})["pid"] == pid


def test_a_crash_is_reported_and_the_next_invocation_starts_a_new_process(
    function: Function,
) -> None:
    with pytest.raises(InvocationError) as error:
        function.invoke({"exit": True})
    assert error.value.error_type == "Runtime.ExitError"
    assert function.invoke({})["name"] == "sample"


@pytest.mark.slow
def test_a_timeout_is_reported(tmp_path: Path) -> None:
    # It takes in the cold start, which on a slow machine takes a second.
    config = replace(CONFIG, timeout=3)
    function = Function(config, endpoint="http://127.0.0.1:1", log=tmp_path / "sample.log")
    try:
        with pytest.raises(InvocationError) as error:
            function.invoke({"sleep": 60})
        assert error.value.error_type == "Sandbox.Timedout"
        assert function.invoke({})["name"] == "sample"
    finally:
        function.stop()


def test_a_function_can_be_killed_during_an_invocation(function: Function) -> None:
    function.invoke({})
    threading.Timer(0.3, function.kill).start()
    with pytest.raises(InvocationError):
        function.invoke({"sleep": 20})
    assert function.invoke({})["name"] == "sample"


def test_concurrent_invocations_wait_for_the_only_environment(function: Function) -> None:
    with ThreadPoolExecutor(5) as executor:
        results = list(executor.map(function.invoke, [{"sleep": 0.02}] * 5))
    assert len({result["pid"] for result in results}) == 1


def test_a_function_that_is_switched_off_throttles_what_comes(function: Function) -> None:
    with function.switched_off(), pytest.raises(ThrottledError):
        function.invoke({})
    assert function.invoke({})["name"] == "sample"
    assert function.throttles == 1


@pytest.mark.slow
def test_two_environments_run_concurrently(tmp_path: Path) -> None:
    function = Function(
        CONFIG, endpoint="http://127.0.0.1:1", log=tmp_path / "sample.log", concurrency=2
    )
    try:
        with ThreadPoolExecutor(2) as executor:
            results = list(executor.map(function.invoke, [{"sleep": 1}] * 2))
    finally:
        function.stop()
    assert len({result["pid"] for result in results}) == 2


def test_the_output_of_a_function_goes_to_its_log(function: Function) -> None:
    function.invoke({"print": "for the log"})
    deadline = time.monotonic() + 60
    while "text=for the log" not in function.log.read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert "text=for the log" in function.log.read_text()
