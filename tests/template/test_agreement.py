"""Template, settings, code, manifest and images are consistent."""

from __future__ import annotations

import inspect
import re
import tomllib
from functools import cache
from typing import Any, cast

import pytest
import yaml

from handler import channel_settings_table as settings_table
from simulators.aws.gateway import PATH
from tests.template import code, declared
from tests.template.code import ROOT
from toxic_bot.deployment import history_table
from toxic_bot.deployment import table as layout
from toxic_bot.deployment.settings import AwsSettings, Tracing
from toxic_bot.judge import __version__
from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.answers.claims import ClaimStore
from toxic_bot.slack.answers.verdict_counts import COUNT_LIFETIME
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.gestures.private_requests import TEXT_LIFETIME
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.lookups import first_assessments
from toxic_bot.slack.moderators.figures import DAYS
from toxic_bot.slack.requests import events
from toxic_bot.slack.requests.interactions import COMMAND, REPORT, SHORTCUT
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import AnswerMode, GestureName
from toxic_bot.slack.waiting import MAX_WAIT, QueuedGesture, Waiting
from toxic_bot.slack.web_api.calls import TIMEOUT
from toxic_bot.slack.web_api.client import BOT_SCOPES
from toxic_bot.standalone import digest_schedule

FUNCTIONS = {"Receiver": "handler.receiver", "Worker": "handler.worker"}
ENTRY_POINTS = FUNCTIONS | {
    "Probe": "handler.probe",
    "Digest": "handler.digest",
    "Rehearsal": "handler.rehearsal",
}
SECRETS = {"secretsmanager:GetSecretValue", "ssm:GetParameter"}

SCOPES = {
    "auth.test": set[str](),
    "conversations.history": {"channels:history", "groups:history"},
    "conversations.replies": {"channels:history", "groups:history"},
    "chat.getPermalink": set[str](),
    "chat.postMessage": {"chat:write"},
    "chat.postEphemeral": {"chat:write"},
    "chat.update": {"chat:write"},
    "chat.delete": {"chat:write"},
    "users.conversations": {"channels:read", "groups:read"},
    "conversations.info": {"channels:read", "groups:read"},
    "conversations.members": {"channels:read", "groups:read"},
    "users.info": {"users:read"},
    "views.open": set[str](),
    "views.publish": set[str](),
}
"""The scopes of each Web API method (https://docs.slack.dev/reference/methods)."""

EVENT_SCOPES = {
    "reaction_added": {"reactions:read"},
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "app_home_opened": set[str](),
    "member_joined_channel": {"channels:read", "groups:read"},
}
"""The scopes of each event (https://docs.slack.dev/reference/events)."""

LAMBDAS_HOPS = 16
"""Invocations by one another after which Lambda stops a loop
(https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html)."""

LAMBDA_VARIABLES = {"AWS_LAMBDA_FUNCTION_MEMORY_SIZE"}
"""Variables that Lambda sets itself
(https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html)."""

POWERTOOLS_VARIABLES = {
    "POWERTOOLS_SERVICE_NAME",
    "POWERTOOLS_METRICS_NAMESPACE",
    "POWERTOOLS_LOG_LEVEL",
}


class RecordingEnvironment(dict[str, str]):
    """An environment that records which variables are read."""

    def __init__(self, variables: dict[str, str]) -> None:
        super().__init__(variables)
        self.names_read: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.names_read.add(name)
        return super().get(name, default)


