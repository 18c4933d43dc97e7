"""What the person who runs the service may choose."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path

from toxic_bot.judge.config import OperatingPoint
from toxic_bot.judge.device import Device
from toxic_bot.service import ServiceError

MAX_BODY = 1_000_000
"""Bytes of a request."""
BODY_TIMEOUT = 10.0
"""Seconds in which a request has to arrive."""
MAX_TEXTS = 128
"""Texts of a request."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The settings of one service.

    Parameters
    ----------
    model
        The model folder.
    operating_point
        What the threshold is for.
    host, port
        Where to listen; port 0 for any free port.
    keys
        File with the keys that clients may use; None to let everybody in.
    open_to_all
        Whether it is right to listen beyond this machine without keys.
    workers
        Processes that serve.
    threads
        Texts judged at a time by each of them, each on one thread.
    queue
        Windows that may wait for a thread, shared among the clients that have texts there. A
        request that would exceed its client's share gets 503.
    deadline
        Seconds that a request may take.
    connections
        Connections that an address may hold to each of the processes.
    header_timeout
        Seconds in which the headers of a request have to arrive.
    strict
        Whether a request in Perspective's shape fails when one of its attributes or languages is
        unknown, as it did there; otherwise the others are answered.
    raw_scores
        Whether Perspective's endpoints answer with the model's own scores, not with those on
        Perspective's scale.
    origins
        Origins of pages that a browser may let call the service; ``*`` for any.
    device
        Where the model computes.
    preload
        Whether the multilingual model is loaded at the start, and not when a text first needs it.
    """

    model: Path
    operating_point: OperatingPoint = OperatingPoint.BALANCED
    host: str = "127.0.0.1"
    port: int = 0
    keys: Path | None = None
    open_to_all: bool = False
    workers: int = 1
    threads: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    queue: int = 2048
    deadline: float = 20.0
    connections: int = 256
    header_timeout: float = 10.0
    strict: bool = False
    raw_scores: bool = False
    origins: tuple[str, ...] = ()
    device: Device = Device.CPU
    preload: bool = False

    def check_exposure(self) -> None:
        """Make sure that a service without keys listens only on this machine.

        Raises
        ------
        ServiceError
            When it would let anybody in and nobody said that this is right.
        """
        if self.keys is None and not self.open_to_all and not is_loopback(self.host):
            raise ServiceError(
                f"without keys, anybody who reaches {self.host} could use the service: add "
                "--keys FILE, or --no-keys if something in front of it controls access"
            )


def is_loopback(host: str) -> bool:
    """Report whether a host name or address is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
