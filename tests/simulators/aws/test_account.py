"""The simulated AWS account: resources, permissions and the event source mapping."""

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

from simulators import ROOT, LocalError
from simulators.aws.account import Account, Credentials, Secrets
from simulators.aws.poller import Poller, failed_message_ids
from simulators.aws.runtime import InvocationError
from simulators.aws.template import UNSUPPORTED_BY_MOTO, Template

ACCESS_DENIED = r"not authorized|AccessDenied"
PARAMETERS = {"SlackApiUrl": "http://127.0.0.1:1/api/"}


def create_account(folder: Path, template: Path = ROOT / "template.yaml") -> Account:
    return Account(
        folder,
        Template.read(template),
        parameters=PARAMETERS,
        bot_secrets=Secrets(),
        environment={"MODEL_FOLDER": "/somewhere/else"},
    )


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    account = create_account(tmp_path_factory.mktemp("aws"))
    yield account
    account.stop()


def test_only_unsupported_resources_and_their_monitoring_are_omitted() -> None:
    template = Template.read(ROOT / "template.yaml")
    text = (ROOT / "template.yaml").read_text("utf-8")
    types = {
        name: match[1]
        for name in template.omitted
        if (match := re.search(rf"^  {name}:\n(?:    #.*\n)*    Type: (\S+)$", text, re.MULTILINE))
    }
    monitoring = {"AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"}
    others = {
        name
        for name, kind in types.items()
        if kind not in monitoring and kind not in UNSUPPORTED_BY_MOTO
    }
    # The API, and what refers to the API, to versions and to CodeDeploy.
    assert others == {"HttpApi", "Probe", "Rehearsal", "RehearsalRole"}


def test_without_aliases_the_queue_invokes_the_worker_itself() -> None:
    resources = Template.read(ROOT / "template.yaml").body["Resources"]
    assert resources["WorkerSource"]["Properties"]["FunctionName"] == {"Ref": "Worker"}


@pytest.mark.slow
def test_functions_are_configured_as_in_the_template(account: Account) -> None:
    receiver, worker = account.function("Receiver"), account.function("Worker")
    assert receiver.handler == "handler.receiver.handler"
    assert worker.handler == "handler.worker.handler"
    assert receiver.environment["QUEUE_URL"] == account.physical_id("Queue")
    assert worker.environment["CLAIM_TABLE"] == account.physical_id("ClaimTable")
    assert worker.environment["SLACK_API_URL"] == PARAMETERS["SlackApiUrl"]
    assert worker.environment["MODEL_FOLDER"] == "/somewhere/else"
    assert worker.timeout > receiver.timeout


@pytest.mark.slow
def test_the_visibility_timeout_is_at_least_six_times_the_workers_timeout(account: Account) -> None:
    attributes = account.client("sqs").get_queue_attributes(
        QueueUrl=account.queue_url("Queue"), AttributeNames=["All"]
    )["Attributes"]
    assert int(attributes["VisibilityTimeout"]) >= 6 * account.function("Worker").timeout
    assert "deadLetterTargetArn" in attributes["RedrivePolicy"]


@pytest.mark.slow
def test_an_unknown_resource_is_named_in_the_error(account: Account) -> None:
    with pytest.raises(LocalError, match="no resource named Nonsense"):
        account.queue_url("Nonsense")


@dataclass(frozen=True)
class Action:
    """An action that a function's role allows or denies."""

    function: str
    name: str
    perform: Callable[[Account, Credentials], object]


def _send(queue: str) -> Callable[[Account, Credentials], object]:
    return lambda account, credentials: account.client("sqs", credentials).send_message(
        QueueUrl=account.queue_url(queue), MessageBody="{}"
    )


def _receive(account: Account, credentials: Credentials) -> object:
    return account.client("sqs", credentials).receive_message(QueueUrl=account.queue_url("Queue"))


