"""One event from ``events/``: sent through Lambda's runtime, with its outcome."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from simulators.process import no_children_left
from simulators.progress import show_progress
from simulators.samples import EVENT_MESSAGES, PEOPLE, RAE, VIEWER, create_workspace
from simulators.slack.workspace import Channel, Message, Workspace
from simulators.stack import Options, Stack
from toxic_bot.cli.event_file import signed

DEFAULT_TEXT = "Thanks, that was quick!"
"""Text of a message that an event is about when it is none of the samples."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an event.

    Parameters
    ----------
    function
        ``receiver`` or ``worker``: the function that the event was for.
    response
        What the function returned.
    posted
        What the bot posted, in order.
    """

    function: str
    response: Any
    posted: list[Message]


def invoke(event: dict[str, Any], options: Options, text: str | None = None) -> Outcome:
    """Start everything, send one event and stop everything.

    Parameters
    ----------
    event
        An API Gateway event for the receiver, or an SQS batch for the worker.
    options
        The stack's options.
    text
        Text of the message that the event is about; None for the sample's own.
    """
    workspace = create_workspace()
    for message in EVENT_MESSAGES:
        workspace.put(message)
    for channel, ts in _items(event):
        _prepare(workspace, channel, ts, text)
    with no_children_left():
        with show_progress() as progress:
            stack = Stack(workspace, VIEWER, options, progress).start()
        with stack:
            return send(event, stack)


def send(event: dict[str, Any], stack: Stack) -> Outcome:
    """Send an event through Lambda's runtime and wait until everything has settled."""
    before = {message.ts for message in _posted(stack.workspace)}
    if "Records" in event:
        function, response = "worker", stack.worker.invoke(event)
    else:
        event = signed(event, stack.secrets.signing_secret)
        function, response = "receiver", stack.receiver.invoke(event)
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


def _items(event: dict[str, Any]) -> list[tuple[str, str]]:
    """Return channel and timestamp of the messages that an event is about."""
    items: list[tuple[str, str]] = []
    for record in event.get("Records") or [event]:
        try:
            body = json.loads(record["body"])
            item = body["event"]["item"] if "event" in body else body
            items.append((str(item["channel"]), str(item["ts"])))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return items


def _prepare(workspace: Workspace, channel: str, ts: str, text: str | None) -> None:
    if channel not in workspace.channels:
        everybody = {person.id for person in PEOPLE} | {workspace.bot.id}
        workspace.add_channel(Channel(channel, channel.lower(), members=everybody))
    message = workspace.find(channel, ts)
    if message is None:
        message = workspace.put(Message(channel, ts, RAE, DEFAULT_TEXT))
    if text is not None:
        message.text = text


def describe(message: Message) -> str:
    """Return where a message was posted and what it says, in one line."""
    where = f"in {message.channel}"
    if message.thread_ts:
        where += f", in the thread of {message.thread_ts}"
    if message.only_for:
        where += f", visible only to {message.only_for}"
    return f"{where}: {message.text}"
