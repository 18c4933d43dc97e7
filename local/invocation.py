"""One event of ``events/`` through the real runtime, and what came of it."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.console import progress
from local.errors import LocalError
from local.samples import EARLIER, PEOPLE, RAE, VIEWER, company
from local.stack import Options, Stack
from local.workspace import Channel, Message, Workspace

TIMESTAMP, SIGNATURE = "TIMESTAMP", "SIGNATURE"
"""What stands in a sample event for the two headers that are made when it is sent."""
UNKNOWN = "Thanks, that was quick!"
"""Text of a message that an event is about and that is not among the samples."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an event.

    Parameters
    ----------
    function
        ``receiver`` or ``worker``: what the event was for.
    response
        What the function returned.
    posted
        What the bot posted, in order.
    """

    function: str
    response: Any
    posted: list[Message]


def read(path: Path) -> dict[str, Any]:
    """Read an event.

    Raises
    ------
    LocalError
        When the file is missing, is not JSON, or is no event of API Gateway or SQS.
    """
    try:
        event = json.loads(path.read_bytes())
    except OSError as error:
        raise LocalError(f"{path} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise LocalError(f"{path} is not JSON ({error})") from error
    if isinstance(event, dict) and (isinstance(event.get("Records"), list) or "headers" in event):
        return event
    raise LocalError(
        f"{path} is neither an API Gateway event (with 'headers') nor an SQS batch "
        "(with 'Records'): see events/README.md"
    )


def invoke(event: dict[str, Any], options: Options, text: str | None = None) -> Outcome:
    """Start everything, send an event, and end everything.

    Parameters
    ----------
    event
        Of API Gateway, for the receiver, or of SQS, for the worker.
    options
        Of the stack.
    text
        Of the message that the event is about; None takes the sample's own.
    """
    workspace = company()
    for message in EARLIER:
        workspace.put(message)
    for channel, ts in _items(event):
        _prepare(workspace, channel, ts, text)
    with progress() as show:
        stack = Stack(workspace, VIEWER, options, show).start()
    with stack:
        return send(event, stack)


def send(event: dict[str, Any], stack: Stack) -> Outcome:
    """Send an event through the real runtime, and wait until all is done."""
    before = {message.ts for message in _posted(stack.workspace)}
    if "Records" in event:
        function, response = "worker", stack.worker.invoke(event)
    else:
        function, response = "receiver", stack.receiver.invoke(_signed(event, stack))
        stack.settle()
    posted = [message for message in _posted(stack.workspace) if message.ts not in before]
    return Outcome(function, response, posted)


def _posted(workspace: Workspace) -> list[Message]:
    return [
        message
        for channel in workspace.channels
        for message in workspace.messages(channel)
        if message.user == workspace.bot.id
    ]


def _signed(event: dict[str, Any], stack: Stack) -> dict[str, Any]:
    body = str(event.get("body") or "")
    raw = base64.b64decode(body) if event.get("isBase64Encoded") else body.encode()
    made = {name.lower(): value for name, value in stack.events.headers(raw).items()}
    placeholders = {
        TIMESTAMP: made["x-slack-request-timestamp"],
        SIGNATURE: made["x-slack-signature"],
    }
    headers = {name: placeholders.get(value, value) for name, value in event["headers"].items()}
    return event | {"headers": headers}


def _items(event: dict[str, Any]) -> list[tuple[str, str]]:
    """Return channel and timestamp of the messages that an event is about."""
    records = event.get("Records") or [event]
    found: list[tuple[str, str]] = []
    for record in records:
        try:
            body = json.loads(record["body"])
            item = body["event"]["item"] if "event" in body else body
            found.append((str(item["channel"]), str(item["ts"])))
        except (ValueError, KeyError, TypeError):
            continue
    return found


def _prepare(workspace: Workspace, channel: str, ts: str, text: str | None) -> None:
    if channel not in workspace.channels:
        everybody = {person.id for person in PEOPLE} | {workspace.bot.id}
        workspace.add_channel(Channel(channel, channel.lower(), members=everybody))
    message = workspace.find(channel, ts)
    if message is None:
        message = workspace.put(Message(channel, ts, RAE, UNKNOWN))
    if text is not None:
        message.text = text


def describe(message: Message) -> str:
    """Return where a message was posted and what it says, in one line."""
    where = f"in {message.channel}"
    if message.thread_ts:
        where += f", in the thread of {message.thread_ts}"
    if message.only_for:
        where += f", for {message.only_for} alone"
    return f"{where}: {message.text}"
