"""The weekly digest, from the claim table into a local Slack."""

from __future__ import annotations

from types import ModuleType

import pytest

from simulators.slack.faults import Fault
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.workspace import Channel, Message, Workspace
from tests.aws_account import BOT_TOKEN, Account, SlackServer, claim_table, cold_start
from toxic_bot.slack.retry import InProgressError, OutcomeUnknownError, TryAgainError
from toxic_bot.slack.web_api.remedies import SlackRefusedError

MODERATORS = "C0MODS"


class Context:
    """Lambda's context, with some seconds left."""

    def __init__(self, seconds: float = 60.0) -> None:
        self._seconds = seconds

    def get_remaining_time_in_millis(self) -> int:
        return round(self._seconds * 1e3)


class Function:
    """The digest's function, in a new environment for every invocation."""

    def __init__(self, api: WebApi) -> None:
        self.api = api

    def invoke(self, time: str = "", seconds: float = 60.0) -> None:
        module: ModuleType = cold_start("handler.digest")
        module.handler({"time": time} if time else {}, Context(seconds))

    def digests(self) -> list[Message]:
        return self.api.workspace.messages(MODERATORS)


def let_claims_lapse() -> None:
    table = claim_table()
    for item in table.scan()["Items"]:
        table.put_item(Item=item | {"in_progress_expiration": 1})


@pytest.fixture
def function(
    account: Account,  # noqa: ARG001 - it must exist first
    slack_server: SlackServer,
    monkeypatch: pytest.MonkeyPatch,
) -> Function:
    workspace = Workspace()
    workspace.add_channel(Channel(MODERATORS, "moderators", members={workspace.bot.id}))
    api = WebApi(workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
    slack_server.serve(application(api, "U0001"))
    monkeypatch.setenv("MODERATORS", MODERATORS)
    monkeypatch.setenv("SLACK_API_URL", f"{slack_server.address}/api/")
    return Function(api)


@pytest.mark.slow
def test_a_week_has_one_digest_however_often_the_schedule_fires(function: Function) -> None:
    for moment in ("2026-11-23T08:00:00Z", "2026-11-23T08:00:00Z", "2026-11-29T23:59:59Z"):
        function.invoke(moment)
    assert len(function.digests()) == 1
    function.invoke("2026-11-30T08:00:00Z")
    assert len(function.digests()) == 2


def test_a_try_over_midnight_belongs_to_the_week_it_was_scheduled_for(function: Function) -> None:
    function.invoke("2026-11-29T23:59:00Z")
    assert "22 November to 28 November" in str(function.digests()[0].blocks)


def test_without_a_channel_nothing_happens(
    function: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODERATORS", "")
    function.invoke()
    assert function.api.calls == []


def test_a_digest_whose_response_was_lost_is_found_and_not_posted_again(function: Function) -> None:
    function.api.faults.add("chat.postMessage", Fault(cut=True))
    with pytest.raises(OutcomeUnknownError):
        function.invoke()
    # While the claim is kept, nobody posts.
    with pytest.raises(InProgressError):
        function.invoke()
    let_claims_lapse()
    function.invoke()
    assert len(function.digests()) == 1


def test_a_digest_that_slack_did_not_take_is_posted_by_the_next_try(function: Function) -> None:
    function.api.faults.add("chat.postMessage", Fault(error="ratelimited", status=429))
    with pytest.raises(TryAgainError):
        function.invoke()
    function.invoke()
    assert len(function.digests()) == 1


def test_a_channel_without_the_bot_is_an_error_with_a_remedy(function: Function) -> None:
    function.api.workspace.channels[MODERATORS].members.clear()
    with pytest.raises(SlackRefusedError, match="invite the bot to the channel"):
        function.invoke()
