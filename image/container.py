"""A function in a container: AWS's emulator and the image's own command."""

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
from local.aws.account import Account, FunctionConfig
from local.aws.runtime import INVOCATIONS
from local.aws.template import REGION
from local.process import HOST, ServerProcess, free_port

EMULATOR = "/usr/local/bin/aws-lambda-rie"
ENTRY = "/lambda-entrypoint.sh"
"""Where AWS's base image has both."""


class ContainerFunction:
    """A function that runs in a container as Lambda runs it; a context manager.

    Parameters
    ----------
    engine, tag
        What runs which image.
    function
        Its logical id in the template: ``Receiver`` or ``Worker``.
    account
        The AWS that it talks to, under its own role.
    folder
        Where its log goes.
    """

    def __init__(
        self, engine: Engine, tag: str, function: str, account: Account, folder: Path
    ) -> None:
        self._engine, self._tag, self._function = engine, tag, function
        self._config = account.function(function)
        self._environment = _environment(self._config, account.endpoint)
        self._folder = folder
        self.log = folder / f"{function.lower()}.log"
        self._milliseconds: list[float] = []
        self._client = httpx.Client(timeout=60)

    @contextmanager
    def _running(self) -> Iterator[tuple[Container, ServerProcess]]:
        port = free_port()
        command = [EMULATOR, "--runtime-interface-emulator-address", f"{HOST}:{port}"]
        command += ["--runtime-api-address", f"{HOST}:{free_port()}", ENTRY, self._config.handler]
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
        """Invoke the function; an error of its own is an ImageError."""
        started = time.perf_counter()
        try:
            url = f"http://{HOST}:{self._process.port}{INVOCATIONS}"
            outcome = json.loads(self._client.post(url, json=event).content)
        except (httpx.HTTPError, ValueError) as error:
            raise ImageError(
                f"the {self._function} does not answer: {self.last_words()}"
            ) from error
        self._milliseconds.append((time.perf_counter() - started) * 1000)
        if not isinstance(outcome, dict) or "errorType" in outcome:
            raise ImageError(f"the {self._function} fails: {self.last_words()}")
        return outcome

    @property
    def milliseconds(self) -> list[float]:
        """How long each invocation so far took; the first one starts the process."""
        return list(self._milliseconds)

    def peak(self) -> int:
        """Return the most memory that its processes have held, the emulator's too, in bytes."""
        return sum(peak_memory(pid) for pid in self._container.pids(self._process.pid))

    def last_words(self) -> str:
        """Return the line of the log that says most."""
        lines = self.log.read_text("utf-8", "replace").splitlines()
        said = [line for line in lines if line and "(rapid)" not in line]
        errors = [line for line in said if line.startswith("error:")]
        return (errors or said or ["its log is empty"])[-1][:500]


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
    """Return the most memory that a process has held so far, in bytes; 0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0
