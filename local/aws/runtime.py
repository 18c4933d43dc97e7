"""Lambda functions in AWS's own Runtime Interface Emulator, under their own roles."""

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
from local.process import HOST, ServerProcess, free_port, inherited

INVOCATIONS = "/2015-03-31/functions/function/invocations"


class InvocationError(LocalError):
    """A function ended an invocation with an error, a crash or a timeout.

    Parameters
    ----------
    kind
        Lambda's name for it, such as ``Runtime.ExitError`` or ``Sandbox.Timedout``.
    message
        What the function or its runtime says about it.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


def emulator() -> Path:
    """Return the emulator that comes inside the wheel of ``aws-sam-cli``.

    Raises
    ------
    LocalError
        When the wheel is not installed, or has no emulator for this machine.
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
    """Anything that can be invoked as a Lambda function is."""

    def invoke(self, event: dict[str, Any]) -> Any:
        """Return what the function returns, or raise InvocationError."""


class Runtime:
    """One execution environment: an emulator and the function's process in it.

    The process starts with the first invocation, as in Lambda's cold start, and starts
    again after a crash or a time-out.
    """

    def __init__(self, config: FunctionConfig, endpoint: str, log: Path) -> None:
        self._config = config
        self._endpoint = endpoint
        self._log = log
        self._client = httpx.Client(timeout=config.timeout + 10, trust_env=False)
        self._process: ServerProcess | None = None

    def start(self) -> None:
        """Start the emulator; the function itself waits for an invocation.

        Raises
        ------
        LocalError
            When it cannot be started.
        """
        port = free_port()
        self._process = ServerProcess(
            [
                str(emulator()),
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
            environment=self._environment(),
            folder=ROOT,
        )
        self._process.wait_until_listening()

    def _environment(self) -> dict[str, str]:
        return (
            inherited()
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
        """Invoke the function and return what it returns.

        Raises
        ------
        InvocationError
            When it raises, crashes or takes longer than its time-out.
        """
        if self._process is None or not self._process.running:
            self.start()
        assert self._process is not None
        url = f"http://{HOST}:{self._process.port}{INVOCATIONS}"
        try:
            response = self._client.post(url, json=event)
        except httpx.TransportError as error:
            raise InvocationError("Sandbox.Failure", type(error).__name__) from error
        return _outcome(response)

    def kill(self) -> None:
        """Kill the function's process in the middle of whatever it does."""
        if self._process is None:
            return
        children = Path(f"/proc/{self._process.pid}/task").glob("*/children")
        for pid in {pid for one in children for pid in one.read_text().split()}:
            with suppress(ProcessLookupError):
                os.kill(int(pid), SIGKILL)

    def stop(self) -> None:
        """End emulator and function."""
        if self._process is not None:
            self._process.stop()
        self._client.close()


def _outcome(response: httpx.Response) -> Any:
    try:
        outcome = json.loads(response.content)
    except ValueError:
        # The emulator writes a time-out as plain text.
        kind = "Sandbox.Timedout" if "timed out" in response.text else "Sandbox.Failure"
        raise InvocationError(kind, response.text.strip()[:200]) from None
    if isinstance(outcome, dict) and "errorType" in outcome and "errorMessage" in outcome:
        raise InvocationError(str(outcome["errorType"]), str(outcome["errorMessage"])[:500])
    return outcome


class Function:
    """A function with one or more execution environments.

    Parameters
    ----------
    config
        What the stack declares of it.
    endpoint
        Address of the AWS that it talks to.
    log
        Takes all that its processes print.
    concurrency
        Execution environments; invocations beyond them wait.
    """

    def __init__(
        self, config: FunctionConfig, *, endpoint: str, log: Path, concurrency: int = 1
    ) -> None:
        self.config = config
        self.log = log
        self._runtimes = [Runtime(config, endpoint, log) for _ in range(concurrency)]
        self._idle: queue.LifoQueue[Runtime] = queue.LifoQueue()
        self._busy: set[Runtime] = set()
        for runtime in self._runtimes:
            self._idle.put(runtime)

    @property
    def concurrency(self) -> int:
        """Invocations that run at the same time at the most."""
        return len(self._runtimes)

    def start(self) -> None:
        """Start every environment's emulator."""
        for runtime in self._runtimes:
            runtime.start()

    def invoke(self, event: dict[str, Any]) -> Any:
        """Invoke the function in an idle environment, waiting for one if need be.

        Raises
        ------
        InvocationError
            When the function raises, crashes or takes longer than its time-out.
        """
        with self._borrowed() as runtime:
            return runtime.invoke(event)

    @contextmanager
    def _borrowed(self) -> Iterator[Runtime]:
        runtime = self._idle.get()
        self._busy.add(runtime)
        try:
            yield runtime
        finally:
            self._busy.discard(runtime)
            self._idle.put(runtime)

    def kill(self) -> None:
        """Kill the processes of the busy environments in the middle of what they do."""
        for runtime in list(self._busy):
            runtime.kill()

    def stop(self) -> None:
        """End all environments."""
        for runtime in self._runtimes:
            runtime.stop()
