"""The languages of people, as Slack knows them."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextlib import suppress

from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.i18n.translation import Language, language_of, texts_in
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.telemetry import KeyedExecutor, logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.remedies import SlackRefusedError

MAX_PEOPLE = 1000
"""People whose language is remembered."""

PATIENCE = 1.0
"""Seconds that an answer waits for the language of the person who reads it."""


class Locales:
    """Knows the language of each person who is answered in private.

    Slack is asked once for each person, beside other work: nobody waits for it again. If it does
    not say, or the bot does not speak the language, they are answered in that of the workspace.

    Parameters
    ----------
    slack
        The workspace.
    default
        Its language.
    """

    def __init__(self, slack: SlackClient, default: Language) -> None:
        self._slack = slack
        self._default = default
        self._executor = KeyedExecutor(thread_name_prefix="locale")
        self._lock = threading.Lock()
        self._known: dict[str, Future[Language]] = {}

    def expect(self, user: str) -> None:
        """Ask for somebody's language, unless it is known, without waiting for the response."""
        self._asked(user)

    def language(self, user: str) -> Language:
        """Return somebody's language."""
        with suppress(TimeoutError):
            return self._asked(user).result(PATIENCE)
        return self._default

    def texts(self, user: str) -> Texts:
        """Return what the bot says in somebody's language."""
        return texts_in(self.language(user))

    def _asked(self, user: str) -> Future[Language]:
        with self._lock:
            asked = self._known.get(user)
            if asked is None:
                asked = self._executor.submit(self._ask, user)
                if len(self._known) >= MAX_PEOPLE:
                    self._known.clear()
                self._known[user] = asked
            return asked

    def _ask(self, user: str) -> Language:
        try:
            locale = self._slack.locale(user)
        except SlackRefusedError as error:
            logger.warning(f"no locale: {error}", slack_error=error.error)
            return self._default
        except TryAgainError as error:
            logger.warning("no locale: Slack did not send one", reason=error.reason)
            return self._default
        return language_of(locale) or self._default
