"""A Slack that sends what no Slack would, generated from a seed."""

from __future__ import annotations

import copy
import json
import random
import socket
import socketserver
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve

from tests.slack.web_api.test_events import CALLBACK

CANARY = "zeppelinkanarie"
"""Part of most strings that are generated: no log may contain it."""
HELLO = json.dumps({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A1"}})

Frame = str | bytes | Callable[[ServerConnection], None]
"""A frame to send, or something worse to do to the connection."""

_KINDS = ("events_api", "interactive", "slash_commands", "hello", "disconnect", "telegram", "")
_NUMBERS = (0, -1, 1.5, 10**30, 1e308, float("nan"), float("inf"), -0.0, 2**63)
_STRINGS = ("", CANARY, "\ud800", f"{CANARY}\udfff", "\x00", "U1", "1.0", f"<@{CANARY}>", "💥")


def envelope(payload: object = CALLBACK, **changed: object) -> dict[str, Any]:
    """Return an envelope with a reaction, unless something of it is changed."""
    plain = {"type": "events_api", "envelope_id": "e1", "payload": payload}
    return plain | {"accepts_response_payload": False} | changed


class Generator:
    """Makes odd frames and answers.

    Parameters
    ----------
    seed
        Determines all of them.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def frame(self) -> Frame:
        """Return a frame."""
        chance = self._random.random()
        if chance < 0.004:
            return self._random.choice(_WORSE)
        if chance < 0.15:
            return self._noise()
        if chance < 0.25:
            return json.dumps(self._value(4))
        outer = envelope(self._mutated(self._payload()))
        outer["type"] = self._random.choice(_KINDS[:3])
        if chance < 0.7:
            outer = self._mutated(outer)
            if self._random.random() < 0.97 and outer.get("type") == "disconnect":
                outer["type"] = "disconnected"
        return json.dumps(outer)

    def answer(self) -> bytes:
        """Return what comes instead of an answer of ``apps.connections.open``."""
        chance = self._random.random()
        if chance < 0.1:
            return self._random.randbytes(self._random.randrange(200))
        if chance < 0.15:
            return b""
        body = json.dumps(self._value(3))
        if chance < 0.7:
            answer: dict[str, Any] = {"ok": True, "url": self._random.choice(_URLS)}
            body = json.dumps(self._mutated(answer))
        elif chance < 0.85:
            body = self._random.choice(("[" * 5000, "{", f'{{"ok": {CANARY}', "9" * 6000, "NaN"))
        content = body.encode("utf-8", "surrogatepass")
        status = self._random.choice(("200 OK",) * 6 + ("500 Oh", "204 None", "302 Found", "999 X"))
        header = self._random.choice(
            ("",) * 8
            + (
                "Content-Encoding: gzip\r\n",
                "Content-Type: text/html\r\n",
                "Retry-After: 0\r\n",
                "Location: /api/x\r\n",
                "Transfer-Encoding: chunked\r\n",
                f"{CANARY}\r\n",
            )
        )
        length = len(content) + self._random.choice((0,) * 9 + (7,))
        return f"HTTP/1.1 {status}\r\n{header}Content-Length: {length}\r\n\r\n".encode() + content

    def _noise(self) -> str | bytes:
        kind = self._random.randrange(5)
        if kind == 0:
            return self._random.randbytes(self._random.randrange(100))
        if kind == 1:
            return self._random.choice(("[", '{"a":')) * self._random.randrange(1, 20_000)
        if kind == 2:
            return json.dumps(self._value(2)).encode(self._random.choice(("utf-16", "utf-32")))
        if kind == 3:
            deep = '{"a":' * self._random.randrange(1, 990)
            return f'{{"type": "events_api", "envelope_id": "d", "payload": {deep}1' + "}" * (
                deep.count("{") + 1
            )
        return json.dumps(envelope())[: self._random.randrange(80)] + CANARY

    def _payload(self) -> dict[str, Any]:
        return copy.deepcopy(self._random.choice((CALLBACK, _INTERACTION, _COMMAND)))

    def _value(self, depth: int) -> object:
        kind = self._random.randrange(7 if depth else 4)
        if kind == 0:
            return self._random.choice(_NUMBERS)
        if kind == 1:
            return self._random.choice((None, True, False))
        if kind in (2, 3):
            return self._random.choice(_STRINGS) * self._random.choice((1, 1, 1, 400))
        many = range(self._random.randrange(5))
        if kind == 4:
            return [self._value(depth - 1) for _ in many]
        names = ("type", "envelope_id", "payload", "event", "id", CANARY)
        return {self._random.choice(names): self._value(depth - 1) for _ in many}

    def _mutated(self, whole: dict[str, Any]) -> dict[str, Any]:
        """Change one to three fields of an object, at any depth."""
        for _ in range(self._random.randrange(1, 4)):
            place: Any = whole
            while place:
                key = self._random.choice(
                    list(place) if isinstance(place, dict) else range(len(place))
                )
                if isinstance(place[key], dict | list) and self._random.random() < 0.7:
                    place = place[key]
                    continue
                if isinstance(place, dict) and self._random.random() < 0.3:
                    del place[key]
                else:
                    place[key] = self._value(2)
                break
        return whole


class OddSlack:
    """Sends frames over its WebSocket, and answers calls, as the test says.

    Attributes
    ----------
    answers
        Given to one call after the other; a plain answer once there are no more.
    acknowledged
        The IDs of all envelopes that were acknowledged.
    opened
        How many connections were opened.
    greets, reads
        Whether it says hello over a new connection, and reads what comes.
    """

    def __init__(self, websockets: Server, calls: socketserver.TCPServer) -> None:
        self.url = f"ws://127.0.0.1:{websockets.socket.getsockname()[1]}"
        self.environment_url = f"http://127.0.0.1:{calls.server_address[1]}/api/"
        self._frames: deque[Iterator[Frame]] = deque()
        self.answers: Iterator[bytes] = iter(())
        self.acknowledged: list[str] = []
        self.opened = 0
        self.greets = True
        self.reads = True
        self._turn = threading.Lock()
        self._connections: list[ServerConnection] = []

    def send(self, frames: Iterator[Frame]) -> None:
        """Send further frames over the present connection, and the next ones if it breaks."""
        with self._turn:
            self._frames.append(frames)

    def drop(self) -> None:
        """Break all connections."""
        for connection in list(self._connections):
            with suppress(OSError):
                connection.socket.shutdown(socket.SHUT_RDWR)

    def serve(self, connection: ServerConnection) -> None:
        """Send what is to be sent, and note what is acknowledged."""
        self.opened += 1
        self._connections.append(connection)
        reader = threading.Thread(target=self._read, args=[connection], daemon=True)
        reader.start()
        with suppress(ConnectionClosed, OSError):
            if self.greets:
                connection.send(HELLO)
            while reader.is_alive():
                frame = self._next()
                if frame is None:
                    time.sleep(0.005)
                elif callable(frame):
                    frame(connection)
                else:
                    connection.send(frame)
        self._connections.remove(connection)

    def answer(self) -> bytes:
        """Return the response to a call."""
        with self._turn:
            odd = next(self.answers, None)
        return _answer(json.dumps({"ok": True, "url": self.url})) if odd is None else odd

    def _next(self) -> Frame | None:
        with self._turn:
            while self._frames:
                if (frame := next(self._frames[0], None)) is not None:
                    return frame
                self._frames.popleft()
        return None

    def _read(self, connection: ServerConnection) -> None:
        with suppress(ConnectionClosed, OSError):
            while not self.reads:
                time.sleep(0.01)
            for text in connection:
                self.acknowledged.append(json.loads(text)["envelope_id"])


@contextmanager
def odd_slack() -> Iterator[OddSlack]:
    """Yield an odd Slack that listens."""

    class Call(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                length = 0
                while (line := self.rfile.readline()) not in (b"\r\n", b""):
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                self.rfile.read(length)
                self.wfile.write(slack.answer())

    def handle(connection: ServerConnection) -> None:
        slack.serve(connection)

    class Calls(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with (
        serve(handle, "127.0.0.1", 0, compression=None, max_size=None) as websockets,
        Calls(("127.0.0.1", 0), Call) as calls,
    ):
        slack = OddSlack(websockets, calls)
        for serving in (websockets.serve_forever, partial(calls.serve_forever, 0.02)):
            threading.Thread(target=serving, daemon=True).start()
        yield slack
        slack.drop()
        calls.shutdown()
        websockets.shutdown()


def _answer(body: str) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def _too_large(connection: ServerConnection) -> None:
    connection.send(json.dumps(envelope(CANARY * 700_000)))


def _no_utf8(connection: ServerConnection) -> None:
    connection.send(b"\xff\xfe" + CANARY.encode(), text=True)


def _no_websocket(connection: ServerConnection) -> None:
    with connection.protocol_mutex:
        connection.socket.sendall(b"\xff" * 50)


def _broken(connection: ServerConnection) -> None:
    connection.socket.shutdown(socket.SHUT_RDWR)


def _closed(connection: ServerConnection) -> None:
    connection.close(4999, CANARY)


_WORSE = (_too_large, _no_utf8, _no_websocket, _broken, _closed)

_URLS = (
    "",
    CANARY,
    "ws://",
    "ws://[",
    "ws://127.0.0.1:99999999",
    "ws://127.0.0.1:1/",
    "ws://user@:1",
    "ws://127.0.0.1:1/#fragment",
    "wss://127.0.0.1:1/",
    "http://127.0.0.1:1/",
    f"ws://{'a' * 70}.b:1/",
    "ws://\ud800:1/",
    "ws://127.0.0.1:1/\r\nHost: x",
)

_INTERACTION: dict[str, Any] = {
    "type": "message_action",
    "callback_id": "is_this_toxic",
    "trigger_id": "1.2.3",
    "action_ts": "1766000000.000200",
    "message_ts": "1766000000.000100",
    "team": {"id": "T1"},
    "user": {"id": "U1", "team_id": "T1"},
    "channel": {"id": "C1"},
    "message": {"text": CANARY, "thread_ts": "1766000000.000100"},
    "response_url": "https://hooks.slack.com/x",
    "actions": [{"action_id": "why", "value": "{}", "action_ts": "1.2"}],
    "view": {"callback_id": "settings", "id": "V1", "state": {"values": {}}},
}
_COMMAND: dict[str, Any] = {
    "command": "/toxic",
    "text": CANARY,
    "trigger_id": "1.2.3",
    "team_id": "T1",
    "user_id": "U1",
    "channel_id": "C1",
    "response_url": "https://hooks.slack.com/x",
}
