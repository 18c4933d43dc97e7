"""Posts the digest in the moderators' channel, once a week.

A week's digest has a claim. If whoever holds it dies, or cannot tell whether the post took effect,
the claim lapses, and the next try looks for the digest in the channel, by its metadata, before it
posts.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.i18n.translation import Language, texts_in
from toxic_bot.slack.moderators.digest_post import digest_post
from toxic_bot.slack.moderators.figures import HistoryStore, read_figures
from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.metadata import DIGEST_TYPE

DIGEST_EXPIRY = 14 * 24 * 3600
"""Seconds for which a week's digest counts as posted."""


class WeeklyDigest:
    """The digest of a moderators' channel.

    Parameters
    ----------
    slack
        The workspace.
    claims
        Prevent a second digest.
    store
        Where verdict counts and votes are stored.
    channel
        ID of the moderators' channel.
    language
        In which it is written.
    """

    def __init__(
        self,
        slack: SlackClient,
        claims: Claims,
        store: HistoryStore,
        channel: str,
        language: Language = Language.ENGLISH,
    ) -> None:
        self._slack = slack
        self._claims = claims
        self._store = store
        self._channel = channel
        self._texts = texts_in(language)

    def post(self, moment: float, deadline: float) -> bool:
        """Post the digest of the seven days before today, unless this week has one.

        Parameters
        ----------
        moment
            Unix seconds that say which day is today (UTC).
        deadline
            Unix seconds at which this invocation ends, and the claim lapses.

        Returns
        -------
        bool
            Whether it was posted just now.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        SlackRefusedError
            When Slack refuses it and would refuse a retry.
        """
        today = datetime.fromtimestamp(moment, UTC).date()
        done = self._claims.once(
            f"digest#{self._channel}#{_week(today)}",
            lambda: self._post(today),
            deadline=deadline,
            expires_after=DIGEST_EXPIRY,
        )
        if not done.by_us:
            logger.info("this week's digest was already posted")
        return done.by_us

    def _post(self, today: date) -> dict[str, Any]:
        metadata = {
            "event_type": DIGEST_TYPE,
            "event_payload": {"channel": self._channel, "week": _week(today)},
        }
        # A day more than the week: the local workspace posts its digest as if it were tomorrow.
        eve = today - timedelta(days=today.weekday() + 1)
        since = datetime(eve.year, eve.month, eve.day, tzinfo=UTC).timestamp()
        if self._slack.has_posted(self._channel, metadata, since=since):
            logger.info("this week's digest is already in the channel")
            return {}
        figures = read_figures(self._store, today)
        links = {one: self._slack.permalink(one.channel, one.ts) for one in figures.disputed}
        post = digest_post(figures, {one: link for one, link in links.items() if link}, self._texts)
        self._slack.post_message(self._channel, post, metadata=metadata)
        logger.info("digest posted", verdicts=figures.total.judged)
        return {}


def _week(day: date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02}"
