"""Notes about a message, each posted once.

A note has a claim of its own, and is found in its channel by its metadata. So if the worker dies
after posting it, it is not posted again; if it dies before, whatever led to the note comes back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.web_api.calls import TIMEOUT
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.message import Post

NOTE_EXPIRY = 7 * 24 * 3600
"""Seconds for which a version of a message counts as noted: as long as it counts as answered."""
LOOK_BACK = 3 * 3600.0
"""Seconds within which an earlier note is looked for; a reaction waits for two hours at most."""
MIN_SECONDS = 3 * TIMEOUT + 2.0
"""Seconds without which no note is begun: three slow calls to Slack, and the claim."""


@dataclass(frozen=True, slots=True)
class Noted:
    """The version of a message that a note is about.

    Parameters
    ----------
    channel, message
        Which message.
    edited
        When it was last edited; empty if never.
    """

    channel: str
    message: str
    edited: str

    def metadata(self, event_type: str) -> dict[str, Any]:
        """Return the metadata of a note about it."""
        # "message" and not "ts", which would make it an answer in a thread of this channel.
        return {"event_type": event_type, "event_payload": asdict(self)}


class SingleNotes:
    """Lets each version of a message have one note of each kind.

    Parameters
    ----------
    slack
        The workspace.
    claims
        Prevent a second note.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self, slack: SlackClient, claims: Claims, clock: Callable[[], float] = time.time
    ) -> None:
        self._slack = slack
        self._claims = claims
        self._clock = clock

    def once(self, kind: str, noted: Noted, post: Callable[[], object], deadline: float) -> bool:
        """Post a note under its claim; return whether that was done just now.

        Parameters
        ----------
        kind
            The kind of note, as its claim names it.
        noted
            What it is about.
        post
            Posts it.
        deadline
            Unix seconds at which this invocation ends, and the claim lapses.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        SlackRefusedError
            When Slack refuses the note and would refuse a retry.
        """
        if deadline - self._clock() < MIN_SECONDS:
            raise TryAgainError("too little time is left for the note", reason="no_time", delay=0)

        def work() -> dict[str, Any]:
            post()
            return {}

        done = self._claims.once(
            f"{kind}#{noted.channel}#{noted.message}#{noted.edited}",
            work,
            deadline=deadline,
            expires_after=NOTE_EXPIRY,
        )
        return done.by_us

    def post(
        self, channel: str, metadata: dict[str, Any], create: Callable[[], Post | None]
    ) -> bool:
        """Post a note unless it is in its channel; return whether that was done just now.

        Parameters
        ----------
        channel
            Where it goes.
        metadata
            By which it is found again.
        create
            Returns it, or None if its message is gone.
        """
        since = self._clock() - LOOK_BACK
        if self._slack.has_posted(channel, metadata, since=since):
            logger.info("the note is already in its channel")
            return False
        note = create()
        if note is None:
            logger.info("no note: the message is gone")
            return False
        self._slack.post_message(channel, note, metadata=metadata)
        return True
