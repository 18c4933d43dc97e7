"""What people enter into the form of `/toxic settings`."""

from __future__ import annotations

import copy
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.slack.web_api.test_events import callback
from tests.slack.web_api.test_interactions import (
    API,
    CLICK,
    COMMAND,
    HOOK,
    SENT_AT,
    SUBSCRIPTION,
    TRIGGER,
    parse,
    parse_payload,
)
from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.channel_settings import (
    ChannelSettings,
    QuietHours,
    Urgent,
    Watch,
    WatchAction,
)
from toxic_bot.slack.channels.lists_trial import trial_response
from toxic_bot.slack.channels.settings_modal import settings_modal
from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.gestures.reading import read_gesture
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest
from toxic_bot.slack.i18n.english import ENGLISH
from toxic_bot.slack.i18n.german import GERMAN
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.lookups import Lookups
from toxic_bot.slack.requests.events import Dropped, parse_callback
from toxic_bot.slack.requests.interactions import parse_form
from toxic_bot.slack.requests.settings_form import Field, Rejected, Tried, read_settings
from toxic_bot.slack.settings import AnswerMode, BotSettings, Subscription
from toxic_bot.slack.word_lists import WordLists, read_entries

DEFAULTS = BotSettings.from_environment({})
WITH_MODERATORS = BotSettings.from_environment({"MODERATORS": "C0MODS"})
ENTERED: dict[str, Any] = {
    "listens": {"value": {"type": "radio_buttons", "selected_option": {"value": "yes"}}},
    "reactions": {"value": {"type": "plain_text_input", "value": None}},
    "answer": {"value": {"type": "static_select", "selected_option": {"value": "default"}}},
    "threshold": {"value": {"type": "static_select", "selected_option": {"value": "default"}}},
    "percent": {"value": {"type": "number_input", "value": None}},
    "exempt": {"value": {"type": "multi_users_select", "selected_users": []}},
}
# In the shape of the samples in Slack's documentation.
SUBMISSION: dict[str, Any] = {
    "type": "view_submission",
    "team": {"id": "T0001", "domain": "example"},
    "user": {"id": "U0ASKS", "username": "steve", "name": "steve", "team_id": "T0001"},
    "api_app_id": "A0001",
    "token": "verification_token",
    "trigger_id": TRIGGER,
    "view": {
        "id": "VNHU13V36",
        "team_id": "T0001",
        "type": "modal",
        "callback_id": "channel_settings",
        "private_metadata": "C0001",
        "state": {"values": ENTERED},
        "hash": "156663117.cd33ad1f",
    },
    "response_urls": [],
    "is_enterprise_install": False,
    "enterprise": None,
}


def entered(**changed: dict[str, Any]) -> dict[str, Any]:
    values = copy.deepcopy(ENTERED)
    for field, state in changed.items():
        values[field]["value"] |= state
    return values


def chosen(value: str) -> dict[str, Any]:
    return {"selected_option": {"value": value}}


ERRORS = ENGLISH["form"]["errors"]


def urgent(channels: object, people: object) -> dict[str, Any]:
    return ENTERED | {
        "urgent": {"value": {"selected_conversations": channels}},
        "urgent_people": {"value": {"selected_users": people}},
    }


def test_a_channel_can_name_who_hears_of_urgent_messages() -> None:
    for people in ([], ["U0002", "U0001"]):
        found = read_settings(urgent(["C0SAFE"], people), ERRORS)
        assert found == ChannelSettings(urgent=Urgent("C0SAFE", tuple(sorted(people))))
    assert read_settings(urgent([], []), ERRORS) == ChannelSettings()
    assert read_settings(urgent(None, None), ERRORS) == ChannelSettings()


def test_people_who_are_mentioned_need_a_channel_and_are_ten_at_most() -> None:
    for values in (
        urgent([], ["U0001"]),
        urgent(["C0SAFE"], [f"U{number}" for number in range(11)]),
    ):
        found = read_settings(values, ERRORS)
        assert isinstance(found, Rejected)
        assert set(found.errors) == {"urgent_people"}


