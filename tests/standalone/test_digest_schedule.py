"""The weekly digest of the standalone bot."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from simulators.samples import MODERATORS, add_moderators
from simulators.slack.faults import Fault
from tests.socket_mode import TOKENS, SocketModeSlack, socket_transport, wait_for
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.moderators.weekly_digest import WeeklyDigest
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.standalone import digest_schedule
from toxic_bot.standalone.bot import Bot
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.digest_schedule import LONG_PAUSE, PAUSE, DigestSchedule
from toxic_bot.standalone.settings import StandaloneSettings
from toxic_bot.standalone.sqlite_store import SQLiteStore


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


class Bots:
    """A bot that is started again and again, with a clock that the test sets."""

    def __init__(self, slack: SocketModeSlack, path: Path) -> None:
        self._slack = slack
        self._path = path
        add_moderators(slack.workspace)
        self.now = 0.0
        self.start()

    def start(self) -> None:
        store = SQLiteStore(Database(self._path), lambda: self.now)
        token = TOKENS["SLACK_BOT_TOKEN"]
        url = self._slack.environment["SLACK_API_URL"]
        client = SlackClient(lambda *, fresh: token, url)  # noqa: ARG005 - it never changes
        digest = WeeklyDigest(client, Claims(store, lambda: self.now), store, MODERATORS)
        self._schedule = DigestSchedule(digest, lambda: self.now)

    def digests_at(self, text: str, later: float = 0.0) -> int:
        self.now = at(text) + later
        self._schedule.run_if_due()
        return len(self._slack.workspace.messages(MODERATORS))


@pytest.fixture
def bots(slack: SocketModeSlack, tmp_path: Path) -> Bots:
    return Bots(slack, tmp_path / "claims.sqlite")


def test_the_digest_comes_on_mondays_at_eight_and_once(bots: Bots) -> None:
    assert bots.digests_at("2026-11-16T07:59:59") == 0
    assert bots.digests_at("2026-11-16T08:00:00") == 1
    assert bots.digests_at("2026-11-22T23:59:59") == 1
    assert bots.digests_at("2026-11-23T07:59:59") == 1
    assert bots.digests_at("2026-11-23T08:00:00") == 2


def test_a_bot_that_was_down_on_monday_posts_when_it_is_back_and_not_again(bots: Bots) -> None:
    assert bots.digests_at("2026-11-18T15:00:00") == 1
    bots.start()
    assert bots.digests_at("2026-11-19T15:00:00") == 1


def test_a_digest_that_slack_does_not_take_is_tried_again(
    bots: Bots, slack: SocketModeSlack
) -> None:
    slack.web_api.faults.add("chat.postMessage", Fault(error="fatal_error"))
    assert bots.digests_at("2026-11-16T08:00:00") == 0
    assert bots.digests_at("2026-11-16T08:00:00", PAUSE - 1) == 0
    assert bots.digests_at("2026-11-16T08:00:00", PAUSE + 1) == 1


def test_a_channel_without_the_bot_is_tried_again_after_a_while(
    bots: Bots, slack: SocketModeSlack
) -> None:
    slack.workspace.channels[MODERATORS].members.discard(slack.workspace.bot.id)
    assert bots.digests_at("2026-11-16T08:00:00") == 0
    slack.workspace.channels[MODERATORS].members.add(slack.workspace.bot.id)
    assert bots.digests_at("2026-11-16T08:00:00", PAUSE + 1) == 0
    assert bots.digests_at("2026-11-16T08:00:00", LONG_PAUSE + 1) == 1


@pytest.mark.slow
def test_the_running_bot_posts_the_digest_of_a_week_once(
    slack: SocketModeSlack, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest_schedule, "HOUR", 0)
    add_moderators(slack.workspace)
    settings = StandaloneSettings.from_environment(slack.environment | {"MODERATORS": MODERATORS})
    for _ in range(2):
        path = tmp_path / "claims.sqlite"
        with Bot(settings, model_folder, path, socket_transport(slack.environment)).start():
            wait_for(lambda: bool(slack.workspace.messages(MODERATORS)))
        [digest] = slack.workspace.messages(MODERATORS)
        assert "week in verdicts" in digest.text
