"""Scores from a service with Perspective's API."""

from __future__ import annotations

import json
import time

from urllib3 import PoolManager, Retry, Timeout
from urllib3.exceptions import HTTPError

from toxic_bot.terminal.console import ConsoleError

PERSPECTIVE = "https://commentanalyzer.googleapis.com"
_PATH = "/v1alpha1/comments:analyze"
_NOT_SCORED = 400


class PerspectiveClient:
    """Asks for TOXICITY, one text at a time.

    Parameters
    ----------
    url
        The service's address.
    key
        Its key; empty for none.
    per_second
        Texts that it may be asked in a second; None for as many as it can.
    """

    def __init__(self, url: str, key: str, per_second: float | None = None) -> None:
        self._url = url.rstrip("/") + _PATH
        self._key = key
        self._pause = 1 / per_second if per_second else 0.0
        self._next = 0.0
        retries = Retry(
            5,
            connect=0,
            backoff_factor=1,
            status_forcelist=(429, 500, 503),
            allowed_methods=("POST",),
        )
        self._pool = PoolManager(timeout=Timeout(30), retries=retries)

    def toxicity(self, text: str) -> float | None:
        """Return the score of a text; None if it cannot be scored, such as one in no language.

        Raises
        ------
        ConsoleError
            When the service refuses or does not answer.
        """
        time.sleep(max(0.0, self._next - time.monotonic()))
        self._next = time.monotonic() + self._pause
        asked = {
            "comment": {"text": text},
            "requestedAttributes": {"TOXICITY": {}},
            "languages": ["en"],
            "doNotStore": True,
        }
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["X-Goog-Api-Key"] = self._key
        try:
            response = self._pool.request(
                "POST", self._url, body=json.dumps(asked).encode(), headers=headers
            )
            answer = json.loads(response.data)
            if response.status == 200:
                score = answer["attributeScores"]["TOXICITY"]["summaryScore"]["value"]
                return float(score)
            if response.status == _NOT_SCORED and "API_KEY_INVALID" not in str(answer):
                return None
            reason = f"status {response.status}"
        except (HTTPError, ValueError, KeyError, TypeError) as error:
            reason = type(error).__name__
        raise ConsoleError(f"{self._url} gives no score ({reason}): check its address and key")
