"""Lambda functions in AWS's Runtime Interface Emulator, each with its execution role."""

from __future__ import annotations

import json
import os
import platform
import queue
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from signal import SIGKILL
from typing import Any, Protocol

import httpx

from local import ROOT, LocalError
from local.aws.account import FunctionConfig
from local.aws.template import REGION
from local.process import HOST, ServerProcess, free_port, inherited_environment

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
        try:
            response = self._client.post(url, json=event)
        except httpx.TransportError as error:
            raise InvocationError("Sandbox.Failure", type(error).__name__) from error
        return _result(response)

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
    """

    def __init__(
        self, config: FunctionConfig, *, endpoint: str, log: Path, concurrency: int = 1
    ) -> None:
        self.config = config
        self.log = log
        self._environments = [
            ExecutionEnvironment(config, endpoint, log) for _ in range(concurrency)
        ]
        self._idle: queue.LifoQueue[ExecutionEnvironment] = queue.LifoQueue()
        self._busy: set[ExecutionEnvironment] = set()
        for environment in self._environments:
            self._idle.put(environment)

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
        """
        with self._idle_environment() as environment:
            return environment.invoke(event)

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
