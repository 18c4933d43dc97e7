"""The settings of channels, in DynamoDB and in SQLite, and how they meet the environment's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from handler.channel_settings_table import ChannelIndex, SettingsTable
from tests.aws_account import Account, dynamodb
from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.channel_settings import (
    MAX_AGE,
    ChannelSettings,
    QuietHours,
    SettingsStore,
    SettingsUnreachableError,
    Urgent,
    Watch,
    WatchAction,
)
from toxic_bot.slack.channels.settings_cache import ChannelSettingsCache
from toxic_bot.slack.settings import AnswerMode, BotSettings, GestureName
from toxic_bot.standalone.channel_settings_database import SQLiteChannelSettings
from toxic_bot.standalone.database import Database

SKULL = ChannelSettings(reactions=frozenset({"skull"}), answer=AnswerMode.NUDGE, threshold=0.3)
WATCHED = ChannelSettings(watch=Watch(WatchAction.NOTE, 0.7, QuietHours(18, 8)))


@pytest.fixture(params=["dynamodb", "sqlite"])
def store(request: pytest.FixtureRequest, account: Account, tmp_path: Path) -> SettingsStore:  # noqa: ARG001 - the table must exist
    if request.param == "dynamodb":
        return SettingsTable(dynamodb(), "claims")
    return SQLiteChannelSettings(Database(tmp_path / "bot.sqlite"))


def test_what_is_stored_is_read_again(store: SettingsStore) -> None:
    store.keep("C0001", SKULL, 100.0)
    store.keep("C0002", ChannelSettings(listens=False), 100.0)
    store.keep("C0004", WATCHED, 100.0)
    assert store.read(["C0004"]) == {"C0004": WATCHED}
    assert store.read(["C0001", "C0002", "C0003"]) == {
        "C0001": SKULL,
        "C0002": ChannelSettings(listens=False),
    }
    assert store.read([]) == {}


def test_a_change_that_was_delayed_on_its_way_replaces_no_later_one(store: SettingsStore) -> None:
    store.keep("C0001", SKULL, 200.0)
    store.keep("C0001", ChannelSettings(), 100.0)
    assert store.read(["C0001"]) == {"C0001": SKULL}
    store.keep("C0001", ChannelSettings(), 200.0)
    assert store.read(["C0001"]) == {"C0001": ChannelSettings()}


def test_settings_are_never_deleted_by_time(account: Account) -> None:  # noqa: ARG001 - the table must exist
    SettingsTable(dynamodb(), "claims").keep("C0001", SKULL, 100.0)
    for item in dynamodb().scan(TableName="claims")["Items"]:
        assert item["id"]["S"].startswith("settings#")
        assert "expiration" not in item


def test_a_store_that_cannot_be_reached_lets_the_gesture_wait(account: Account) -> None:  # noqa: ARG001 - moto must run
    table = SettingsTable(dynamodb(), "no-such-table")
    with pytest.raises(SettingsUnreachableError):
        table.read(["C0001"])
    with pytest.raises(SettingsUnreachableError):
        table.keep("C0001", SKULL, 100.0)


class Clock:
    """Seconds that a test decides."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_receiver_reads_the_emoji_of_all_channels_at_once_and_not_for_every_reaction(
    account: Account,  # noqa: ARG001 - the table must exist
) -> None:
    table, clock, created = SettingsTable(dynamodb(), "claims"), Clock(), []

    def create() -> Any:
        created.append(1)
        return dynamodb()

    emoji = ChannelIndex(create, "claims", clock)
    assert created == []
    assert not emoji.asks("C0001", "skull")
    table.keep("C0001", SKULL, 100.0)
    assert not emoji.asks("C0001", "skull")
    clock.now += MAX_AGE
    assert emoji.asks("C0001", "skull")
    assert not emoji.asks("C0002", "skull")
    assert not emoji.asks("C0001", "tada")
    table.keep("C0001", ChannelSettings(), 200.0)
    clock.now += MAX_AGE
    assert not emoji.asks("C0001", "skull")
    assert created == [1]


