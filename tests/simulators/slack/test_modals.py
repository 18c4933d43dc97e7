"""Modals of the local Slack, and who somebody is, through slack_sdk."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from simulators.asgi import Server
from simulators.samples import CHANNEL, RAE, SAM, VIEWER, create_workspace
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.workspace import TEAM
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.channels.settings_modal import settings_modal
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.web_api.client import BOT_SCOPES, SlackClient
from toxic_bot.slack.web_api.remedies import SlackRefusedError

TOKEN = "xoxb-local"
VIEW = settings_modal(
    ChannelSettings(), BotSettings.from_environment({}), CHANNEL, Language.ENGLISH
)


@pytest.fixture
def web_api() -> WebApi:
    return WebApi(create_workspace(), {TOKEN: Grant()}, NO_LIMITS)


@pytest.fixture
def address(web_api: WebApi) -> Any:
    server = Server(application(web_api, VIEWER))
    server.start()
    yield f"{server.address}/api/"
    server.stop()


@pytest.fixture
def slack(address: str) -> SlackClient:
    """The client that the worker uses."""
    return SlackClient(lambda *, fresh: TOKEN, address)  # noqa: ARG005 - it never changes


def test_a_trigger_opens_one_modal_for_the_person_who_made_the_gesture(
    slack: SlackClient, web_api: WebApi
) -> None:
    trigger = web_api.modals.new_trigger(SAM)
    slack.open_modal(trigger, VIEW)
    opened = web_api.modals.of(SAM)
    assert opened is not None
    assert opened["private_metadata"] == f"{CHANNEL} en"
    assert web_api.modals.of(VIEWER) is None
    with pytest.raises(SlackRefusedError, match="exchanged_trigger_id"):
        slack.open_modal(trigger, VIEW)


def test_a_trigger_is_good_for_three_seconds(slack: SlackClient, web_api: WebApi) -> None:
    trigger = web_api.modals.new_trigger(SAM)
    web_api.modals.expire_triggers()
    with pytest.raises(SlackRefusedError, match="expired_trigger_id"):
        slack.open_modal(trigger, VIEW)
    with pytest.raises(SlackRefusedError, match="invalid_trigger_id"):
        slack.open_modal("1.2.made-up", VIEW)


@pytest.mark.parametrize(
    "changed",
    [
        {"type": "home"},
        {"title": {"type": "plain_text", "text": "a title of more than 24 characters"}},
        {"submit": None},
        {"blocks": [{**VIEW["blocks"][1], "element": {"type": "carousel", "action_id": "value"}}]},
    ],
)
def test_a_modal_that_slack_would_refuse_is_refused(
    address: str, web_api: WebApi, changed: dict[str, Any]
) -> None:
    client = WebClient(TOKEN, base_url=address, retry_handlers=[])
    with pytest.raises(SlackApiError):
        client.views_open(trigger_id=web_api.modals.new_trigger(SAM), view=VIEW | changed)
    assert web_api.modals.of(SAM) is None


def test_admins_are_told_apart_from_members(
    slack: SlackClient,
) -> None:
    assert slack.is_admin(VIEWER)
    assert not slack.is_admin(RAE)
    with pytest.raises(SlackRefusedError, match="user_not_found"):
        slack.is_admin("U0NOBODY")


def test_who_somebody_is_needs_its_scope(slack: SlackClient, web_api: WebApi) -> None:
    web_api.grants[TOKEN] = Grant(BOT_SCOPES - {"users:read"})
    with pytest.raises(SlackRefusedError, match="missing_scope"):
        slack.is_admin(VIEWER)


@pytest.mark.parametrize(("creator", "known"), [(SAM, SAM), ("", ""), ("<!channel>", "")])
def test_the_creator_of_a_channel_is_known_if_slack_says_so(
    slack: SlackClient, web_api: WebApi, creator: str, known: str
) -> None:
    web_api.workspace.channels[CHANNEL].creator = creator
    assert slack.creator(CHANNEL) == known


def test_an_odd_answer_about_a_person_gives_no_rights(slack: SlackClient, web_api: WebApi) -> None:
    web_api._methods["users.info"] = lambda *_: {"user": []}
    with pytest.raises(TryAgainError):
        slack.is_admin(VIEWER)
    web_api._methods["users.info"] = lambda *_: {"user": {"is_admin": "yes", "team_id": TEAM}}
    assert not slack.is_admin(VIEWER)
