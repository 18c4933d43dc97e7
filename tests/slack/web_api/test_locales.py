"""Each person is answered in private in their own language, and Slack is asked once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from simulators.asgi import Server
from simulators.samples import NOOR, RAE, SAM, TOMAS, VIEWER, create_workspace
from simulators.slack.faults import Fault
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from toxic_bot.slack.i18n.english import ENGLISH
from toxic_bot.slack.i18n.german import GERMAN
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.web_api import locales
from toxic_bot.slack.web_api.client import BOT_SCOPES, SlackClient
from toxic_bot.slack.web_api.locales import Locales

TOKEN = "xoxb-local"


@pytest.fixture
def web_api() -> WebApi:
    workspace = create_workspace(locale="de-DE")
    for user, locale in ((SAM, "en-GB"), (NOOR, "pl-PL"), (TOMAS, "")):
        workspace.add_person(replace(workspace.people[user], locale=locale))
    return WebApi(workspace, {TOKEN: Grant()}, NO_LIMITS)


@pytest.fixture
def slack(web_api: WebApi) -> Iterator[SlackClient]:
    server = Server(application(web_api, VIEWER))
    server.start()
    yield SlackClient(lambda *, fresh: TOKEN, f"{server.address}/api/")  # noqa: ARG005 - it never changes
    server.stop()


def asked(web_api: WebApi) -> int:
    return sum(call.method == "users.info" for call in web_api.calls)


def test_each_person_reads_their_own_language_and_is_asked_about_once(
    slack: SlackClient, web_api: WebApi
) -> None:
    known = Locales(slack, Language.ENGLISH)
    known.expect(VIEWER)
    for _ in range(3):
        assert known.texts(VIEWER) is GERMAN
        assert known.texts(SAM) is ENGLISH
    assert asked(web_api) == 2


@pytest.mark.parametrize("user", [NOOR, TOMAS])
def test_a_language_that_the_bot_does_not_speak_is_that_of_the_workspace(
    slack: SlackClient, user: str
) -> None:
    assert Locales(slack, Language.ENGLISH).texts(user) is ENGLISH
    assert Locales(slack, Language.GERMAN).texts(user) is GERMAN


@pytest.mark.parametrize(
    "fault",
    [
        Fault(error="user_not_found"),
        Fault(error="internal_error"),
        Fault(error="ratelimited", status=429, retry_after=30),
        Fault(content="<html>"),
        Fault(content='{"ok": true, "user": {"locale": 7}}'),
    ],
)
def test_a_failure_means_the_language_of_the_workspace_and_no_second_call(
    slack: SlackClient, web_api: WebApi, fault: Fault
) -> None:
    web_api.faults.add("users.info", fault)
    known = Locales(slack, Language.ENGLISH)
    assert known.texts(VIEWER) is ENGLISH
    assert known.texts(VIEWER) is ENGLISH
    assert asked(web_api) == 1


def test_without_the_scope_everybody_reads_the_language_of_the_workspace(
    slack: SlackClient, web_api: WebApi
) -> None:
    web_api.grants[TOKEN] = Grant(BOT_SCOPES - {"users:read"})
    assert Locales(slack, Language.ENGLISH).texts(VIEWER) is ENGLISH


def test_nobody_waits_for_a_slow_answer(
    slack: SlackClient, web_api: WebApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locales, "PATIENCE", 0.05)
    web_api.faults.add("users.info", Fault(delay=0.5))
    assert Locales(slack, Language.ENGLISH).texts(VIEWER) is ENGLISH


def test_no_more_people_are_remembered_than_there_is_room_for(
    slack: SlackClient, web_api: WebApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locales, "MAX_PEOPLE", 2)
    known = Locales(slack, Language.ENGLISH)
    for user in (VIEWER, SAM, RAE, VIEWER):
        known.texts(user)
    assert asked(web_api) == 4
    assert known.texts(VIEWER) is GERMAN