def _get_secret(variable: str) -> Callable[[Account, Credentials], object]:
    return lambda account, credentials: account.client(
        "secretsmanager", credentials
    ).get_secret_value(SecretId=account.function("Worker").environment[variable])


def _delete_claim(account: Account, credentials: Credentials) -> object:
    return account.client("dynamodb", credentials).delete_item(
        TableName=account.physical_id("ClaimTable"), Key={"id": {"S": "x"}}
    )


def _scan_claims(account: Account, credentials: Credentials) -> object:
    return account.client("dynamodb", credentials).scan(TableName=account.physical_id("ClaimTable"))


ALLOWED = [
    Action("Receiver", "send", _send("Queue")),
    Action("Receiver", "read the signing secret", _get_secret("SIGNING_SECRET_NAME")),
    Action("Worker", "receive", _receive),
    Action("Worker", "send", _send("Queue")),
    Action("Worker", "read the bot token", _get_secret("BOT_TOKEN_NAME")),
    Action("Worker", "delete a claim", _delete_claim),
]
DENIED = [
    Action("Receiver", "send to the dead-letter queue", _send("DeadLetterQueue")),
    Action("Receiver", "receive", _receive),
    Action("Receiver", "read the bot token", _get_secret("BOT_TOKEN_NAME")),
    Action("Receiver", "delete a claim", _delete_claim),
    Action("Worker", "send to the dead-letter queue", _send("DeadLetterQueue")),
    Action("Worker", "read the signing secret", _get_secret("SIGNING_SECRET_NAME")),
    Action("Worker", "scan the claims", _scan_claims),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "action", ALLOWED, ids=lambda action: f"{action.function} may {action.name}"
)
def test_a_function_has_the_permissions_it_needs(account: Account, action: Action) -> None:
    action.perform(account, account.function(action.function).credentials)


@pytest.mark.slow
@pytest.mark.parametrize(
    "action", DENIED, ids=lambda action: f"{action.function} may not {action.name}"
)
def test_a_function_has_no_other_permissions(account: Account, action: Action) -> None:
    with pytest.raises(ClientError, match=ACCESS_DENIED):
        action.perform(account, account.function(action.function).credentials)


@pytest.mark.slow
def test_an_unknown_access_key_has_no_permissions(account: Account) -> None:
    with pytest.raises(ClientError):
        _receive(account, Credentials("AKIAUNKNOWN", "x"))


@pytest.mark.slow
def test_a_permission_missing_from_the_template_is_denied(tmp_path: Path) -> None:
    text = (ROOT / "template.yaml").read_text("utf-8")
    without = text.replace("dynamodb:DeleteItem, ", "")
    assert without != text
    (tmp_path / "template.yaml").write_text(without, "utf-8")
    account = create_account(tmp_path, tmp_path / "template.yaml")
    try:
        with pytest.raises(ClientError, match=ACCESS_DENIED):
            _delete_claim(account, account.function("Worker").credentials)
    finally:
        account.stop()


def test_a_missing_or_invalid_template_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="cannot be read"):
        Template.read(tmp_path / "template.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text(
        "Transform: AWS::Serverless-2016-10-31\n"
        "Resources:\n  One: {Type: AWS::Serverless::Function, Properties: {}}\n"
    )
    with pytest.raises(LocalError, match=r"SAM rejects .*broken\.yaml"):
        Template.read(broken)


# ---------------------------------------------------------- the event source mapping


@dataclass
class Recorder:
    """Records the batches and fails given messages or whole invocations."""

    failing: set[str] = field(default_factory=set)
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
                if record["body"] in self.failing
            ]
        }


@dataclass
class PolledQueue:
    """The queue and its poller."""

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
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def idle(self) -> bool:
        return self.count("Queue") == 0 and not self.poller.busy


