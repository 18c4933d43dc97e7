"""The settings that every way of running the bot shares, and how a setting is read.

Each way of running the bot has one settings object, read from the environment once, at
startup: Lambda's is in `toxic_bot.deployment.settings`, the standalone bot's in
`toxic_bot.standalone.settings`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from toxic_bot.judge.config import OperatingPoint
from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.i18n.translation import Language

_Choice = TypeVar("_Choice", bound=StrEnum)


class SettingsError(ToxicBotError):
    """A setting is missing or malformed."""


class AnswerMode(StrEnum):
    """Who sees the verdict."""

    THREAD = "thread"
    EPHEMERAL = "ephemeral"
    NUDGE = "nudge"


class GestureName(StrEnum):
    """A way to ask the bot something, or a part of it that a setting can switch off."""

    REACTION = "reaction"
    SHORTCUT = "shortcut"
    COMMAND = "command"
    WHY = "why"
    VOTE = "vote"
    HOME = "home"
    WELCOME = "welcome"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class Subscription:
    """What the bot answers.

    Parameters
    ----------
    reactions
        Short names of the emoji that ask for a verdict.
    gestures
        The gestures that are switched on.
    channels, workspaces
        IDs of the only channels and workspaces that count; empty for all.
    app_id
        ID of the only app whose events count; empty for any that has the signing secret.
    """

    reactions: frozenset[str]
    gestures: frozenset[GestureName] = frozenset(GestureName)
    channels: frozenset[str] = frozenset()
    workspaces: frozenset[str] = frozenset()
    app_id: str = ""


@dataclass(frozen=True, slots=True)
class Wording:
    """What the bot's answers mention.

    Parameters
    ----------
    show_asker
        Whether an answer in a thread names the person who asked.
    code_of_conduct
        URL of a page that tells readers where to turn; empty if there is none.
    about
        URL of a page about how the bot judges; empty if there is none.
    edit_hint
        Whether authors who see a toxic verdict on their own message in private are told that they
        can edit or delete it.
    language
        What everybody reads is in this language, and what one person reads if theirs is unknown.
    """

    show_asker: bool = False
    code_of_conduct: str = ""
    about: str = ""
    language: Language = Language.ENGLISH
    edit_hint: bool = True


class Switch(StrEnum):
    """Whether something is done."""

    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Moderation:
    """What moderators receive.

    Parameters
    ----------
    channel
        ID of the moderators' channel, which gets the weekly digest; empty if there is none.
    note_limit
        The score from which a toxic verdict gets a note there; None for no notes.
    """

    channel: str = ""
    note_limit: float | None = None


@dataclass(frozen=True, slots=True)
class BotSettings:
    """How the bot behaves in Slack, wherever it runs.

    Parameters
    ----------
    subscription
        Which reactions it answers.
    answer
        Who sees the verdict that a reaction asks for.
    channel_answers
        The same for single channels, by ID.
    moderation
        What moderators receive.
    vote_days
        Days for which a vote on a verdict is kept.
    user_budget, channel_budget
        Requests that one person, and one channel, can make in an hour; 0 for no limit.
    wording
        What its answers mention.
    operating_point
        What the threshold is chosen for.
    slack_api_url
        Base URL of Slack's Web API, with a trailing slash.
    """

    subscription: Subscription
    answer: AnswerMode
    wording: Wording
    operating_point: OperatingPoint
    slack_api_url: str
    channel_answers: Mapping[str, AnswerMode] = field(default_factory=dict)
    moderation: Moderation = Moderation()
    vote_days: int = 180
    user_budget: int = 60
    channel_budget: int = 300

    def answer_in(self, channel: str) -> AnswerMode:
        """Return who sees the verdict in a channel."""
        return self.channel_answers.get(channel, self.answer)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> BotSettings:
        """Read and validate the variables that the README lists first.

        Raises
        ------
        SettingsError
            Names the first malformed variable and says what it should look like.
        """
        reactions = read_matching(
            environment,
            "REACTIONS",
            r"[^\s:,]+(\s*,\s*[^\s:,]+)*",
            "emoji short names without colons, such as biohazard_sign,skull",
            default="biohazard_sign",
        )
        return cls(
            subscription=Subscription(
                reactions=_split(reactions),
                gestures=_read_gestures(environment),
                channels=_split(_read_ids(environment, "CHANNELS", "C0123456789,G0123456789")),
                workspaces=_split(_read_ids(environment, "WORKSPACES", "T0123456789")),
                app_id=_read_ids(environment, "APP_ID", "A0123456789", several=False),
            ),
            answer=read_choice(environment, "ANSWER", AnswerMode, AnswerMode.THREAD),
            channel_answers=_read_channel_answers(environment),
            moderation=_read_moderation(environment),
            vote_days=int(
                read_matching(
                    environment, "VOTE_DAYS", r"[1-9]\d{0,3}", "a number of days", default="180"
                )
            ),
            user_budget=_read_budget(environment, "USER_BUDGET", "60"),
            channel_budget=_read_budget(environment, "CHANNEL_BUDGET", "300"),
            wording=Wording(
                show_asker=read_choice(environment, "SHOW_ASKER", Switch, Switch.OFF) is Switch.ON,
                code_of_conduct=_read_link(environment, "CODE_OF_CONDUCT"),
                about=_read_link(environment, "ABOUT"),
                language=read_choice(environment, "LANGUAGE", Language, Language.ENGLISH),
                edit_hint=read_choice(environment, "EDIT_HINT", Switch, Switch.ON) is Switch.ON,
            ),
            operating_point=read_choice(
                environment, "OPERATING_POINT", OperatingPoint, OperatingPoint.BALANCED
            ),
            slack_api_url=read_matching(
                environment,
                "SLACK_API_URL",
                r"https?://\S+/",
                "a URL with a trailing slash",
                default="https://slack.com/api/",
            ),
        )


def _split(names: str) -> frozenset[str]:
    return frozenset(name.strip() for name in names.split(",") if name.strip())


def _read_ids(
    environment: Mapping[str, str], name: str, example: str, *, several: bool = True
) -> str:
    pattern = r"[A-Z0-9]+(\s*,\s*[A-Z0-9]+)*" if several else "[A-Z0-9]+"
    if not environment.get(name, "").strip():
        return ""
    form = f"Slack's {'IDs, comma-separated' if several else 'ID'}, such as {example}"
    return read_matching(environment, name, pattern, form)


def _read_gestures(environment: Mapping[str, str]) -> frozenset[GestureName]:
    names = _split(environment.get("GESTURES", ""))
    if not names:
        return frozenset(GestureName)
    if not names <= set(GestureName):
        known = ", ".join(GestureName)
        raise SettingsError(f"the environment variable GESTURES should be some of: {known}")
    return frozenset(map(GestureName, names))


def _read_budget(environment: Mapping[str, str], name: str, default: str) -> int:
    form = "a number of requests an hour up to 9999, or 0 for no limit"
    return int(read_matching(environment, name, r"\d{1,4}", form, default))


def _read_channel_answers(environment: Mapping[str, str]) -> dict[str, AnswerMode]:
    if not environment.get("CHANNEL_ANSWERS", "").strip():
        return {}
    one = rf"[A-Z0-9]+=({'|'.join(AnswerMode)})"
    pairs = read_matching(
        environment,
        "CHANNEL_ANSWERS",
        rf"{one}(\s*,\s*{one})*",
        "channel IDs and answer modes, such as C0123456789=nudge,G0123456789=ephemeral",
    )
    by_channel = (pair.strip().partition("=") for pair in pairs.split(","))
    return {channel: AnswerMode(mode) for channel, _, mode in by_channel}


def _read_moderation(environment: Mapping[str, str]) -> Moderation:
    channel = _read_ids(environment, "MODERATORS", "C0123456789", several=False)
    if not environment.get("MODERATOR_NOTES", "").strip():
        return Moderation(channel)
    percent = read_matching(
        environment, "MODERATOR_NOTES", r"[1-9]\d?|100", "a score in percent, such as 80"
    )
    if not channel:
        raise SettingsError(
            "set the environment variable MODERATORS to the channel that the notes of "
            "MODERATOR_NOTES go to"
        )
    return Moderation(channel, int(percent) / 100)


def _read_link(environment: Mapping[str, str], name: str) -> str:
    if not environment.get(name, "").strip():
        return ""
    # Without the characters that would end a link in mrkdwn.
    return read_matching(environment, name, r"https://[^\s<>|]+", "an https URL")


def read_matching(
    environment: Mapping[str, str], name: str, pattern: str, form: str, default: str = ""
) -> str:
    """Return a variable whose whole value matches a pattern.

    Parameters
    ----------
    environment
        The environment variables.
    name
        The variable.
    pattern
        Regular expression for the stripped value.
    form
        What the value should be, for the error message.
    default
        The value when the variable is unset or blank; without one it is required.

    Raises
    ------
    SettingsError
        When the variable is missing or malformed. The message never shows the value: a
        secret put into the wrong variable must not reach a log.
    """
    value = environment.get(name, "").strip() or default
    if not value:
        raise SettingsError(f"set the environment variable {name} to {form}")
    if not re.fullmatch(pattern, value):
        raise SettingsError(f"the environment variable {name} is malformed: it should be {form}")
    return value


def read_choice(
    environment: Mapping[str, str], name: str, choices: type[_Choice], default: _Choice
) -> _Choice:
    """Return a variable that takes one of a few values.

    Raises
    ------
    SettingsError
        When the value is not one of them.
    """
    try:
        return choices(environment.get(name, "").strip() or default)
    except ValueError as error:
        known = ", ".join(choices)
        raise SettingsError(f"the environment variable {name} should be one of: {known}") from error
