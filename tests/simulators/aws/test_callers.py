"""A function's process is found by its connection, whatever else it is doing."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import ExitStack, closing
from signal import SIGKILL

from simulators.aws.callers import RUNTIME, kill_caller

BUSY = """
import socket, sys
files = [open("/dev/null") for _ in range(200)]
connection = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
while True:
    for file in files:
        file.close()
    files = [open("/dev/null") for _ in range(200)]
"""

SAME_PORT = """
import socket, sys, time
connection = socket.socket()
connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
connection.bind(("127.0.0.1", int(sys.argv[3])))
connection.connect(("127.0.0.1", int(sys.argv[2])))
time.sleep(60)
"""


def test_a_process_that_opens_and_closes_files_is_found() -> None:
    for _ in range(10):
        with closing(socket.create_server(("127.0.0.1", 0))) as server:
            port = server.getsockname()[1]
            command = [sys.executable, "-c", BUSY, RUNTIME.decode(), str(port)]
            process = subprocess.Popen(command)
            try:
                connection, (_, caller) = server.accept()
                with closing(connection):
                    assert kill_caller(caller, port)
                    assert process.wait(60) == -SIGKILL
            finally:
                process.kill()
                process.wait()


def test_other_connections_may_have_the_same_port() -> None:
    with ExitStack() as sockets:
        server = sockets.enter_context(closing(socket.create_server(("127.0.0.1", 0))))
        caller = 0
        for _ in range(20):
            elsewhere = sockets.enter_context(closing(socket.create_server(("127.0.0.1", 0))))
            other = sockets.enter_context(closing(socket.socket()))
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind(("127.0.0.1", caller))
            other.connect(elsewhere.getsockname())
            caller = other.getsockname()[1]
        port = server.getsockname()[1]
        command = [sys.executable, "-c", SAME_PORT, RUNTIME.decode(), str(port), str(caller)]
        process = subprocess.Popen(command)
        try:
            connection, (_, found) = server.accept()
            with closing(connection):
                assert found == caller
                assert kill_caller(caller, port)
                assert process.wait(60) == -SIGKILL
        finally:
            process.kill()
            process.wait()


def test_a_connection_of_another_process_kills_nobody() -> None:
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as server,
        closing(socket.create_connection(server.getsockname())) as connection,
    ):
        assert not kill_caller(connection.getsockname()[1], server.getsockname()[1])
