"""How the template's conditions resolve in CloudFormation, with moto as AWS."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from simulators.aws.template import REGION, Template
from tests.template import declared
from tests.template.code import ROOT
from toxic_bot.deployment.settings import AwsSettings, SecretStore

pytestmark = [
    # Importing and starting moto takes seconds.
    pytest.mark.slow,
    # moto's CloudFormation warns that it does not support alarms and versions.
    pytest.mark.filterwarnings("ignore:Tried to parse"),
]

MANAGER = "arn:aws:secretsmanager:us-east-1:123456789012:secret:toxic-bot/dev/{}-AbCdEf"
PARAMETER = "arn:aws:ssm:us-east-1:123456789012:parameter/toxic-bot/dev/{}"


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.setenv("MOTO_LAMBDA_STUB_ECR", "true")
    with mock_aws():
        yield


def create(**parameters: str) -> None:
    boto3.client("cloudformation").create_stack(
        StackName="toxic-bot-dev",
        TemplateBody=json.dumps(Template.read(ROOT / "template.yaml").body),
        Parameters=[
            {"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()
        ],
        Capabilities=["CAPABILITY_IAM"],
    )


def settings(function: str) -> AwsSettings:
    declared = boto3.client("lambda").get_function_configuration(
        FunctionName=f"toxic-bot-dev-{function}"
    )
    return AwsSettings.from_environment(declared["Environment"]["Variables"])


def allowed(function: str) -> dict[str, Any]:
    """Return the actions that a function's role allows, with the resource of each."""
    iam: Any = boto3.client("iam")
    arn = boto3.client("lambda").get_function_configuration(
        FunctionName=f"toxic-bot-dev-{function}"
    )["Role"]
    role = arn.rpartition("/")[2]
    resources = {}
    for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        policy = ast.literal_eval(document) if isinstance(document, str) else document
        # moto keeps None where a condition leaves a statement out.
        for statement in filter(None, policy["Statement"]):
            actions = statement["Action"]
            for action in [actions] if isinstance(actions, str) else actions:
                resources[action] = statement["Resource"]
    return resources


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("arn", "store", "action"),
    [
        (MANAGER, SecretStore.SECRETS_MANAGER, "secretsmanager:GetSecretValue"),
        (PARAMETER, SecretStore.SSM, "ssm:GetParameter"),
    ],
)
def test_the_arn_selects_the_store_and_each_role_reads_only_its_own_secret(
    arn: str, store: SecretStore, action: str
) -> None:
    create(
        SigningSecretArn=arn.format("signing-secret"),
        BotTokenArn=arn.format("bot-token"),
    )
    for function, secret in (("receiver", "signing-secret"), ("worker", "bot-token")):
        function_settings = settings(function)
        assert function_settings.secret_store is store
        name = (
            function_settings.signing_secret_name
            if function == "receiver"
            else function_settings.bot_token_name
        )
        assert arn.format(secret).endswith(name)
        assert name.startswith("arn:" if store is SecretStore.SECRETS_MANAGER else "/toxic-bot")
        secrets = {
            name: resource
            for name, resource in allowed(function).items()
            if name.startswith(("secretsmanager:", "ssm:"))
        }
        assert secrets == {action: arn.format(secret)}


@pytest.mark.usefixtures("aws")
def test_parameters_reach_the_functions() -> None:
    create(
        SigningSecretArn=MANAGER.format("signing-secret"),
        BotTokenArn=MANAGER.format("bot-token"),
        Reactions="skull, biohazard_sign",
        Answer="nudge",
        SlackApiUrl="https://slack-gov.com/api/",
        WorkerMemory="512",
    )
    bot = settings("worker").bot
    assert bot.subscription.reactions == {"skull", "biohazard_sign"}
    assert bot.answer == "nudge"
    assert bot.slack_api_url == "https://slack-gov.com/api/"
    worker = boto3.client("lambda").get_function_configuration(FunctionName="toxic-bot-dev-worker")
    assert int(worker["MemorySize"]) == 512


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("tracing", ["on", "off"])
def test_a_role_may_write_traces_if_its_function_is_traced(tracing: str) -> None:
    create(
        SigningSecretArn=MANAGER.format("signing-secret"),
        BotTokenArn=MANAGER.format("bot-token"),
        Tracing=tracing,
    )
    for function in ("receiver", "worker"):
        assert (settings(function).tracing == "on") is (tracing == "on")
        assert ("xray:PutTraceSegments" in allowed(function)) is (tracing == "on")


@pytest.mark.usefixtures("aws")
def test_the_dead_letter_queue_receives_messages_that_failed_five_times() -> None:
    create(
        SigningSecretArn=MANAGER.format("signing-secret"),
        BotTokenArn=MANAGER.format("bot-token"),
    )
    sqs = boto3.client("sqs")
    url = sqs.get_queue_url(QueueName="toxic-bot-dev-reactions")["QueueUrl"]
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    redrive = json.loads(attributes["RedrivePolicy"])
    assert redrive["deadLetterTargetArn"].endswith(":toxic-bot-dev-dead-letters")
    assert redrive["maxReceiveCount"] == 5


