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

MAX_HELP_TEXT = 1000
"""Characters of the text with help lines; a function's variables have room for 4,000."""

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
    EDIT = "edit"
    WATCH = "watch"
    SHORTCUT = "shortcut"
    REPORT = "report"
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
    follows_edits
        Whether an answered message is judged again by itself when it is edited.
    """

    show_asker: bool = False
    code_of_conduct: str = ""
    about: str = ""
    language: Language = Language.ENGLISH
    edit_hint: bool = True
    follows_edits: bool = True


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
    note_cases
        Whether a note opens a case, as a report does.
    case_days
        Days for which a case is kept after the last thing that was done with it.
    """

    channel: str = ""
    note_limit: float | None = None
    note_cases: bool = False
    case_days: int = 180


@dataclass(frozen=True, slots=True)
class Care:
    """What is done where somebody may be in danger.

    Parameters
    ----------
    channel
        ID of the channel that is told at once; empty if none is.
    people
        IDs of those who are mentioned there.
    offers_help
        Whether people who write of harming themselves are shown help lines instead of being judged.
    help_text
        What they are shown, in mrkdwn; empty for the bot's own words.
    """

    channel: str = ""
    people: tuple[str, ...] = ()
    offers_help: bool = False
    help_text: str = ""


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
    care
        What is done where somebody may be in danger.
    vote_days
        Days for which a vote on a verdict is kept.
    user_budget, channel_budget
        Requests that one person, and one channel, can make in an hour; 0 for no limit.
    wording
        What its answers mention.
    operating_point
        What the threshold is chosen for.
    preload
        Whether the multilingual model is loaded at the start, and not when a text first needs it.
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
    care: Care = Care()
    preload: bool = False
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
        gestures = _read_gestures(environment)
        return cls(
            subscription=Subscription(
                reactions=_split(reactions),
                gestures=gestures,
                channels=_split(_read_ids(environment, "CHANNELS", "C0123456789,G0123456789")),
                workspaces=_split(_read_ids(environment, "WORKSPACES", "T0123456789")),
                app_id=_read_ids(environment, "APP_ID", "A0123456789", several=False),
            ),
            answer=read_choice(environment, "ANSWER", AnswerMode, AnswerMode.THREAD),
            channel_answers=_read_channel_answers(environment),
            moderation=_read_moderation(environment),
            care=_read_care(environment),
            vote_days=_read_days(environment, "VOTE_DAYS"),
            user_budget=_read_budget(environment, "USER_BUDGET", "60"),
            channel_budget=_read_budget(environment, "CHANNEL_BUDGET", "300"),
            wording=Wording(
                show_asker=read_choice(environment, "SHOW_ASKER", Switch, Switch.OFF) is Switch.ON,
                code_of_conduct=_read_link(environment, "CODE_OF_CONDUCT"),
                about=_read_link(environment, "ABOUT"),
                language=read_choice(environment, "LANGUAGE", Language, Language.ENGLISH),
                edit_hint=read_choice(environment, "EDIT_HINT", Switch, Switch.ON) is Switch.ON,
                follows_edits=GestureName.EDIT in gestures,
            ),
            operating_point=read_choice(
                environment, "OPERATING_POINT", OperatingPoint, OperatingPoint.BALANCED
            ),
            preload=read_choice(environment, "PRELOAD", Switch, Switch.OFF) is Switch.ON,
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


def _read_days(environment: Mapping[str, str], name: str) -> int:
    return int(read_matching(environment, name, r"[1-9]\d{0,3}", "a number of days", "180"))


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
    case_days = _read_days(environment, "CASE_DAYS")
    note_cases = read_choice(environment, "NOTE_CASES", Switch, Switch.OFF) is Switch.ON
    if not environment.get("MODERATOR_NOTES", "").strip():
        return Moderation(channel, case_days=case_days)
    percent = read_matching(
        environment, "MODERATOR_NOTES", r"[1-9]\d?|100", "a score in percent, such as 80"
    )
    if not channel:
        raise SettingsError(
            "set the environment variable MODERATORS to the channel that the notes of "
            "MODERATOR_NOTES go to"
        )
    return Moderation(channel, int(percent) / 100, note_cases, case_days)


def _read_care(environment: Mapping[str, str]) -> Care:
    channel = ""
    people: tuple[str, ...] = ()
    if environment.get("URGENT", "").strip():
        ids = read_matching(
            environment,
            "URGENT",
            r"[CGUW][A-Z0-9]*(\s*,\s*[CGUW][A-Z0-9]*)*",
            "the ID of a channel, and of people to mention there, such as C0123456789,U0123456789",
        )
        known = [one.strip() for one in ids.split(",")]
        people = tuple(sorted({one for one in known if one[0] in "UW"}))
        channels = {one for one in known if one[0] in "CG"}
        if len(channels) > 1:
            raise SettingsError("the environment variable URGENT should name at most one channel")
        channel = channels.pop() if channels else environment.get("MODERATORS", "").strip()
        if not channel:
            raise SettingsError(
                "add a channel to the environment variable URGENT, or set MODERATORS: without one, "
                "people cannot be mentioned"
            )
    help_text = environment.get("HELP_TEXT", "").strip()
    if len(help_text) > MAX_HELP_TEXT:
        raise SettingsError(
            f"the environment variable HELP_TEXT should have at most {MAX_HELP_TEXT} characters"
        )
    offers_help = read_choice(environment, "HELP_LINES", Switch, Switch.OFF) is Switch.ON
    return Care(channel, people, offers_help, help_text)


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
