"""A Slack workspace's state: people, channels, messages, threads, reactions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

TEAM = "T0LOCAL01"
APP = "A0LOCAL01"
BOT = "B0LOCAL01"
MOST_REACTIONS = 23
"""Different emoji that one message takes."""


class SlackError(Exception):
    """An error in Slack's own words.

    Parameters
    ----------
    error
        Slack's name for it, such as ``channel_not_found``.
    status
        HTTP status of the answer.
    headers
        HTTP headers of the answer.
    **details
        Further fields of the answer.
    """

    def __init__(
        self,
        error: str,
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
        **details: Any,
    ) -> None:
        super().__init__(error)
        self.error = error
        self.status = status
        self.headers = headers or {}
        self.details = details


@dataclass(frozen=True, slots=True)
class Person:
    """A member of the workspace, or the bot's user."""

    id: str
    name: str
    is_bot: bool = False


@dataclass(slots=True)
class Channel:
    """A conversation."""

    id: str
    name: str
    private: bool = False
    archived: bool = False
    members: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Message:
    """A message, in a channel or in a thread.

    Parameters
    ----------
    channel, ts
        Where it is; ``ts`` is its identity.
    user
        Who wrote it.
    text
        Slack mrkdwn, with ``&``, ``<`` and ``>`` escaped.
    thread_ts
        The parent's timestamp; None for a message that is no reply.
    blocks, metadata
        As the app that posted it gave them.
    file_names
        Names of the files that hang on it.
    edited
        Timestamp of the last edit; empty if never.
    only_for
        The one person who sees it; None for everybody.
    reactions
        Of each emoji's short name, who reacted with it, in order.
    asked_at
        When a verdict on it was asked for that is not there yet, Unix seconds.
    answer_ms
        Of a verdict, milliseconds from the reaction to the post.
    deleted
        Whether only its tombstone is left.
    """

    channel: str
    ts: str
    user: str
    text: str
    thread_ts: str | None = None
    blocks: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] | None = None
    file_names: tuple[str, ...] = ()
    edited: str = ""
    only_for: str | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    asked_at: float | None = None
    answer_ms: float | None = None
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Reacted:
    """Somebody added a reaction to a message, or took one back."""

    added: bool
    user: str
    reaction: str
    channel: str
    ts: str
    author: str
    event_ts: str


