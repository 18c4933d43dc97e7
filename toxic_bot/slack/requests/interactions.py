"""Slash commands, shortcuts and buttons: Slack's form-encoded payloads as gestures.

Sources: https://docs.slack.dev/interactivity/implementing-slash-commands and
https://docs.slack.dev/reference/interaction-payloads
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl

from toxic_bot.slack.fields import (
    ID,
    TIMESTAMP,
    MalformedEventError,
    read_edited,
    read_field,
    read_json,
    read_object,
    read_optional,
    read_text,
)
from toxic_bot.slack.gestures.case_gestures import CaseClick, CaseForm
from toxic_bot.slack.gestures.clicks import Action, Click, Subject
from toxic_bot.slack.gestures.gesture import TRIGGER, Gesture
from toxic_bot.slack.gestures.private_requests import Command, Shortcut, Trial
from toxic_bot.slack.gestures.report_gestures import Report, ReportRequest
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest
from toxic_bot.slack.i18n import numbers
from toxic_bot.slack.i18n.translation import Language, choose, texts_in
from toxic_bot.slack.requests import case_form, report_form
from toxic_bot.slack.requests.events import MAX_TEXT, Dropped, refuse
from toxic_bot.slack.requests.payload_fields import read_response_url, read_team, read_user
from toxic_bot.slack.requests.settings_form import (
    CALLBACK,
    OPEN_ACTION,
    FormPlace,
    Rejected,
    Tried,
    read_sample,
    read_settings,
)
from toxic_bot.slack.settings import GestureName, Subscription

SHORTCUT, REPORT = "is_this_toxic", "report_to_moderators"
"""The shortcuts' callback IDs in the manifest."""

COMMAND = "/toxic"
"""The slash command in the manifest."""

SETTINGS, HELP = "settings", "help"
"""What the slash command is given, in any case, to be about the settings or about itself."""

TRY_ACTION, TRY_BLOCK, TRY_INPUT = "try", "try_text", "text"
"""IDs of the button, the block and the input with which a text is tried on the Home tab."""

MAX_FIELDS = 100
"""Form fields that are read; Slack sends about fifteen."""

_ACTIONS = {
    Action.WHY: GestureName.WHY,
    Action.RIGHT: GestureName.VOTE,
    Action.WRONG: GestureName.VOTE,
    # Below notes, which have a setting of their own.
    Action.SEEN: None,
}
_SHORTCUTS = {
    SHORTCUT: (Shortcut, GestureName.SHORTCUT),
    REPORT: (ReportRequest, GestureName.REPORT),
}
_COMMAND = re.compile(r"/\S{1,50}")


def parse_form(
    body: bytes,
    subscription: Subscription,
    sent_at: str,
    slack_api_url: str,
    language: Language = Language.ENGLISH,
) -> Gesture | Dropped | Rejected | Tried:
    """Classify a form that Slack has sent: a slash command or an interaction.

    Parameters
    ----------
    body
        The raw request body.
    subscription
        What the bot answers.
    sent_at
        Unix seconds at which Slack signed the request.
    slack_api_url
        Base URL of Slack's Web API, beside which it takes answers.
    language
        What the person is told is in this language: a form does not say which is theirs.

    Raises
    ------
    MalformedEventError
        When it is not in a shape that Slack sends.
    """
    try:
        form = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError as error:
        raise MalformedEventError("the form cannot be read") from error
    if form.get("ssl_check") == "1":
        return Dropped("ssl_check")
    if "payload" in form:
        return parse_interaction(
            read_json(form["payload"], "a payload"), subscription, sent_at, slack_api_url, language
        )
    return parse_command(form, subscription, sent_at, slack_api_url, language)


