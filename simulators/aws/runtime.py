"""Lambda functions in AWS's Runtime Interface Emulator, each with its execution role."""

from __future__ import annotations

import json
import os
import platform
import queue
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from signal import SIGKILL
from typing import Any, Protocol

import httpx

from simulators import ROOT, LocalError
from simulators.aws.account import FunctionConfig
from simulators.aws.template import REGION
from simulators.ongoing import Ongoing
from simulators.process import HOST, ServerProcess, free_port, inherited_environment

INVOCATIONS_PATH = "/2015-03-31/functions/function/invocations"


class InvocationError(LocalError):
    """An invocation ended with an error, a crash or a timeout.

    Parameters
    ----------
    error_type
        Lambda's ``errorType``, such as ``Runtime.ExitError`` or ``Sandbox.Timedout``.
    message
        The error message from the function or its runtime.
    """

    def __init__(self, error_type: str, message: str) -> None:
        super().__init__(f"{error_type}: {message}")
        self.error_type = error_type


class ThrottledError(InvocationError):
    """Lambda has not begun an invocation, for the function may have no more at once."""

    def __init__(self) -> None:
        super().__init__("TooManyRequestsException", "Rate Exceeded.")


def emulator_path() -> Path:
    """Return the path of the emulator, which the ``aws-sam-cli`` wheel contains.

    Raises
    ------
    LocalError
        When the wheel is not installed, or has no emulator for this architecture.
    """
    package = find_spec("samcli")
    architecture = "arm64" if platform.machine() in ("aarch64", "arm64") else "x86_64"
    if package is not None and package.origin is not None:
        path = Path(package.origin).parent / "local" / "rapid" / f"aws-lambda-rie-{architecture}"
        if path.is_file():
            return path
    raise LocalError(
        "Lambda's emulator is missing: run 'make demo', which installs it with aws-sam-cli"
    )


@dataclass(frozen=True, slots=True)
class Invocation:
    """An invocation that has ended.

    Parameters
    ----------
    event
        What the function was invoked with.
    result
        What it returned; None if it failed.
    error
        How it failed; empty if it returned.
    started
        Unix seconds.
    milliseconds
        How long it took.
    cold
        Whether it was the first one of its execution environment.
    """

    event: dict[str, Any]
    result: Any
    error: str
    started: float
    milliseconds: float
    cold: bool


class Invocable(Protocol):
    """Anything that can be invoked like a Lambda function."""

    def invoke(self, event: dict[str, Any]) -> Any:
        """Return the function's result, or raise InvocationError."""


class ExecutionEnvironment:
    """An execution environment: an emulator and the function's process, its child.

    As in a cold start on Lambda, the process starts with the first invocation. It starts
    again after a crash or a timeout.
    """

    def __init__(self, config: FunctionConfig, endpoint: str, log: Path) -> None:
        self._config = config
        self._endpoint = endpoint
        self._log = log
        self._client = httpx.Client(timeout=config.timeout + 10, trust_env=False)
        self._process: ServerProcess | None = None
        self.is_cold = True

    def start(self) -> None:
        """Start the emulator; the function's process starts with the first invocation.

        Raises
        ------
        LocalError
            When the emulator does not start.
        """
        port = free_port()
        self._process = ServerProcess(
            [
                str(emulator_path()),
                "--runtime-interface-emulator-address",
                f"{HOST}:{port}",
                "--runtime-api-address",
                f"{HOST}:{free_port()}",
                sys.executable,
                "-m",
                "awslambdaric",
                self._config.handler,
            ],
            port=port,
            log=self._log,
            environment=self._variables(),
            folder=ROOT,
        )
        self._process.wait_until_listening()

    def _variables(self) -> dict[str, str]:
        return (
            inherited_environment()
            | {
                "AWS_REGION": REGION,
                "AWS_DEFAULT_REGION": REGION,
                "AWS_ENDPOINT_URL": self._endpoint,
                "AWS_LAMBDA_FUNCTION_NAME": self._config.name,
                "AWS_LAMBDA_FUNCTION_TIMEOUT": str(self._config.timeout),
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(self._config.memory),
                "LAMBDA_TASK_ROOT": str(ROOT),
                "PYTHONPATH": str(ROOT),
            }
            | self._config.credentials.environment()
            | self._config.environment
        )

    def invoke(self, event: dict[str, Any]) -> Any:
        """Invoke the function and return its result.

        Raises
        ------
        InvocationError
            When the function raises, crashes or exceeds its timeout.
        """
        if self._process is None or not self._process.running:
            self.start()
        assert self._process is not None
        url = f"http://{HOST}:{self._process.port}{INVOCATIONS_PATH}"
        # A process that has crashed or was too slow is started again.
        self.is_cold = True
        try:
            response = self._client.post(url, json=event)
        except httpx.TransportError as error:
            raise InvocationError("Sandbox.Failure", type(error).__name__) from error
        result = _result(response)
        self.is_cold = False
        return result

    def kill(self) -> None:
        """Kill the function's process, even during an invocation."""
        if self._process is None:
            return
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/children")
        for pid in {pid for children in tasks for pid in children.read_text().split()}:
            with suppress(ProcessLookupError):
                os.kill(int(pid), SIGKILL)

    def stop(self) -> None:
        """Stop the emulator and the function's process."""
        if self._process is not None:
            self._process.stop()
        self._client.close()