@pytest.mark.parametrize("odd", ["C0SAFE", ["<!channel>"], [1], {"C0SAFE": 1}])
def test_odd_channels_and_people_are_malformed(odd: object) -> None:
    for values in (urgent(odd, []), urgent([], odd)):
        with pytest.raises(MalformedEventError):
            read_settings(values, ERRORS)


def errors(**changed: dict[str, Any]) -> set[str]:
    found = read_settings(entered(**changed), ERRORS)
    assert isinstance(found, Rejected)
    return set(found.errors)


def test_a_form_that_is_left_as_it_is_leaves_everything_to_the_environment() -> None:
    assert read_settings(ENTERED, ERRORS) == ChannelSettings()


def test_every_field_is_read() -> None:
    assert read_settings(
        entered(
            listens=chosen("no"),
            reactions={"value": ":skull: eyes,:wave::skin-tone-3:"},
            answer=chosen("nudge"),
            threshold=chosen("number"),
            percent={"value": "35"},
            exempt={"selected_users": ["U0001", "U0002"]},
        ),
        ERRORS,
    ) == ChannelSettings(
        listens=False,
        reactions=frozenset({"skull", "eyes", "wave"}),
        answer=AnswerMode.NUDGE,
        threshold=0.35,
        exempt=frozenset({"U0001", "U0002"}),
    )
    assert read_settings(entered(threshold=chosen("cautious")), ERRORS) == ChannelSettings(
        threshold=OperatingPoint.CAUTIOUS
    )


@pytest.mark.parametrize("typed", ["☣️", "<!channel>", "a`b", ",".join(f"e{n}" for n in range(11))])
def test_emoji_that_have_no_name_or_are_too_many_are_refused_at_their_field(typed: str) -> None:
    assert errors(reactions={"value": typed}) == {Field.REACTIONS}


@pytest.mark.parametrize("typed", [None, "0", "100", "-5", "12.5", "many", "１２"])
def test_a_limit_that_is_no_percentage_is_refused_at_its_field(typed: str | None) -> None:
    assert errors(threshold=chosen("number"), percent={"value": typed}) == {Field.PERCENT}


def test_a_number_beside_another_choice_is_refused_rather_than_ignored() -> None:
    assert errors(percent={"value": "30"}) == {Field.PERCENT}


def test_all_errors_are_shown_at_once() -> None:
    rejected = read_settings(entered(reactions={"value": "☣️"}, percent={"value": "30"}), ERRORS)
    assert isinstance(rejected, Rejected)
    shown = rejected.to_response()
    assert shown["response_action"] == "errors"
    assert set(shown["errors"]) == {"reactions", "percent"}


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"listens": []},
        entered(answer=chosen("shout")),
        entered(threshold={"selected_option": None}),
        entered(exempt={"selected_users": ["<!channel>"]}),
    ],
)
def test_what_is_not_the_form_is_malformed(values: dict[str, Any]) -> None:
    with pytest.raises(MalformedEventError):
        read_settings(values, ERRORS)


THRESHOLDS = st.one_of(
    st.none(), st.sampled_from(OperatingPoint), st.integers(1, 99).map(lambda n: n / 100)
)
SETTINGS = st.builds(
    ChannelSettings,
    listens=st.booleans(),
    reactions=st.frozensets(st.from_regex(r"[a-z0-9_+'-]{1,20}", fullmatch=True), max_size=10),
    answer=st.none() | st.sampled_from(AnswerMode),
    threshold=THRESHOLDS,
    urgent=st.none()
    | st.builds(
        Urgent,
        st.from_regex(r"C[A-Z0-9]{1,10}", fullmatch=True),
        st.frozensets(st.from_regex(r"U[A-Z0-9]{1,10}", fullmatch=True), max_size=5)
        .map(sorted)
        .map(tuple),
    ),
    exempt=st.frozensets(st.from_regex(r"U[A-Z0-9]{1,10}", fullmatch=True), max_size=5),
    lists=st.builds(
        WordLists,
        st.lists(st.from_regex("a[a-zé ]{1,20}[a-z*]", fullmatch=True), max_size=5)
        .map("\n".join)
        .map(read_entries),
        st.lists(st.from_regex("n[a-zé ]{1,20}[a-z*]", fullmatch=True), max_size=5)
        .map("\n".join)
        .map(read_entries),
    ),
)


