"""A signed challenge to the URL to which Slack sends its requests."""

from __future__ import annotations

import time
from dataclasses import dataclass

from urllib3 import PoolManager, Timeout
from urllib3.exceptions import HTTPError

from toxic_bot.operator.doctor.finding import CheckError, UncheckedError
from toxic_bot.slack.requests.challenge import ChallengeError, SignedChallenge

SLACK_PATIENCE = 3.0
"""Seconds that Slack waits for a response."""
COLD_START = 10.0
"""Seconds that the check waits, to tell a slow receiver from a deaf one."""


@dataclass(frozen=True, slots=True)
class Remedies:
    """How to fix what a challenge has found.

    Parameters
    ----------
    unknown
        Nobody knows the URL.
    silent
        Nothing answers there.
    refused
        The signature is refused.
    not_found
        There is nothing at that path.
    limited
        Too many requests.
    failed
        Anything else.
    """

    unknown: str
    silent: str
    refused: str
    not_found: str
    limited: str
    failed: str

    @classmethod
    def of_stack(cls, stack: str) -> Remedies:
        """Return those for a deployed stack."""
        return cls(
            unknown="the stack has no output RequestUrl: pass --request-url",
            silent="was the API deleted or changed by hand? Deploy again",
            refused="the receiver has another secret: wait five minutes, or see its log",
            not_found="compare the URL with the stack's output RequestUrl",
            limited="raise RequestsPerSecond",
            failed=f"read the receiver's log: sam logs --stack-name {stack} --name Receiver",
        )

    def of_status(self, status: int) -> str:
        """Return the remedy for a response."""
        by_status = {401: self.refused, 404: self.not_found, 429: self.limited}
        return by_status.get(status, self.failed)


OF_LISTENER = Remedies(
    unknown="pass --request-url with the URL in the app's manifest",
    silent="start 'toxic-bot listen' and the HTTPS proxy in front of it",
    refused="start 'toxic-bot listen' with this SLACK_SIGNING_SECRET",
    not_found="the URL ends with /slack/events, and the proxy must forward the path",
    limited="raise the proxy's limit",
    failed="read the output of 'toxic-bot listen' and of the proxy in front of it",
)
"""Those for ``toxic-bot listen``."""


def check_request_url(url: str, signing_secret: str, remedies: Remedies) -> str:
    """Send a signed challenge the way that Slack's requests take.

    Parameters
    ----------
    url
        Where Slack sends events.
    signing_secret
        The secret that the receiver should have.
    remedies
        How to fix what is wrong.
    """
    if not url:
        raise UncheckedError(remedies.unknown)
    challenge = SignedChallenge.create(signing_secret)
    started = time.monotonic()
    with PoolManager(retries=False, timeout=Timeout(total=COLD_START)) as pool:
        try:
            response = pool.request("POST", url, body=challenge.body, headers=challenge.headers)
        except HTTPError as error:
            raise CheckError(
                f"{url} does not answer ({type(error).__name__})",
                remedies.silent,
            ) from error
    seconds = time.monotonic() - started
    try:
        challenge.check(response.status, response.data.decode("utf-8", "replace"))
    except ChallengeError as error:
        raise CheckError(str(error), remedies.of_status(response.status)) from error
    if seconds > SLACK_PATIENCE:
        raise CheckError(
            f"it took {seconds:.1f} seconds, and Slack waits for {SLACK_PATIENCE:.0f}",
            "run the doctor again: if only the first is slow, that was a cold start",
        )
    return f"answers a signed challenge in {seconds * 1e3:.0f} ms"
