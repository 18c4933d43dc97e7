"""Template, settings, code, manifest and images say the same."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
import yaml

from handler.aws_settings import AwsSettings
from handler.settings import AnswerMode
from handler.slack.client import BOT_SCOPES
from handler.slack.remedies import TOKEN_ERRORS
from handler.tracing import Tracing
from judge import __version__
from local.aws.gateway import PATH
from tests.template import code, declared
from tests.template.code import ROOT

FUNCTIONS = {"Receiver": "handler.receiver", "Worker": "handler.worker"}

SCOPES = {
    "conversations.replies": {"channels:history", "groups:history"},
    "chat.postMessage": {"chat:write"},
    "chat.postEphemeral": {"chat:write"},
}
"""What each method needs (https://docs.slack.dev/reference/methods)."""

LAMBDA = {"AWS_LAMBDA_FUNCTION_MEMORY_SIZE"}
"""What Lambda sets by itself
(https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html)."""

POWERTOOLS = {"POWERTOOLS_SERVICE_NAME", "POWERTOOLS_METRICS_NAMESPACE", "POWERTOOLS_LOG_LEVEL"}


class Asked(dict[str, str]):
    """An environment that remembers which variables were asked for."""

    def __init__(self, variables: dict[str, str]) -> None:
        super().__init__(variables)
        self.names: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)