def submitted_unchanged(view: dict[str, Any]) -> dict[str, Any]:
    values = {}
    for block in view["blocks"]:
        if block["type"] == "input":
            element = block["element"]
            state = {"value": element.get("initial_value")}
            if "initial_option" in element:
                state = {"selected_option": element["initial_option"]}
            if element["type"] == "multi_users_select":
                state = {"selected_users": element.get("initial_users", [])}
            if element["type"] == "multi_conversations_select":
                state = {"selected_conversations": element.get("initial_conversations", [])}
            values[block["block_id"]] = {"value": state}
    return values


@pytest.mark.slow
@given(SETTINGS)
def test_the_form_shows_what_is_set_and_saving_it_unchanged_changes_nothing(
    own: ChannelSettings,
) -> None:
    view = settings_modal(own, DEFAULTS, "C0001", Language.ENGLISH)
    assert read_settings(submitted_unchanged(view), ERRORS) == own
    assert ChannelSettings.from_json(own.to_json()) == own


def test_a_submission_becomes_a_change_of_the_channel_in_its_metadata() -> None:
    change = parse_payload(SUBMISSION)
    assert isinstance(change, SettingsChange)
    assert (change.channel, change.user, change.event_id) == ("C0001", "U0ASKS", TRIGGER)
    assert ChannelSettings.from_json(change.settings) == ChannelSettings()
    assert read_gesture(json.loads(change.to_json())) == change


def test_a_submission_without_a_trigger_is_one_of_its_own_each_time() -> None:
    change = parse_payload({k: v for k, v in SUBMISSION.items() if k != "trigger_id"})
    assert isinstance(change, SettingsChange)
    assert change.event_id.startswith("VNHU13V36.")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"api_app_id": "A0OTHER"}, "other_app"),
        ({"view": {**SUBMISSION["view"], "callback_id": "another"}}, "other_form"),
    ],
)
def test_the_forms_of_others_are_dropped(changed: dict[str, Any], reason: str) -> None:
    assert parse_payload(SUBMISSION | changed) == Dropped(reason)


def test_the_command_and_the_button_ask_for_the_settings() -> None:
    typed = parse(COMMAND | {"text": " settings "})
    assert isinstance(typed, SettingsRequest)
    assert not typed.pressed
    button = {"action_id": "open_settings", "action_ts": "1766000009.000400"}
    pressed = parse_payload(CLICK | {"actions": [button]})
    assert isinstance(pressed, SettingsRequest)
    assert (pressed.pressed, pressed.event_id, pressed.response_url) == (True, TRIGGER, HOOK)
    usage = parse(COMMAND | {"text": ""})
    assert isinstance(usage, Dropped)
    assert "`/toxic settings`" in usage.notice


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({"GESTURES": "command"}, "switched_off"),
        # The list of the environment wins over whatever a channel would like.
        ({"CHANNELS": "C0OTHER"}, "other_channel"),
        ({"WORKSPACES": "T0OTHER"}, "other_workspace"),
    ],
)
def test_what_the_environment_leaves_out_cannot_be_set(
    environment: dict[str, str], reason: str
) -> None:
    subscription = BotSettings.from_environment(environment).subscription
    for parsed in (
        parse(COMMAND | {"text": "settings"}, subscription),
        parse_payload(SUBMISSION, subscription),
    ):
        assert isinstance(parsed, Dropped)
        assert parsed.reason == reason


def react(reaction: str, subscription: Subscription, looked_up: list[str]) -> object:
    def asks(channel: str, name: str) -> bool:
        looked_up.append(channel)
        return name == "skull"

    return parse_callback(
        json.dumps(callback(reaction=reaction)).encode(), subscription, Lookups(asks)
    )


def test_only_an_emoji_that_the_environment_does_not_name_is_looked_up() -> None:
    looked_up: list[str] = []
    assert isinstance(react("biohazard_sign", SUBSCRIPTION, looked_up), Reaction)
    assert looked_up == []
    assert isinstance(react("skull", SUBSCRIPTION, looked_up), Reaction)
    assert react("tada", SUBSCRIPTION, looked_up) == Dropped("other_reaction")
    assert len(looked_up) == 2


