"""What the bot responds to one of Slack's HTTP requests, wherever it runs.

A request is verified and parsed, and a gesture is made safe before Slack is told that it is. The
module imports only what that needs: the receiver of a deployment starts while Slack is waiting.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Protocol

from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.lookups import Lookups
from toxic_bot.slack.requests.events import Challenge, Dropped, parse_callback
from toxic_bot.slack.requests.http import MAX_BODY, Request, Response
from toxic_bot.slack.requests.signature import SignatureError, UnsignedError, verify
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import count, keyed, logger

REFRESH_INTERVAL = 30.0
"""Seconds between two fetches of the signing secret because of wrong signatures, which anybody
can send."""

Put = Callable[[Gesture], None]
"""Makes a gesture safe; may raise TryAgainError."""


class SecretSource(Protocol):
    """Where the signing secret comes from. May raise TryAgainError."""

    def __call__(self, *, fresh: bool) -> str:
        """Return the signing secret; with ``fresh``, bypass any cache."""


class SlackRequestHandler:
    """Receives Slack's requests. Safe to share between threads.

    Parameters
    ----------
    bot
        What the bot listens to, and how it answers.
    lookups
        What is looked up before an event is queued.
    signing_secret
        Returns the secret that Slack signs with. A fresh one is asked for at a wrong signature,
        so that a rotated one takes effect.
    put
        Makes a gesture safe.
    """

    def __init__(
        self, bot: BotSettings, lookups: Lookups, signing_secret: SecretSource, put: Put
    ) -> None:
        self._bot = bot
        self._lookups = lookups
        self._signing_secret = signing_secret
        self._put = put
        self._refreshed = -REFRESH_INTERVAL

    def respond(self, request: Request) -> Response:
        """Return the response to a request.

        Returns
        -------
        Response
            200 for a gesture that is safe, for an event that is dropped, for a form that shows
            its errors and for a challenge; 400 for a malformed body; 401 for a bad signature;
            413 for a body over 1 MB; 500 when the gesture cannot be made safe, so that Slack
            sends it again. It is not to send a 400 or a 413 again, which would be no better.
        """
        if request.oversized:
            return _refuse(413, "body_too_large", f"the body exceeds {MAX_BODY} bytes")
        try:
            self._verify(request)
            if "x-slack-retry-num" in request.headers:
                count("RetryReceived")
            if request.is_form:
                return self._respond_to_form(request)
            callback = parse_callback(request.body, self._bot.subscription, self._lookups)
        except UnsignedError as error:
            return _refuse(401, "unsigned", str(error))
        except SignatureError as error:
            return _refuse(401, "signature", str(error))
        except MalformedEventError as error:
            return _refuse(400, "malformed", str(error))
        except TryAgainError as error:
            return _ask_for_retry(error)
        if isinstance(callback, Challenge):
            return Response(200, callback.challenge)
        if isinstance(callback, Dropped):
            count("EventDropped", reason=callback.reason)
            return Response(200, "dropped")
        return self._take(callback, request) or Response(200, "queued")

    def _respond_to_form(self, request: Request) -> Response:
        # Slack waits for a cold start, most often after an event.
        from toxic_bot.slack.form_responses import form_response, read_form

        form = read_form(request, self._bot)
        if isinstance(form, Dropped):
            count("EventDropped", reason=form.reason)
            return Response(200, form.notice)
        refused = self._take(form, request) if isinstance(form, Gesture) else None
        if refused is not None:
            return refused
        shown = form_response(form, self._bot)
        # Slack would show the response to a command.
        return (
            Response(200, "") if shown is None else Response(200, json.dumps(shown), is_json=True)
        )

    def _verify(self, request: Request) -> None:
        """Check the signature, if need be with a secret that was rotated since it was cached."""
        try:
            verify(request, self._signing_secret(fresh=False))
        except UnsignedError:
            raise
        except SignatureError:
            now = time.monotonic()
            if now - self._refreshed < REFRESH_INTERVAL:
                raise
            self._refreshed = now
            verify(request, self._signing_secret(fresh=True))

    def _take(self, gesture: Gesture, request: Request) -> Response | None:
        """Make a gesture safe; return what to respond if it cannot be."""
        with keyed(**gesture.log_keys()):
            try:
                self._put(gesture)
            except TryAgainError as error:
                return _ask_for_retry(error)
            if isinstance(gesture, Reaction):
                count("ReactionEnqueued")
            logger.info("gesture queued", retry=request.headers.get("x-slack-retry-num", "0"))
        return None


def _ask_for_retry(error: TryAgainError) -> Response:
    count("EnqueueFailed")
    logger.error(str(error))
    return Response(500, "try again")


def _refuse(status: int, reason: str, message: str) -> Response:
    count("RequestRefused", reason=reason)
    logger.warning("request refused", reason=reason)
    # A 401 may be sent again: the signing secret may have been rotated a moment ago.
    return Response(status, message, final=status != 401)
