"""The standalone bot, connected to a local Slack over Socket Mode."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from simulators.samples import CHANNEL, NOOR, RAE, SAFETY, SAM, VIEWER, add_safety
from simulators.slack.faults import Fault
from simulators.slack.workspace import Channel, Message
from tests.end_to_end.entering import entered
from tests.socket_mode import TOKENS, SocketModeSlack, socket_transport, wait_for
from tests.standalone.moderating import CANARY, add_moderators, follow_a_case, places
from toxic_bot.judge.errors import ModelError
from toxic_bot.slack.composition import compose
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.requests.interactions import COMMAND, REPORT, SETTINGS, SHORTCUT
from toxic_bot.slack.requests.settings_form import OPEN_ACTION
from toxic_bot.slack.settings import SettingsError
from toxic_bot.standalone import dispatcher, sqlite_store
from toxic_bot.standalone.bot import Bot
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.dispatcher import THREADS
from toxic_bot.standalone.gesture_queue import GestureQueue
from toxic_bot.standalone.settings import StandaloneSettings, read_app_token
from toxic_bot.standalone.socket_address import SlackConnectionError

EMOJI = "biohazard_sign"
INSULT = "You are a pathetic idiot and everybody here hates you."

read_settings = StandaloneSettings.from_environment


def socket_bot(environment: Mapping[str, str], model: Path, path: Path) -> Bot:
    return Bot(read_settings(environment), model, path, socket_transport(environment))


@pytest.fixture
def start_bot(slack: SocketModeSlack, model_folder: Path, tmp_path: Path) -> Callable[[], Bot]:
    def start() -> Bot:
        path = tmp_path / "claims.sqlite"
        bot = socket_bot(slack.environment, model_folder, path).start()
        wait_for(lambda: slack.socket_mode.connected)
        return bot

    return start


@pytest.mark.slow
def test_a_reaction_gets_exactly_one_verdict(
    slack: SocketModeSlack, start_bot: Callable[[], Bot]
) -> None:
    with start_bot():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        slack.workspace.react(CHANNEL, message.ts, SAM, "thumbsup")
        wait_for(lambda: bool(slack.answers(message)))
        time.sleep(0.5)
        [answer] = slack.answers(message)
        assert "reads as toxic" in answer.text


@pytest.mark.slow
def test_no_answer_waits_until_the_file_is_tidied(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatcher, "POLL_INTERVAL", 60.0)
    erased: list[GestureQueue] = []
    with start_bot():
        monkeypatch.setattr(GestureQueue, "erase_traces", lambda queue: erased.append(queue))
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: bool(slack.answers(message)))
        assert erased == []


@pytest.mark.slow
def test_the_bot_is_composed_once_whatever_is_answered(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    routers = []

    def composed(*parts: Any) -> GestureRouter:
        routers.append(compose(*parts))
        return routers[-1]

    monkeypatch.setattr("toxic_bot.standalone.bot.compose", composed)
    with start_bot():
        messages = [slack.workspace.post(CHANNEL, RAE, INSULT) for _ in range(2)]
        for message in messages:
            slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: all(slack.answers(message) for message in messages))
    assert len(routers) == 1


@pytest.mark.slow
def test_preload_loads_every_model_at_the_start(
    slack: SocketModeSlack, folder_with_damaged_languages: Path, tmp_path: Path
) -> None:
    make = partial(socket_bot, model=folder_with_damaged_languages, path=tmp_path / "claims.sqlite")
    with make(slack.environment).start():
        pass
    with pytest.raises(ModelError, match="multilingual"):
        make(slack.environment | {"PRELOAD": "on"})


@pytest.mark.slow
def test_reactions_are_answered_while_others_wait_for_slack(
    slack: SocketModeSlack, start_bot: Callable[[], Bot]
) -> None:
    # Slack responds to none of them before it has been asked about all of them.
    together = threading.Barrier(THREADS)
    asked = Fault(before=lambda: together.wait(60))
    slack.web_api.faults.add("conversations.replies", asked, times=THREADS)
    with start_bot():
        messages = [slack.workspace.post(CHANNEL, RAE, INSULT) for _ in range(THREADS)]
        for message in messages:
            slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: all(slack.answers(message) for message in messages))
    assert not together.broken
    assert [len(slack.answers(message)) for message in messages] == [1] * THREADS


@pytest.mark.long
@pytest.mark.slow
def test_thousands_of_events_at_once_are_all_queued(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], tmp_path: Path
) -> None:
    slack.socket_mode._timeout = 300.0  # on a slow machine, too, each is sent once
    answering = threading.Event()
    held = Fault(before=lambda: answering.wait(300))
    slack.web_api.faults.add("conversations.replies", held, times=THREADS)
    messages = [slack.workspace.post(CHANNEL, RAE, INSULT) for _ in range(2000)]
    with start_bot():
        try:
            for message in messages:
                slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
            wait_for(lambda: queued(tmp_path) == len(messages), timeout=240)
        finally:
            answering.set()


@pytest.mark.slow
def test_an_event_that_arrives_while_the_connection_breaks_is_delivered_again(
    slack: SocketModeSlack, start_bot: Callable[[], Bot]
) -> None:
    with start_bot():
        for _ in range(5):
            message = slack.workspace.post(CHANNEL, RAE, INSULT)
            slack.socket_mode.drop()
            slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
            wait_for(partial(is_answered_once, slack, message))
    opened = sum(call.method == "apps.connections.open" for call in slack.web_api.calls)
    assert opened == 6


@pytest.mark.slow
def test_a_file_that_fails_for_a_while_loses_and_doubles_nothing(
    slack: SocketModeSlack,
    start_bot: Callable[[], Bot],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(dispatcher, "FILE_PAUSE", 0.2)
    monkeypatch.setattr(dispatcher, "GESTURE_TIMEOUT", 6.0)
    monkeypatch.setattr(sqlite_store, "MIN_LEASE", 6.0)
    locked: list[sqlite3.Connection] = []

    def lock() -> None:
        path = tmp_path / "claims.sqlite"
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        locked.append(other)

    with start_bot() as bot:
        bot._database._writer.execute("PRAGMA busy_timeout = 50")
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.web_api.faults.add("chat.postMessage", Fault(after=lock))
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: bool(locked))
        time.sleep(1.5)
        locked[0].close()
        wait_for(lambda: queued(tmp_path) == 0)
        assert len(slack.answers(message)) == 1


def is_answered_once(slack: SocketModeSlack, message: Message) -> bool:
    return len(slack.answers(message)) == 1


def queued(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "claims.sqlite")) as connection:
        [[count]] = connection.execute("SELECT COUNT(*) FROM gesture").fetchall()
    return int(count)


@pytest.mark.slow
def test_several_reactions_get_one_verdict_and_an_edit_gets_another(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], tmp_path: Path
) -> None:
    with start_bot():
        message = slack.workspace.post(CHANNEL, RAE, "Thanks, that was a great help!")
        for user in (VIEWER, SAM, NOOR):
            slack.workspace.react(CHANNEL, message.ts, user, EMOJI)
        wait_for(lambda: bool(slack.answers(message)))
        slack.workspace.edit(CHANNEL, message.ts, INSULT)
        slack.workspace.react(CHANNEL, message.ts, RAE, EMOJI)
        wait_for(lambda: "This message reads as toxic" in slack.answers(message)[-1].text)
        wait_for(lambda: queued(tmp_path) == 0)
        # Whichever came first, the edit or the reaction: one answer is about the new version.
        *outdated, last = slack.answers(message)
        assert "This message reads as toxic" in last.text
        assert all("earlier version" in one.text for one in outdated)


@pytest.mark.slow
def test_an_edit_replaces_the_answer_and_a_deletion_takes_it_back(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], tmp_path: Path
) -> None:
    with start_bot():
        unasked = slack.workspace.post(CHANNEL, RAE, INSULT)
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: bool(slack.answers(message)))
        for one in (unasked, message):
            slack.workspace.edit(CHANNEL, one.ts, "Thanks, that was a great help!")
        wait_for(lambda: "does not read as toxic" in slack.answers(message)[0].text)
        assert slack.answers(unasked) == []
        assert len(slack.answers(message)) == 1
        for one in (unasked, message):
            slack.workspace.delete(CHANNEL, one.ts)
        wait_for(lambda: slack.answers(message) == [])
        wait_for(lambda: queued(tmp_path) == 0)


@pytest.mark.slow
def test_a_watched_channel_is_judged_without_anybody_asking_and_keeps_no_text(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], tmp_path: Path
) -> None:
    limited = Fault(error="ratelimited", status=429, retry_after=2)
    with start_bot():
        watch_channel(slack, "thread")
        slack.web_api.faults.add("chat.postMessage", limited)
        fine = slack.workspace.post(CHANNEL, SAM, "Thanks, that was a great help!")
        message = slack.workspace.post(CHANNEL, RAE, f"{INSULT} zeppelinkanarie")
        # It waits for Slack, and its text is gone already.
        wait_for(lambda: "judged_message" in bodies(tmp_path))
        assert "zeppelinkanarie" not in bodies(tmp_path)
        wait_for(lambda: bool(slack.answers(message)))
        slack.workspace.edit(CHANNEL, message.ts, "Thanks, that was a great help!")
        wait_for(lambda: "does not read as toxic" in slack.answers(message)[0].text)
        wait_for(lambda: queued(tmp_path) == 0)
        assert slack.answers(fine) == []
        assert len(slack.answers(message)) == 1
    for path in tmp_path.glob("claims.sqlite*"):
        assert b"zeppelinkanarie" not in path.read_bytes()


@pytest.mark.slow
def test_urgent_messages_are_told_over_socket_mode_and_need_is_met_in_private(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], tmp_path: Path
) -> None:
    slack.environment |= {"URGENT": f"{SAFETY},{NOOR}", "HELP_LINES": "on"}
    add_safety(slack.workspace)
    with start_bot():
        watch_channel(slack, "note")
        slack.workspace.post(CHANNEL, SAM, "I will find you and break your legs.")
        need = slack.workspace.post(CHANNEL, RAE, "I want to disappear. zeppelinkanarie")
        wait_for(lambda: len(slack.workspace.messages(SAFETY)) == 2)
        wait_for(lambda: bool(shown_to(slack, RAE)))
        wait_for(lambda: queued(tmp_path) == 0)
        notes = json.dumps([one.blocks for one in slack.workspace.messages(SAFETY)])
        assert "reads as toxic: a threat" in notes
        assert "may need help" in notes
        assert f"<@{NOOR}>: please take a look now." in notes
        [helped] = shown_to(slack, RAE)
        assert "findahelpline.com" in json.dumps(helped.blocks)
        assert slack.answers(need) == []
    for path in tmp_path.glob("claims.sqlite*"):
        assert b"zeppelinkanarie" not in path.read_bytes()


@pytest.mark.slow
def test_the_lists_of_a_channel_are_tried_and_kept_over_socket_mode(
    slack: SocketModeSlack, start_bot: Callable[[], Bot]
) -> None:
    lists = {"always": {"value": "teapot*"}, "never": {"value": "pathetic idiot*"}}
    with start_bot():
        open_settings(slack)
        tried = slack.interactivity.submit_view(
            VIEWER, entered(sample={"value": "You pathetic idiot, a teapot!"}, **lists)
        )
        assert tried.result() == {}
        shown = json.dumps(slack.interactivity.modals.of(VIEWER), ensure_ascii=False)
        assert "Ignored: “pathetic idiot”." in shown
        assert "Always flagged: “teapot”." in shown
        watch_channel(slack, "thread", **lists)
    wait_for(lambda: not slack.socket_mode.connected)
    with start_bot():
        listed = slack.workspace.post(CHANNEL, RAE, "A teapot.")
        spared = slack.workspace.post(CHANNEL, RAE, "You pathetic idiots.")
        wait_for(lambda: bool(slack.answers(listed)))
        assert "always flagged in this channel" in slack.answers(listed)[0].text
        time.sleep(0.5)
        assert slack.answers(spared) == []


@pytest.mark.slow
def test_a_report_reaches_the_moderators_over_socket_mode_and_leaves_no_word(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], tmp_path: Path
) -> None:
    moderators = "C0MODS"
    slack.workspace.add_channel(Channel(moderators, "moderators", members={slack.workspace.bot.id}))
    slack.environment["MODERATORS"] = moderators
    with start_bot():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.interactivity.choose_shortcut(CHANNEL, message.ts, SAM, REPORT)
        wait_for(lambda: slack.interactivity.modals.of(SAM) is not None)
        values: dict[str, dict[str, dict[str, Any]]] = {
            "reason": {"value": {"selected_option": {"value": "insult"}}},
            "word": {"value": {"value": "zeppelinkanarie"}},
            "name": {"value": {"selected_option": {"value": "anonymous"}}},
        }
        assert slack.interactivity.submit_view(SAM, values).result() == {}
        thanks = slack.interactivity.modals.of(SAM)
        assert "on its way to the moderators" in json.dumps(thanks)
        wait_for(lambda: bool(slack.workspace.messages(moderators)))
        wait_for(lambda: queued(tmp_path) == 0)
    # The digest of last week is there, too.
    posts = [(one.metadata or {}, one) for one in slack.workspace.messages(moderators)]
    [report] = [one for metadata, one in posts if metadata.get("event_type") == "toxic_report"]
    assert "zeppelinkanarie" in json.dumps(report.blocks)
    assert SAM not in json.dumps(report.blocks)
    for path in tmp_path.glob("claims.sqlite*"):
        assert b"zeppelinkanarie" not in path.read_bytes()


@pytest.mark.slow
def test_a_case_is_followed_from_report_to_outcome_over_socket_mode_and_no_text_is_kept(
    slack: SocketModeSlack,
    start_bot: Callable[[], Bot],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    add_moderators(slack)
    with start_bot():
        follow_a_case(slack, tmp_path / "claims.sqlite")
    assert places(tmp_path) == []
    assert CANARY not in caplog.text
    # It was searched where something is.
    assert "acted on a case" in caplog.text


def bodies(folder: Path) -> str:
    with closing(sqlite3.connect(folder / "claims.sqlite")) as connection:
        return str(connection.execute("SELECT body FROM gesture").fetchall())


def open_settings(slack: SocketModeSlack) -> None:
    """Open the form, as an admin does."""
    since = len(shown_to(slack, VIEWER))
    slack.interactivity.modals.close(VIEWER)
    slack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, SETTINGS)
    wait_for(lambda: len(shown_to(slack, VIEWER)) > since)
    slack.interactivity.click(CHANNEL, shown_to(slack, VIEWER)[-1].ts, VIEWER, OPEN_ACTION)
    wait_for(lambda: slack.interactivity.modals.of(VIEWER) is not None)


def watch_channel(slack: SocketModeSlack, action: str, **more: dict[str, Any]) -> None:
    """Have the channel watched, as an admin does."""
    open_settings(slack)
    since = len(shown_to(slack, VIEWER))
    values = entered(watch={"selected_option": {"value": action}}, **more)
    assert slack.interactivity.submit_view(VIEWER, values).result() == {}
    wait_for(lambda: len(shown_to(slack, VIEWER)) > since)


@pytest.mark.slow
def test_a_rate_limited_answer_is_retried(
    slack: SocketModeSlack, start_bot: Callable[[], Bot]
) -> None:
    limited = Fault(error="ratelimited", status=429, retry_after=1)
    slack.web_api.faults.add("chat.postMessage", limited)
    with start_bot():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: len(slack.answers(message)) == 1)


@pytest.mark.slow
def test_a_queued_reaction_is_answered_after_a_restart(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], tmp_path: Path
) -> None:
    message = slack.workspace.post(CHANNEL, RAE, INSULT)
    database = Database(tmp_path / "claims.sqlite")
    GestureQueue(database).put(
        Reaction("Ev1", "1766000000.000200", "T1", VIEWER, CHANNEL, message.ts, RAE, EMOJI)
    )
    database.close()
    with start_bot():
        wait_for(lambda: len(slack.answers(message)) == 1)


@pytest.mark.slow
def test_an_answered_message_is_not_answered_again_after_a_restart(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], tmp_path: Path
) -> None:
    message = slack.workspace.post(CHANNEL, RAE, INSULT)
    with start_bot():
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: len(slack.answers(message)) == 1)
    wait_for(lambda: not slack.socket_mode.connected)
    calls = len(slack.web_api.calls)
    with start_bot():
        slack.workspace.react(CHANNEL, message.ts, SAM, EMOJI)
        wait_for(lambda: len(slack.web_api.calls) > calls + 1)
        wait_for(lambda: queued(tmp_path) == 0)
        assert len(slack.answers(message)) == 1


@pytest.mark.slow
def test_the_bot_reconnects_when_slack_asks_for_it(
    slack: SocketModeSlack, start_bot: Callable[[], Bot]
) -> None:
    with start_bot():
        slack.socket_mode.refresh()
        wait_for(lambda: sum(c.method == "apps.connections.open" for c in slack.web_api.calls) == 2)
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        wait_for(lambda: slack.socket_mode.connected)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: len(slack.answers(message)) == 1)


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"SLACK_APP_TOKEN": ""}, "SLACK_APP_TOKEN"),
        ({"SLACK_BOT_TOKEN": "xapp-1"}, "SLACK_BOT_TOKEN"),
        ({"ANSWER": "shout"}, "ANSWER"),
        ({"REACTIONS": ":skull:"}, "REACTIONS"),
    ],
)
def test_a_malformed_setting_is_named(changed: dict[str, str], name: str) -> None:
    read = read_app_token if name == "SLACK_APP_TOKEN" else read_settings
    with pytest.raises(SettingsError, match=name):
        read(TOKENS | changed)


def test_an_app_token_that_slack_rejects_is_reported(
    slack: SocketModeSlack, model_folder: Path, tmp_path: Path
) -> None:
    environment = slack.environment | {"SLACK_APP_TOKEN": "xapp-1-other"}
    bot = socket_bot(environment, model_folder, tmp_path / "claims.sqlite")
    with pytest.raises(SlackConnectionError, match="invalid_auth"):
        bot.start()


def test_a_websocket_that_does_not_open_is_reported(
    slack: SocketModeSlack, model_folder: Path, tmp_path: Path
) -> None:
    slack.web_api.open_connection = lambda: "ws://127.0.0.1:9/link"
    bot = socket_bot(slack.environment, model_folder, tmp_path / "claims.sqlite")
    with pytest.raises(SlackConnectionError, match="wss://"):
        bot.start()


def test_the_settings_never_show_their_tokens() -> None:
    shown = repr(read_settings(TOKENS))
    assert "xapp-" not in shown
    assert "xoxb-" not in shown


def shown_to(slack: SocketModeSlack, user: str) -> list[Message]:
    return [one for one in slack.workspace.messages(CHANNEL) if one.only_for == user]


@pytest.mark.slow
def test_every_other_gesture_is_answered_over_socket_mode_too(
    slack: SocketModeSlack, start_bot: Callable[[], Bot], tmp_path: Path
) -> None:
    with start_bot():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.interactivity.choose_shortcut(CHANNEL, message.ts, SAM, SHORTCUT)
        wait_for(lambda: bool(shown_to(slack, SAM)))
        [verdict] = shown_to(slack, SAM)
        assert "reads as toxic" in verdict.text
        slack.interactivity.type_command(CHANNEL, NOOR, COMMAND, "you are an idiot")
        wait_for(lambda: bool(shown_to(slack, NOOR)))
        assert "This reads as toxic" in json.dumps(shown_to(slack, NOOR)[0].blocks)
        slack.interactivity.click(CHANNEL, verdict.ts, SAM, "why")
        wait_for(lambda: len(shown_to(slack, SAM)) == 2)
        assert "idiot" in json.dumps(shown_to(slack, SAM)[1].blocks)
        slack.interactivity.click(CHANNEL, verdict.ts, SAM, "wrong")
        wait_for(lambda: len(shown_to(slack, SAM)) == 3)
        slack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, "")
        wait_for(lambda: bool(shown_to(slack, VIEWER)))
        assert shown_to(slack, VIEWER)[0].text.startswith("Type `/toxic`")
        slack.workspace.open_home(VIEWER)
        wait_for(lambda: VIEWER in slack.workspace.homes)
        slack.workspace.add_channel(Channel("C0NEW", "new", members={VIEWER}))
        slack.workspace.invite("C0NEW", slack.workspace.bot.id)
        wait_for(lambda: bool(slack.workspace.messages("C0NEW")))
    [[stored]] = Database(tmp_path / "claims.sqlite").query("SELECT vote FROM vote", ())
    assert json.loads(str(stored))["right"] is False
    # What was answered is no longer queued: no text stays behind.
    assert Database(tmp_path / "claims.sqlite").query("SELECT body FROM gesture", ()) == []


@pytest.mark.slow
def test_a_spent_budget_is_told_once_and_in_private(
    slack: SocketModeSlack, start_bot: Callable[[], Bot]
) -> None:
    slack.environment["USER_BUDGET"] = "1"
    with start_bot():
        messages = [slack.workspace.post(CHANNEL, RAE, INSULT) for _ in range(4)]
        slack.workspace.react(CHANNEL, messages[0].ts, VIEWER, EMOJI)
        wait_for(lambda: bool(slack.answers(messages[0])))
        for message in messages[1:]:
            slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: bool(shown_to(slack, VIEWER)))
        slack.workspace.react(CHANNEL, messages[-1].ts, SAM, EMOJI)
        wait_for(lambda: bool(slack.answers(messages[-1])))
    own = shown_to(slack, VIEWER)
    assert ["hourly limit" in one.text for one in own] == [True]
    assert [bool(slack.answers(one)) for one in messages] == [True, False, False, True]


@pytest.mark.slow
def test_the_settings_of_a_channel_work_over_socket_mode_and_survive_a_restart(
    slack: SocketModeSlack, start_bot: Callable[[], Bot]
) -> None:
    modals = slack.interactivity.modals
    with start_bot():
        slack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, SETTINGS)
        wait_for(lambda: bool(shown_to(slack, VIEWER)))
        slack.interactivity.click(CHANNEL, shown_to(slack, VIEWER)[0].ts, VIEWER, OPEN_ACTION)
        wait_for(lambda: modals.of(VIEWER) is not None)
        wrong = slack.interactivity.submit_view(VIEWER, entered(percent={"value": "30"}))
        assert set(wrong.result()) == {"percent"}
        right = slack.interactivity.submit_view(
            VIEWER, entered(reactions={"value": "skull"}, exempt={"selected_users": [SAM]})
        )
        assert right.result() == {}
        wait_for(lambda: len(shown_to(slack, VIEWER)) == 2)
    wait_for(lambda: not slack.socket_mode.connected)
    with start_bot():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        slack.workspace.react(CHANNEL, message.ts, NOOR, "skull")
        wait_for(lambda: bool(slack.answers(message)))
        exempt = slack.workspace.post(CHANNEL, SAM, INSULT)
        slack.workspace.react(CHANNEL, exempt.ts, NOOR, "skull")
        wait_for(lambda: bool(shown_to(slack, NOOR)))
        assert "do not judge" in shown_to(slack, NOOR)[0].text
        assert len(slack.answers(message)) == 1