@pytest.fixture
def queue(account: Account) -> Iterator[PolledQueue]:
    for name in ("Queue", "DeadLetterQueue"):
        account.client("sqs").purge_queue(QueueUrl=account.queue_url(name))
    function = Recorder()
    mapping = account.event_source_mapping("WorkerSource")
    client = account.client("sqs", account.function("Worker").credentials)
    poller = Poller(mapping, function, client)
    yield PolledQueue(account, function, poller)
    poller.stop()


@pytest.mark.long
@pytest.mark.slow
def test_a_queue_is_as_old_as_its_oldest_message(queue: PolledQueue) -> None:
    name = queue.account.queue_url("Queue").rpartition("/")[2]
    assert queue.account.queue_ages()[name] == 0
    queue.send("first")
    assert queue.account.queue_ages(older_by=600)[name] >= 600
    queue.send("second")
    assert queue.account.queue_ages(older_by=100)[name] >= 700


@pytest.mark.slow
def test_messages_are_processed_in_batches_and_deleted(queue: PolledQueue) -> None:
    bodies = [f"m{number}" for number in range(12)]
    queue.send(*bodies)
    queue.poller.start()
    queue.wait_for(lambda: sum(map(len, queue.function.batches)) == 12 and queue.idle())
    size = queue.poller.mapping.batch_size
    assert all(len(batch) <= size for batch in queue.function.batches)
    assert sorted(body for batch in queue.function.batches for body in batch) == sorted(bodies)
    assert queue.count("Queue", "ApproximateNumberOfMessagesNotVisible") == 0


@pytest.mark.slow
def test_only_failed_messages_stay_in_the_queue_and_stay_invisible(queue: PolledQueue) -> None:
    queue.function.failing = {"bad"}
    queue.send("good", "bad")
    queue.poller.start()
    # The poller is not busy yet when it has just received a message.
    queue.wait_for(lambda: sorted(queue.function.batches) == [["bad"], ["good"]] and queue.idle())
    assert queue.count("Queue", "ApproximateNumberOfMessagesNotVisible") == 1
    queue.function.failing = set()
    assert queue.poller.expire_visibility_timeouts() == 1
    queue.wait_for(lambda: queue.function.batches[2:] == [["bad"]] and queue.idle())
    assert queue.count("Queue", "ApproximateNumberOfMessagesNotVisible") == 0


@pytest.mark.slow
def test_the_whole_batch_stays_in_the_queue_if_the_invocation_fails(queue: PolledQueue) -> None:
    queue.function.error = InvocationError("Sandbox.Timedout", "30 seconds")
    queue.send("one", "two", "three")
    queue.poller.start()
    queue.wait_for(
        lambda: (
            queue.count("Queue", "ApproximateNumberOfMessagesNotVisible") == 3
            and not queue.poller.busy
        )
    )


@pytest.mark.slow
def test_a_message_that_fails_too_often_moves_to_the_dead_letter_queue(queue: PolledQueue) -> None:
    queue.function.failing = {"bad"}
    queue.send("bad")
    queue.poller.start()

    def is_dead() -> bool:
        queue.poller.expire_visibility_timeouts()
        return queue.count("DeadLetterQueue") == 1

    queue.wait_for(is_dead)
    redrive = queue.account.client("sqs").get_queue_attributes(
        QueueUrl=queue.account.queue_url("Queue"), AttributeNames=["RedrivePolicy"]
    )["Attributes"]["RedrivePolicy"]
    receives = int(re.findall(r'"maxReceiveCount": "?(\d+)', redrive)[0])
    assert queue.function.batches == [["bad"]] * receives


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
def test_responses_are_interpreted_as_lambda_documents(response: object, failed: list[str]) -> None:
    assert failed_message_ids(response, frozenset("ab")) == frozenset(failed)


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.sampled_from(["a", "b", "", "z"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["batchItemFailures", "itemIdentifier"]), inner)
        ),
    )
)
def test_failed_messages_are_always_part_of_the_batch(response: object) -> None:
    assert failed_message_ids(response, frozenset("ab")) <= frozenset("ab")
