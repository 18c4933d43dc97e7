"""A function's process is found by its connection, whatever else it is doing."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import closing
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


def test_a_process_that_opens_and_closes_files_is_found() -> None:
    for _ in range(10):
        with closing(socket.create_server(("127.0.0.1", 0))) as server:
            port = server.getsockname()[1]
            command = [sys.executable, "-c", BUSY, RUNTIME.decode(), str(port)]
            process = subprocess.Popen(command)
            try:
                connection, (_, caller) = server.accept()
                with closing(connection):
                    assert kill_caller(caller)
                    assert process.wait(60) == -SIGKILL
            finally:
                process.kill()
                process.wait()


def test_a_connection_of_another_process_kills_nobody() -> None:
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as server,
        closing(socket.create_connection(server.getsockname())) as connection,
    ):
        assert not kill_caller(connection.getsockname()[1])
