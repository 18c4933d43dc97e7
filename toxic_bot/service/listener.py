"""The service on a port."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import uvicorn

from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.service import ServiceError
from toxic_bot.service.application import create
from toxic_bot.service.connections import BoundedProtocol
from toxic_bot.service.keys import read_keys
from toxic_bot.service.settings import ServiceSettings

if TYPE_CHECKING:
    from fastapi import FastAPI

logger = logging.getLogger("toxic_bot.service")
GRACE = 3
"""Grace period in seconds for requests past their deadline once the service stops."""
_BACKLOG = 512


class Listener:
    """The service in its own thread, from the first connection until it is stopped.

    Parameters
    ----------
    settings
        The service's settings.

    Raises
    ------
    ToxicBotError
        When the model, the keys or the port cannot be used.
    """

    def __init__(self, settings: ServiceSettings) -> None:
        settings.check_exposure()
        self._deadline = settings.deadline
        self._key_file = settings.keys
        self._keys = read_keys(settings.keys)
        self._socket = bind(settings.host, settings.port)
        try:
            classifier = load_classifier(settings)
        except BaseException:
            self._socket.close()
            raise
        self._server = uvicorn.Server(
            configuration(create(classifier, self._keys, settings), settings)
        )
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="service", daemon=True
        )
        self.address = address(self._socket)

    def __enter__(self) -> Self:
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.005)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop listening, and wait for the requests that are begun."""
        self._server.should_exit = True
        self._thread.join(self._deadline + 2 * GRACE)
        self._socket.close()

    def read_keys_again(self) -> None:
        """Let in the clients that the file of keys has now; if it is wrong, those from before."""
        if self._key_file is not None:
            with keeping_keys():
                self._keys.replace(read_keys(self._key_file))


def load_classifier(settings: ServiceSettings) -> Classifier:
    """Return the classifier of a service.

    Raises
    ------
    ModelError
        When the model cannot be loaded.
    """
    classifier = load(settings.model, 1, settings.operating_point, settings.device)
    if settings.preload:
        classifier.preload()
    return classifier


@contextmanager
def keeping_keys() -> Iterator[None]:
    """Log why a file of keys cannot be read again, and go on."""
    try:
        yield
    except ServiceError as error:
        logger.error(f"{error}; the keys from before are still valid")


def configuration(
    application: FastAPI | Callable[[], FastAPI],
    settings: ServiceSettings,
    **options: Any,
) -> uvicorn.Config:
    """Return how uvicorn serves the application.

    Parameters
    ----------
    application
        The application, or with ``factory`` what makes it.
    settings
        The service's settings.
    options
        Further options of uvicorn's.
    """
    served: Any = application
    protocol: Any = partial(
        BoundedProtocol,
        from_one_address=settings.connections,
        header_timeout=settings.header_timeout,
    )
    return uvicorn.Config(
        served,
        http=protocol,
        ws="none",
        log_config=None,
        # A line for each malformed request or unknown upgrade would let strangers fill the log.
        log_level="error",
        # Its lines would hold the addresses, in which Perspective's clients put keys.
        access_log=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=int(settings.deadline + GRACE),
        **options,
    )


def address(listener: socket.socket) -> str:
    """Return the address at which a bound socket is reached."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to a host and port.

    Raises
    ------
    ServiceError
        When they cannot be used.
    """
    try:
        [(family, _, protocol, _, address), *_] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        # asyncio disables Nagle's algorithm only where a socket says that it is TCP.
        listener = socket.socket(family, socket.SOCK_STREAM, protocol or socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a host"
        raise ServiceError(
            f"{host} port {port} cannot be used ({reason}): choose others with --host and --port"
        ) from error
    return listener
