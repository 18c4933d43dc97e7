"""The doctor's checks of a running stack, in the local AWS account."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import httpx
import pytest

from handler.aws_settings import AwsSettings
from local.asgi import Server
from local.aws.account import STACK, Account, Secrets
from local.aws.gateway import PATH, gateway
from local.aws.template import REGION, Template
from tests.handler.conftest import cold_start
from tests.template.code import ROOT
from toxic_bot.deployment import Deployment
from toxic_bot.doctor.aws import worker_environment
from toxic_bot.doctor.finding import CheckError, Finding
from toxic_bot.doctor.operation import check_operation, check_request_url, check_subscription

pytestmark = pytest.mark.slow

SECRETS = Secrets()


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    account = Account(
        tmp_path_factory.mktemp("aws"),
        Template.read(ROOT / "template.yaml"),
        parameters={},
        bot_secrets=SECRETS,
        environment={},
    )
    # moto cannot verify the signature of Lambda's GET requests.
    httpx.post(f"{account.endpoint}/moto-api/reset-auth", content=b"inf", trust_env=False)
    account.client("lambda").update_event_source_mapping(
        UUID=account.physical_id("WorkerSource"), Enabled=True
    )
    # Nor does its CloudFormation create these three.
    account.client("dynamodb").update_time_to_live(
        TableName=account.physical_id("ClaimTable"),
        TimeToLiveSpecification={"Enabled": True, "AttributeName": "expiration"},
    )
    account.client("sns").subscribe(
        TopicArn=account.physical_id("Alarms"), Protocol="email", Endpoint="operator@example.org"
    )
    account.client("cloudwatch").put_metric_alarm(
        AlarmName=f"{STACK}-oldest-message",
        Namespace="AWS/SQS",
        MetricName="ApproximateAgeOfOldestMessage",
        Statistic="Maximum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=600,
        ComparisonOperator="GreaterThanThreshold",
    )
    yield account
    account.stop()


@pytest.fixture
def deployment(account: Account, monkeypatch: pytest.MonkeyPatch) -> Deployment:
    monkeypatch.setenv("AWS_ENDPOINT_URL", account.endpoint)
    session = boto3.Session(
        aws_access_key_id=account.admin.access_key,
        aws_secret_access_key=account.admin.secret_key,
        region_name=REGION,
    )
    return Deployment.find(STACK, session)


class Receiver:
    """The real receiver in this process, behind the local API."""

    def __init__(self) -> None:
        self._module = cold_start("handler.receiver")

    def invoke(self, event: dict[str, Any]) -> Any:
        return self._module.handler(event, None)


@pytest.fixture
def request_url(
    account: Account, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    environment = worker_environment(deployment)
    for name, value in (environment | account.admin.environment()).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    server = Server(gateway(Receiver()))
    server.start()
    yield f"{server.address}{PATH}"
    server.stop()


def findings(deployment: Deployment, request_url: str) -> dict[str, Finding]:
    settings = AwsSettings.from_environment(worker_environment(deployment))
    return {one.what: one for one in check_operation(deployment, settings, request_url)}


def test_a_healthy_stack_passes_every_check(deployment: Deployment, request_url: str) -> None:
    found = findings(deployment, request_url)
    assert {what: finding.detail for what, finding in found.items() if not finding.ok} == {
        # The local stack has no API, and so no probe that would call it.
        "probe function": f"the stack {STACK} has no Probe: deploy this version of template.yaml"
    }
    assert set(found) == {
        "receiver function",
        "worker function",
        "probe function",
        "event source",
        "dead letters",
        "time to live",
        "alarms",
        "alarm subscription",
        "request URL",
    }


def test_dead_letters_are_counted(
    account: Account, deployment: Deployment, request_url: str
) -> None:
    queue, url = account.client("sqs"), account.queue_url("DeadLetterQueue")
    queue.send_message(QueueUrl=url, MessageBody="{}")
    finding = findings(deployment, request_url)["dead letters"]
    queue.purge_queue(QueueUrl=url)
    assert (finding.ok, finding.detail) == (False, "1 could not be answered")
    assert finding.remedy == f"toxic-bot dlq list --stack {STACK}"


def test_an_event_source_that_is_off_is_found(
    account: Account, deployment: Deployment, request_url: str
) -> None:
    functions, mapping = account.client("lambda"), account.physical_id("WorkerSource")
    functions.update_event_source_mapping(UUID=mapping, Enabled=False)
    finding = findings(deployment, request_url)["event source"]
    functions.update_event_source_mapping(UUID=mapping, Enabled=True)
    assert finding.ok is False
    assert "--enabled" in finding.remedy
    assert mapping in finding.remedy


def test_a_table_that_keeps_everything_is_found(
    account: Account, deployment: Deployment, request_url: str
) -> None:
    tables, name = account.client("dynamodb"), account.physical_id("ClaimTable")

    def switch(*, enabled: bool) -> None:
        tables.update_time_to_live(
            TableName=name,
            TimeToLiveSpecification={"Enabled": enabled, "AttributeName": "expiration"},
        )

    switch(enabled=False)
    finding = findings(deployment, request_url)["time to live"]
    switch(enabled=True)
    assert finding.ok is False
    assert name in finding.remedy


def test_a_ringing_alarm_is_named(
    account: Account, deployment: Deployment, request_url: str
) -> None:
    alarms, name = account.client("cloudwatch"), f"{STACK}-oldest-message"
    alarms.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="test")
    finding = findings(deployment, request_url)["alarms"]
    alarms.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="test")
    assert (finding.ok, finding.detail) == (False, "ringing: oldest-message")


class Topics:
    """SNS, which moto confirms by itself."""

    def __init__(self, *arns: str) -> None:
        self._arns = arns

    def list_subscriptions_by_topic(self, *, TopicArn: str) -> dict[str, Any]:  # noqa: N803 - boto3's
        subscriptions = [
            {"TopicArn": TopicArn, "SubscriptionArn": arn, "Endpoint": "operator@example.org"}
            for arn in self._arns
        ]
        return {"Subscriptions": subscriptions}


@pytest.mark.parametrize(
    ("arns", "detail"),
    [((), "nobody receives the alarms"), (("PendingConfirmation",), "it is not confirmed")],
)
def test_alarms_that_reach_nobody_are_found(
    deployment: Deployment, arns: tuple[str, ...], detail: str
) -> None:
    with pytest.raises(CheckError, match=detail) as caught:
        check_subscription(Topics(*arns), deployment)
    assert caught.value.remedy


def test_one_confirmed_subscription_is_enough(deployment: Deployment) -> None:
    topics = Topics("PendingConfirmation", "arn:aws:sns:us-east-1:123456789012:topic:1")
    assert check_subscription(topics, deployment) == "1 confirmed"


def test_a_receiver_with_another_secret_is_found(request_url: str) -> None:
    with pytest.raises(CheckError, match="with 401, not 200") as caught:
        check_request_url(request_url, "0" * 32)
    assert "another secret" in caught.value.remedy


def test_a_url_that_nothing_answers_is_found() -> None:
    with pytest.raises(CheckError, match="does not answer"):
        check_request_url("http://127.0.0.1:9/slack/events", "0" * 32)