class Workspace:
    """The state, and whoever watches it. Safe to share between threads.

    Parameters
    ----------
    reactions
        Short names of the emoji that ask the bot for a verdict.
    """

    def __init__(self, reactions: frozenset[str] = frozenset({"biohazard_sign"})) -> None:
        self.reactions = reactions
        self.people: dict[str, Person] = {}
        self.channels: dict[str, Channel] = {}
        self._messages: dict[tuple[str, str], Message] = {}
        self._lock = threading.RLock()
        self._clock = 0
        self._watchers: list[Callable[[Message], None]] = []
        self._reaction_watchers: list[Callable[[Reacted], None]] = []
        self.bot = self.add_person(Person("U0BOT0001", "Toxic Bot", is_bot=True))

    def add_person(self, person: Person) -> Person:
        """Let somebody join the workspace."""
        self.people[person.id] = person
        return person

    def add_channel(self, channel: Channel) -> Channel:
        """Open a channel."""
        self.channels[channel.id] = channel
        return channel

    def watch(self, watcher: Callable[[Message], None]) -> Callable[[], None]:
        """Call a function with every message that is new or changed; return how to stop."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def watch_reactions(self, watcher: Callable[[Reacted], None]) -> None:
        """Call a function with every reaction added or taken back."""
        self._reaction_watchers.append(watcher)

    def channel(self, channel_id: str) -> Channel:
        """Return a channel.

        Raises
        ------
        SlackError
            ``channel_not_found``.
        """
        try:
            return self.channels[channel_id]
        except KeyError:
            raise SlackError("channel_not_found") from None

    def find(self, channel: str, ts: str) -> Message | None:
        """Return a message, or None when there is none, or only its tombstone."""
        message = self._messages.get((channel, ts))
        return None if message is None or message.deleted else message

    def messages(self, channel: str) -> list[Message]:
        """Return all messages of a channel in order, replies and ephemeral ones too."""
        with self._lock:
            found = [one for one in self._messages.values() if one.channel == channel]
        return sorted(found, key=lambda message: message.ts)

    def thread(self, channel: str, ts: str) -> list[Message]:
        """Return a message and the replies to it that everybody sees, in order."""
        return [
            message
            for message in self.messages(channel)
            if ts in (message.ts, message.thread_ts) and message.only_for is None
        ]

    def post(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread_ts: str | None = None,
        blocks: list[dict[str, Any]] | None = None,
        metadata: dict[str, Any] | None = None,
        file_names: tuple[str, ...] = (),
        only_for: str | None = None,
    ) -> Message:
        """Write a message.

        Raises
        ------
        SlackError
            ``channel_not_found``, ``is_archived`` or ``thread_not_found``.
        """
        with self._lock:
            if self.channel(channel).archived:
                raise SlackError("is_archived")
            if thread_ts is not None:
                thread_ts = self._parent(channel, thread_ts)
            message = Message(
                channel=channel,
                ts=self._timestamp(),
                user=user,
                text=text,
                thread_ts=thread_ts,
                blocks=blocks or [],
                metadata=metadata,
                file_names=file_names,
                only_for=only_for,
            )
            self._messages[channel, message.ts] = message
            changed = [message]
            if user == self.bot.id:
                changed += self._close_question(message)
        for one in changed:
            self._tell(one)
        return message

    def put(self, message: Message) -> Message:
        """Put a message where it says it is, with the timestamp that it has."""
        self.channel(message.channel)
        with self._lock:
            self._messages[message.channel, message.ts] = message
        self._tell(message)
        return message

    def edit(self, channel: str, ts: str, text: str) -> Message:
        """Change a message's text.

        Raises
        ------
        SlackError
            ``message_not_found``.
        """
        with self._lock:
            message = self._existing(channel, ts)
            message.text = text
            message.edited = self._timestamp()
        self._tell(message)
        return message

    def delete(self, channel: str, ts: str) -> None:
        """Delete a message; one with replies leaves a tombstone.

        Raises
        ------
        SlackError
            ``message_not_found``.
        """
        with self._lock:
            message = self._existing(channel, ts)
            message.deleted = True
            message.text = "This message was deleted."
            message.blocks, message.metadata, message.file_names = [], None, ()
            message.reactions.clear()
            message.asked_at = None
            if len(self.thread(channel, ts)) == 1 or message.thread_ts:
                del self._messages[channel, ts]
        self._tell(message)

    def react(self, channel: str, ts: str, user: str, reaction: str) -> Reacted:
        """Add a reaction.

        Raises
        ------
        SlackError
            ``message_not_found``, ``already_reacted`` or ``too_many_emoji``.
        """
        with self._lock:
            message = self._existing(channel, ts)
            who = message.reactions.setdefault(reaction, [])
            if user in who:
                raise SlackError("already_reacted")
            if len(message.reactions) > MOST_REACTIONS:
                del message.reactions[reaction]
                raise SlackError("too_many_emoji")
            who.append(user)
            reacted = Reacted(True, user, reaction, channel, ts, message.user, self._timestamp())
            asks = reaction.partition("::")[0] in self.reactions
            if asks and message.user != self.bot.id and self._hears(channel):
                message.asked_at = float(reacted.event_ts)
        self._tell(message)
        self._tell_reaction(reacted)
        return reacted

    def unreact(self, channel: str, ts: str, user: str, reaction: str) -> Reacted:
        """Take a reaction back.

        Raises
        ------
        SlackError
            ``message_not_found`` or ``no_reaction``.
        """
        with self._lock:
            message = self._existing(channel, ts)
            who = message.reactions.get(reaction, [])
            if user not in who:
                raise SlackError("no_reaction")
            who.remove(user)
            if not who:
                del message.reactions[reaction]
            reacted = Reacted(False, user, reaction, channel, ts, message.user, self._timestamp())
        self._tell(message)
        self._tell_reaction(reacted)
        return reacted

    def _hears(self, channel: str) -> bool:
        return self.bot.id in self.channels[channel].members

    def _existing(self, channel: str, ts: str) -> Message:
        self.channel(channel)
        message = self.find(channel, ts)
        if message is None:
            raise SlackError("message_not_found")
        return message

    def _parent(self, channel: str, ts: str) -> str:
        message = self._messages.get((channel, ts))
        if message is None:
            raise SlackError("thread_not_found")
        return message.thread_ts or message.ts

    def _close_question(self, answer: Message) -> Iterator[Message]:
        payload = (answer.metadata or {}).get("event_payload") or {}
        named = self._messages.get((answer.channel, str(payload.get("ts"))))
        asked = [
            one
            for one in self.messages(answer.channel)
            if one.asked_at is not None
            and (one is named if named else answer.thread_ts in (None, one.ts, one.thread_ts))
        ]
        for message in asked[:1]:
            assert message.asked_at is not None
            answer.answer_ms = (float(answer.ts) - message.asked_at) * 1000
            message.asked_at = None
            yield message

    def _timestamp(self) -> str:
        # Unique within the workspace, and never earlier than the one before.
        self._clock = max(self._clock + 1, time.time_ns() // 1000)
        return f"{self._clock // 1_000_000}.{self._clock % 1_000_000:06d}"

    def _tell(self, message: Message) -> None:
        for watcher in list(self._watchers):
            watcher(message)

    def _tell_reaction(self, reacted: Reacted) -> None:
        for watcher in list(self._reaction_watchers):
            watcher(reacted)
