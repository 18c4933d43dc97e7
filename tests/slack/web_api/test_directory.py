"""Who belongs to the bot's own workspace, and who only shares a channel with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from simulators.slack.workspace import TEAM, Channel, Person
from tests.slack.web_api.test_client import LocalSlack, local_slack
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.channels.settings_cache import ChannelSettingsCache
from toxic_bot.slack.channels.settings_handler import ChannelSettingsHandler
from toxic_bot.slack.gestures.settings_gestures import SettingsChange
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.web_api.locales import Locales

__all__ = ["local_slack"]

ORGANIZATION = "E0THEORG"
ADMIN: dict[str, Any] = {"is_admin": True, "is_owner": False}
IN_ORGANIZATION = {"team_id": ORGANIZATION, "enterprise_user": {"enterprise_id": ORGANIZATION}}


def within(*teams: str, organization: str = ORGANIZATION) -> dict[str, Any]:
    """Return a member of some workspaces of an organization, as users.info shows them."""
    membership = {"enterprise_id": organization, "teams": list(teams)}
    return {"team_id": organization, "enterprise_user": membership}


HOME = [
    pytest.param({"team_id": TEAM}, id="the workspace"),
    pytest.param(within("T0OTHER", TEAM), id="a workspace of the organization"),
]
ABROAD = [
    pytest.param({"team_id": "T0OTHER"}, id="another company in a shared channel"),
    pytest.param({"team_id": TEAM, "is_stranger": True}, id="a stranger"),
    pytest.param(within("T0OTHER"), id="another workspace of the organization"),
    pytest.param(within(TEAM, organization="E0OTHER"), id="another organization"),
    pytest.param({"team_id": "E0OTHER", "enterprise_user": {"teams": TEAM}}, id="odd teams"),
    pytest.param({}, id="nowhere"),
]


def describe(local_slack: LocalSlack, person: dict[str, Any]) -> None:
    """Let Slack describe everybody in some way, in an organization."""
    known = local_slack.api._methods["auth.test"]
    local_slack.api._methods["auth.test"] = lambda grant, arguments: {
        **known(grant, arguments),
        "enterprise_id": ORGANIZATION,
    }
    local_slack.api._methods["users.info"] = lambda *_: {"user": person}


@pytest.mark.parametrize("person", HOME)
def test_an_admin_of_the_bots_own_workspace_is_one(
    local_slack: LocalSlack, person: dict[str, Any]
) -> None:
    describe(local_slack, ADMIN | person)
    assert local_slack.client.is_admin("U0ASKS")


@pytest.mark.parametrize("person", ABROAD)
def test_an_admin_of_another_workspace_is_none(
    local_slack: LocalSlack, person: dict[str, Any]
) -> None:
    describe(local_slack, ADMIN | person)
    assert not local_slack.client.is_admin("U0ASKS")
    assert not local_slack.client.is_member("U0ASKS")


class Settings(dict[str, ChannelSettings]):
    """Settings of channels, in memory."""

    def read(self, channels: Sequence[str]) -> dict[str, ChannelSettings]:
        return {channel: self[channel] for channel in channels if channel in self}

    def keep(self, channel: str, settings: ChannelSettings, changed_at: float) -> None:  # noqa: ARG002 - nobody else changes them
        self[channel] = settings


@pytest.mark.parametrize("team", [TEAM, "T0OTHER"])
@pytest.mark.parametrize(
    ("person", "allowed"), [(HOME[0].values[0], True), *((one.values[0], False) for one in ABROAD)]
)
def test_only_people_of_the_bots_own_workspace_change_a_shared_channel_whatever_the_event_says(
    local_slack: LocalSlack, person: dict[str, Any], allowed: bool, team: str
) -> None:
    stranger = local_slack.workspace.add_person(Person("U0STRANGE", "somebody"))
    members = {stranger.id, local_slack.workspace.bot.id}
    # Even whoever has created the channel may be of the other company.
    channel = Channel("C0SHARED", "shared", members=members, creator=stranger.id)
    local_slack.workspace.add_channel(channel)
    describe(local_slack, person)
    stored = Settings()
    settings = BotSettings.from_environment({})
    handler = ChannelSettingsHandler(
        local_slack.client,
        ChannelSettingsCache(stored, settings.subscription),
        Locales(local_slack.client, settings.wording.language),
        settings,
    )
    wanted = ChannelSettings(listens=False)
    handler.change(
        SettingsChange(
            event_id="V1",
            event_ts="1766000000.000100",
            team=team,
            user=stranger.id,
            channel=channel.id,
            settings=wanted.to_json(),
        )
    )
    assert (stored.get(channel.id) == wanted) is allowed
