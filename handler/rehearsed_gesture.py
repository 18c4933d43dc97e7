"""A gesture for a rehearsal: it is answered for real, except that Slack never hears of it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from handler.dynamodb_store import DynamoDBStore
from toxic_bot.judge.classifier import Classifier
from toxic_bot.slack.cases.case import CaseStore
from toxic_bot.slack.channel_settings import SettingsStore
from toxic_bot.slack.composition import compose
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.settings import AnswerMode, BotSettings
from toxic_bot.slack.web_api.calls import POSTS, TIMEOUT, Calls, TokenSource
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.directory import Directory
from toxic_bot.slack.web_api.identity import OwnIdentity
from toxic_bot.slack.web_api.posting import Posting
from toxic_bot.slack.web_api.reading import Reading
from toxic_bot.slack.web_api.response_url import ResponseUrls

TEXT = "You are a pathetic idiot and everybody here hates you."
TEAM, CHANNEL, AUTHOR, ASKER = "T0REHEARSAL", "C0REHEARSAL", "U0REHEARSED", "U0REHEARSAL"
SECONDS = 20.0
"""Seconds that the answer may take."""


class NothingAnsweredError(Exception):
    """The gesture went through, and nothing would have been posted."""


class RehearsedCalls(Calls):
    """Calls that nobody makes: one message can be read, and nothing is posted.

    Parameters
    ----------
    token
        Returns the bot token, which is read as it would be for a call.
    ts
        Timestamp of the message.
    """

    def __init__(self, token: TokenSource, ts: str) -> None:
        super().__init__(token, "", None)
        self._message = {"ts": ts, "user": AUTHOR, "text": TEXT}
        self.posts = 0

    def call(self, method: str, **arguments: Any) -> dict[str, Any]:  # noqa: ARG002 - as in Calls
        """Return what Slack might respond."""
        self._token(fresh=False)
        self.posts += method in POSTS
        return {"ok": True, "messages": [self._message]}


class RehearsedSlack(SlackClient):
    """A workspace with one message.

    Parameters
    ----------
    calls
        The only way to it; a reaction has no response URL.
    """

    def __init__(self, calls: RehearsedCalls) -> None:
        identity = OwnIdentity(calls)
        Reading.__init__(self, calls, identity)
        Posting.__init__(self, calls, ResponseUrls(TIMEOUT, None))
        Directory.__init__(self, calls, identity)


class UncountingStore(DynamoDBStore):
    """The table without the day's counts, which the digest reports."""

    def add_counts(
        self,
        key: str,  # noqa: ARG002 - as in DynamoDBStore
        amounts: Mapping[str, int],
        expires_at: int,  # noqa: ARG002 - as in DynamoDBStore
    ) -> Mapping[str, int]:
        """Return the amounts as if they were the first."""
        return amounts


def answer_rehearsed(
    token: TokenSource,
    classifier: Classifier,
    store: UncountingStore,
    channel_store: SettingsStore,
    case_store: CaseStore,
    settings: BotSettings,
) -> None:
    """Answer a reaction to an insult, with everything that an answer takes but Slack itself.

    Raises
    ------
    NothingAnsweredError
        When nothing would have been posted.
    """
    now = time.time()
    ts = f"{now:.6f}"
    calls = RehearsedCalls(token, ts)
    slack = RehearsedSlack(calls)
    reaction = Reaction(
        event_id=f"Ev{uuid.uuid4().hex}",
        event_ts=ts,
        team=TEAM,
        channel=CHANNEL,
        ts=ts,
        user=ASKER,
        author=AUTHOR,
        reaction=min(settings.subscription.reactions),
    )
    # A small budget would be spent by the second deployment of an hour, and nothing judged.
    settings = replace(settings, user_budget=0, channel_budget=0)
    router = compose(slack, classifier, store, channel_store, case_store, settings)
    router.answer(reaction, now + SECONDS)
    # A model of somebody's own may know no English, and a nudge is only for what is toxic.
    if not calls.posts and settings.answer is not AnswerMode.NUDGE:
        raise NothingAnsweredError
