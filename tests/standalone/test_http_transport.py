"""The standalone bot behind HTTP: Slack's signed requests come in, and nothing else does."""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx
import pytest
from waitress.trigger import trigger

from simulators.samples import CHANNEL, NOOR, RAE, SAFETY, SAM, VIEWER, add_safety
from simulators.slack.workspace import Message, ReactionChange
from tests.end_to_end.entering import entered
from tests.http_slack import SECRET, HttpSlack
from tests.slack.web_api.test_events import CALLBACK
from tests.socket_mode import wait_for
from tests.standalone.moderating import (
    CANARY,
    add_moderators,
    follow_a_case,
    is_quiet,
    places,
)
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.lookups import NO_LOOKUPS
from toxic_bot.slack.requests.interactions import COMMAND, SETTINGS, SHORTCUT
from toxic_bot.slack.requests.settings_form import OPEN_ACTION
from toxic_bot.slack.requests.signature import signed_headers
from toxic_bot.slack.settings import BotSettings, SettingsError
from toxic_bot.standalone.bot import Bot
from toxic_bot.standalone.http_server import Limits
from toxic_bot.standalone.http_transport import AddressError, HttpTransport, listen
from toxic_bot.standalone.settings import StandaloneSettings, read_signing_secret

EMOJI = "biohazard_sign"
INSULT = "You are a pathetic idiot and everybody here hates you."
BODY = json.dumps(CALLBACK).encode()
LIMITS = Limits(100)


@pytest.fixture
def start_bot(http_slack: HttpSlack, model_folder: Path, tmp_path: Path) -> Callable[[], Bot]:
    def start() -> Bot:
        listening = listen("127.0.0.1", 0)
        settings = StandaloneSettings.from_environment(http_slack.environment)
        path = tmp_path / "claims.sqlite"
        bot = Bot(
            settings,
            model_folder,
            path,
            lambda bot, lookups, put: HttpTransport(
                listening, SECRET, Limits(100), bot, lookups, put
            ),
        ).start()
        http_slack.events.request_url = address(listening) + "/slack/events"
        return bot

    return start


def address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{host}:{port}"


@contextmanager
def opened(put: Callable[[Gesture], None], limits: Limits = LIMITS) -> Iterator[str]:
    """Yield the address of a transport, without a bot behind it."""
    listening = listen("127.0.0.1", 0)
    at = address(listening)
    settings = BotSettings.from_environment({})
    transport = HttpTransport(listening, SECRET, limits, settings, NO_LOOKUPS, put)
    transport.open()
    try:
        yield at
    finally:
        transport.close()


def post(
    at: str, body: bytes = BODY, changed: Mapping[str, str] = MappingProxyType({})
) -> httpx.Response:
    headers = signed_headers(body, SECRET) | dict(changed)
    return httpx.post(f"{at}/slack/events", content=body, headers=headers, trust_env=False)


# --------------------------------------------------------------------------- the transport alone


def test_a_signed_reaction_is_made_safe_before_slack_is_told_so() -> None:
    safe: list[Gesture] = []
    with opened(safe.append) as at:
        response = post(at)
        assert (response.status_code, response.text) == (200, "queued")
    assert [one.event_id for one in safe] == ["Ev0001"]


@pytest.mark.parametrize(
    "changed",
    [
        {"x-slack-signature": "v0=" + "0" * 64},
        {"x-slack-signature": ""},
        {"x-slack-request-timestamp": "9" * 400},
        {"x-slack-request-timestamp": str(int(time.time()) - 400)},
    ],
    ids=["forged", "unsigned", "endless-timestamp", "stale"],
)
def test_what_slack_did_not_sign_just_now_never_gets_in(changed: dict[str, str]) -> None:
    safe: list[Gesture] = []
    with opened(safe.append) as at:
        assert post(at, changed=changed).status_code == 401
    assert safe == []


def test_two_signatures_are_none() -> None:
    safe: list[Gesture] = []
    signed = list(signed_headers(BODY, SECRET).items())
    forged = [("x-slack-signature", "v0=" + "0" * 64), *signed]
    with opened(safe.append) as at:
        response = httpx.post(f"{at}/slack/events", content=BODY, headers=forged, trust_env=False)
        assert response.status_code == 401
    assert safe == []


@pytest.mark.parametrize(
    ("body", "status"), [(b"{}", 400), (b"x" * 1_000_001, 413), (b"x" * 3_000_000, 413)]
)
def test_what_would_be_refused_again_is_refused_for_good(body: bytes, status: int) -> None:
    with opened(lambda _: None) as at:
        response = post(at, body)
        assert response.status_code == status
        if len(body) < 2_000_000:
            assert response.headers["x-slack-no-retry"] == "1"


