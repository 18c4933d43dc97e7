"""The state of a Slack workspace: people, channels, messages, threads and reactions."""

from __future__ import annotations

import copy
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

TEAM = "T0LOCAL01"
APP = "A0LOCAL01"
BOT = "B0LOCAL01"
MAX_REACTIONS = 23
"""Maximum number of different emoji on a message."""


class SlackError(Exception):
    """An error response of the Web API.

    Parameters
    ----------
    error
        Slack's error code, such as ``channel_not_found``.
    status
        HTTP status of the response.
    headers
        HTTP headers of the response.
    **details
        Additional fields of the response.
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
    """A member of the workspace, or the bot user."""

    id: str
    name: str
    is_bot: bool = False
    is_admin: bool = False
    locale: str = "en-US"
    team: str = TEAM


@dataclass(slots=True)
class Channel:
    """A conversation."""

    id: str
    name: str
    private: bool = False
    archived: bool = False
    members: set[str] = field(default_factory=set)
    creator: str = ""


@dataclass(slots=True)
class Message:
    """A message, in a channel or in a thread.

    Parameters
    ----------
    channel, ts
        Its channel's ID and its timestamp, which together identify it.
    user
        ID of its author.
    text
        Slack mrkdwn, with ``&``, ``<`` and ``>`` escaped.
    thread_ts
        The parent's timestamp; None unless it is a reply.
    blocks, metadata
        Its blocks and metadata, as the app sent them.
    file_names
        Names of the attached files.
    edited
        Timestamp of the last edit; empty if it was never edited.
    only_for
        For an ephemeral message, ID of the person who sees it; None otherwise.
    typed
        For the app's answer to a slash command, the text that was typed; None otherwise.
    reactions
        IDs of the people who reacted, in order, by the emoji's short name.
    asked_at
        Time of the request for a verdict that is still pending, in Unix seconds.
    answer_ms
        For a verdict, milliseconds from the reaction to the post.
    deleted
        Whether it was deleted; its tombstone remains if it has replies.
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
    typed: str | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    asked_at: float | None = None
    answer_ms: float | None = None
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class ReactionChange:
    """A reaction that was added or removed.

    Parameters
    ----------
    added
        Whether the reaction was added rather than removed.
    user
        ID of the person who reacted.
    reaction
        Short name of the emoji.
    channel, ts
        The message.
    author
        ID of the message's author.
    event_ts
        Timestamp of the change.
    """

    added: bool
    user: str
    reaction: str
    channel: str
    ts: str
    author: str
    event_ts: str


class MessageEvent(StrEnum):
    """What happened to a message: the subtype of Slack's event, or what stands for none."""

    POSTED = "posted"
    CHANGED = "message_changed"
    DELETED = "message_deleted"