VALUES = {
    "REACTIONS": "biohazard_sign",
    "QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/toxic-bot-dev-reactions",
    "CLAIM_TABLE": "toxic-bot-dev-claims",
    "SECRET_STORE": "secretsmanager",
    "SIGNING_SECRET_NAME": "arn:aws:secretsmanager:us-east-1:123456789012:secret:a-AbCdEf",
    "BOT_TOKEN_NAME": "arn:aws:secretsmanager:us-east-1:123456789012:secret:b-AbCdEf",
    "ANSWER": "thread",
    "MODEL_FOLDER": "/opt/model",
    "SLACK_API_URL": "https://slack.com/api/",
    "TRACING": "off",
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_template_sets_the_variables_that_settings_read_and_no_others(function: str) -> None:
    asked = Asked(VALUES)
    AwsSettings.from_environment(asked)
    assert set(declared.variables(function)) - POWERTOOLS == asked.names - LAMBDA
    assert set(declared.variables(function)) >= POWERTOOLS


@pytest.mark.parametrize(
    ("parameter", "variable"),
    [("Reactions", "REACTIONS"), ("Answer", "ANSWER"), ("SlackApiUrl", "SLACK_API_URL")],
)
def test_a_parameter_has_the_default_of_its_setting(parameter: str, variable: str) -> None:
    without = AwsSettings.from_environment({**VALUES, variable: ""})
    default = declared.template()["Parameters"][parameter]["Default"]
    assert AwsSettings.from_environment({**VALUES, variable: default}) == without
    assert declared.variables("Worker")[variable] == {"Ref": parameter}


def test_parameters_offer_every_value_that_settings_take() -> None:
    parameters = declared.template()["Parameters"]
    assert set(parameters["Answer"]["AllowedValues"]) == set(AnswerMode)
    assert set(parameters["Tracing"]["AllowedValues"]) == set(Tracing)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_function_is_started_with_a_handler_that_exists(function: str) -> None:
    module, _, attribute = declared.resource(function)["ImageConfig"]["Command"][0].rpartition(".")
    assert module == FUNCTIONS[function]
    defined = [getattr(node, "name", "") for node in code.tree(module).body]
    assert attribute in defined


def test_the_receiver_may_do_what_its_code_does_and_nothing_else() -> None:
    secrets = {"secretsmanager:GetSecretValue", "ssm:GetParameter"}
    assert {"SecretsProvider", "SSMProvider"} <= code.names("handler.receiver")
    used = code.sqs_actions("handler.receiver") | secrets | declared.LOGS
    assert declared.actions("ReceiverRole") == used


def test_the_worker_may_do_what_its_code_does_and_nothing_else() -> None:
    secrets = {"secretsmanager:GetSecretValue", "ssm:GetParameter"}
    # What Lambda's event source does in the function's name.
    source = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
    own = code.sqs_actions("handler.worker") | code.claim_actions()
    assert declared.actions("WorkerRole") == own | source | secrets | declared.LOGS


@pytest.mark.parametrize("role", ["ReceiverRole", "WorkerRole"])
def test_no_role_holds_a_wildcard(role: str) -> None:
    for statement in declared.statements(role):
        assert not [one for one in declared.values(statement["Action"]) if "*" in one]
        for one in declared.values(statement["Resource"]):
            assert "*" not in one
            assert "Fn::GetAtt" in one or '"Ref"' in one


def test_only_the_traces_policy_names_all_resources_because_x_ray_has_none() -> None:
    [policy] = declared.resources("AWS::IAM::Policy").values()
    [statement] = policy["PolicyDocument"]["Statement"]
    assert set(statement["Action"]) == declared.TRACES
    assert statement["Resource"] == "*"


def test_the_queue_waits_six_times_as_long_as_the_worker_may_take() -> None:
    assert (
        declared.resource("Queue")["VisibilityTimeout"]
        >= 6 * (declared.resource("Worker")["Timeout"])
    )


def test_the_api_waits_for_the_receiver_as_long_as_it_may_take() -> None:
    milliseconds = declared.resource("ApiIntegration")["TimeoutInMillis"]
    assert milliseconds >= declared.resource("Receiver")["Timeout"] * 1000


@pytest.mark.parametrize("queue", ["Queue", "DeadLetterQueue"])
def test_queues_are_encrypted(queue: str) -> None:
    assert declared.resource(queue)["SqsManagedSseEnabled"] is True


def test_failed_records_come_back_alone_and_end_in_the_dead_letter_queue() -> None:
    source = declared.resource("WorkerSource")
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert source["ScalingConfig"]["MaximumConcurrency"] == {"Ref": "WorkerConcurrency"}
    redrive = declared.resource("Queue")["RedrivePolicy"]
    assert redrive["deadLetterTargetArn"] == {"Fn::GetAtt": "DeadLetterQueue.Arn"} or redrive[
        "deadLetterTargetArn"
    ] == {"Fn::GetAtt": ["DeadLetterQueue", "Arn"]}


def test_the_table_has_the_key_and_the_expiry_that_claims_are_written_with() -> None:
    from aws_lambda_powertools.utilities.idempotency import DynamoDBPersistenceLayer

    layer = DynamoDBPersistenceLayer("claims", boto3_client=object())  # type: ignore[arg-type]  # never called
    table = declared.resource("ClaimTable")
    assert table["KeySchema"] == [{"AttributeName": layer.key_attr, "KeyType": "HASH"}]
    assert table["TimeToLiveSpecification"] == {
        "AttributeName": layer.expiry_attr,
        "Enabled": True,
    }


def test_access_logs_hold_neither_body_nor_headers() -> None:
    logged = declared.resource("ApiStage")["AccessLogSettings"]["Format"]
    fields = re.findall(r"\$context\.([\w.]+)", logged)
    assert fields
    assert not [one for one in fields if "body" in one.lower() or "header" in one.lower()]
    assert "$request" not in logged


def emitted() -> dict[str, dict[str, frozenset[str]]]:
    return {service: code.metrics(f"handler.{service}") for service in ("receiver", "worker")}


@pytest.mark.parametrize(
    "watched",
    [
        one
        for one in (*declared.on_dashboard(), *declared.in_alarms())
        if one.namespace.startswith("ToxicBot")
    ],
    ids=lambda one: one.name,
)
def test_every_metric_that_is_watched_is_emitted(watched: declared.Watched) -> None:
    namespace = declared.variables("Worker")["POWERTOOLS_METRICS_NAMESPACE"]["Fn::Sub"]
    assert watched.namespace == namespace
    names = {one for one, _ in watched.dimensions}
    service = dict(watched.dimensions)["service"]
    candidates = [service] if service else list(emitted())
    assert any(
        emitted()[one].get(watched.name) == frozenset(names - {"service"}) for one in candidates
    )


def test_every_metric_that_is_emitted_is_on_the_dashboard() -> None:
    shown = {one.name for one in declared.on_dashboard()}
    assert {name for metrics in emitted().values() for name in metrics} <= shown


def test_the_functions_have_the_service_names_that_alarms_and_dashboard_use() -> None:
    for function, service in (("Receiver", "receiver"), ("Worker", "worker")):
        assert declared.variables(function)["POWERTOOLS_SERVICE_NAME"] == service


def test_an_alarm_tells_of_every_error_that_means_a_bad_token_or_a_missing_scope() -> None:
    errors = {
        dict(one.dimensions)["error"] for one in declared.in_alarms() if one.name == "SlackRefused"
    }
    assert errors == TOKEN_ERRORS | {"missing_scope", "no_permission"}


def test_every_alarm_goes_to_the_topic_and_is_explained() -> None:
    guide = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    for alarm in declared.resources("AWS::CloudWatch::Alarm").values():
        assert alarm["AlarmActions"] == [{"Ref": "Alarms"}]
        name = alarm["AlarmName"]["Fn::Sub"].removeprefix("${AWS::StackName}-")
        assert f"`{name}`" in guide


def test_every_parameter_is_described_and_every_output_explained() -> None:
    for section in ("Parameters", "Outputs"):
        for name, one in declared.template()[section].items():
            assert len(one.get("Description", "")) > 10, name


def test_the_manifest_asks_for_the_scopes_that_the_code_needs() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yaml").read_text("utf-8"))
    methods = code.slack_methods()
    assert methods == set(SCOPES)
    # An event is sent to apps with the scope to read reactions alone.
    needed = set().union(*(SCOPES[one] for one in methods)) | {"reactions:read"}
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == needed == BOT_SCOPES
    assert manifest["settings"]["event_subscriptions"]["bot_events"] == ["reaction_added"]


def test_every_scope_of_the_manifest_is_explained() -> None:
    lines = (ROOT / "manifest.yaml").read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        if re.fullmatch(r"\s+- (reactions|channels|groups|chat):\w+", line):
            assert lines[number - 1].strip().startswith("#")


def test_manifest_template_and_local_gateway_name_one_path() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yaml").read_text("utf-8"))
    assert manifest["settings"]["event_subscriptions"]["request_url"].endswith(PATH)
    assert declared.resource("ApiRoute")["RouteKey"] == f"POST {PATH}"
    assert declared.resource("ApiPermission")["SourceArn"]["Fn::Sub"].endswith(f"/POST{PATH}")
    assert declared.template()["Outputs"]["RequestUrl"]["Value"]["Fn::Sub"].endswith(PATH)


def test_the_model_lies_where_the_template_says() -> None:
    base = (ROOT / "Dockerfile.base").read_text("utf-8")
    folder = declared.variables("Worker")["MODEL_FOLDER"]
    assert f"COPY --from=model {folder} {folder}" in base


def test_the_app_image_holds_handler_and_judge_alone() -> None:
    app = (ROOT / "Dockerfile.app").read_text("utf-8")
    assert re.findall(r"^COPY (.*)$", app, re.MULTILINE) == [
        "handler/ /var/task/handler/",
        "judge/ /var/task/judge/",
        "--from=compiled /var/task /var/task",
    ]


@pytest.mark.parametrize("name", ["Dockerfile.base", "Dockerfile.app"])
def test_the_images_are_labeled_with_the_version(name: str) -> None:
    [version] = re.findall(r'image\.version="([^"]+)"', (ROOT / name).read_text("utf-8"))
    assert version == __version__


def test_the_changelog_starts_with_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == __version__


def stages() -> list[str]:
    return ["default", "prod"]


@pytest.mark.parametrize("stage", stages())
def test_each_stage_sets_parameters_that_exist_and_every_required_one(stage: str) -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    overrides = dict(
        one.split("=", 1) for one in config[stage]["deploy"]["parameters"]["parameter_overrides"]
    )
    parameters = declared.template()["Parameters"]
    assert set(overrides) <= set(parameters)
    assert {name for name, one in parameters.items() if "Default" not in one} <= set(overrides)
    for name, value in overrides.items():
        allowed = parameters[name].get("AllowedValues")
        assert allowed is None or value in [str(one) for one in allowed]


@pytest.mark.parametrize("stage", stages())
def test_the_place_holders_for_the_secrets_cannot_be_deployed(stage: str) -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    for one in config[stage]["deploy"]["parameters"]["parameter_overrides"]:
        name, _, value = one.partition("=")
        if name.endswith("Arn"):
            pattern = declared.template()["Parameters"][name]["AllowedPattern"]
            assert not re.fullmatch(pattern, value)


@pytest.mark.parametrize(
    ("parameter", "value", "taken"),
    [
        ("SigningSecretArn", VALUES["SIGNING_SECRET_NAME"], True),
        ("SigningSecretArn", "arn:aws:ssm:eu-west-1:123456789012:parameter/bot/secret", True),
        ("SigningSecretArn", "8f742231b10e8888abcd99yyyzzz85a5", False),
        ("BotTokenArn", "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy", False),
        ("BotTokenArn", "toxic-bot/dev/bot-token", False),
        ("Reactions", "biohazard_sign, skull", True),
        ("Reactions", ":biohazard_sign:", False),
        ("Reactions", "", False),
        ("SlackApiUrl", "https://slack-gov.com/api/", True),
        ("SlackApiUrl", "http://127.0.0.1:8080/api/", True),
        ("SlackApiUrl", "http://example.org/api/", False),
        ("SlackApiUrl", "https://slack.com/api", False),
        ("AlarmEmail", "", True),
        ("AlarmEmail", "ops@example.org", True),
        ("AlarmEmail", "ops", False),
        ("Release", "2026-11-21.1", True),
        ("Release", "with blanks", False),
    ],
)
def test_a_wrong_parameter_is_refused_before_anything_is_made(
    parameter: str, value: str, taken: bool
) -> None:
    declaration = declared.template()["Parameters"][parameter]
    assert bool(re.fullmatch(declaration["AllowedPattern"], value)) is taken
    assert declaration["ConstraintDescription"].startswith("should be")
