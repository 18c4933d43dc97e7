"""What a deployment publishes, how it takes over, and when it is taken back."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.template import declared
from tests.template.code import ROOT

FUNCTIONS = ("Receiver", "Worker")
MEMORY = {"Receiver": "ReceiverMemory", "Worker": "WorkerMemory"}


def versions(resources: dict[str, Any]) -> set[str]:
    return {name for name, one in resources.items() if one["Type"] == "AWS::Lambda::Version"}


def test_api_and_queue_invoke_the_alias_that_a_deployment_moves() -> None:
    resources = declared.deployed()
    [methods] = resources["HttpApi"]["Properties"]["Body"]["paths"].values()
    uri = methods["post"]["x-amazon-apigateway-integration"]["uri"]["Fn::Sub"]
    assert uri.endswith("functions/${ReceiverAliaslive}/invocations")
    permission = resources["ReceiverSlackEventsPermission"]["Properties"]
    assert permission["FunctionName"] == {"Ref": "ReceiverAliaslive"}
    assert resources["WorkerSource"]["Properties"]["FunctionName"] == {"Ref": "WorkerAliaslive"}


def test_deploying_the_same_again_publishes_nothing() -> None:
    assert versions(declared.translated()) == versions(declared.deployed())
    assert len(versions(declared.deployed())) == len(FUNCTIONS)


@pytest.mark.parametrize(
    ("old", "new"),
    [("ImageUri: toxic-bot:latest", "ImageUri: toxic-bot:next"), ("Timeout: 30", "Timeout: 31")],
)
def test_an_edited_function_is_published(old: str, new: str) -> None:
    text = (ROOT / "template.yaml").read_text("utf-8")
    assert old in text
    changed = versions(declared.translated(text.replace(old, new))) - versions(declared.deployed())
    assert {re.sub("Version.*", "", name) for name in changed} >= {"Worker"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_parameter_that_reaches_a_function_changes_its_versions_description(
    function: str,
) -> None:
    # SAM does not publish a version when only a parameter's value changes
    # (aws/serverless-application-model#3820). And Lambda refuses to publish an unchanged function,
    # so no other parameter may change the description.
    reaching = declared.parameters_in(declared.variables(function))
    for name in ("Tracing", "KmsKeyArn"):
        reaching |= declared.parameters_in(declared.template()["Globals"]["Function"][name])
    settings = declared.parameters_in(declared.resource("Settings")["Content"])
    assert reaching == settings
    assert declared.parameters_in(declared.resource(function)["MemorySize"]) == {MEMORY[function]}
    [description] = [
        one["Properties"]["Description"]["Fn::Sub"]
        for name, one in declared.deployed().items()
        if name.startswith(f"{function}Version")
    ]
    assert set(re.findall(r"\$\{([^}]+)\}", description)) == {
        "Settings.VersionNumber",
        MEMORY[function],
    }


def test_a_failed_deployment_leaves_no_version_behind() -> None:
    for name in versions(declared.deployed()):
        assert declared.deployed()[name]["DeletionPolicy"] == "Delete"
        assert declared.deployed()[name]["UpdateReplacePolicy"] == "Delete"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_provisioned_concurrency_is_that_of_the_alias(function: str) -> None:
    alias = declared.deployed()[f"{function}Aliaslive"]["Properties"]
    assert alias["ProvisionedConcurrencyConfig"]["Fn::If"] == [
        f"HasProvisioned{function}s",
        {"ProvisionedConcurrentExecutions": {"Ref": f"Provisioned{function}s"}},
        {"Ref": "AWS::NoValue"},
    ]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_traffic_shifts_gradually_after_a_rehearsal_and_back_by_alarm(function: str) -> None:
    resources = declared.deployed()
    group = resources[f"{function}DeploymentGroup"]["Properties"]
    assert group["DeploymentConfigName"]["Fn::Sub"][1] == {"ConfigName": "Canary10Percent5Minutes"}
    assert group["AlarmConfiguration"]["Fn::If"][1] == {
        "Enabled": True,
        "Alarms": [{"Name": {"Ref": f"{function}ReleaseAlarm"}}],
    }
    assert "DEPLOYMENT_STOP_ON_ALARM" in group["AutoRollbackConfiguration"]["Events"]
    update = resources[f"{function}Aliaslive"]["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
    assert update["BeforeAllowTrafficHook"] == {"Ref": "Rehearsal"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_alarm_of_a_deployment_watches_the_new_version_only(function: str) -> None:
    metrics = declared.deployed()[f"{function}ReleaseAlarm"]["Properties"]["Metrics"]
    watched = {
        query["Id"]: {
            one["Name"]: one["Value"] for one in query["MetricStat"]["Metric"]["Dimensions"]
        }
        for query in metrics
        if "MetricStat" in query
    }
    [version] = [name for name in versions(declared.deployed()) if name.startswith(function)]
    number = {"Fn::GetAtt": [version, "Version"]}
    assert watched == {
        "errors": {
            "FunctionName": {"Ref": function},
            "Resource": {"Fn::Sub": f"${{{function}}}:live"},
            "ExecutedVersion": number,
        },
        "caught": {"service": function.lower(), "version": number},
    }


def test_without_gradual_deployment_no_alarm_stops_one() -> None:
    condition = declared.template()["Conditions"]["IsGradual"]
    assert condition == {"Fn::Not": [{"Fn::Equals": [{"Ref": "Deployment"}, "AllAtOnce"]}]}
    for function in FUNCTIONS:
        group = declared.translated(Deployment="AllAtOnce")[f"{function}DeploymentGroup"]
        assert group["Properties"]["AlarmConfiguration"]["Fn::If"][0] == "IsGradual"
        assert not group["Properties"]["AlarmConfiguration"]["Fn::If"][2].get("Alarms")
        assert group["Properties"]["DeploymentConfigName"]["Fn::Sub"][1] == {
            "ConfigName": "AllAtOnce"
        }


def test_codedeploy_may_invoke_the_rehearsal() -> None:
    # The managed policy of CodeDeploy's role allows this prefix.
    name = declared.resource("Rehearsal")["FunctionName"]["Fn::Sub"]
    assert name.startswith("CodeDeployHook_")
    role = declared.resource("DeploymentRole")
    assert "AWSCodeDeployRoleForLambda" in str(role["ManagedPolicyArns"])
    for function in FUNCTIONS:
        group = declared.deployed()[f"{function}DeploymentGroup"]["Properties"]
        assert group["ServiceRoleArn"] == {"Fn::GetAtt": ["DeploymentRole", "Arn"]}


def test_secrets_in_another_region_or_account_stop_the_deployment() -> None:
    check = declared.resource("SecretsAreHere")
    region, account = "us-east-1", "123456789012"
    pattern = check["AllowedPattern"]["Fn::Sub"]
    pattern = pattern.replace("${AWS::Region}", region).replace("${AWS::AccountId}", account)

    def accepted(signing_secret: str, bot_token: str) -> bool:
        value = check["Value"]["Fn::Sub"]
        value = value.replace("${SigningSecretArn}", signing_secret)
        return bool(re.fullmatch(pattern, value.replace("${BotTokenArn}", bot_token)))

    def arn(region: str, account: str) -> str:
        return f"arn:aws:secretsmanager:{region}:{account}:secret:toxic-bot/dev/a-AbCdEf"

    here, abroad, foreign = (
        arn(region, account),
        arn("eu-west-1", account),
        arn(region, "210987654321"),
    )
    assert accepted(here, here)
    for other in (abroad, foreign):
        assert not accepted(here, other)
        assert not accepted(other, here)


@pytest.mark.parametrize("partition", ["aws", "aws-us-gov", "aws-cn"])
def test_the_dashboards_url_is_known_in_every_partition(partition: str) -> None:
    domains = declared.observability()["Mappings"]["Console"]
    assert domains[partition]["Domain"].startswith("console.")
    value = declared.observability()["Outputs"]["DashboardUrl"]["Value"]["Fn::Sub"]
    assert value[1]["Domain"]["Fn::FindInMap"] == ["Console", {"Ref": "AWS::Partition"}, "Domain"]
