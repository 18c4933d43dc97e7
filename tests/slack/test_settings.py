from __future__ import annotations

from pathlib import Path

import pytest

from toxic_bot.deployment.settings import AwsSettings, SecretStore, Tracing
from toxic_bot.judge.config import EMBEDDED_MODEL, OperatingPoint
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.settings import (
    AnswerMode,
    BotSettings,
    Care,
    GestureName,
    SettingsError,
    Subscription,
    Wording,
)

REQUIRED = {
    "QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/queue",
    "TEXT_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/texts",
    "CLAIM_TABLE": "claims",
    "SIGNING_SECRET_NAME": "toxic-bot/signing-secret",
    "BOT_TOKEN_NAME": "toxic-bot/bot-token",
}


def test_optional_settings_have_defaults() -> None:
    settings = AwsSettings.from_environment(REQUIRED)
    assert settings.bot.subscription == Subscription(frozenset({"biohazard_sign"}))
    assert settings.bot.answer is AnswerMode.THREAD
    assert settings.bot.wording == Wording(show_asker=False, code_of_conduct="", about="")
    assert settings.bot.subscription.gestures == set(GestureName)
    assert settings.bot.vote_days == 180
    assert (settings.bot.user_budget, settings.bot.channel_budget) == (60, 300)
    assert settings.secret_store is SecretStore.SECRETS_MANAGER
    assert settings.bot.slack_api_url == "https://slack.com/api/"
    assert settings.model_folder == EMBEDDED_MODEL
    assert settings.tracing is Tracing.OFF


def test_every_setting_is_read() -> None:
    settings = AwsSettings.from_environment(
        REQUIRED
        | {
            "REACTIONS": "skull, toxic",
            "GESTURES": "reaction, why",
            "CHANNEL_ANSWERS": "C0002=ephemeral, C0003=thread",
            "VOTE_DAYS": "30",
            "USER_BUDGET": "20",
            "CHANNEL_BUDGET": "0",
            "ABOUT": "https://example.org/about",
            "LANGUAGE": "de",
            "EDIT_HINT": "off",
            "CHANNELS": "C0001, C0002",
            "WORKSPACES": "T0001",
            "APP_ID": "A0001",
            "ANSWER": "nudge",
            "SHOW_ASKER": "on",
            "CODE_OF_CONDUCT": "https://example.org/conduct",
            "OPERATING_POINT": "cautious",
            "SECRET_STORE": "ssm",
            "MODEL_FOLDER": "/opt/model",
            "SLACK_API_URL": "http://127.0.0.1:8000/api/",
            "TRACING": "on",
        }
    )
    assert settings.bot.subscription == Subscription(
        reactions=frozenset({"skull", "toxic"}),
        gestures=frozenset({GestureName.REACTION, GestureName.WHY}),
        channels=frozenset({"C0001", "C0002"}),
        workspaces=frozenset({"T0001"}),
        app_id="A0001",
    )
    assert settings.bot.answer is AnswerMode.NUDGE
    assert settings.bot.answer_in("C0001") is AnswerMode.NUDGE
    assert settings.bot.answer_in("C0002") is AnswerMode.EPHEMERAL
    assert settings.bot.vote_days == 30
    assert (settings.bot.user_budget, settings.bot.channel_budget) == (20, 0)
    assert settings.bot.wording == Wording(
        True,
        "https://example.org/conduct",
        "https://example.org/about",
        Language.GERMAN,
        edit_hint=False,
        follows_edits=False,
    )
    assert settings.bot.operating_point is OperatingPoint.CAUTIOUS
    assert settings.secret_store is SecretStore.SSM
    assert settings.model_folder == Path("/opt/model")
    assert settings.tracing is Tracing.ON


@pytest.mark.parametrize(
    ("memory", "threads"), [(None, None), ("512", 1), ("1769", 1), ("3008", 1), ("3538", 2)]
)
def test_a_function_runs_no_more_threads_than_its_memory_pays_for(
    memory: str | None, threads: int | None
) -> None:
    from_lambda = {} if memory is None else {"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": memory}
    assert AwsSettings.from_environment(REQUIRED | from_lambda).threads == threads


@pytest.mark.parametrize("name", sorted(REQUIRED))
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_setting_is_named_in_a_one_line_error(name: str, value: str | None) -> None:
    environment = {**REQUIRED, name: value or ""}
    if value is None:
        del environment[name]
    with pytest.raises(SettingsError, match=name) as caught:
        AwsSettings.from_environment(environment)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REACTIONS", ":skull:"),
        ("REACTIONS", "a,,b"),
        ("CHANNELS", "#general"),
        ("WORKSPACES", "acme.slack.com"),
        ("APP_ID", "A1,A2"),
        ("QUEUE_URL", "my-queue"),
        ("TEXT_QUEUE_URL", "my-queue"),
        ("GESTURES", "reaction,shout"),
        ("CHANNEL_ANSWERS", "general=nudge"),
        ("VOTE_DAYS", "0"),
        ("USER_BUDGET", "many"),
        ("CHANNEL_BUDGET", "-1"),
        ("ABOUT", "the wiki"),
        ("LANGUAGE", "Deutsch"),
        ("EDIT_HINT", "sometimes"),
        ("URGENT", "#safety"),
        ("URGENT", "C0001,C0002"),
        ("URGENT", "U0001"),
        ("HELP_LINES", "maybe"),
        ("PRELOAD", "yes"),
        ("HELP_TEXT", "x" * 1001),
        ("CLAIM_TABLE", "a table"),
        ("ANSWER", "shout"),
        ("SHOW_ASKER", "maybe"),
        ("CODE_OF_CONDUCT", "https://example.org/|<!here>"),
        ("OPERATING_POINT", "bold"),
        ("SECRET_STORE", "vault"),
        ("SLACK_API_URL", "https://slack.com/api"),
        ("TRACING", "yes"),
    ],
)
def test_a_malformed_setting_is_named_without_showing_its_value(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name) as caught:
        AwsSettings.from_environment(REQUIRED | {name: value})
    assert f" {value}" not in str(caught.value)


def test_a_secret_in_the_wrong_variable_is_never_shown() -> None:
    with pytest.raises(SettingsError) as caught:
        AwsSettings.from_environment(REQUIRED | {"QUEUE_URL": "xoxb-not-a-queue"})
    assert "xoxb" not in str(caught.value)


@pytest.mark.parametrize(
    ("urgent", "care"),
    [
        ("", Care()),
        ("C0001", Care("C0001")),
        ("U0002, C0001,U0001", Care("C0001", ("U0001", "U0002"))),
        # Without a channel of their own, they are mentioned in the moderators'.
        ("U0001", Care("C0MODS", ("U0001",))),
    ],
)
def test_what_is_urgent_goes_to_one_channel_and_to_people_in_it(urgent: str, care: Care) -> None:
    settings = BotSettings.from_environment({"URGENT": urgent, "MODERATORS": "C0MODS"})
    assert settings.care == care


def test_help_lines_are_off_until_they_are_switched_on() -> None:
    assert not BotSettings.from_environment({}).care.offers_help
    on = BotSettings.from_environment({"HELP_LINES": "on", "HELP_TEXT": "Call 116 123."}).care
    assert (on.offers_help, on.help_text) == (True, "Call 116 123.")


def test_the_other_languages_are_loaded_at_the_start_only_where_a_setting_says_so() -> None:
    assert not BotSettings.from_environment({}).preload
    assert BotSettings.from_environment({"PRELOAD": "on"}).preload
