"""The real claims and the real Slack client, whose calls are the steps of a worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any

from simulators.slack.methods import WebApi
from tests.aws_account import BOT_TOKEN
from tests.slack.answers.claim_protocol.steps import Steps, Try
from toxic_bot.slack.answers.claims import Claim, ClaimStore, StoreUnavailableError
from toxic_bot.slack.retry import OutcomeUnknownError, TryAgainError
from toxic_bot.slack.web_api.calls import POSTS, TIMEOUT, Calls
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.directory import Directory
from toxic_bot.slack.web_api.identity import OwnIdentity
from toxic_bot.slack.web_api.posting import Posting
from toxic_bot.slack.web_api.reading import Reading
from toxic_bot.slack.web_api.response_url import ResponseUrls

Posted = Callable[[str, Mapping[str, Any], Try], None]
"""Told of every post that takes effect: method, arguments, and which try it belongs to."""

_STEPS = POSTS | {"conversations_replies", "chat_update"}


class SteppedStore:
    """A store of claims. Budgets and counts are switched off: they have no part in the protocol."""

    def __init__(self, store: ClaimStore, steps: Steps) -> None:
        self._store = store
        self._steps = steps

    def make(self, claim: Claim, now: float) -> Claim:
        return self._steps.take(
            "make a claim", lambda: self._store.make(claim, now), StoreUnavailableError()
        )

    def close(self, claim: Claim) -> bool:
        return self._steps.take(
            "close a claim", lambda: self._store.close(claim), StoreUnavailableError()
        )

    def release(self, claim: Claim) -> None:
        self._steps.take(
            "release a claim", lambda: self._store.release(claim), StoreUnavailableError()
        )

    def reserve(self, bucket: str, not_before: float, interval: float) -> float:
        return self._store.reserve(bucket, not_before, interval)

    def add_counts(
        self, key: str, amounts: Mapping[str, int], expires_at: int
    ) -> Mapping[str, int]:
        del key, amounts, expires_at
        return {}

    def spend(self, *_: object) -> Set[str]:
        raise AssertionError("there are no budgets here")

    def keep_vote(self, *_: object) -> None:
        raise AssertionError("there are no votes here")


class _SteppedCalls(Calls):
    def __init__(self, api: WebApi, steps: Steps, posted: Posted) -> None:
        super().__init__(lambda *, fresh: BOT_TOKEN, "", None)  # noqa: ARG005 - it never changes
        self._api = api
        self._steps = steps
        self._posted = posted

    def call(self, method: str, **arguments: Any) -> dict[str, Any]:
        if method not in _STEPS:
            return self._respond(method, arguments)
        is_post = method in POSTS
        kind = OutcomeUnknownError if is_post else TryAgainError
        attempt = self._steps.attempt

        def effect() -> dict[str, Any]:
            response = self._respond(method, arguments)
            if is_post:
                self._posted(method, arguments, attempt)
            return response

        error = kind(f"Slack could not be reached for {method}", reason="network")
        return self._steps.take(method, effect, error, late=is_post)

    def _respond(self, method: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        response = self._api.call(method.replace("_", ".", 1), BOT_TOKEN, arguments)
        assert response.body["ok"], response.body
        return response.body


class SteppedSlack(SlackClient):
    """The real client, connected to a local Slack in this process."""

    def __init__(self, api: WebApi, steps: Steps, posted: Posted) -> None:
        calls = _SteppedCalls(api, steps, posted)
        identity = OwnIdentity(calls)
        Reading.__init__(self, calls, identity)
        Posting.__init__(self, calls, ResponseUrls(TIMEOUT, None))
        Directory.__init__(self, calls, identity)
