"""The bot without AWS, over the local Slack's own Socket Mode."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyItemAlreadyExistsError,
    IdempotencyItemNotFoundError,
)
from aws_lambda_powertools.utilities.idempotency.persistence.datarecord import DataRecord

from handler.errors import SettingsError
from handler.events import Reaction
from local.aws import ROOT
from local.bot import Bot, Tokens
from local.errors import LocalError
from local.faults import Fault
from local.ledger import ClaimStore, Ledger
from local.limits import NO_LIMITS
from local.methods import Grant, WebApi
from local.samples import CHANNEL, NOOR, RAE, SAM, VIEWER, company
from local.server import Server
from local.slack import application
from local.socket_mode import SocketMode
from local.workspace import Message, Workspace

EMOJI = "biohazard_sign"
INSULT = "You are a pathetic idiot and everybody here hates you."
TOKENS = {"SLACK_APP_TOKEN": "xapp-1-local", "SLACK_BOT_TOKEN": "xoxb-local"}
PATIENCE = 20.0


class Slack:
    """The local Slack with Socket Mode."""

    def __init__(self) -> None:
        self.workspace: Workspace = company()
        self.web_api = WebApi(self.workspace, {TOKENS["SLACK_BOT_TOKEN"]: Grant()}, NO_LIMITS)
        self.web_api.app_tokens.add(TOKENS["SLACK_APP_TOKEN"])
        self.socket_mode = SocketMode(self.workspace, patience=1.0)
        self.web_api.open_connection = self.socket_mode.open
        self.server = Server(application(self.web_api, VIEWER, self.socket_mode))
        self.server.start()
        self.socket_mode.address = self.server.address
        self.environment = TOKENS | {"SLACK_API_URL": f"{self.server.address}/api/"}

    def answers(self, message: Message) -> list[Message]:
        return [
            one
            for one in self.workspace.messages(CHANNEL)
            if one.user == self.workspace.bot.id and one.thread_ts == message.ts
        ]


@pytest.fixture
def slack() -> Iterator[Slack]:
    running = Slack()
    yield running
    running.server.stop()


@pytest.fixture
def start(slack: Slack, model_folder: Path, tmp_path: Path) -> Callable[[], Bot]:
    def started() -> Bot:
        path = tmp_path / "claims.sqlite"
        bot = Bot.from_environment(slack.environment, model_folder, path).start()
        wait_for(lambda: slack.socket_mode.connected)
        return bot

    return started


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()


def test_a_reaction_becomes_one_verdict(slack: Slack, start: Callable[[], Bot]) -> None:
    with start():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        slack.workspace.react(CHANNEL, message.ts, SAM, "thumbsup")
        wait_for(lambda: bool(slack.answers(message)))
        time.sleep(0.5)
        [answer] = slack.answers(message)
        assert "reads as toxic" in answer.text


def test_several_people_get_one_verdict_and_an_edit_another(
    slack: Slack, start: Callable[[], Bot]
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


def test_a_fault_of_slacks_is_tried_again(slack: Slack, start: Callable[[], Bot]) -> None:
    limited = Fault(error="ratelimited", status=429, retry_after=1)
    slack.web_api.faults.add("chat.postMessage", limited)
    with start():
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: len(slack.answers(message)) == 1)


def test_what_waits_is_answered_after_a_restart(
    slack: Slack, start: Callable[[], Bot], tmp_path: Path
) -> None:
    message = slack.workspace.post(CHANNEL, RAE, INSULT)
    ledger = Ledger(tmp_path / "claims.sqlite")
    ledger.add(Reaction("Ev1", "1766000000.000200", "T1", CHANNEL, message.ts, VIEWER, RAE, EMOJI))
    ledger.close()
    with start():
        wait_for(lambda: len(slack.answers(message)) == 1)


def test_an_answered_message_stays_answered_after_a_restart(
    slack: Slack, start: Callable[[], Bot]
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
    slack: Slack, start: Callable[[], Bot]
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
def test_a_bad_variable_is_named(
    changed: dict[str, str], named: str, model_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=named):
        Bot.from_environment(TOKENS | changed, model_folder, tmp_path / "claims.sqlite")


def test_an_app_token_that_slack_refuses_is_told(
    slack: Slack, model_folder: Path, tmp_path: Path
) -> None:
    environment = slack.environment | {"SLACK_APP_TOKEN": "xapp-1-other"}
    bot = Bot.from_environment(environment, model_folder, tmp_path / "claims.sqlite")
    with pytest.raises(LocalError, match="invalid_auth"):
        bot.start()


def test_tokens_are_not_shown() -> None:
    shown = repr(Tokens.from_environment(TOKENS))
    assert "xapp-" not in shown
    assert "xoxb-" not in shown


def test_the_command_answers_and_logs_no_text_and_no_token(
    slack: Slack, model_folder: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "local", "socket", "--model", str(model_folder)]
    command += ["--claims", str(tmp_path / "claims.sqlite")]
    environment = os.environ | slack.environment | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Connected to Slack")
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: len(slack.answers(message)) == 1)
        time.sleep(0.3)
        process.terminate()
        said = process.stdout.read()
    assert '"verdict":"toxic"' in said.replace(" ", "")
    assert "pathetic" not in said
    assert TOKENS["SLACK_BOT_TOKEN"] not in said
    assert TOKENS["SLACK_APP_TOKEN"] not in said


def test_the_command_without_tokens_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "local", "socket", "--claims", str(tmp_path / "c.sqlite")],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("error: set the environment variable SLACK_APP_TOKEN")


# ------------------------------------------------------------------ the ledger


def record(status: str, expiration: float, in_progress: float | None = None) -> DataRecord:
    return DataRecord(
        idempotency_key="look#1",
        status=status,
        expiry_timestamp=int(expiration),
        in_progress_expiry_timestamp=None if in_progress is None else int(in_progress * 1000),
        response_data='{"a": 1}' if status == "COMPLETED" else "",
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ClaimStore]:
    ledger = Ledger(tmp_path / "claims.sqlite")
    yield ClaimStore(ledger)
    ledger.close()


def test_a_claim_is_taken_once_however_many_try(store: ClaimStore) -> None:
    barrier = threading.Barrier(8)

    def claim() -> bool:
        barrier.wait()
        try:
            store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
        except IdempotencyItemAlreadyExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as executor:
        taken = [attempt.result() for attempt in [executor.submit(claim) for _ in range(8)]]
    assert sum(taken) == 1


def test_a_completed_claim_gives_its_result(store: ClaimStore) -> None:
    store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
    store._update_record(record("COMPLETED", time.time() + 60))
    with pytest.raises(IdempotencyItemAlreadyExistsError) as error:
        store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
    assert error.value.old_data_record is not None
    assert error.value.old_data_record.response_data == '{"a": 1}'


@pytest.mark.parametrize(
    ("status", "expires", "lapses"),
    [("COMPLETED", -5, None), ("INPROGRESS", 60, -5), ("INPROGRESS", -5, 60)],
)
def test_a_claim_that_has_run_out_is_free(
    store: ClaimStore, status: str, expires: float, lapses: float | None
) -> None:
    now = time.time()
    store._put_record(record(status, now + expires, None if lapses is None else now + lapses))
    store._put_record(record("INPROGRESS", now + 60, now + 60))
    assert store._get_record("look#1").status == "INPROGRESS"


def test_a_failed_claim_is_deleted(store: ClaimStore) -> None:
    store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
    store._delete_record(record("INPROGRESS", 0))
    with pytest.raises(IdempotencyItemNotFoundError):
        store._get_record("look#1")


def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Sir or Madam, " * 100)
    with pytest.raises(LocalError, match="choose another file"):
        Ledger(tmp_path / "letter.txt")