VALUES = {
    "REACTIONS": "biohazard_sign",
    "GESTURES": "",
    "CHANNELS": "",
    "WORKSPACES": "",
    "APP_ID": "",
    "QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/toxic-bot-dev-reactions",
    "TEXT_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/toxic-bot-dev-texts",
    "CLAIM_TABLE": "toxic-bot-dev-claims",
    "SECRET_STORE": "secretsmanager",
    "SIGNING_SECRET_NAME": "arn:aws:secretsmanager:us-east-1:123456789012:secret:a-AbCdEf",
    "BOT_TOKEN_NAME": "arn:aws:secretsmanager:us-east-1:123456789012:secret:b-AbCdEf",
    "ANSWER": "thread",
    "SHOW_ASKER": "off",
    "CODE_OF_CONDUCT": "",
    "ABOUT": "",
    "LANGUAGE": "en",
    "EDIT_HINT": "on",
    "CHANNEL_ANSWERS": "",
    "VOTE_DAYS": "180",
    "USER_BUDGET": "60",
    "CHANNEL_BUDGET": "300",
    "MODERATORS": "C0123456789",
    "MODERATOR_NOTES": "90",
    "NOTE_CASES": "off",
    "CASE_DAYS": "180",
    "URGENT": "",
    "HELP_LINES": "off",
    "HELP_TEXT": "",
    "PRELOAD": "off",
    "OPERATING_POINT": "balanced",
    "MODEL_FOLDER": "/opt/model",
    "SLACK_API_URL": "https://slack.com/api/",
    "TRACING": "off",
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_template_sets_exactly_the_variables_that_the_settings_read(function: str) -> None:
    environment = RecordingEnvironment(VALUES)
    AwsSettings.from_environment(environment)
    assert (
        set(declared.variables(function)) - POWERTOOLS_VARIABLES
        == environment.names_read - LAMBDA_VARIABLES
    )
    assert set(declared.variables(function)) >= POWERTOOLS_VARIABLES


@pytest.mark.parametrize(
    ("parameter", "variable"),
    [
        ("Reactions", "REACTIONS"),
        ("Channels", "CHANNELS"),
        ("Workspaces", "WORKSPACES"),
        ("AppId", "APP_ID"),
        ("Answer", "ANSWER"),
        ("Gestures", "GESTURES"),
        ("ChannelAnswers", "CHANNEL_ANSWERS"),
        ("About", "ABOUT"),
        ("Language", "LANGUAGE"),
        ("EditHint", "EDIT_HINT"),
        ("VoteDays", "VOTE_DAYS"),
        ("UserBudget", "USER_BUDGET"),
        ("ChannelBudget", "CHANNEL_BUDGET"),
        ("ModeratorNotes", "MODERATOR_NOTES"),
        ("NoteCases", "NOTE_CASES"),
        ("CaseDays", "CASE_DAYS"),
        ("Urgent", "URGENT"),
        ("HelpLines", "HELP_LINES"),
        ("HelpText", "HELP_TEXT"),
        ("Preload", "PRELOAD"),
        ("ShowAsker", "SHOW_ASKER"),
        ("CodeOfConduct", "CODE_OF_CONDUCT"),
        ("OperatingPoint", "OPERATING_POINT"),
        ("SlackApiUrl", "SLACK_API_URL"),
    ],
)
def test_a_parameter_has_the_same_default_as_its_setting(parameter: str, variable: str) -> None:
    default_settings = AwsSettings.from_environment({**VALUES, variable: ""})
    default = declared.template()["Parameters"][parameter]["Default"]
    assert AwsSettings.from_environment({**VALUES, variable: str(default)}) == default_settings
    assert declared.variables("Worker")[variable] == {"Ref": parameter}


def test_parameters_allow_every_value_that_the_settings_accept() -> None:
    parameters = declared.template()["Parameters"]
    assert set(parameters["Answer"]["AllowedValues"]) == set(AnswerMode)
    every = ",".join(GestureName)
    assert re.fullmatch(parameters["Gestures"]["AllowedPattern"], every)
    assert every in parameters["Gestures"]["ConstraintDescription"]
    assert set(parameters["OperatingPoint"]["AllowedValues"]) == set(OperatingPoint)
    assert set(parameters["Tracing"]["AllowedValues"]) == set(Tracing)
    assert set(parameters["Language"]["AllowedValues"]) == set(Language)


@pytest.mark.parametrize("function", ENTRY_POINTS)
def test_each_function_has_a_handler_that_exists(function: str) -> None:
    module, _, attribute = declared.resource(function)["ImageConfig"]["Command"][0].rpartition(".")
    assert module == ENTRY_POINTS[function]
    defined = [getattr(node, "name", "") for node in code.parse(module).body]
    assert attribute in defined


def test_the_receiver_has_exactly_the_permissions_its_code_needs() -> None:
    assert {"get_secret_value", "get_parameter"} <= code.used_names("handler.receiver")
    own = code.sqs_actions("handler.receiver") | code.emoji_actions()
    needed = own | SECRETS | declared.LOGS
    assert declared.actions("ReceiverRole") == needed


def test_the_receiver_reads_only_the_index_and_the_first_assessments() -> None:
    sid = "ReadIndexAndAssessments"
    [read] = [one for one in declared.statements("ReceiverRole") if one["Sid"] == sid]
    assert first_assessments("C1", "1.2") == ("assessment#C1#1.2#0", "watch#C1#1.2#0")
    names = [settings_table.INDEX, "assessment#*", "watch#*"]
    keys = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": names}}
    assert read["Condition"] == keys


@pytest.mark.slow
def test_the_worker_has_exactly_the_permissions_its_code_needs() -> None:
    # Lambda's event source uses the function's role.
    source = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
    own = code.sqs_actions("handler.worker") | code.claim_actions() | code.settings_actions()
    own |= code.case_actions()
    assert declared.actions("WorkerRole") == own | source | SECRETS | declared.LOGS


def test_the_probe_has_exactly_the_permissions_its_code_needs() -> None:
    assert declared.actions("ProbeRole") == SECRETS | declared.LOGS


def test_the_digest_has_exactly_the_permissions_its_code_needs() -> None:
    assert '.get_paginator("scan")' in inspect.getsource(history_table)
    needed = code.claim_actions() | {"dynamodb:Scan"} | SECRETS | declared.LOGS
    assert declared.actions("DigestRole") == needed
    assert {"get_secret_value", "get_parameter"} <= code.used_names("handler.digest")


def test_only_the_digest_may_read_the_whole_table() -> None:
    for role in ("ReceiverRole", "WorkerRole", "ProbeRole", "RehearsalRole"):
        assert "dynamodb:Scan" not in declared.actions(role)
        assert "toxic_bot.deployment.history_table" not in code.imported_modules(
            f"handler.{role.removesuffix('Role').lower()}"
        )


def test_the_digest_comes_weekly_if_there_are_moderators() -> None:
    rule = declared.deployed()["DigestEveryWeek"]
    assert rule["Properties"]["ScheduleExpression"] == {"Ref": "DigestSchedule"}
    assert rule["Condition"] == "HasModerators"
    [hour] = re.findall(
        r"cron\(0 (\d+) \? \* MON \*\)",
        declared.template()["Parameters"]["DigestSchedule"]["Default"],
    )
    assert int(hour) == digest_schedule.HOUR
    assert declared.resource("Digest")["Timeout"] == digest_schedule.TIMEOUT
    assert COUNT_LIFETIME >= (2 * DAYS + 1) * 24 * 3600


def test_the_rehearsal_has_exactly_the_permissions_its_code_needs() -> None:
    called = {code.called_name(call) for call in code.calls("handler.rehearsal")}
    assert {"invoke", "put_lifecycle_event_hook_execution_status"} <= called
    assert declared.actions("RehearsalRole") == SECRETS | declared.LOGS | {
        "lambda:InvokeFunction",
        "codedeploy:PutLifecycleEventHookExecutionStatus",
    }


@pytest.mark.parametrize("role", ["ReceiverRole", "WorkerRole", "ProbeRole", "DigestRole"])
def test_no_role_has_a_wildcard(role: str) -> None:
    for statement in declared.statements(role):
        assert not [action for action in declared.values(statement["Action"]) if "*" in action]
        for resource in declared.values(statement["Resource"]):
            assert "*" not in resource
            assert "Fn::GetAtt" in resource or '"Ref"' in resource


def test_the_rehearsal_may_invoke_only_published_versions_of_the_two_functions() -> None:
    [invoke] = [
        one for one in declared.statements("RehearsalRole") if one["Sid"] == "InvokeNewVersions"
    ]
    assert invoke["Resource"] == [{"Fn::Sub": f"${{{name}.Arn}}:*"} for name in FUNCTIONS]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_is_traced_only_with_a_role_that_may_write_traces(function: str) -> None:
    # Lambda refuses to create a function with active tracing whose role lacks them.
    tracing = declared.template()["Globals"]["Function"]["Tracing"]["Fn::If"]
    statement = declared.conditional_statements(f"{function}Role")["IsTraced"]
    assert tracing == ["IsTraced", "Active", "PassThrough"]
    assert declared.resource(function)["Role"]["Fn::GetAtt"] == [f"{function}Role", "Arn"]
    assert set(statement["Action"]) == declared.TRACES
    # X-Ray has no resource-level permissions.
    assert statement["Resource"] == "*"
    assert declared.resources("AWS::IAM::Policy") == {}


def test_the_visibility_timeout_is_six_times_the_worker_timeout() -> None:
    assert (
        declared.resource("Queue")["VisibilityTimeout"]
        >= 6 * (declared.resource("Worker")["Timeout"])
    )


def test_the_api_timeout_covers_the_receiver_timeout() -> None:
    milliseconds = declared.resource("Receiver")["Events"]["SlackEvents"]["Properties"][
        "TimeoutInMillis"
    ]
    assert milliseconds >= declared.resource("Receiver")["Timeout"] * 1000


@pytest.mark.parametrize("queue", ["Queue", "DeadLetterQueue", "TextQueue"])
def test_queues_are_encrypted(queue: str) -> None:
    # SQS takes one of the two.
    own, none = {"Ref": "KmsKeyArn"}, {"Ref": "AWS::NoValue"}
    properties = declared.resource(queue)
    assert properties["KmsMasterKeyId"] == {"Fn::If": ["HasKmsKey", own, none]}
    assert properties["SqsManagedSseEnabled"] == {"Fn::If": ["HasKmsKey", none, True]}


def test_queues_refuse_connections_without_tls() -> None:
    policy = declared.resource("QueuePolicy")
    [statement] = policy["PolicyDocument"]["Statement"]
    assert policy["Queues"] == [{"Ref": "Queue"}, {"Ref": "DeadLetterQueue"}, {"Ref": "TextQueue"}]
    assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_a_text_is_never_kept_for_long() -> None:
    queue = declared.resource("TextQueue")
    assert "RedrivePolicy" not in queue
    assert queue["MessageRetentionPeriod"] <= TEXT_LIFETIME
    texts = declared.deployed()["WorkerTexts"]["Properties"]
    own = {"EventSourceArn": 0, "ScalingConfig": 0}
    assert source() | own == texts | own


def test_the_number_of_workers_is_that_of_the_parameter_and_two_for_texts() -> None:
    # Each event source has a limit of its own: in both, the parameter would be half of the truth.
    texts = declared.deployed()["WorkerTexts"]["Properties"]
    assert source()["ScalingConfig"]["MaximumConcurrency"] == {"Ref": "WorkerConcurrency"}
    assert texts["ScalingConfig"]["MaximumConcurrency"] == 2
    description = declared.template()["Parameters"]["WorkerConcurrency"]["Description"]
    assert "two more judge typed texts" in description


def source() -> dict[str, Any]:
    properties: dict[str, Any] = declared.deployed()["WorkerSource"]["Properties"]
    return properties


def test_lambda_does_not_take_a_gesture_that_waits_for_a_runaway_loop() -> None:
    # The longest time that fifteen delays can take: after the sixteenth hop, Lambda would stop it.
    gesture = Reaction("Ev1", "1766000000.000100", "T1", "U1", "C1", "1.1", "U1", "skull")
    error = TryAgainError("Slack fails", reason="internal_error")
    waiting = Waiting(cast(ClaimStore, None))
    shortest = sum(
        min(waiting.delay(QueuedGesture(gesture, waits=waits), error) for _ in range(100))
        for waits in range(LAMBDAS_HOPS - 1)
    )
    assert shortest < MAX_WAIT
    assert declared.deployed()["Worker"]["Properties"]["RecursiveLoop"] == "Allow"


def test_a_reaction_that_stops_the_worker_takes_no_other_with_it() -> None:
    assert source()["BatchSize"] == 1


def test_two_slow_calls_to_slack_fit_into_an_invocation_with_its_whole_batch() -> None:
    reactions = source()["BatchSize"]
    assert reactions * 2 * TIMEOUT < declared.resource("Worker")["Timeout"] / 2


def test_only_failed_records_are_retried_and_they_end_in_the_dead_letter_queue() -> None:
    assert source()["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert source()["ScalingConfig"]["MaximumConcurrency"] == {"Ref": "WorkerConcurrency"}
    redrive = declared.resource("Queue")["RedrivePolicy"]
    assert redrive["deadLetterTargetArn"] == {"Fn::GetAtt": "DeadLetterQueue.Arn"} or redrive[
        "deadLetterTargetArn"
    ] == {"Fn::GetAtt": ["DeadLetterQueue", "Arn"]}


def test_the_table_has_the_key_and_the_expiration_that_claims_use() -> None:
    table = declared.resource("ClaimTable")
    assert table["KeySchema"] == [{"AttributeName": layout.KEY, "KeyType": "HASH"}]
    assert table["TimeToLiveSpecification"] == {
        "AttributeName": layout.EXPIRATION,
        "Enabled": True,
    }


def test_access_logs_contain_no_bodies_or_headers() -> None:
    logged = declared.resource("HttpApi")["AccessLogSettings"]["Format"]
    fields = re.findall(r"\$context\.([\w.]+)", logged)
    assert fields
    assert not [name for name in fields if "body" in name.lower() or "header" in name.lower()]
    assert "$request" not in logged


@cache
def emitted() -> dict[str, dict[str, frozenset[str]]]:
    return {
        service: code.emitted_metrics(f"handler.{service}") for service in ("receiver", "worker")
    }


@pytest.mark.parametrize(
    "watched",
    [
        metric
        for metric in (*declared.dashboard_metrics(), *declared.alarm_metrics())
        if metric.namespace.startswith("ToxicBot")
    ],
    ids=lambda metric: metric.name,
)
def test_every_watched_metric_is_emitted(watched: declared.WatchedMetric) -> None:
    namespace = declared.variables("Worker")["POWERTOOLS_METRICS_NAMESPACE"]["Fn::Sub"]
    assert watched.namespace == namespace
    if (watched.namespace, watched.name) in declared.filtered_metrics():
        assert watched.dimensions == ()
        return
    names = {name for name, _ in watched.dimensions}
    service = dict(watched.dimensions)["service"]
    candidates = [service] if service else list(emitted())
    assert any(
        emitted()[candidate].get(watched.name) == frozenset(names - {"service"})
        for candidate in candidates
    )


def test_every_emitted_metric_is_on_the_dashboard() -> None:
    shown = {metric.name for metric in declared.dashboard_metrics()}
    assert {name for metrics in emitted().values() for name in metrics} <= shown
    assert {name for _, name in declared.filtered_metrics()} <= shown


def test_the_functions_have_the_service_names_that_alarms_and_dashboard_use() -> None:
    for function in ENTRY_POINTS:
        assert declared.variables(function)["POWERTOOLS_SERVICE_NAME"] == function.lower()


def test_every_alarm_notifies_the_topic_and_is_documented() -> None:
    guide = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    for alarm in declared.resources("AWS::CloudWatch::Alarm").values():
        name = alarm["AlarmName"]["Fn::Sub"].removeprefix("${AWS::StackName}-")
        if not name.endswith("-release"):
            assert alarm["AlarmActions"] == [{"Ref": "Alarms"}]
        assert f"`{name}`" in guide


def test_every_parameter_and_every_output_has_a_description() -> None:
    for template in (declared.template(), declared.observability()):
        both = template["Parameters"] | template["Outputs"]
        for name, declaration in both.items():
            assert len(declaration.get("Description", "")) > 10, name


def test_the_manifest_requests_exactly_the_scopes_that_the_code_needs() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yaml").read_text("utf-8"))
    methods = code.slack_methods()
    assert methods == set(SCOPES)
    features = manifest["features"]
    needed = set().union(*(SCOPES[method] for method in methods))
    subscribed = manifest["settings"]["event_subscriptions"]["bot_events"]
    needed |= set().union(*(EVENT_SCOPES[event] for event in subscribed))
    if features.get("shortcuts") or features.get("slash_commands"):
        needed |= {"commands"}
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == needed == BOT_SCOPES


def test_the_manifest_has_exactly_the_gestures_that_the_code_reads() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yaml").read_text("utf-8"))
    features, settings = manifest["features"], manifest["settings"]
    assert set(settings["event_subscriptions"]["bot_events"]) == set(EVENT_SCOPES)
    # "message.channels" is about channels, but its type is "message".
    assert set(events.PARSERS) == {name.partition(".")[0] for name in EVENT_SCOPES}
    [command] = features["slash_commands"]
    assert command["command"] == COMMAND
    shortcuts = [(one["type"], one["callback_id"]) for one in features["shortcuts"]]
    assert shortcuts == [("message", SHORTCUT), ("message", REPORT)]
    # Without the second, Slack refuses letters to authors; without the third, people could answer.
    tabs = ("home_tab_enabled", "messages_tab_enabled", "messages_tab_read_only_enabled")
    assert all(features["app_home"][tab] is True for tab in tabs)
    assert settings["interactivity"]["is_enabled"] is True
    # One URL takes everything, so there is one thing to paste.
    urls = {
        settings["event_subscriptions"]["request_url"],
        settings["interactivity"]["request_url"],
        command["url"],
    }
    assert len(urls) == 1


def test_every_scope_in_the_manifest_has_a_comment() -> None:
    lines = (ROOT / "manifest.yaml").read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        if re.fullmatch(r"\s+- ((reactions|channels|groups|chat):\w+|commands)", line):
            assert lines[number - 1].strip().startswith("#")


def test_manifest_template_and_local_gateway_use_the_same_path() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yaml").read_text("utf-8"))
    assert manifest["settings"]["event_subscriptions"]["request_url"].endswith(PATH)
    resources = declared.deployed()
    assert {
        path: set(methods)
        for path, methods in resources["HttpApi"]["Properties"]["Body"]["paths"].items()
    } == {PATH: {"post"}}
    permission = resources["ReceiverSlackEventsPermission"]["Properties"]
    assert permission["SourceArn"]["Fn::Sub"][0].endswith(f"/POST{PATH}")
    request_url = declared.template()["Outputs"]["RequestUrl"]["Value"]["Fn::Sub"]
    assert request_url.endswith(PATH)
    assert declared.variables("Probe")["REQUEST_URL"]["Fn::Sub"] == request_url


def test_the_base_image_has_the_model_where_the_template_expects_it() -> None:
    base = (ROOT / "Dockerfile.base").read_text("utf-8")
    folder = declared.variables("Worker")["MODEL_FOLDER"]
    assert f"COPY --from=model {folder} {folder}" in base


def test_the_app_image_adds_only_what_lambda_runs() -> None:
    app = (ROOT / "Dockerfile.app").read_text("utf-8")
    assert re.findall(r"^COPY (.*)$", app, re.MULTILINE) == [
        "handler/ /var/task/handler/",
        "toxic_bot/__init__.py /var/task/toxic_bot/",
        "toxic_bot/deployment/ /var/task/toxic_bot/deployment/",
        "toxic_bot/judge/*.py toxic_bot/judge/*.txt /var/task/toxic_bot/judge/",
        "toxic_bot/slack/ /var/task/toxic_bot/slack/",
        "--from=compiled /var/task /var/task",
    ]


@pytest.mark.parametrize("name", ["Dockerfile.base", "Dockerfile.app"])
def test_the_images_are_labeled_with_the_version(name: str) -> None:
    [version] = re.findall(r'image\.version="([^"]+)"', (ROOT / name).read_text("utf-8"))
    assert version == __version__


def test_the_changelog_starts_with_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == __version__


def test_two_stages_have_neither_resources_nor_metrics_in_common() -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    deployed = [config[stage]["deploy"]["parameters"] for stage in ("default", "prod")]
    assert len({one["stack_name"] for one in deployed}) == len(deployed)
    assert len({one["parameter_overrides"][0] for one in deployed}) == len(deployed)
    assert all(one["parameter_overrides"][0].startswith("Stage=") for one in deployed)
    namespaces = {metric.namespace for metric in declared.alarm_metrics()}
    assert {one for one in namespaces if not one.startswith("AWS/")} == {"ToxicBot/${Stage}"}
    every = declared.declarations()
    named = {
        (logical_id, key): value
        for logical_id, declaration in every.items()
        for key, value in declaration.get("Properties", {}).items()
        if key.endswith("Name") and key != "MetricName"
    }
    # A profile's name is its application's.
    del named["SettingsProfile", "Name"]
    shared = [name for name, value in named.items() if "AWS::StackName" not in str(value)]
    assert [one for one in shared if named[one].get("Ref") not in every] == []


@pytest.mark.parametrize(
    ("parameter", "value", "accepted"),
    [
        ("Stage", "dev", True),
        ("Stage", "prod-sales", True),
        ("Stage", 'prod"', False),
        ("Stage", "", False),
        ("SigningSecretArn", VALUES["SIGNING_SECRET_NAME"], True),
        ("SigningSecretArn", "arn:aws:ssm:eu-west-1:123456789012:parameter/bot/secret", True),
        ("SigningSecretArn", "8f742231b10e8888abcd99yyyzzz85a5", False),
        # This ARN belongs to the name "secret" as well as to "/secret".
        ("SigningSecretArn", "arn:aws:ssm:eu-west-1:123456789012:parameter/secret", False),
        ("BotTokenArn", "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy", False),
        ("BotTokenArn", "toxic-bot/dev/bot-token", False),
        ("Reactions", "biohazard_sign, skull", True),
        ("Reactions", ":biohazard_sign:", False),
        ("Reactions", "", False),
        ("Gestures", "", True),
        ("Gestures", "shortcut, command", True),
        ("Gestures", "settings, home", True),
        ("Gestures", "shout", False),
        ("ChannelAnswers", "", True),
        ("ChannelAnswers", "C0123456789=nudge, G0123456789=ephemeral", True),
        ("ChannelAnswers", "general=nudge", False),
        ("About", "https://example.org/about", True),
        ("About", "http://example.org/about", False),
        ("Moderators", "", True),
        ("Moderators", "C0123456789", True),
        ("Moderators", "#moderators", False),
        ("ModeratorNotes", "", True),
        ("ModeratorNotes", "90", True),
        ("ModeratorNotes", "0.9", False),
        ("ModeratorNotes", "101", False),
        ("Urgent", "C0123456789, U0123456789", True),
        ("Urgent", "", True),
        ("Urgent", "#safety", False),
        ("DigestSchedule", "cron(30 6 ? * FRI *)", True),
        ("DigestSchedule", "weekly", False),
        ("Channels", "", True),
        ("Channels", "C0123456789, G0123456789", True),
        ("Channels", "#general", False),
        ("Workspaces", "T0123456789", True),
        ("Workspaces", "acme.slack.com", False),
        ("AppId", "A0123456789", True),
        ("AppId", "A1,A2", False),
        ("CodeOfConduct", "", True),
        ("CodeOfConduct", "https://example.org/conduct", True),
        ("CodeOfConduct", "https://example.org/|<!channel>", False),
        ("CodeOfConduct", "see the wiki", False),
        ("SlackApiUrl", "https://slack-gov.com/api/", True),
        ("SlackApiUrl", "http://127.0.0.1:8080/api/", True),
        ("SlackApiUrl", "http://example.org/api/", False),
        ("SlackApiUrl", "https://slack.com/api", False),
        ("PermissionsBoundary", "", True),
        ("PermissionsBoundary", "arn:aws:iam::123456789012:policy/teams/boundary", True),
        ("PermissionsBoundary", "boundary", False),
        ("KmsKeyArn", "", True),
        ("KmsKeyArn", "arn:aws:kms:us-east-1:123456789012:key/0a1b-2c3d", True),
        ("KmsKeyArn", "arn:aws:kms:us-east-1:123456789012:alias/ours", False),
        ("AlarmEmail", "", True),
        ("AlarmEmail", "ops@example.org", True),
        ("AlarmEmail", "ops", False),
    ],
)
def test_an_invalid_parameter_is_rejected_before_deployment(
    parameter: str, value: str, accepted: bool
) -> None:
    declaration = declared.template()["Parameters"][parameter]
    assert bool(re.fullmatch(declaration["AllowedPattern"], value)) is accepted
    assert declaration["ConstraintDescription"].startswith("should be")


@pytest.mark.parametrize(
    ("alarm", "hours", "late"), [("FastBurnAlarm", 1, 72), ("SlowBurnAlarm", 6, 30)]
)
def test_an_alarm_rings_at_the_share_of_late_answers_that_the_guide_names(
    alarm: str, hours: int, late: int
) -> None:
    declaration = declared.resource(alarm)
    burn, in_time, answers = declaration["Metrics"]
    assert burn["Expression"] == "IF(answers >= 5, (100 - intime) / 5, 0)"
    assert declaration["Threshold"] * 5 == late
    assert in_time["MetricStat"]["Stat"] == "PR(:5000)"
    assert {one["MetricStat"]["Period"] for one in (in_time, answers)} == {hours * 3600}
    page = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    assert f"{late}%" in page


def test_the_guide_explains_every_graph_in_the_dashboards_order() -> None:
    guide = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    [table] = re.findall(r"^\| graph \|.*\n\|.*\n((?:\|.*\n)+)", guide, re.MULTILINE)
    explained = iter(line.split("|")[1].strip() for line in table.splitlines())
    graph = next(explained)
    for widget in sorted(declared.dashboard(), key=lambda widget: (widget["y"], widget["x"])):
        title = widget["properties"]["title"]
        if not title.startswith(graph):
            graph = next(explained)
        assert title.startswith(graph)
    assert list(explained) == []


def test_the_first_graph_is_the_objective() -> None:
    first, *_ = declared.dashboard()
    assert first["properties"]["stat"] == "PR(:5000)"
    assert (first["x"], first["y"]) == (0, 0)