def parse_command(
    form: dict[str, Any],
    subscription: Subscription,
    sent_at: str,
    slack_api_url: str,
    language: Language = Language.ENGLISH,
) -> Command | SettingsRequest | Dropped:
    """Classify a slash command; see `parse_form`."""
    if read_field(form, "command", _COMMAND) != COMMAND:
        return Dropped("other_command")
    if subscription.app_id and form.get("api_app_id") != subscription.app_id:
        return Dropped("other_app")
    team, channel = read_field(form, "team_id", ID), read_field(form, "channel_id", ID)
    text = read_text(form, "text").strip()
    word = text.casefold()
    gesture = GestureName.SETTINGS if word == SETTINGS else GestureName.COMMAND
    if reason := refuse(subscription, gesture, team, channel):
        return Dropped(reason, choose(texts_in(language)["notices"], reason))
    if word == SETTINGS:
        return SettingsRequest(
            event_id=read_field(form, "trigger_id", TRIGGER),
            event_ts=f"{float(sent_at):.6f}",
            team=team,
            user=read_field(form, "user_id", ID),
            channel=channel,
            pressed=False,
            response_url=read_response_url(form, slack_api_url),
        )
    if word in ("", HELP):
        usage = texts_in(language)["notices"]["usage"]
        return Dropped("usage", usage.format(command=COMMAND, settings=SETTINGS))
    if len(text) > MAX_TEXT:
        texts = texts_in(language)
        most = numbers.whole(MAX_TEXT, texts)
        return Dropped("too_long", texts["notices"]["too_long"].format(most=most))
    return Command(
        event_id=read_field(form, "trigger_id", TRIGGER),
        event_ts=f"{float(sent_at):.6f}",
        team=team,
        user=read_field(form, "user_id", ID),
        channel=channel,
        text=text,
        response_url=read_response_url(form, slack_api_url),
    )


def parse_interaction(
    payload: dict[str, Any],
    subscription: Subscription,
    sent_at: str,
    slack_api_url: str,
    language: Language = Language.ENGLISH,
) -> Gesture | Dropped | Rejected | Tried:
    """Classify an interaction: a shortcut on a message, a click on a button, or a form.

    Parameters
    ----------
    payload
        The parsed payload.
    subscription, sent_at, slack_api_url, language
        See `parse_form`.
    """
    # Shortcuts do not name their app; the signature is made with its secret.
    app_id = payload.get("api_app_id", subscription.app_id)
    if subscription.app_id and app_id != subscription.app_id:
        return Dropped("other_app")
    kind = read_text(payload, "type")
    if kind == "message_action":
        return _parse_shortcut(payload, subscription, slack_api_url)
    if kind == "block_actions":
        return _parse_click(payload, subscription, slack_api_url)
    if kind == "view_submission":
        return _parse_submission(payload, subscription, sent_at, language)
    return Dropped("other_interaction")


def _parse_shortcut(
    payload: dict[str, Any], subscription: Subscription, slack_api_url: str
) -> Shortcut | Dropped:
    kind, gesture = _SHORTCUTS.get(read_text(payload, "callback_id"), (None, None))
    if kind is None:
        return Dropped("other_shortcut")
    team, channel = read_team(payload), read_field(read_object(payload, "channel"), "id", ID)
    if reason := refuse(subscription, gesture, team, channel):
        return Dropped(reason)
    message = read_object(payload, "message")
    text, edited = message.get("text"), message.get("edited")
    return kind(
        event_id=read_field(payload, "trigger_id", TRIGGER),
        event_ts=read_field(payload, "action_ts", TIMESTAMP),
        team=team,
        user=read_user(payload),
        channel=channel,
        ts=read_field(payload, "message_ts", TIMESTAMP),
        thread=read_optional(message, "thread_ts", TIMESTAMP),
        author=read_optional(message, "user", ID),
        text=text[:MAX_TEXT] if isinstance(text, str) else "",
        response_url=read_response_url(payload, slack_api_url),
        edited=read_edited(edited, "ts") if isinstance(edited, dict) else "",
    )


def _parse_click(
    payload: dict[str, Any], subscription: Subscription, slack_api_url: str
) -> Click | CaseClick | Trial | SettingsRequest | Dropped:
    actions = payload.get("actions")
    if not isinstance(actions, list) or not actions or not isinstance(actions[0], dict):
        raise MalformedEventError("the field 'actions' is missing or is not a list of objects")
    pressed = actions[0]
    name = read_text(pressed, "action_id")
    if name == TRY_ACTION:
        return _parse_trial(payload, pressed, subscription)
    if name == OPEN_ACTION:
        return _parse_opening(payload, pressed, subscription, slack_api_url)
    if name.startswith(case_form.PREFIX):
        return case_form.parse_case_click(payload, pressed, subscription, slack_api_url)
    if name not in set(Action):
        return Dropped("other_action")
    action = Action(name)
    subject = Subject.from_dict(read_json(read_text(pressed, "value"), "a button's value"))
    clicked_in = read_field(read_object(payload, "channel"), "id", ID)
    team, channel = read_team(payload), subject.channel or clicked_in
    if reason := refuse(subscription, _ACTIONS[action], team, channel):
        return Dropped(reason)
    place = read_object(payload, "container")
    if isinstance(payload.get("message"), dict):
        place = payload["message"] | place
    return Click(
        event_id=read_field(payload, "trigger_id", TRIGGER),
        event_ts=read_field(pressed, "action_ts", TIMESTAMP),
        team=team,
        user=read_user(payload),
        channel=channel,
        action=action,
        subject=subject,
        thread=read_optional(place, "thread_ts", TIMESTAMP),
        response_url=read_response_url(payload, slack_api_url),
        note=read_optional(place, "message_ts", TIMESTAMP) if subject.channel else None,
    )


