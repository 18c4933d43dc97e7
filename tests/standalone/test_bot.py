"""The standalone bot, over the local Slack's own Socket Mode."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from handler.settings import SettingsError
from handler.slack.events import Reaction
from local.samples import CHANNEL, NOOR, RAE, SAM, VIEWER
from local.slack.faults import Fault
from standalone.bot import Bot, SlackConnectionError
from standalone.database import Database
from standalone.settings import StandaloneSettings
from tests.socket_mode import TOKENS, SocketModeSlack, wait_for

EMOJI = "biohazard_sign"
INSULT = "You are a pathetic idiot and everybody here hates you."

settings = StandaloneSettings.from_environment


@pytest.fixture
def start(slack: SocketModeSlack, model_folder: Path, tmp_path: Path) -> Callable[[], Bot]:
    def started() -> Bot:
        path = tmp_path / "claims.sqlite"
        bot = Bot(settings(slack.environment), model_folder, path).start()
        wait_for(lambda: slack.socket_mode.connected)
        return bot

    return started


def test_a_reaction_becomes_one_verdict(slack: SocketModeSlack, start: Callable[[], Bot]) -> None:
    with start():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        slack.workspace.react(CHANNEL, message.ts, SAM, "thumbsup")
        wait_for(lambda: bool(slack.answers(message)))
        time.sleep(0.5)
        [answer] = slack.answers(message)
        assert "reads as toxic" in answer.text


def test_several_people_get_one_verdict_and_an_edit_another(
    slack: SocketModeSlack, start: Callable[[], Bot]
) -> None:
    with start():
        message = slack.workspace.post(CHANNEL, RAE, "Thanks, that was a great help!")
        for user in (VIEWER, SAM, NOOR):
            slack.workspace.react(CHANNEL, message.ts, user, EMOJI)
        wait_for(lambda: bool(slack.answers(message)))
        slack.workspace.edit(CHANNEL, message.ts, INSULT)
        slack.workspace.react(CHANNEL, message.ts, RAE, EMOJI)
        wait_for(lambda: len(slack.answers(message)) == 2)
        assert "reads as toxic" in slack.answers(message)[1].text


def test_a_fault_of_slacks_is_tried_again(slack: SocketModeSlack, start: Callable[[], Bot]) -> None:
    limited = Fault(error="ratelimited", status=429, retry_after=1)
    slack.web_api.faults.add("chat.postMessage", limited)
    with start():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: len(slack.answers(message)) == 1)


def test_what_waits_is_answered_after_a_restart(
    slack: SocketModeSlack, start: Callable[[], Bot], tmp_path: Path
) -> None:
    message = slack.workspace.post(CHANNEL, RAE, INSULT)
    database = Database(tmp_path / "claims.sqlite")
    database.enqueue(
        Reaction("Ev1", "1766000000.000200", "T1", CHANNEL, message.ts, VIEWER, RAE, EMOJI)
    )
    database.close()
    with start():
        wait_for(lambda: len(slack.answers(message)) == 1)


def test_an_answered_message_stays_answered_after_a_restart(
    slack: SocketModeSlack, start: Callable[[], Bot]
) -> None:
    message = slack.workspace.post(CHANNEL, RAE, INSULT)
    with start():
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: len(slack.answers(message)) == 1)
    wait_for(lambda: not slack.socket_mode.connected)
    calls = len(slack.web_api.calls)
    with start():
        slack.workspace.react(CHANNEL, message.ts, SAM, EMOJI)
        wait_for(lambda: len(slack.web_api.calls) > calls + 1)
        time.sleep(3)
        assert len(slack.answers(message)) == 1


def test_the_bot_connects_again_when_slack_asks_for_it(
    slack: SocketModeSlack, start: Callable[[], Bot]
) -> None:
    with start():
        slack.socket_mode.refresh()
        wait_for(lambda: sum(c.method == "apps.connections.open" for c in slack.web_api.calls) == 2)
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        wait_for(lambda: slack.socket_mode.connected)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: len(slack.answers(message)) == 1)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"SLACK_APP_TOKEN": ""}, "SLACK_APP_TOKEN"),
        ({"SLACK_BOT_TOKEN": "xapp-1"}, "SLACK_BOT_TOKEN"),
        ({"ANSWER": "shout"}, "ANSWER"),
        ({"REACTIONS": ":skull:"}, "REACTIONS"),
    ],
)
def test_a_bad_variable_is_named(changed: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        settings(TOKENS | changed)


def test_an_app_token_that_slack_refuses_is_told(
    slack: SocketModeSlack, model_folder: Path, tmp_path: Path
) -> None:
    environment = slack.environment | {"SLACK_APP_TOKEN": "xapp-1-other"}
    bot = Bot(settings(environment), model_folder, tmp_path / "claims.sqlite")
    with pytest.raises(SlackConnectionError, match="invalid_auth"):
        bot.start()


def test_tokens_are_not_shown() -> None:
    shown = repr(settings(TOKENS))
    assert "xapp-" not in shown
    assert "xoxb-" not in shown