def test_the_receiver_knows_which_channels_are_watched(account: Account) -> None:  # noqa: ARG001 - the table must exist
    table, clock = SettingsTable(dynamodb(), "claims"), Clock()
    index = ChannelIndex(dynamodb, "claims", clock)
    assert not index.watches("C0001")
    for at, own, watches in (
        (100.0, WATCHED, True),
        (200.0, replace(WATCHED, listens=False), False),
        (300.0, WATCHED, True),
        (400.0, ChannelSettings(), False),
    ):
        table.keep("C0001", own, at)
        clock.now += MAX_AGE
        assert index.watches("C0001") is watches
        assert not index.watches("C0002")


def test_if_nobody_knows_which_emoji_ask_no_reaction_is_lost(account: Account) -> None:  # noqa: ARG001 - moto must run
    index = ChannelIndex(dynamodb, "no-such-table")
    assert index.asks("C0001", "skull")
    assert index.watches("C0001")


def test_the_standalone_bot_looks_up_an_emoji_in_its_file(tmp_path: Path) -> None:
    settings = SQLiteChannelSettings(Database(tmp_path / "bot.sqlite"))
    settings.keep("C0001", SKULL, 100.0)
    assert settings.asks("C0001", "skull")
    assert not settings.asks("C0001", "tada")
    assert not settings.asks("C0002", "skull")
    settings.keep("C0002", WATCHED, 100.0)
    assert settings.watches("C0002")
    assert not settings.watches("C0001")


def test_settings_of_a_version_without_watching_are_read() -> None:
    stored = json.loads(SKULL.to_json())
    del stored["watch"]
    assert ChannelSettings.from_json(json.dumps(stored)) == SKULL


def test_the_worker_reads_a_channel_anew_when_what_it_knows_is_old(store: SettingsStore) -> None:
    clock = Clock()
    channels = ChannelSettingsCache(store, BotSettings.from_environment({}).subscription, clock)
    assert channels.settings("C0001") == ChannelSettings()
    store.keep("C0001", SKULL, 100.0)
    assert channels.settings("C0001") == ChannelSettings()
    clock.now += MAX_AGE
    assert channels.settings("C0001") == SKULL
    channels.keep("C0001", ChannelSettings(listens=False), 200.0)
    assert not channels.settings("C0001").listens


def test_with_the_gesture_switched_off_the_environment_alone_counts(store: SettingsStore) -> None:
    store.keep("C0001", ChannelSettings(listens=False), 100.0)
    gestures = ",".join(set(GestureName) - {GestureName.SETTINGS})
    subscription = BotSettings.from_environment({"GESTURES": gestures}).subscription
    assert ChannelSettingsCache(store, subscription).settings("C0001") == ChannelSettings()
    assert ChannelSettingsCache(store, subscription).stored(["C0001"]) == {}


def test_what_a_channel_sets_goes_before_the_environment_and_the_rest_does_not() -> None:
    defaults = BotSettings.from_environment(
        {"ANSWER": "ephemeral", "CHANNEL_ANSWERS": "C0001=thread", "REACTIONS": "eyes"}
    )
    assert ChannelSettings().apply(defaults) == defaults
    applied = SKULL.apply(defaults)
    assert applied.answer_in("C0001") is AnswerMode.NUDGE
    assert applied.subscription.reactions == {"skull"}
    assert applied.subscription.gestures == defaults.subscription.gestures


def test_who_hears_of_urgent_messages_is_set_as_a_whole() -> None:
    defaults = BotSettings.from_environment({"URGENT": "C0SAFE,U0001", "HELP_LINES": "on"})
    care = ChannelSettings(urgent=Urgent("C0OWN")).apply(defaults).care
    assert (care.channel, care.people, care.offers_help) == ("C0OWN", (), True)
    assert ChannelSettings().apply(defaults).care == defaults.care


def test_a_limit_is_a_number_or_a_threshold_of_the_model() -> None:
    thresholds = {OperatingPoint.BALANCED: 0.5, OperatingPoint.CAUTIOUS: 0.8}
    assert SKULL.score_threshold(thresholds) == 0.3
    assert ChannelSettings(threshold=OperatingPoint.CAUTIOUS).score_threshold(thresholds) == 0.8
    assert ChannelSettings().score_threshold(thresholds) is None


def test_the_receiver_creates_no_client_for_the_table_before_it_needs_one(
    receiver: ModuleType,
) -> None:
    assert "_client" not in vars(receiver.index)
    assert receiver.index.asks("C0001", "skull") is False
    assert "_client" in vars(receiver.index)