@dataclass(frozen=True, slots=True)
class MessageChange:
    """A message that was posted, changed or deleted.

    Parameters
    ----------
    event
        Which of these.
    message
        The message as it is now, or as it was when it was deleted.
    before
        The message as it was before a change; None for a new one.
    event_ts
        Timestamp of the change.
    """

    event: MessageEvent
    message: Message
    before: Message | None
    event_ts: str


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Something else that apps hear of.

    Parameters
    ----------
    type
        The event's type.
    user
        Whom it is about.
    channel
        ID of the channel; for the Home tab, that of the app's own messages.
    details
        The event's other fields.
    ts
        Its timestamp.
    """

    type: str
    user: str
    channel: str
    details: dict[str, str]
    ts: str


class Workspace:
    """The state of a workspace and its watchers; thread-safe.

    Parameters
    ----------
    reactions
        Short names of the emoji that request a verdict.
    """

    def __init__(self, reactions: frozenset[str] = frozenset({"biohazard_sign"})) -> None:
        self.reactions = reactions
        self.people: dict[str, Person] = {}
        self.channels: dict[str, Channel] = {}
        # By channel and timestamp.
        self._messages: defaultdict[str, dict[str, Message]] = defaultdict(dict)
        self._lock = threading.RLock()
        self._clock = 0
        self._watchers: list[Callable[[Message], None]] = []
        self._reaction_watchers: list[Callable[[ReactionChange], None]] = []
        self._change_watchers: list[Callable[[MessageChange], None]] = []
        self._occurrence_watchers: list[Callable[[Occurrence], None]] = []
        self._home_watchers: list[Callable[[str], None]] = []
        self.homes: dict[str, dict[str, Any]] = {}
        self.bot = self.add_person(Person("U0BOT0001", "Toxic Bot", is_bot=True))

    def add_person(self, person: Person) -> Person:
        """Add a person to the workspace."""
        self.people[person.id] = person
        return person

    def add_channel(self, channel: Channel) -> Channel:
        """Add a channel to the workspace."""
        self.channels[channel.id] = channel
        return channel

    def watch(self, watcher: Callable[[Message], None]) -> Callable[[], None]:
        """Call a function with every new or changed message; return a function to stop that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def watch_reactions(self, watcher: Callable[[ReactionChange], None]) -> None:
        """Call a function with every reaction that is added or removed."""
        self._reaction_watchers.append(watcher)

    def watch_changes(self, watcher: Callable[[MessageChange], None]) -> None:
        """Call a function with every message that is posted, changed or deleted.

        Not with what only one person sees, of which apps do not hear.
        """
        self._change_watchers.append(watcher)

    def watch_occurrences(self, watcher: Callable[[Occurrence], None]) -> None:
        """Call a function with everything else that apps hear of."""
        self._occurrence_watchers.append(watcher)

    def watch_homes(self, watcher: Callable[[str], None]) -> Callable[[], None]:
        """Call a function with whose Home tab has changed; return a function to stop that."""
        self._home_watchers.append(watcher)
        return lambda: self._home_watchers.remove(watcher)

    def publish_home(self, user: str, view: dict[str, Any]) -> None:
        """Replace somebody's Home tab."""
        self.homes[user] = view
        for watcher in list(self._home_watchers):
            watcher(user)

    def open_home(self, user: str) -> None:
        """Open somebody's Home tab."""
        self._occur("app_home_opened", user, f"D{user[1:]}", tab="home")

    def invite(self, channel: str, user: str) -> None:
        """Add somebody to a channel.

        Raises
        ------
        SlackError
            ``channel_not_found`` or ``already_in_channel``.
        """
        members = self.channel(channel).members
        if user in members:
            raise SlackError("already_in_channel")
        members.add(user)
        self._occur("member_joined_channel", user, channel, channel_type="C", team=TEAM)

    def _occur(self, kind: str, user: str, channel: str, **details: str) -> None:
        with self._lock:
            occurrence = Occurrence(kind, user, channel, details, self._timestamp())
        for watcher in list(self._occurrence_watchers):
            watcher(occurrence)

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

    def direct_messages(self, user: str) -> Channel:
        """Return the channel in which the app writes to somebody in private."""
        with self._lock:
            channel = self.channels.get(f"D{user[1:]}")
            if channel is None:
                channel = Channel(f"D{user[1:]}", self.bot.name, True, members={user, self.bot.id})
                self.add_channel(channel)
        return channel

    def find(self, channel: str, ts: str) -> Message | None:
        """Return a message, or None if it does not exist or was deleted."""
        message = self._messages[channel].get(ts)
        return None if message is None or message.deleted else message

    def messages(self, channel: str) -> list[Message]:
        """Return all messages in a channel in order, including replies and ephemeral ones."""
        with self._lock:
            messages = list(self._messages[channel].values())
        return sorted(messages, key=lambda message: message.ts)

    def thread(self, channel: str, ts: str) -> list[Message]:
        """Return a message and its replies in order, without ephemeral ones."""
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
        typed: str | None = None,
    ) -> Message:
        """Post a message.

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
                typed=typed,
            )
            self._messages[channel][message.ts] = message
            changed = [message]
            if user == self.bot.id:
                changed += self._complete_request(message)
        for one in changed:
            self._notify(one)
        self._notify_of_change(MessageEvent.POSTED, message, None)
        return message

    def put(self, message: Message) -> Message:
        """Add a message with its channel and timestamp as given."""
        self.channel(message.channel)
        with self._lock:
            self._messages[message.channel][message.ts] = message
        self._notify(message)
        return message

    def edit(self, channel: str, ts: str, text: str) -> Message:
        """Change a message's text, as a person does.

        Raises
        ------
        SlackError
            ``message_not_found``.
        """
        with self._lock:
            message = self._existing(channel, ts)
            before = copy.copy(message)
            message.text = text
            message.edited = self._timestamp()
        self._notify(message)
        self._notify_of_change(MessageEvent.CHANGED, message, before)
        return message

    def update(
        self,
        channel: str,
        ts: str,
        text: str,
        blocks: list[dict[str, Any]],
        metadata: dict[str, Any] | None = None,
    ) -> None:
        """Replace what the bot has posted, but not its metadata unless there are new ones.

        Slack does not call that an edit.

        Raises
        ------
        SlackError
            ``message_not_found``.
        """
        with self._lock:
            message = self._existing(channel, ts)
            before = copy.copy(message)
            message.text, message.blocks = text, blocks
            message.metadata = metadata or message.metadata
        self._notify(message)
        self._notify_of_change(MessageEvent.CHANGED, message, before)

    def delete(self, channel: str, ts: str) -> None:
        """Delete a message; a message with replies leaves a tombstone.

        Raises
        ------
        SlackError
            ``message_not_found``.
        """
        with self._lock:
            message = self._existing(channel, ts)
            before = copy.copy(message)
            message.deleted = True
            message.text = "This message was deleted."
            message.blocks, message.metadata, message.file_names = [], None, ()
            message.reactions.clear()
            message.asked_at = None
            # What is left of a message with replies is a change to Slack.
            event = MessageEvent.CHANGED
            if len(self.thread(channel, ts)) == 1 or message.thread_ts:
                del self._messages[channel][ts]
                event = MessageEvent.DELETED
            orphan = self._orphaned_tombstone(message)
        self._notify(message)
        self._notify_of_change(event, message, before)
        if orphan is not None:
            self._notify(orphan)

    def _orphaned_tombstone(self, deleted: Message) -> Message | None:
        """Remove what is left of a deleted message once its last reply is gone."""
        parent = self._messages[deleted.channel].get(deleted.thread_ts or "")
        if parent is None or not parent.deleted or len(self.thread(parent.channel, parent.ts)) > 1:
            return None
        del self._messages[parent.channel][parent.ts]
        return parent

    def react(self, channel: str, ts: str, user: str, reaction: str) -> ReactionChange:
        """Add a reaction.

        Raises
        ------
        SlackError
            ``message_not_found``, ``already_reacted`` or ``too_many_emoji``.
        """
        with self._lock:
            message = self._existing(channel, ts)
            users = message.reactions.setdefault(reaction, [])
            if user in users:
                raise SlackError("already_reacted")
            if len(message.reactions) > MAX_REACTIONS:
                del message.reactions[reaction]
                raise SlackError("too_many_emoji")
            users.append(user)
            change = ReactionChange(
                True, user, reaction, channel, ts, message.user, self._timestamp()
            )
            # Slack appends the skin tone to the name: "thumbsup::skin-tone-2".
            is_request = reaction.partition("::")[0] in self.reactions
            if is_request and message.user != self.bot.id and self._has_bot(channel):
                message.asked_at = float(change.event_ts)
        self._notify(message)
        self._notify_of_reaction(change)
        return change

    def unreact(self, channel: str, ts: str, user: str, reaction: str) -> ReactionChange:
        """Remove a reaction.

        Raises
        ------
        SlackError
            ``message_not_found`` or ``no_reaction``.
        """
        with self._lock:
            message = self._existing(channel, ts)
            users = message.reactions.get(reaction, [])
            if user not in users:
                raise SlackError("no_reaction")
            users.remove(user)
            if not users:
                del message.reactions[reaction]
            change = ReactionChange(
                False, user, reaction, channel, ts, message.user, self._timestamp()
            )
        self._notify(message)
        self._notify_of_reaction(change)
        return change

    def end_request(self, channel: str, ts: str, asked_at: float) -> None:
        """End a request for a verdict that leads to no post, unless a later one is pending."""
        with self._lock:
            message = self.find(channel, ts)
            if message is None or message.asked_at is None or message.asked_at > asked_at:
                return
            message.asked_at = None
        self._notify(message)

    def _has_bot(self, channel: str) -> bool:
        return self.bot.id in self.channels[channel].members

    def _existing(self, channel: str, ts: str) -> Message:
        self.channel(channel)
        message = self.find(channel, ts)
        if message is None:
            raise SlackError("message_not_found")
        return message

    def _parent(self, channel: str, ts: str) -> str:
        message = self._messages[channel].get(ts)
        if message is None:
            raise SlackError("thread_not_found")
        return message.thread_ts or message.ts

    def _complete_request(self, answer: Message) -> Iterator[Message]:
        payload = (answer.metadata or {}).get("event_payload") or {}
        judged = self._messages[answer.channel].get(str(payload.get("ts")))
        pending = [
            one
            for one in self.messages(answer.channel)
            if one.asked_at is not None
            and (one is judged if judged else answer.thread_ts in (None, one.ts, one.thread_ts))
        ]
        for message in pending[:1]:
            assert message.asked_at is not None
            answer.answer_ms = (float(answer.ts) - message.asked_at) * 1000
            message.asked_at = None
            yield message

    def _timestamp(self) -> str:
        # Unique in the workspace and strictly increasing.
        self._clock = max(self._clock + 1, time.time_ns() // 1000)
        return f"{self._clock // 1_000_000}.{self._clock % 1_000_000:06d}"

    def _notify(self, message: Message) -> None:
        for watcher in list(self._watchers):
            watcher(message)

    def _notify_of_change(
        self, event: MessageEvent, message: Message, before: Message | None
    ) -> None:
        if message.only_for is not None:
            return
        with self._lock:
            at = message.ts if event is MessageEvent.POSTED else self._timestamp()
            change = MessageChange(event, copy.copy(message), before, at)
        for watcher in list(self._change_watchers):
            watcher(change)

    def _notify_of_reaction(self, change: ReactionChange) -> None:
        for watcher in list(self._reaction_watchers):
            watcher(change)