def test_there_is_nothing_but_the_request_url_and_a_health_check() -> None:
    with opened(lambda _: None) as at:
        assert httpx.get(f"{at}/health", trust_env=False).text == "ok"
        assert httpx.get(f"{at}/", trust_env=False).status_code == 404
        assert httpx.get(f"{at}/slack/events", trust_env=False).status_code == 405


def test_slack_sends_again_what_could_not_be_made_safe(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(gesture: Gesture) -> None:  # noqa: ARG001 - whatever it is
        raise sqlite3.OperationalError("zeppelinkanarie")

    with opened(fail) as at:
        assert post(at).status_code == 500
    assert "zeppelinkanarie" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"POST /slack/events HTTP/1.1\r\nContent-Length: zeppelinkanarie\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"A" * 300_000,
    ],
    ids=["tls", "no-length", "no-version", "endless-line"],
)
def test_what_is_no_http_is_dropped_in_silence(
    sent: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(lambda _: None) as at:
        port = int(at.rpartition(":")[2])
        with (
            socket.create_connection(("127.0.0.1", port), timeout=60) as connection,
            suppress(ConnectionError),
        ):
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
        assert post(at).status_code == 200
    written = "".join(capsys.readouterr())
    assert "zeppelinkanarie" not in written
    assert "Traceback" not in written


def test_a_transport_that_is_woken_while_it_closes_closes_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pull = trigger._physical_pull

    def pull_late(one: trigger) -> None:
        # Another thread wakes the server between the two halves of a pull.
        pull(one)
        time.sleep(0.1)
        pull(one)

    with opened(lambda _: None) as at:
        assert post(at).status_code == 200
        monkeypatch.setattr(trigger, "_physical_pull", pull_late)


def test_a_closing_transport_answers_what_has_begun_and_takes_nothing_more() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def put(gesture: Gesture) -> None:  # noqa: ARG001 - whatever it is
        begun.set()
        assert may_end.wait(60)

    statuses: list[int] = []
    with opened(put) as at:
        sender = threading.Thread(target=lambda: statuses.append(post(at).status_code))
        sender.start()
        assert begun.wait(60)
        threading.Timer(0.3, may_end.set).start()
    sender.join(60)
    assert statuses == [200]
    with pytest.raises(httpx.TransportError):
        post(at)


def test_a_port_that_is_taken_is_named() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AddressError, match=f"127.0.0.1:{port} .*--port"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["203.0.113.7", "no such host", "a..b"])
def test_an_address_that_is_not_this_machines_is_named(host: str) -> None:
    with pytest.raises(AddressError, match="--host"):
        listen(host, 0)


def test_a_missing_signing_secret_is_named() -> None:
    with pytest.raises(SettingsError, match="SLACK_SIGNING_SECRET"):
        read_signing_secret({"SLACK_SIGNING_SECRET": " "})


# ------------------------------------------------------------------------------- the whole bot


@pytest.mark.slow
def test_a_reaction_over_http_gets_exactly_one_verdict_however_often_it_is_delivered(
    http_slack: HttpSlack, start_bot: Callable[[], Bot]
) -> None:
    with start_bot():
        assert http_slack.events.verify_url()
        message = http_slack.workspace.post(CHANNEL, RAE, INSULT)
        change = http_slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        envelope = http_slack.events.delivered_envelope(change)
        for future in [http_slack.events.deliver(envelope) for _ in range(3)]:
            assert future.result()[0].status == 200
        wait_for(lambda: bool(http_slack.answers(message)))
        time.sleep(0.5)
        [answer] = http_slack.answers(message)
        assert "reads as toxic" in answer.text


@pytest.mark.slow
def test_every_other_gesture_is_answered_over_http_too(
    http_slack: HttpSlack, start_bot: Callable[[], Bot]
) -> None:
    slack = http_slack
    with start_bot():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.interactivity.choose_shortcut(CHANNEL, message.ts, SAM, SHORTCUT)
        wait_for(lambda: bool(shown_to(slack, SAM)))
        assert "reads as toxic" in shown_to(slack, SAM)[0].text
        slack.interactivity.type_command(CHANNEL, NOOR, COMMAND, "you are an idiot")
        wait_for(lambda: bool(shown_to(slack, NOOR)))
        slack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, "")
        wait_for(lambda: bool(shown_to(slack, VIEWER)))
        assert shown_to(slack, VIEWER)[0].text.startswith("Type `/toxic`")
        slack.workspace.open_home(VIEWER)
        wait_for(lambda: VIEWER in slack.workspace.homes)


