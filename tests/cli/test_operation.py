"""The doctor's checks of a running stack, in the local AWS account."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import boto3
import httpx
import pytest

from handler.dynamodb_store import DynamoDBStore
from simulators.asgi import Server
from simulators.aws.account import STACK, Account, Secrets
from simulators.aws.gateway import PATH, gateway
from simulators.aws.template import REGION, Template
from tests.aws_account import cold_start
from tests.template import declared
from tests.template.code import ROOT
from toxic_bot.deployment.settings import AwsSettings
from toxic_bot.operator.doctor.aws import worker_environment
from toxic_bot.operator.doctor.finding import CheckError, Finding
from toxic_bot.operator.doctor.operation import (
    EVENT_SOURCES,
    FUNCTIONS,
    INNER_STACK,
    MODERATED_FUNCTIONS,
    check_alarms,
    check_function,
    check_operation,
    check_subscription,
)
from toxic_bot.operator.doctor.request_url import Remedies, check_request_url
from toxic_bot.operator.stack import Deployment

pytestmark = pytest.mark.slow

SECRETS = Secrets()


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    account = Account(
        tmp_path_factory.mktemp("aws"),
        Template.read(ROOT / "template.yaml"),
        parameters={"Moderators": "C0123456789"},
        bot_secrets=SECRETS,
        environment={},
    )
    # moto cannot verify the signature of Lambda's GET requests.
    httpx.post(f"{account.endpoint}/moto-api/reset-auth", content=b"inf", trust_env=False)
    for mapping in EVENT_SOURCES.values():
        account.client("lambda").update_event_source_mapping(
            UUID=account.physical_id(mapping), Enabled=True
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
    found = Deployment.find(STACK, session)
    alarm = {"QueueAgeAlarm": f"{STACK}-oldest-message"}
    return replace(found, resources={**found.resources, **alarm})


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
        # The local stack has no API and no versions, and so nothing that would call them.
        what: f"the stack {STACK} has no {name}: deploy this version of template.yaml"
        for what, name in (
            ("probe function", "Probe"),
            ("probe schedule", "ProbeEveryMinute"),
            ("rehearsal function", "Rehearsal"),
        )
    }
    assert set(found) == {
        "receiver function",
        "worker function",
        "probe function",
        "digest function",
        "rehearsal function",
        "event source",
        "text event source",
        "probe schedule",
        "digest schedule",
        "dead letters",
        "rate limits",
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


def test_what_waits_for_slack_is_found(
    account: Account, deployment: Deployment, request_url: str
) -> None:
    assert findings(deployment, request_url)["rate limits"].ok
    store = DynamoDBStore(account.client("dynamodb"), account.physical_id("ClaimTable"))
    store.reserve("chat_postMessage#C1", time.time() + 100, 1.0)
    store.reserve("conversations_replies", time.time() - 100, 1.2)
    queue, url = account.client("sqs"), account.queue_url("Queue")
    queue.send_message(QueueUrl=url, MessageBody="{}", DelaySeconds=900)
    finding = findings(deployment, request_url)["rate limits"]
    assert finding.ok
    assert re.fullmatch(r"Slack limits chat.postMessage for \d+ s; 1 request waits", finding.detail)
    store.reserve("chat_update", time.time() + 3000, 1.2)
    finding = findings(deployment, request_url)["rate limits"]
    queue.purge_queue(QueueUrl=url)
    assert finding.ok is False
    assert finding.detail.startswith("Slack limits chat.update for ")
    assert "USER_BUDGET" in finding.remedy


@pytest.mark.parametrize("what", EVENT_SOURCES)
def test_an_event_source_that_is_off_is_found(
    account: Account, deployment: Deployment, request_url: str, what: str
) -> None:
    functions, mapping = account.client("lambda"), account.physical_id(EVENT_SOURCES[what])
    functions.update_event_source_mapping(UUID=mapping, Enabled=False)
    finding = findings(deployment, request_url)[what]
    functions.update_event_source_mapping(UUID=mapping, Enabled=True)
    assert finding.ok is False
    assert "--enabled" in finding.remedy
    assert mapping in finding.remedy


def test_a_digest_that_never_comes_is_found(
    account: Account, deployment: Deployment, request_url: str
) -> None:
    events, rule = account.client("events"), account.physical_id("DigestEveryWeek")
    events.disable_rule(Name=rule)
    finding = findings(deployment, request_url)["digest schedule"]
    events.enable_rule(Name=rule)
    assert (finding.ok, finding.detail) == (False, "it is off")
    assert finding.remedy == f"aws events enable-rule --name {rule}"


def test_every_function_and_event_source_of_the_template_is_checked() -> None:
    deployed = declared.deployed()
    for kind, checked in (
        ("AWS::Lambda::Function", FUNCTIONS + MODERATED_FUNCTIONS),
        ("AWS::Lambda::EventSourceMapping", EVENT_SOURCES.values()),
    ):
        assert {name for name, one in deployed.items() if one["Type"] == kind} == set(checked)


class Functions:
    """Lambda, where moto's functions never fail."""

    def __init__(self, **configuration: str) -> None:
        self._configuration = {"State": "Active", "MemorySize": 256, **configuration}

    def get_function_configuration(self, *, FunctionName: str) -> dict[str, Any]:  # noqa: N803 - boto3's
        return {"FunctionName": FunctionName, **self._configuration}