MODERATED = {"Digest", "DigestAlarm", "DigestLogs", "DigestRole"}


def test_a_stack_without_moderators_has_nothing_of_the_digest() -> None:
    for resources in (declared.template()["Resources"], declared.deployed()):
        digest = {name for name in resources if name.startswith("Digest")}
        assert digest >= MODERATED
        for name in digest:
            assert resources[name]["Condition"] == "HasModerators"
        rest = json.dumps([one for name, one in resources.items() if name not in digest])
        assert not re.search(r'"Digest|\$\{Digest', rest)
    assert not re.search(r'"Digest(?!S)', json.dumps(declared.template()["Outputs"]))


def test_full_observability_is_a_stack_inside_the_stack_that_gets_every_name_it_needs() -> None:
    inner = declared.resource("FullObservability")
    declaration = declared.template()["Resources"]["FullObservability"]
    assert declaration["Condition"] == "HasFullObservability"
    assert (ROOT / inner["TemplateURL"]).name == "observability.yaml"
    assert set(inner["Parameters"]) == set(declared.observability()["Parameters"])
    # A resource is called there what it is called here.
    for name, value in inner["Parameters"].items():
        if name not in ("StackName", "Stage"):
            [reference] = value.values()
            assert (reference if isinstance(reference, str) else reference[0]) == name
    assert [
        one for one in declared.observability()["Resources"].values() if "Condition" in one
    ] == []
    [output] = declared.observability()["Outputs"]
    assert output == "DashboardUrl"
    assert declared.template()["Outputs"][output]["Value"] == {
        "Fn::GetAtt": ["FullObservability", f"Outputs.{output}"]
    }


def test_the_template_without_the_optional_part_stays_under_a_thousand_lines() -> None:
    assert len((ROOT / "template.yaml").read_text("utf-8").splitlines()) < 1000


def test_the_guide_marks_the_alarms_that_full_observability_adds() -> None:
    guide = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    rows = re.findall(r"^\| ((?:`[a-z-]+`(?:, )?)+)( \(full\))? \|", guide, re.MULTILINE)
    marked = {name for names, full in rows if full for name in re.findall(r"`([a-z-]+)`", names)}
    alarms = declared.resources("AWS::CloudWatch::Alarm")
    assert marked == {
        alarms[name]["AlarmName"]["Fn::Sub"].removeprefix("${AWS::StackName}-")
        for name in set(declared.observability()["Resources"]) & set(alarms)
    }


ENCRYPTED = {
    "AWS::SQS::Queue": "KmsMasterKeyId",
    "AWS::SNS::Topic": "KmsMasterKeyId",
    "AWS::Logs::LogGroup": "KmsKeyId",
    "AWS::DynamoDB::Table": "SSESpecification",
    "AWS::Lambda::Function": "KmsKeyArn",
}
"""The property of each type of resource that names a key."""


def test_every_role_that_a_stack_creates_has_the_boundary() -> None:
    roles = [one for one in declared.deployed().values() if one["Type"] == "AWS::IAM::Role"]
    assert len(roles) == 6
    boundary = [
        "HasPermissionsBoundary",
        {"Ref": "PermissionsBoundary"},
        {"Ref": "AWS::NoValue"},
    ]
    for role in roles:
        assert role["Properties"]["PermissionsBoundary"] == {"Fn::If": boundary}


def test_everything_that_can_be_encrypted_takes_the_key() -> None:
    found = set()
    for resource in declared.deployed().values():
        if resource["Type"] in ENCRYPTED:
            found.add(resource["Type"])
            condition, key, none = resource["Properties"][ENCRYPTED[resource["Type"]]]["Fn::If"]
            assert condition == "HasKmsKey"
            assert {"Ref": "KmsKeyArn"} in (key, key.get("KMSMasterKeyId"))
            assert none == {"Ref": "AWS::NoValue"}
    assert found == set(ENCRYPTED)


@pytest.mark.parametrize("role", ["Receiver", "Worker", "Probe", "Digest", "Rehearsal"])
def test_a_role_may_use_the_key_and_no_other(role: str) -> None:
    statement = declared.conditional_statements(f"{role}Role")["HasKmsKey"]
    assert statement["Resource"] == {"Ref": "KmsKeyArn"}
    assert set(statement["Action"]) == {"kms:Decrypt", "kms:GenerateDataKey"}


def test_the_guides_key_policy_lets_in_every_service_that_uses_the_key_itself() -> None:
    guide = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    [policy] = [
        json.loads(block)
        for block in re.findall(r"^```json\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
        if "kms:" in block
    ]
    allowed = {
        one["Principal"]["Service"]: set(one["Action"])
        for one in policy["Statement"]
        if "Service" in one["Principal"]
    }
    # The others use it in the name of a role or of whoever deploys.
    assert set(allowed) == {"logs.us-east-1.amazonaws.com", "cloudwatch.amazonaws.com"}
    assert {"kms:Decrypt", "kms:GenerateDataKey*"} <= allowed["cloudwatch.amazonaws.com"]
