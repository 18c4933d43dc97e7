"""A challenge like Slack's own, to see whether the receiver answers one.

Source: https://docs.slack.dev/reference/events/url_verification
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.requests.signature import signed_headers


class ChallengeError(ToxicBotError):
    """A challenge was not answered as it should be."""


@dataclass(frozen=True, slots=True)
class SignedChallenge:
    """A request that only the bot's own receiver can answer.

    Parameters
    ----------
    value
        What the response should be.
    body, headers
        The request.
    """

    value: str
    body: bytes
    headers: dict[str, str]

    @classmethod
    def create(cls, signing_secret: str) -> SignedChallenge:
        """Return a challenge with a random value."""
        value = secrets.token_urlsafe(24)
        body = json.dumps({"type": "url_verification", "challenge": value}).encode()
        return cls(value, body, signed_headers(body, signing_secret))

    def check(self, status: int, body: str) -> None:
        """Check a response.

        Raises
        ------
        ChallengeError
            When the status is not 200, or the response is another one.
        """
        if status != 200:
            raise ChallengeError(f"the receiver answered a signed challenge with {status}, not 200")
        if body != self.value:
            raise ChallengeError("the receiver did not echo the challenge")