def _parse_trial(
    payload: dict[str, Any], pressed: dict[str, Any], subscription: Subscription
) -> Trial | Dropped:
    team = read_team(payload)
    if reason := refuse(subscription, GestureName.HOME, team, ""):
        return Dropped(reason)
    state = read_object(read_object(payload, "view"), "state")
    typed = read_object(read_object(read_object(state, "values"), TRY_BLOCK), TRY_INPUT)
    text = str(typed.get("value") or "").strip()
    if not text:
        return Dropped("no_text")
    return Trial(
        event_id=read_field(payload, "trigger_id", TRIGGER),
        event_ts=read_field(pressed, "action_ts", TIMESTAMP),
        team=team,
        user=read_user(payload),
        text=text[:MAX_TEXT],
    )


def _parse_opening(
    payload: dict[str, Any],
    pressed: dict[str, Any],
    subscription: Subscription,
    slack_api_url: str,
) -> SettingsRequest | Dropped:
    team, channel = read_team(payload), read_field(read_object(payload, "channel"), "id", ID)
    if reason := refuse(subscription, GestureName.SETTINGS, team, channel):
        return Dropped(reason)
    return SettingsRequest(
        event_id=read_field(payload, "trigger_id", TRIGGER),
        event_ts=read_field(pressed, "action_ts", TIMESTAMP),
        team=team,
        user=read_user(payload),
        channel=channel,
        pressed=True,
        response_url=read_response_url(payload, slack_api_url),
    )


def _parse_submission(
    payload: dict[str, Any], subscription: Subscription, sent_at: str, language: Language
) -> SettingsChange | Report | CaseForm | Dropped | Rejected | Tried:
    view = read_object(payload, "view")
    callback = read_text(view, "callback_id")
    if callback == report_form.CALLBACK:
        return _parse_report(payload, view, subscription, sent_at)
    if callback == case_form.CALLBACK:
        return case_form.parse_case_form(payload, view, subscription, sent_at)
    if callback != CALLBACK:
        return Dropped("other_form")
    team, place = read_team(payload), FormPlace.from_view(view)
    if reason := refuse(subscription, GestureName.SETTINGS, team, place.channel):
        return Dropped(reason)
    errors = texts_in(place.language or language)["form"]["errors"]
    values = read_object(read_object(view, "state"), "values")
    settings = read_settings(values, errors)
    if isinstance(settings, Rejected):
        return settings
    field, sample = read_sample(values)
    if sample:
        own_language = place.language or language
        return Tried(settings, FormPlace(place.channel, own_language), sample[:MAX_TEXT], field)
    return SettingsChange(
        event_id=_submission(payload, view, sent_at),
        event_ts=f"{float(sent_at):.6f}",
        team=team,
        user=read_user(payload),
        channel=place.channel,
        settings=settings.to_json(),
    )


def _parse_report(
    payload: dict[str, Any], view: dict[str, Any], subscription: Subscription, sent_at: str
) -> Report | Dropped:
    place, team = report_form.ReportPlace.from_view(view), read_team(payload)
    message = place.message
    if reason := refuse(subscription, GestureName.REPORT, team, message.channel):
        return Dropped(reason)
    entered = report_form.read_report(read_object(read_object(view, "state"), "values"))
    return Report(
        event_id=_submission(payload, view, sent_at),
        event_ts=f"{float(sent_at):.6f}",
        team=team,
        user=read_user(payload),
        channel=message.channel,
        message=message,
        reason=entered.reason.value,
        word=entered.word,
        anonymous=entered.anonymous,
        language=place.language,
    )


def _submission(payload: dict[str, Any], view: dict[str, Any], sent_at: str) -> str:
    # Not the view's ID alone: whoever sees Slack fail submits the same view again.
    trigger = read_optional(payload, "trigger_id", TRIGGER)
    return trigger or f"{read_field(view, 'id', ID)}.{sent_at}"
