"""``toxic-bot dlq``, on the stack of ``template.yaml`` in the local AWS account."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from aws_lambda_powertools import Logger

from simulators.aws.account import STACK, Account, Secrets
from simulators.aws.template import REGION, Template
from tests.template.code import ROOT
from toxic_bot.cli.command_line import main
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.waiting import QueuedGesture

pytestmark = pytest.mark.slow

SECRET_TEXT = "nobody may read this"
POISON = json.dumps({"text": SECRET_TEXT})
HOURS_AGO = 3


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    account = Account(
        tmp_path_factory.mktemp("aws"),
        Template.read(ROOT / "template.yaml"),
        parameters={},
        bot_secrets=Secrets(),
        environment={},
    )
    yield account
    account.stop()


@pytest.fixture(autouse=True)
def _shell(account: Account, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """This shell is signed in to the account."""
    for name, value in {
        "AWS_ENDPOINT_URL": account.endpoint,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        **account.admin.environment(),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_PROFILE", raising=False)


class DeadLetters:
    """A dead reaction and a poisoned record, with what the worker's logger wrote about them."""

    def __init__(self, account: Account) -> None:
        self._sqs, self._logs = account.client("sqs"), account.client("logs")
        self._queue = account.queue_url("Queue")
        self._dead_letters = account.queue_url("DeadLetterQueue")
        self._group = account.physical_id("WorkerLogs")
        for url in (self._queue, self._dead_letters):
            self._sqs.purge_queue(QueueUrl=url)
        now = time.time()
        self.reaction = Reaction(
            event_id=f"Ev{time.time_ns()}",
            event_ts=f"{now - HOURS_AGO * 3600:.6f}",
            team="T0123456789",
            channel="C0123456789",
            ts="1795366665.687160",
            user="U0123456789",
            author=None,
            reaction="biohazard_sign",
        )
        waited = QueuedGesture(self.reaction, waits=20, waited=HOURS_AGO * 3600.0)
        dead_id, poisoned_id = (self._send(body) for body in (waited.to_json(), POISON))
        self.poisoned_id = poisoned_id
        log = io.StringIO()
        logger = Logger(service=f"worker-{dead_id}", logger_handler=None, stream=log)
        for receives in range(1, 6):
            keys = self.reaction.log_keys()
            with logger.append_context_keys(message_id=dead_id, receives=receives, **keys):
                logger.error("gave up after 2 hours: Slack failed", reason="slack_failed")
            with logger.append_context_keys(message_id=poisoned_id, receives=receives):
                logger.error("record poisoned: the field 'event_id' is missing")
        self._write(["START RequestId: 1 Version: 7", *log.getvalue().splitlines()])

    def _send(self, body: str) -> str:
        sent = self._sqs.send_message(QueueUrl=self._dead_letters, MessageBody=body)
        return str(sent["MessageId"])

    def _write(self, lines: list[str]) -> None:
        stream = f"2026/11/22/[7]{time.time_ns()}"
        self._logs.create_log_stream(logGroupName=self._group, logStreamName=stream)
        self._logs.put_log_events(
            logGroupName=self._group,
            logStreamName=stream,
            logEvents=[{"timestamp": int(time.time() * 1e3), "message": line} for line in lines],
        )

    def count(self) -> int:
        """Return how many are visible to anybody who asks."""
        attributes = self._sqs.get_queue_attributes(
            QueueUrl=self._dead_letters, AttributeNames=["ApproximateNumberOfMessages"]
        )["Attributes"]
        return int(attributes["ApproximateNumberOfMessages"])

    def queued(self) -> list[str]:
        """Return the bodies that are on the bot's queue."""
        messages = self._sqs.receive_message(QueueUrl=self._queue, MaxNumberOfMessages=10)
        return [message["Body"] for message in messages.get("Messages", [])]


@pytest.fixture
def dead(account: Account) -> DeadLetters:
    return DeadLetters(account)


def dlq(*arguments: str) -> str:
    """Run an action on the stack and return what it printed."""
    action, *others = arguments
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main(["dlq", action, "--stack", STACK, *others]) == 0
    return printed.getvalue()


def test_the_list_says_what_failed_and_why_with_the_log_lines_id(dead: DeadLetters) -> None:
    reaction, poison = dlq("list").splitlines()
    place = "channel C0123456789, message 1795366665.687160"
    assert reaction.startswith(f"{dead.reaction.event_id}  3.0 h ago, {place}: gave up after 2")
    assert poison.startswith(f"{dead.poisoned_id}  0 min ago, not written by the receiver: record")
    assert all(line.endswith("]") and "[log event " in line for line in (reaction, poison))


def test_looking_leaves_every_dead_letter_visible(dead: DeadLetters) -> None:
    dlq("list")
    dlq("show", dead.poisoned_id)
    assert dead.count() == 2


def test_all_log_lines_about_one_are_shown(dead: DeadLetters) -> None:
    shown = dlq("show", dead.reaction.event_id)
    assert shown.count("ERROR gave up after 2 hours: Slack failed, reason slack_failed") == 5
    assert "receives 5" in shown
    assert "poisoned" not in shown
    assert shown.count("    log event ") == 5


def test_no_text_is_ever_shown(dead: DeadLetters) -> None:
    assert SECRET_TEXT not in dlq("list") + dlq("show", dead.poisoned_id) + dlq("redrive", "--all")


def test_what_is_sent_again_has_not_waited_yet(dead: DeadLetters) -> None:
    printed = dlq("redrive", "--all")
    assert f"sent again: {dead.reaction.event_id}\n" in printed
    assert "left: 1 not written by the receiver" in printed
    [body] = dead.queued()
    assert QueuedGesture.from_json(body) == QueuedGesture(dead.reaction)
    assert dead.count() == 1


def test_what_is_too_old_is_not_sent_again(dead: DeadLetters) -> None:
    assert "left: 1 older than 2 hours" in dlq("redrive", "--max-age", "2", dead.reaction.event_id)
    assert (dead.queued(), dead.count()) == ([], 2)


def test_a_purge_deletes_only_what_was_asked_for(dead: DeadLetters) -> None:
    assert f"deleted: {dead.poisoned_id}\n" in dlq("purge", "--poisoned")
    assert dead.count() == 1
    dlq("purge", dead.reaction.event_id)
    assert dlq("list") == "no dead letters\n"


def test_an_unknown_id_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dlq", "show", "--stack", STACK, "Ev0"]) == 1
    assert capsys.readouterr().err.startswith("error: there is no dead letter Ev0:")


def test_an_unknown_stack_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dlq", "list", "--stack", "nothing"]) == 1
    assert "the stack nothing cannot be found" in capsys.readouterr().err


@pytest.mark.parametrize("action", ["redrive", "purge"])
def test_nothing_is_sent_or_deleted_without_saying_what(action: str) -> None:
    with pytest.raises(SystemExit) as exited:
        main(["dlq", action, "--stack", STACK])
    assert exited.value.code == 2