def test_no_emoji_is_looked_up_where_the_bot_does_not_answer() -> None:
    looked_up: list[str] = []
    elsewhere = Subscription(frozenset({"biohazard_sign"}), channels=frozenset({"C0OTHER"}))
    assert react("skull", elsewhere, looked_up) == Dropped("other_channel")
    assert looked_up == []


def test_the_errors_are_in_the_language_of_the_form() -> None:
    values = entered(reactions={"value": "☣️"})
    view = settings_modal(ChannelSettings(), DEFAULTS, "C0001", Language.GERMAN)
    form = SUBMISSION["view"] | {
        "private_metadata": view["private_metadata"],
        "state": {"values": values},
    }
    rejected = parse_payload(SUBMISSION | {"view": form})
    assert isinstance(rejected, Rejected)
    assert rejected.errors == {Field.REACTIONS: GERMAN["form"]["errors"]["emoji_names"]}


def test_the_receiver_explains_the_command_in_the_language_of_the_workspace() -> None:
    body = urlencode(COMMAND | {"text": ""}).encode()
    dropped = parse_form(body, SUBSCRIPTION, SENT_AT, API, Language.GERMAN)
    assert isinstance(dropped, Dropped)
    assert dropped.notice.startswith("Gib `/toxic` und einen Text ein")


FORM_WITH_WATCH = ENTERED | {
    "watch": {"value": chosen("note")},
    "watch_percent": {"value": {"type": "number_input", "value": "70"}},
    "quiet": {"value": {"type": "plain_text_input", "value": "18 – 8"}},
}


def watching(**changed: dict[str, Any]) -> ChannelSettings | Rejected:
    values = copy.deepcopy(FORM_WITH_WATCH)
    for field, state in changed.items():
        values[field]["value"] |= state
    return read_settings(values, ERRORS)


def test_how_a_channel_is_watched_is_read() -> None:
    watch = Watch(WatchAction.NOTE, 0.7, QuietHours(18, 8))
    assert watching() == ChannelSettings(watch=watch)
    plain = watching(watch=chosen("nudge"), watch_percent={"value": None}, quiet={"value": None})
    assert plain == ChannelSettings(watch=Watch(WatchAction.NUDGE))
    assert watching(watch=chosen("off")) == ChannelSettings()


@pytest.mark.parametrize("hours", ["18", "8-8", "24-8", "18:00-8:00", "eight to six", "-1-5"])
def test_quiet_hours_are_two_different_hours(hours: str) -> None:
    rejected = watching(quiet={"value": hours})
    assert isinstance(rejected, Rejected)
    assert set(rejected.errors) == {Field.QUIET}


def test_the_threshold_of_a_watched_channel_is_a_percentage() -> None:
    rejected = watching(watch_percent={"value": "100"})
    assert isinstance(rejected, Rejected)
    assert set(rejected.errors) == {Field.WATCH_PERCENT}


def test_the_form_shows_how_the_channel_is_watched_and_offers_what_there_is() -> None:
    defaults = BotSettings.from_environment({"MODERATORS": "C0MODS"})
    own = ChannelSettings(watch=Watch(WatchAction.NOTE, 0.7, QuietHours(18, 8)))

    def fields(own: ChannelSettings, defaults: BotSettings) -> dict[str, Any]:
        view = settings_modal(own, defaults, "C0001", Language.ENGLISH)
        return {one["block_id"]: one["element"] for one in view["blocks"] if "block_id" in one}

    shown = fields(own, defaults)
    assert shown["watch"]["initial_option"]["value"] == "note"
    assert shown["watch_percent"]["initial_value"] == "70"
    assert shown["quiet"]["initial_value"] == "18-8"
    without = fields(ChannelSettings(), DEFAULTS)
    values = [one["value"] for one in without["watch"]["options"]]
    assert values == ["off", "nudge", "thread"]
    switched_off = BotSettings.from_environment({"GESTURES": "settings"})
    assert "watch" not in fields(ChannelSettings(), switched_off)


FORM_WITH_LISTS = ENTERED | {
    "always": {"value": {"type": "plain_text_input", "value": "Idiot*\nshut up, IDIOT*"}},
    "never": {"value": {"type": "plain_text_input", "value": "idiot proof"}},
    "sample": {"value": {"type": "plain_text_input", "value": None}},
}