def _result(response: httpx.Response) -> Any:
    try:
        result = json.loads(response.content)
    except ValueError:
        # The emulator reports a timeout as plain text.
        error_type = "Sandbox.Timedout" if "timed out" in response.text else "Sandbox.Failure"
        raise InvocationError(error_type, response.text.strip()[:200]) from None
    if isinstance(result, dict) and "errorType" in result and "errorMessage" in result:
        raise InvocationError(str(result["errorType"]), str(result["errorMessage"])[:500])
    return result


class Function:
    """A Lambda function with one or more execution environments.

    Parameters
    ----------
    config
        Its configuration in the stack.
    endpoint
        URL of the simulated AWS account.
    log
        File to which all its processes write.
    concurrency
        Number of execution environments; further concurrent invocations wait.

    Attributes
    ----------
    invocations
        Those in progress.
    """

    def __init__(
        self, config: FunctionConfig, *, endpoint: str, log: Path, concurrency: int = 1
    ) -> None:
        self.config = config
        self.log = log
        self._watchers: list[Callable[[Invocation], None]] = []
        self._environments = [
            ExecutionEnvironment(config, endpoint, log) for _ in range(concurrency)
        ]
        self._idle: queue.LifoQueue[ExecutionEnvironment] = queue.LifoQueue()
        self._busy: set[ExecutionEnvironment] = set()
        self.invocations = Ongoing()
        self._is_switched_off = False
        self._throttles = 0
        for environment in self._environments:
            self._idle.put(environment)

    @property
    def throttles(self) -> int:
        """Invocations that were not begun."""
        return self._throttles

    @property
    def concurrency(self) -> int:
        """Maximum number of concurrent invocations."""
        return len(self._environments)

    def start(self) -> None:
        """Start the emulator of every environment."""
        for environment in self._environments:
            environment.start()

    def invoke(self, event: dict[str, Any]) -> Any:
        """Invoke the function in an idle environment; wait until there is one.

        Raises
        ------
        InvocationError
            When the function raises, crashes or exceeds its timeout.
        ThrottledError
            When it is switched off.
        """
        if self._is_switched_off:
            self._throttles += 1
            raise ThrottledError
        with self._idle_environment() as environment:
            is_cold = environment.is_cold
            started, clock = time.time(), time.perf_counter()
            result, failure = None, ""
            try:
                with self.invocations.piece():
                    result = environment.invoke(event)
            except LocalError as error:
                failure = str(error)
                raise
            finally:
                milliseconds = (time.perf_counter() - clock) * 1000
                ended = Invocation(event, result, failure, started, milliseconds, is_cold)
                for watcher in self._watchers:
                    watcher(ended)
            return result

    def watch(self, watcher: Callable[[Invocation], None]) -> None:
        """Call a function with every invocation that has ended."""
        self._watchers.append(watcher)

    @contextmanager
    def switched_off(self) -> Iterator[None]:
        """Throttle all invocations meanwhile, as a reserved concurrency of 0 does."""
        self._is_switched_off = True
        try:
            yield
        finally:
            self._is_switched_off = False

    @contextmanager
    def _idle_environment(self) -> Iterator[ExecutionEnvironment]:
        environment = self._idle.get()
        self._busy.add(environment)
        try:
            yield environment
        finally:
            self._busy.discard(environment)
            self._idle.put(environment)

    def kill(self) -> None:
        """Kill the processes of all busy environments during their invocations."""
        for environment in list(self._busy):
            environment.kill()

    def stop(self) -> None:
        """Stop all environments."""
        for environment in self._environments:
            environment.stop()
