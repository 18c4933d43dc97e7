"""A Lambda function in a container, started by AWS's runtime interface emulator."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import httpx

from image import ImageError
from image.engine import Container, Engine
from simulators.aws.account import Account, FunctionConfig
from simulators.aws.runtime import INVOCATIONS_PATH
from simulators.aws.template import REGION
from simulators.process import HOST, ServerProcess, free_port

EMULATOR = "/usr/local/bin/aws-lambda-rie"
ENTRYPOINT = "/lambda-entrypoint.sh"
"""Their paths in AWS's base image."""


class ContainerFunction:
    """A context manager for a function that runs in a container as it would on Lambda.

    Parameters
    ----------
    engine, tag
        The engine, and the image to run.
    function
        The function's logical ID in the template: ``Receiver`` or ``Worker``.
    account
        The AWS account that it uses, under its own role.
    folder
        Folder for its log.
    """

    def __init__(
        self, engine: Engine, tag: str, function: str, account: Account, folder: Path
    ) -> None:
        self._engine, self._tag, self._function = engine, tag, function
        self._config = account.function(function)
        self._environment = _environment(self._config, account.endpoint)
        self._folder = folder
        self.log = folder / f"{function.lower()}.log"
        self._durations: list[float] = []
        self._client = httpx.Client(timeout=60)

    @contextmanager
    def _running(self) -> Iterator[tuple[Container, ServerProcess]]:
        port = free_port()
        command = [EMULATOR, "--runtime-interface-emulator-address", f"{HOST}:{port}"]
        command += [
            "--runtime-api-address",
            f"{HOST}:{free_port()}",
            ENTRYPOINT,
            self._config.handler,
        ]
        with self._engine.container(self._tag, list(self._environment)) as container:
            process = ServerProcess(
                [*container.command, *command],
                port=port,
                log=self.log,
                environment={"PATH": os.environ["PATH"]} | self._environment,
                folder=self._folder,
            )
            try:
                process.wait_until_listening()
                yield container, process
            finally:
                process.stop()

    def __enter__(self) -> Self:
        self._context = self._running()
        self._container, self._process = self._context.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        self._client.close()
        self._context.__exit__(*details)

    def invoke(self, event: dict[str, Any]) -> dict[str, Any]:
        """Invoke the function and return its response.

        Raises
        ------
        ImageError
            If the function fails or does not answer.
        """
        started = time.perf_counter()
        try:
            url = f"http://{HOST}:{self._process.port}{INVOCATIONS_PATH}"
            response = json.loads(self._client.post(url, json=event).content)
        except (httpx.HTTPError, ValueError) as error:
            raise ImageError(
                f"the {self._function} does not answer: {self.last_error()}"
            ) from error
        self._durations.append((time.perf_counter() - started) * 1000)
        if not isinstance(response, dict) or "errorType" in response:
            raise ImageError(f"the {self._function} failed: {self.last_error()}")
        return response

    @property
    def durations(self) -> list[float]:
        """Milliseconds that each invocation took; the first one starts the process."""
        return list(self._durations)

    def peak_bytes(self) -> int:
        """Return the peak memory of its processes, including the emulator."""
        return sum(peak_memory(pid) for pid in self._container.pids(self._process.pid))

    def last_error(self) -> str:
        """Return the last error in the log, or else its last line."""
        lines = self.log.read_text("utf-8", "replace").splitlines()
        # The emulator marks its own lines with "(rapid)".
        own_lines = [line for line in lines if line and "(rapid)" not in line]
        errors = [line for line in own_lines if line.startswith("error:")]
        return (errors or own_lines or ["its log is empty"])[-1][:500]


def _environment(config: FunctionConfig, endpoint: str) -> dict[str, str]:
    return (
        {
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_LAMBDA_FUNCTION_NAME": config.name,
            "AWS_LAMBDA_FUNCTION_TIMEOUT": str(config.timeout),
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(config.memory),
        }
        | config.credentials.environment()
        | config.environment
    )


def peak_memory(pid: int) -> int:
    """Return the peak memory of a running process in bytes; 0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0
