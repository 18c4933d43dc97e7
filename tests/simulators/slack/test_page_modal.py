"""The form of `/toxic settings` on the page, with a keyboard alone and under axe."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count, product
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from simulators.samples import CHANNEL, RAE, SAM, VIEWER
from simulators.slack.methods import WebApi
from simulators.slack.workspace import Channel
from simulators.stack import Stack
from tests.accessibility import violations
from tests.end_to_end.test_watching import forget_index
from tests.simulators.slack.browsing import ANSWER_TIMEOUT, DESKTOP, PHONE, tab_to
from tests.simulators.slack.test_accessibility import COLORS, window
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.channels.lists_trial import trial_response
from toxic_bot.slack.channels.settings_modal import settings_modal
from toxic_bot.slack.gestures.report_gestures import ReportedMessage
from toxic_bot.slack.i18n.english import ENGLISH
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.moderators.reports import report_modal
from toxic_bot.slack.requests.report_form import thanks_response
from toxic_bot.slack.requests.settings_form import Field, FormPlace, Tried
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.word_lists import WordLists

pytestmark = [pytest.mark.slow, pytest.mark.long]

NUMBERS = count(1)


def offer_form(page: Page) -> Locator:
    """Type the command, and return the button that it is answered with."""
    page.get_by_label("Message", exact=True).fill("/toxic settings")
    page.keyboard.press("Enter")
    button = page.get_by_role("button", name="Open settings").last
    expect(button).to_be_visible(timeout=ANSWER_TIMEOUT)
    return button


@pytest.fixture
def channel(stack: Stack) -> str:
    """A channel about which no worker knows anything yet, and no form is open."""
    stack.interactivity.modals.close(VIEWER)
    name = f"C0FORM{next(NUMBERS):04}"
    members = {VIEWER, RAE, stack.workspace.bot.id}
    stack.workspace.add_channel(Channel(name, "form", members=members))
    return name


@pytest.fixture
def form(open_page: Callable[..., Page], stack: Stack, channel: str) -> Locator:
    page = open_page(f"{stack.slack.address}/archives/{channel}", **DESKTOP)
    button = offer_form(page)
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Toxic Bot settings")
    expect(dialog).to_be_visible(timeout=ANSWER_TIMEOUT)
    return dialog


def in_dialog(page: Page) -> bool:
    script = "document.querySelector('#modal').contains(document.activeElement)"
    return bool(page.evaluate(script))


def test_tab_stays_in_the_form_and_escape_closes_it_and_gives_the_focus_back(
    form: Locator, stack: Stack
) -> None:
    page = form.page
    for key in ["Tab"] * 20 + ["Shift+Tab"] * 25:
        page.keyboard.press(key)
        assert in_dialog(page)
    page.keyboard.press("Escape")
    expect(form).to_be_hidden()
    expect(page.get_by_role("button", name="Open settings")).to_be_focused()
    assert stack.wait_for(lambda: stack.interactivity.modals.of(VIEWER) is None, 10)


def test_what_is_wrong_is_said_beside_the_field_and_read_out_and_nothing_is_lost(
    form: Locator,
) -> None:
    page = form.page
    emoji = form.get_by_label("Emoji that ask for a verdict")
    emoji.focus()
    page.keyboard.type("not an emoji ☣️")
    page.keyboard.press("Enter")
    expect(emoji).to_have_attribute("aria-invalid", "true")
    expect(emoji).to_be_focused()
    expect(emoji).to_have_accessible_description(re.compile("Use emoji names"))
    expect(form.get_by_role("alert")).to_contain_text("Not saved: Use emoji names")
    expect(emoji).to_have_value("not an emoji ☣️")


def test_a_channel_is_set_by_keyboard_alone(form: Locator, stack: Stack, channel: str) -> None:
    page = form.page
    form.get_by_label("Who sees the verdict?").focus()
    page.keyboard.type("Only to the person")
    form.get_by_role("group", name="People whose messages I do").get_by_label(
        "Rae Lindqvist"
    ).focus()
    page.keyboard.press("Space")
    form.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    expect(form).to_be_hidden(timeout=ANSWER_TIMEOUT)
    expect(page.get_by_text("Saved. In").last).to_be_visible(timeout=ANSWER_TIMEOUT)
    expect(page.get_by_text("only the person who asks").last).to_be_visible()
    message = stack.workspace.post(channel, RAE, "You are an idiot.")
    stack.workspace.react(channel, message.ts, VIEWER, "biohazard_sign")
    # A screen reader is told the same.
    declined = page.locator("#messages").get_by_text("I do not judge this person's messages")
    expect(declined).to_be_visible(timeout=ANSWER_TIMEOUT)


def test_a_channel_is_watched_by_keyboard_alone_and_a_toxic_message_is_answered(
    form: Locator, stack: Stack
) -> None:
    page = form.page
    form.get_by_label("Do I read every message here?").focus()
    page.keyboard.type("Yes, and answer")
    form.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    expect(form).to_be_hidden(timeout=ANSWER_TIMEOUT)
    told = page.locator("#messages").get_by_text("has switched on watching in this channel")
    expect(told).to_be_visible(timeout=ANSWER_TIMEOUT)
    forget_index(stack)
    page.get_by_label("Message", exact=True).fill("You are a pathetic idiot.")
    page.keyboard.press("Enter")
    pill = page.locator("#messages > .message").last.locator(".pill")
    expect(pill).to_have_text("toxic", timeout=ANSWER_TIMEOUT)


@pytest.fixture
def care(stack: Stack) -> str:
    """A channel for urgent messages; the page knows those that there are when it opens."""
    name = f"C0CARE{next(NUMBERS):04}"
    members = {VIEWER, stack.workspace.bot.id}
    stack.workspace.add_channel(Channel(name, name.lower(), members=members))
    return name


def test_who_hears_of_urgent_messages_is_set_by_keyboard_alone_and_they_do(
    care: str, form: Locator, stack: Stack, channel: str
) -> None:
    page = form.page
    tab_to(page, form.get_by_label("Urgent messages: which channel is told at once?"))
    page.keyboard.type(f"#{care.lower()}")
    people = form.get_by_role("group", name="Urgent messages: who is mentioned there?")
    tab_to(page, people.get_by_label("Sam Okafor"))
    page.keyboard.press("Space")
    expect(people.get_by_label("Sam Okafor")).to_be_checked()
    tab_to(page, form.get_by_role("button", name="Save"))
    page.keyboard.press("Enter")
    expect(form).to_be_hidden(timeout=ANSWER_TIMEOUT)
    saved = page.get_by_text(f"urgent messages are passed on to #{care.lower()}").last
    expect(saved).to_be_visible(timeout=ANSWER_TIMEOUT)
    message = stack.workspace.post(channel, RAE, "I will find you and break your legs.")
    stack.workspace.react(channel, message.ts, VIEWER, "biohazard_sign")
    assert stack.wait_for(lambda: bool(stack.workspace.messages(care)), 60), stack.log("worker")
    [note] = stack.workspace.messages(care)
    assert "reads as toxic: a threat" in note.text
    assert f"<@{SAM}>: please take a look now." in str(note.blocks)


def test_lists_are_tried_on_a_text_by_keyboard_alone(form: Locator) -> None:
    page = form.page
    form.get_by_label("Words and phrases I always flag").fill("teapot*")
    form.get_by_label("Try the lists on a text").fill("Two teapots")
    form.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    expect(form.get_by_text("Always flagged: “teapots”.")).to_be_visible(timeout=ANSWER_TIMEOUT)
    expect(form.get_by_text("Nothing has been saved yet.")).to_be_visible()
    expect(form.get_by_label("Words and phrases I always flag")).to_have_value("teapot*")
    expect(form.get_by_label("Try the lists on a text")).to_have_value("")
    expect(form.get_by_role("button", name="Save")).to_be_focused()
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(form).to_be_hidden(timeout=ANSWER_TIMEOUT)
    expect(page.get_by_text("some words are always flagged or ignored here").last).to_be_visible(
        timeout=ANSWER_TIMEOUT
    )


def test_the_form_fits_a_phone(open_page: Callable[..., Page], stack: Stack, channel: str) -> None:
    page = open_page(f"{stack.slack.address}/archives/{channel}", **PHONE)
    offer_form(page).tap()
    dialog = page.get_by_role("dialog", name="Toxic Bot settings")
    expect(dialog).to_be_visible(timeout=ANSWER_TIMEOUT)
    expect(dialog.get_by_role("button", name="Save")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    dialog.get_by_role("button", name="Cancel").tap()
    expect(dialog).to_be_hidden()


@pytest.mark.parametrize(
    ("width", "colors"),
    [
        pytest.param(width, colors, marks=[pytest.mark.long] if number % 5 else [])
        for number, (width, colors) in enumerate(product([320, 1600], COLORS))
    ],
)
def test_axe_finds_nothing_in_the_form(
    look: Callable[..., Page], web_api: WebApi, width: int, colors: str
) -> None:
    own = ChannelSettings(reactions=frozenset({"skull"}), exempt=frozenset({RAE}))
    view = settings_modal(own, BotSettings.from_environment({}), CHANNEL, Language.ENGLISH)
    web_api.modals.open(web_api.modals.new_trigger(VIEWER), view)
    page = look(**window(width, colors))
    expect(page.get_by_role("dialog", name="Toxic Bot settings")).to_be_visible()
    found = {"form": violations(page)}
    errors = {"reactions": "Use emoji names.", "percent": "Enter a whole number."}
    page.route("**/client/modal", lambda route: route.fulfill(json={"errors": errors}))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Enter a whole number.").first).to_be_visible()
    found["errors"] = violations(page)
    assert {state: problems for state, problems in found.items() if problems} == {}


REPORTED = ReportedMessage(CHANNEL, "1766000000.000100", RAE, "toxic", 0.9, "insult")
TRIED = Tried(
    ChannelSettings(lists=WordLists(("teapot*",), ("sieve",))),
    FormPlace(CHANNEL, Language.ENGLISH),
    "Two teapots in a sieve",
    Field.SAMPLE,
)
VIEWS: dict[str, dict[str, Any]] = {
    "report": report_modal(REPORTED, Language.ENGLISH),
    "thanks": thanks_response(ENGLISH["report"])["view"],
    "lists tried": trial_response(TRIED, BotSettings.from_environment({}))["view"],
}


@pytest.mark.parametrize(
    ("name", "width", "colors"),
    [
        # Each form, each width and each scheme; the rest of their combinations are long.
        pytest.param(name, width, colors, marks=[pytest.mark.long] if number % 5 else [])
        for number, (name, width, colors) in enumerate(product(VIEWS, [320, 1600], COLORS))
    ],
)
def test_axe_finds_nothing_in_any_other_form(
    look: Callable[..., Page], web_api: WebApi, width: int, colors: str, name: str
) -> None:
    web_api.modals.open(web_api.modals.new_trigger(VIEWER), VIEWS[name])
    page = look(**window(width, colors))
    expect(page.get_by_role("dialog", name=VIEWS[name]["title"]["text"])).to_be_visible()
    assert violations(page) == []