@pytest.mark.slow
def test_lists_are_tried_and_what_is_urgent_is_told_once_over_http(
    http_slack: HttpSlack, start_bot: Callable[[], Bot]
) -> None:
    slack = http_slack
    add_safety(slack.workspace)
    slack.environment |= {"URGENT": SAFETY, "HELP_LINES": "on"}
    lists = {"always": {"value": "teapot*"}}
    with start_bot():
        assert slack.events.verify_url()
        slack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, SETTINGS)
        wait_for(lambda: bool(shown_to(slack, VIEWER)))
        slack.interactivity.click(CHANNEL, shown_to(slack, VIEWER)[0].ts, VIEWER, OPEN_ACTION)
        wait_for(lambda: slack.interactivity.modals.of(VIEWER) is not None)
        sample = {"value": "Two teapots"}
        tried = slack.interactivity.submit_view(VIEWER, entered(sample=sample, **lists))
        assert tried.result() == {}
        assert "Always flagged: “teapots”" in str(slack.interactivity.modals.of(VIEWER))
        watch = {"selected_option": {"value": "thread"}}
        saved = slack.interactivity.submit_view(VIEWER, entered(watch=watch, **lists))
        assert saved.result() == {}
        wait_for(lambda: len(shown_to(slack, VIEWER)) == 2)
        listed = slack.workspace.post(CHANNEL, SAM, "Two teapots")
        threat = slack.workspace.post(CHANNEL, SAM, "I will find you and break your legs.")
        need = slack.workspace.post(CHANNEL, RAE, "I want to disappear.")
        wait_for(lambda: bool(slack.answers(listed)) and bool(slack.answers(threat)))
        wait_for(lambda: bool(shown_to(slack, RAE)))
        time.sleep(0.5)
        assert len(slack.workspace.messages(SAFETY)) == 2
        assert len(shown_to(slack, RAE)) == 1
        assert [one for one in slack.answers(need) if one.only_for is None] == []


@pytest.mark.slow
def test_events_that_arrive_while_the_bot_is_away_are_delivered_again(
    http_slack: HttpSlack, start_bot: Callable[[], Bot]
) -> None:
    slack = http_slack
    with start_bot():
        pass
    message = slack.workspace.post(CHANNEL, RAE, INSULT)
    refused = slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    wait_for(lambda: not slack.events.busy)
    assert {one.status for one in slack.events.attempts} == {0}
    with start_bot():
        # Slack's next retry, to the address that the bot has now.
        slack.events.deliver(slack.events.delivered_envelope(refused)).result()
        wait_for(lambda: bool(slack.answers(message)))
    assert len(slack.answers(message)) == 1


@pytest.mark.long
@pytest.mark.slow
def test_hundreds_of_requests_at_once_are_all_safe_and_each_message_is_answered_once(
    http_slack: HttpSlack, start_bot: Callable[[], Bot]
) -> None:
    slack = http_slack
    slack.environment |= {"USER_BUDGET": "0", "CHANNEL_BUDGET": "0"}
    messages = [slack.workspace.post(CHANNEL, RAE, INSULT) for _ in range(60)]
    slack.events._client.timeout = httpx.Timeout(60)  # on a slow machine, too, each is sent once
    with start_bot():
        for message in messages:
            for user in (VIEWER, SAM, NOOR, RAE, "U0NOBODY"):
                slack.events.deliver(envelope_of(slack, message, user))
        wait_for(lambda: len(slack.events.attempts) >= 5 * len(messages), timeout=60)
        assert {one.status for one in slack.events.attempts} == {200}
        wait_for(lambda: all(slack.answers(one) for one in messages), timeout=60)
        time.sleep(0.5)
    assert {len(slack.answers(one)) for one in messages} == {1}


@pytest.mark.slow
def test_a_case_is_followed_from_report_to_outcome_over_http_and_no_text_is_kept(
    http_slack: HttpSlack,
    start_bot: Callable[[], Bot],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    add_moderators(http_slack)
    with start_bot():
        follow_a_case(http_slack, tmp_path / "claims.sqlite")
    assert places(tmp_path) == []
    assert CANARY not in caplog.text
    # It was searched where something is.
    assert "acted on a case" in caplog.text


@pytest.mark.slow
def test_an_edit_replaces_the_answer_and_a_deletion_takes_it_back_over_http_too(
    http_slack: HttpSlack, start_bot: Callable[[], Bot], tmp_path: Path
) -> None:
    slack = http_slack
    with start_bot():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: bool(slack.answers(message)))
        wait_for(lambda: is_quiet(tmp_path / "claims.sqlite"))
        slack.workspace.edit(CHANNEL, message.ts, "Thanks, that was a great help!")
        wait_for(lambda: "does not read as toxic" in slack.answers(message)[0].text)
        assert len(slack.answers(message)) == 1
        slack.workspace.delete(CHANNEL, message.ts)
        wait_for(lambda: slack.answers(message) == [])


def envelope_of(slack: HttpSlack, message: Message, user: str) -> dict[str, Any]:
    now = f"{time.time():.6f}"
    change = ReactionChange(True, user, EMOJI, CHANNEL, message.ts, message.user, now)
    return slack.events.new_envelope(change)


def shown_to(slack: HttpSlack, user: str) -> list[Message]:
    return [one for one in slack.workspace.messages(CHANNEL) if one.only_for == user]