def listing(field: str, typed: str) -> ChannelSettings | Rejected:
    return read_settings(FORM_WITH_LISTS | {field: {"value": {"value": typed}}}, ERRORS)


def test_what_always_and_never_counts_is_read() -> None:
    lists = WordLists(("IDIOT*", "shut up"), ("idiot proof",))
    assert read_settings(FORM_WITH_LISTS, ERRORS) == ChannelSettings(lists=lists)


@pytest.mark.parametrize(
    ("field", "typed", "error"),
    [
        ("always", "*", "“*” would match almost anything"),
        ("never", "x" * 61, "is too long: use at most 60 characters"),
        ("always", "\n".join(f"w{n}" for n in range(101)), "Use at most 100 words"),
        ("never", "SHUT UP", "“shut up” is on both lists"),
    ],
)
def test_a_list_that_cannot_be_taken_is_refused_at_its_field(
    field: str, typed: str, error: str
) -> None:
    rejected = listing(field, typed)
    assert isinstance(rejected, Rejected)
    assert set(rejected.errors) == {Field(field)}
    assert error in rejected.errors[Field(field)]


def test_the_lists_are_tried_on_a_text_before_they_are_saved() -> None:
    values = FORM_WITH_LISTS | {"sample": {"value": {"value": "It is idiot-proof. Shut up!"}}}
    tried = parse_payload(SUBMISSION | {"view": SUBMISSION["view"] | {"state": {"values": values}}})
    assert isinstance(tried, Tried)
    response = trial_response(tried, DEFAULTS)
    assert response["response_action"] == "update"
    view = response["view"]
    [shown] = [one["text"] for one in view["blocks"][1:] if one["type"] == "section"]
    # As plain text: nothing that somebody types is formatted.
    assert shown["type"] == "plain_text"
    assert "Ignored: “idiot-proof”." in shown["text"]
    assert "Always flagged: “Shut up”." in shown["text"]
    assert "Nothing has been saved yet" in shown["text"]
    # What was entered is still there, and the text is not, so the next Save saves.
    assert submitted_unchanged(view)["next_sample"] == {"value": {"value": None}}
    again = read_settings(submitted_unchanged(view), ERRORS)
    assert again == tried.settings


@pytest.mark.parametrize(
    ("sample", "line"),
    [
        ("Nothing special", "The text contains none of these words"),
        ("An idiot proof plan", "I would judge the rest: “An plan”"),
    ],
)
def test_a_trial_says_what_is_left_to_judge(sample: str, line: str) -> None:
    values = FORM_WITH_LISTS | {"sample": {"value": {"value": sample}}}
    tried = parse_payload(SUBMISSION | {"view": SUBMISSION["view"] | {"state": {"values": values}}})
    assert isinstance(tried, Tried)
    assert line in str(trial_response(tried, DEFAULTS))


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        (None, "UTC"),
        ("utc", "UTC"),
        ("europe/berlin", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("America/Sao Paulo", "America/Sao_Paulo"),
    ],
)
def test_quiet_hours_are_in_the_time_zone_that_is_entered(typed: str | None, zone: str) -> None:
    values = FORM_WITH_WATCH | {"zone": {"value": {"value": typed}}}
    own = read_settings(values, ERRORS)
    assert isinstance(own, ChannelSettings)
    assert own.watch_quiet == QuietHours(18, 8, zone)
    view = settings_modal(own, WITH_MODERATORS, "C0001", Language.ENGLISH)
    assert read_settings(submitted_unchanged(view), ERRORS) == own
    assert ChannelSettings.from_json(own.to_json()) == own


@pytest.mark.parametrize("typed", ["Atlantis", "../etc/passwd", "Europe", "GMT+25:00", "/", "\0"])
def test_a_time_zone_that_nobody_knows_is_refused_at_its_field(typed: str) -> None:
    rejected = read_settings(FORM_WITH_WATCH | {"zone": {"value": {"value": typed}}}, ERRORS)
    assert isinstance(rejected, Rejected)
    assert set(rejected.errors) == {Field.ZONE}