@pytest.mark.parametrize(
    "failed",
    [
        {"State": "Failed", "StateReason": "the image was deleted"},
        {"LastUpdateStatus": "Failed", "LastUpdateStatusReason": "the image was deleted"},
    ],
)
def test_a_function_that_failed_is_found(deployment: Deployment, failed: dict[str, str]) -> None:
    with pytest.raises(CheckError, match="the image was deleted"):
        check_function(Functions(**failed), deployment, "Digest")


def test_a_function_that_lambda_set_aside_is_fine(deployment: Deployment) -> None:
    functions = Functions(State="Inactive")
    assert check_function(functions, deployment, "Digest") == "inactive, 256 MB"


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


def test_an_alarm_in_alarm_is_named(
    account: Account, deployment: Deployment, request_url: str
) -> None:
    alarms, name = account.client("cloudwatch"), f"{STACK}-oldest-message"
    alarms.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="test")
    finding = findings(deployment, request_url)["alarms"]
    alarms.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="test")
    assert (finding.ok, finding.detail) == (False, "in ALARM: oldest-message")


def test_an_alarm_of_the_stack_inside_the_stack_is_named_and_a_strangers_is_not(
    account: Account, deployment: Deployment
) -> None:
    # moto's CloudFormation makes no alarms: a log group has the ID that the alarm would have.
    group = {
        "Type": "AWS::Logs::LogGroup",
        "Properties": {"LogGroupName": f"{STACK}-receiver-slow"},
    }
    account.client("cloudformation").create_stack(
        StackName=f"{STACK}-{INNER_STACK}-1A2B",
        TemplateBody=json.dumps({"Resources": {"ReceiverLatencyAlarm": group}}),
    )
    alarms, names = account.client("cloudwatch"), [f"{STACK}-receiver-slow", f"{STACK}-b-stranger"]
    for name in names:
        alarms.put_metric_alarm(
            AlarmName=name,
            EvaluationPeriods=1,
            Threshold=0,
            ComparisonOperator="GreaterThanThreshold",
        )
        alarms.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="test")
    inner = {INNER_STACK: f"{STACK}-{INNER_STACK}-1A2B"}
    try:
        assert "none of 1" in check_alarms(deployment)
        with pytest.raises(CheckError, match=r"^in ALARM: receiver-slow$"):
            check_alarms(replace(deployment, resources={**deployment.resources, **inner}))
    finally:
        alarms.delete_alarms(AlarmNames=names)


def test_an_alarm_of_a_stack_with_a_longer_name_is_not_this_ones(
    account: Account, deployment: Deployment, request_url: str
) -> None:
    alarms, name = account.client("cloudwatch"), f"{STACK}-staging-oldest-message"
    alarms.put_metric_alarm(
        AlarmName=name,
        MetricName="ApproximateAgeOfOldestMessage",
        Namespace="AWS/SQS",
        Statistic="Maximum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=60.0,
        ComparisonOperator="GreaterThanThreshold",
    )
    alarms.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="test")
    finding = findings(deployment, request_url)["alarms"]
    alarms.delete_alarms(AlarmNames=[name])
    assert finding.ok is True


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
        check_request_url(request_url, "0" * 32, Remedies.of_stack(STACK))
    assert "another secret" in caught.value.remedy


def test_a_url_that_nothing_answers_is_found() -> None:
    with pytest.raises(CheckError, match="does not answer"):
        check_request_url("http://127.0.0.1:9/slack/events", "0" * 32, Remedies.of_stack(STACK))
