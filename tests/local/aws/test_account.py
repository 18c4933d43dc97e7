"""The AWS of this machine: what the template declares, under the roles it declares."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

from local import ROOT, LocalError
from local.aws.account import Account, Credentials, Secrets
from local.aws.poller import Poller, failures
from local.aws.runtime import InvocationError
from local.aws.template import UNKNOWN_TO_MOTO, Template

DENIED = r"not authorized|AccessDenied"
PARAMETERS = {"SlackApiUrl": "http://127.0.0.1:1/api/"}


def open_account(folder: Path, template: Path = ROOT / "template.yaml") -> Account:
    return Account(
        folder,
        Template.read(template),
        parameters=PARAMETERS,
        bot_secrets=Secrets(),
        environment={"MODEL_FOLDER": "/somewhere/else"},
    )


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    opened = open_account(tmp_path_factory.mktemp("aws"))
    yield opened
    opened.stop()


def test_only_what_moto_does_not_know_and_what_watches_it_is_left_out() -> None:
    template = Template.read(ROOT / "template.yaml")
    text = (ROOT / "template.yaml").read_text("utf-8")
    types = {
        match[1]
        for name in template.dropped
        if (match := re.search(rf"^  {name}:\n(?:    #.*\n)*    Type: (\S+)$", text, re.MULTILINE))
    }
    assert types - set(UNKNOWN_TO_MOTO) <= {"AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"}


def test_functions_have_the_templates_settings(account: Account) -> None:
    receiver, worker = account.function("Receiver"), account.function("Worker")
    assert receiver.handler == "handler.receiver.handler"
    assert worker.handler == "handler.worker.handler"
    assert receiver.environment["QUEUE_URL"] == account.physical_id("Queue")
    assert worker.environment["CLAIM_TABLE"] == account.physical_id("ClaimTable")
    assert worker.environment["SLACK_API_URL"] == PARAMETERS["SlackApiUrl"]
    assert worker.environment["MODEL_FOLDER"] == "/somewhere/else"
    assert worker.timeout > receiver.timeout


def test_the_queue_waits_six_times_the_workers_time_out(account: Account) -> None:
    attributes = account.client("sqs").get_queue_attributes(
        QueueUrl=account.queue_url("Queue"), AttributeNames=["All"]
    )["Attributes"]
    assert int(attributes["VisibilityTimeout"]) >= 6 * account.function("Worker").timeout
    assert "deadLetterTargetArn" in attributes["RedrivePolicy"]


def test_a_resource_that_is_not_declared_is_named(account: Account) -> None:
    with pytest.raises(LocalError, match="no resource named Nonsense"):
        account.queue_url("Nonsense")


@dataclass(frozen=True)
class Deed:
    """Something one function may do, or may not."""

    who: str
    name: str
    do: Callable[[Account, Credentials], object]


def _send(queue: str) -> Callable[[Account, Credentials], object]:
    return lambda account, who: account.client("sqs", who).send_message(
        QueueUrl=account.queue_url(queue), MessageBody="{}"
    )


def _receive(account: Account, who: Credentials) -> object:
    return account.client("sqs", who).receive_message(QueueUrl=account.queue_url("Queue"))


def _secret(variable: str) -> Callable[[Account, Credentials], object]:
    return lambda account, who: account.client("secretsmanager", who).get_secret_value(
        SecretId=account.function("Worker").environment[variable]
    )


def _get(account: Account, who: Credentials) -> object:
    return account.client("dynamodb", who).get_item(
        TableName=account.physical_id("ClaimTable"), Key={"id": {"S": "x"}}
    )


def _scan(account: Account, who: Credentials) -> object:
    return account.client("dynamodb", who).scan(TableName=account.physical_id("ClaimTable"))


ALLOWED = [
    Deed("Receiver", "send", _send("Queue")),
    Deed("Receiver", "read the signing secret", _secret("SIGNING_SECRET_NAME")),
    Deed("Worker", "receive", _receive),
    Deed("Worker", "read the bot token", _secret("BOT_TOKEN_NAME")),
    Deed("Worker", "read a claim", _get),
]
FORBIDDEN = [
    Deed("Receiver", "send to the dead-letter queue", _send("DeadLetterQueue")),
    Deed("Receiver", "receive", _receive),
    Deed("Receiver", "read the bot token", _secret("BOT_TOKEN_NAME")),
    Deed("Receiver", "read a claim", _get),
    Deed("Worker", "send", _send("Queue")),
    Deed("Worker", "read the signing secret", _secret("SIGNING_SECRET_NAME")),
    Deed("Worker", "scan the claims", _scan),
]


@pytest.mark.parametrize("deed", ALLOWED, ids=lambda deed: f"{deed.who} may {deed.name}")
def test_a_function_may_do_its_work(account: Account, deed: Deed) -> None:
    deed.do(account, account.function(deed.who).credentials)


@pytest.mark.parametrize("deed", FORBIDDEN, ids=lambda deed: f"{deed.who} may not {deed.name}")
def test_a_function_may_do_nothing_else(account: Account, deed: Deed) -> None:
    with pytest.raises(ClientError, match=DENIED):
        deed.do(account, account.function(deed.who).credentials)


def test_a_stranger_may_do_nothing(account: Account) -> None:
    with pytest.raises(ClientError):
        _receive(account, Credentials("AKIASTRANGER", "x"))


def test_a_permission_missing_in_the_template_is_missing_here(tmp_path: Path) -> None:
    text = (ROOT / "template.yaml").read_text("utf-8")
    without = re.sub(r"^ +- dynamodb:GetItem\n", "", text, flags=re.MULTILINE)
    assert without != text
    (tmp_path / "template.yaml").write_text(without, "utf-8")
    account = open_account(tmp_path, tmp_path / "template.yaml")
    try:
        with pytest.raises(ClientError, match=DENIED):
            _get(account, account.function("Worker").credentials)
    finally:
        account.stop()


def test_a_template_that_is_missing_or_refused_is_named(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="cannot be read"):
        Template.read(tmp_path / "template.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text(
        "Transform: AWS::Serverless-2016-10-31\n"
        "Resources:\n  One: {Type: AWS::Serverless::Function, Properties: {}}\n"
    )
    with pytest.raises(LocalError, match="refused by SAM"):
        Template.read(broken)


# ------------------------------------------------------------------ the event source


@dataclass
class Recorder:
    """Remembers the batches, and lets fail what it is told."""

    bad: set[str] = field(default_factory=set)
    error: InvocationError | None = None
    batches: list[list[str]] = field(default_factory=list)

    def invoke(self, event: dict[str, Any]) -> Any:
        self.batches.append([record["body"] for record in event["Records"]])
        assert {record["eventSource"] for record in event["Records"]} == {"aws:sqs"}
        if self.error:
            raise self.error
        return {
            "batchItemFailures": [
                {"itemIdentifier": record["messageId"]}
                for record in event["Records"]
                if record["body"] in self.bad
            ]
        }


@dataclass
class Source:
    """The queue, and a poller on it."""

    account: Account
    function: Recorder
    poller: Poller

    def send(self, *bodies: str) -> None:
        for body in bodies:
            self.account.client("sqs").send_message(
                QueueUrl=self.account.queue_url("Queue"), MessageBody=body
            )

    def count(self, queue: str, attribute: Any = "ApproximateNumberOfMessages") -> int:
        attributes = self.account.client("sqs").get_queue_attributes(
            QueueUrl=self.account.queue_url(queue), AttributeNames=[attribute]
        )["Attributes"]
        return int(attributes[attribute])

    def wait_for(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)
        assert condition()

    def idle(self) -> bool:
        return self.count("Queue") == 0 and not self.poller.busy


@pytest.fixture
def source(account: Account) -> Iterator[Source]:
    for queue in ("Queue", "DeadLetterQueue"):
        account.client("sqs").purge_queue(QueueUrl=account.queue_url(queue))
    function = Recorder()
    config = account.source("WorkerSource")
    client = account.client("sqs", account.function("Worker").credentials)
    poller = Poller(config, function, client)
    yield Source(account, function, poller)
    poller.stop()


def test_messages_come_in_batches_and_are_deleted(source: Source) -> None:
    bodies = [f"m{number}" for number in range(12)]
    source.send(*bodies)
    source.poller.start()
    source.wait_for(lambda: sum(map(len, source.function.batches)) == 12 and source.idle())
    size = source.poller.source.batch_size
    assert all(len(batch) <= size for batch in source.function.batches)
    assert sorted(body for batch in source.function.batches for body in batch) == sorted(bodies)
    assert source.count("Queue", "ApproximateNumberOfMessagesNotVisible") == 0


def test_what_failed_alone_stays_and_stays_invisible(source: Source) -> None:
    source.function.bad = {"bad"}
    source.send("good", "bad")
    source.poller.start()
    source.wait_for(
        lambda: (
            source.idle() and source.count("Queue", "ApproximateNumberOfMessagesNotVisible") == 1
        )
    )
    source.function.bad = set()
    assert source.poller.return_now() == 1
    source.wait_for(lambda: source.function.batches[-1] == ["bad"] and source.idle())
    assert source.count("Queue", "ApproximateNumberOfMessagesNotVisible") == 0


def test_a_function_that_fails_keeps_the_whole_batch(source: Source) -> None:
    source.function.error = InvocationError("Sandbox.Timedout", "30 seconds")
    source.send("one", "two", "three")
    source.poller.start()
    source.wait_for(
        lambda: (
            source.count("Queue", "ApproximateNumberOfMessagesNotVisible") == 3
            and not source.poller.busy
        )
    )


def test_a_message_that_fails_too_often_goes_to_the_dead_letter_queue(source: Source) -> None:
    source.function.bad = {"bad"}
    source.send("bad")
    source.poller.start()

    def is_dead() -> bool:
        source.poller.return_now()
        return source.count("DeadLetterQueue") == 1

    source.wait_for(is_dead)
    redrive = source.account.client("sqs").get_queue_attributes(
        QueueUrl=source.account.queue_url("Queue"), AttributeNames=["RedrivePolicy"]
    )["Attributes"]["RedrivePolicy"]
    receives = int(re.findall(r'"maxReceiveCount": "?(\d+)', redrive)[0])
    assert source.function.batches == [["bad"]] * receives


@pytest.mark.parametrize(
    ("response", "failed"),
    [
        (None, []),
        ({}, []),
        ({"batchItemFailures": []}, []),
        ({"batchItemFailures": None}, []),
        ({"other": 1}, []),
        ({"batchItemFailures": [{"itemIdentifier": "a"}]}, ["a"]),
        ({"batchItemFailures": [{"itemIdentifier": "z"}]}, ["a", "b"]),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, ["a", "b"]),
        ({"batchItemFailures": [{"itemIdentifier": None}]}, ["a", "b"]),
        ({"batchItemFailures": [{"key": "a"}]}, ["a", "b"]),
        ({"batchItemFailures": "a"}, ["a", "b"]),
        ("fine", ["a", "b"]),
    ],
)
def test_responses_are_read_as_lambda_documents(response: object, failed: list[str]) -> None:
    assert failures(response, frozenset("ab")) == frozenset(failed)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.sampled_from(["a", "b", "", "z"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["batchItemFailures", "itemIdentifier"]), inner)
        ),
    )
)
def test_no_response_can_name_what_was_not_in_the_batch(response: object) -> None:
    assert failures(response, frozenset("ab")) <= frozenset("ab")
