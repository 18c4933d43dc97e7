"""The bot's answers on the page: when they end, when they are out of date, and why they are so."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from handler.channel_settings_table import SettingsTable
from simulators.samples import CHANNEL, RAE, SAM, SAMPLES, VIEWER
from simulators.slack.delivery import RetryReason
from simulators.slack.workspace import Channel, Message, Workspace
from simulators.stack import Stack
from tests.simulators.slack.browsing import (
    ANSWER_TIMEOUT,
    DESKTOP,
    EMOJI,
    INSULT,
    PHONE,
    react,
    row,
)
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.requests.interactions import COMMAND, SHORTCUT
from toxic_bot.slack.settings import AnswerMode

pytestmark = [pytest.mark.slow, pytest.mark.long]


def read(page: Page, message: Message) -> Locator:
    """Open the panel on a message that has its answer."""
    expect(row(page, message).locator(".pill")).to_be_visible(timeout=ANSWER_TIMEOUT)
    if not page.locator("#thread").is_visible():
        row(page, message).locator(".replies").click()
    page.locator("#thread").get_by_role("button", name="How I read this").first.click()
    panel = page.get_by_role("dialog", name="How I read this")
    expect(panel).to_be_visible(timeout=ANSWER_TIMEOUT)
    return panel


def test_reading_ends_when_a_repeated_reaction_gets_no_second_answer(
    page: Page, stack: Stack
) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    react(page, message)
    pill, reading = row(page, message).locator(".pill"), page.locator(".reading")
    expect(pill).to_have_text("toxic", timeout=ANSWER_TIMEOUT)
    expect(reading).to_have_count(0)
    chip = row(page, message).locator(".chip")
    chip.click()
    expect(chip).to_have_count(0)
    react(page, message)
    expect(reading).not_to_have_count(0)
    expect(reading).to_have_count(0, timeout=ANSWER_TIMEOUT)
    expect(pill).to_have_text("toxic")
    assert len(stack.answers(message)) == 1


def test_a_verdict_follows_its_message_when_that_is_edited(page: Page, stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, SAM, "Thanks for the review!")
    react(page, message)
    pill, verdict = row(page, message).locator(".pill"), page.locator("#thread .from-bot")
    expect(pill).to_have_attribute("data-verdict", "fine", timeout=ANSWER_TIMEOUT)
    expect(verdict).to_have_attribute("data-verdict", "fine")
    stack.workspace.edit(CHANNEL, message.ts, INSULT)
    expect(pill).to_have_text("toxic", timeout=ANSWER_TIMEOUT)
    expect(verdict).to_contain_text("As edited at")
    expect(verdict).to_have_attribute("data-verdict", "toxic")
    expect(verdict).to_have_count(1)
    expect(verdict.locator(".notes")).not_to_contain_text("edited")


def test_a_verdict_on_an_earlier_text_is_no_longer_green(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, SAM, "Thanks for the review!")
    text = "This message does not read as toxic. Well below the threshold."
    payload = {"channel": CHANNEL, "ts": message.ts, "edited": ""}
    metadata = {"event_type": "toxic_verdict", "event_payload": payload}
    bot = workspace.bot.id
    block = {"type": "section", "text": {"type": "mrkdwn", "text": f":white_check_mark: {text}"}}
    workspace.post(CHANNEL, bot, text, thread_ts=message.ts, blocks=[block], metadata=metadata)
    page = look()
    pill, verdict = row(page, message).locator(".pill"), page.locator("#thread .from-bot")
    row(page, message).locator(".replies").click()
    expect(verdict).to_have_attribute("data-verdict", "fine")
    workspace.edit(CHANNEL, message.ts, INSULT)
    expect(pill).to_have_text("edited since")
    expect(pill).to_have_attribute("data-verdict", "stale")
    expect(verdict).to_have_attribute("data-verdict", "stale")
    expect(verdict).to_contain_text("The message was edited after this answer.")


def test_private_answers_are_gone_when_the_page_is_loaded_anew(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    page = look()
    workspace.post(CHANNEL, workspace.bot.id, "psst", only_for=VIEWER)
    workspace.post(CHANNEL, RAE, "still here")
    expect(private_answers(page)).to_have_text(re.compile("psst"))
    page.reload()
    expect(page.locator("#messages")).to_contain_text("still here")
    expect(private_answers(page)).to_have_count(0)


def test_the_panel_shows_what_decided_and_the_way_of_the_event(page: Page, stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, "Yоu are an idi0t, and everybody hates you.")
    change = stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    panel = read(page, message)
    expect(panel.locator("blockquote")).to_have_text("You are an idiot, and everybody hates you.")
    expect(panel).to_contain_text("at or above the threshold of 50%")
    expect(panel.locator("dl .shown dt", has_text="insult")).to_be_visible()
    expect(panel.get_by_text("Words that drove the score")).to_be_visible()
    steps = panel.locator(".way li strong")
    expect(steps).to_have_text(["You asked", "Receiver", "Queue", "Worker", "Posted"])
    expect(panel.locator(".way")).to_contain_text("queued")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page.locator("#thread")).to_be_visible()
    button = page.locator("#thread").get_by_role("button", name="How I read this")
    expect(button).to_be_focused()
    envelope = stack.events.delivered_envelope(change)
    stack.events.redeliver(envelope, 1, RetryReason.TIMEOUT).result()
    [journey] = stack.journeys.about(CHANNEL, message.ts)
    stack.wait_for(
        lambda: len(stack.journeys.about(CHANNEL, message.ts)[0].steps) > len(journey.steps) + 1, 30
    )
    expect(read(page, message)).to_contain_text("1 retry suppressed")


def test_the_panel_marks_the_part_of_a_long_text_that_decided_on_a_phone_too(
    visit: Callable[..., Page], stack: Stack
) -> None:
    [sample] = [one for one in SAMPLES if len(one.text) > 1000]
    message = stack.workspace.post(CHANNEL, RAE, sample.text)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    page = visit(**PHONE)
    panel = read(page, message)
    expect(panel.locator("mark")).to_contain_text("break your legs")
    expect(panel.locator("mark")).to_be_in_viewport()
    expect(panel).to_contain_text("overlapping pieces")
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    close = panel.get_by_role("button", name="Close")
    expect(close).to_be_in_viewport()
    close.tap()
    expect(panel).to_be_hidden()


def test_nobody_reads_what_they_cannot_see(page: Page, stack: Stack) -> None:
    bot = stack.workspace.bot.id
    message = stack.workspace.post(CHANNEL, bot, "for Sam", only_for=SAM)
    query = f"channel={CHANNEL}&ts={message.ts}"
    answer = page.request.get(f"{stack.slack.address}/client/reading?{query}")
    assert (answer.status, answer.json()) == (400, {"error": "message_not_found"})


def open_panel(page: Page, answer: Locator) -> Locator:
    answer.get_by_role("button", name="How I read this").click()
    panel = page.get_by_role("dialog", name="How I read this")
    expect(panel).to_be_visible(timeout=ANSWER_TIMEOUT)
    return panel


def private_answers(page: Page) -> Locator:
    return page.locator("#messages .from-bot:has(.private:not([hidden]))")


def test_the_panel_shows_how_a_private_verdict_came_about(page: Page, stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, "You are an idi0t, and everybody hates you.")
    before = private_answers(page).count()
    stack.interactivity.choose_shortcut(CHANNEL, message.ts, VIEWER, SHORTCUT)
    expect(private_answers(page)).to_have_count(before + 1, timeout=ANSWER_TIMEOUT)
    assert stack.settle()
    panel = open_panel(page, private_answers(page).last)
    expect(panel.locator("blockquote")).to_have_text("You are an idiot, and everybody hates you.")
    steps = panel.locator(".way li strong")
    expect(steps).to_have_text(["You asked", "Receiver", "Queue", "Worker", "Posted"])
    expect(panel.locator(".way")).to_contain_text("in private")
    page.keyboard.press("Escape")


def test_the_panel_shows_how_a_typed_text_was_read(page: Page, stack: Stack) -> None:
    before = private_answers(page).count()
    stack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, "What an idi0t &amp; a clown")
    expect(private_answers(page)).to_have_count(before + 1, timeout=ANSWER_TIMEOUT)
    panel = open_panel(page, private_answers(page).last)
    expect(panel.locator("blockquote")).to_have_text("What an idiot & a clown")
    expect(panel.get_by_text("How it got here")).to_have_count(0)
    page.keyboard.press("Escape")
    # Other answers to a command say nothing about a text.
    stack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, "settings")
    settings = private_answers(page).last
    expect(settings).to_contain_text("Open settings", timeout=ANSWER_TIMEOUT)
    expect(settings.get_by_role("button", name="How I read this")).to_have_count(0)


def test_the_panel_shows_the_channels_own_limit(page: Page, stack: Stack) -> None:
    table = SettingsTable(stack.aws.client("dynamodb"), stack.aws.physical_id("ClaimTable"))
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    react(page, message)
    try:
        table.keep(CHANNEL, ChannelSettings(threshold=0.3), time.time())
        expect(read(page, message)).to_contain_text(
            "at or above this channel's own threshold of 30%"
        )
    finally:
        table.keep(CHANNEL, ChannelSettings(), time.time())
    page.keyboard.press("Escape")
    expect(read(page, message)).to_contain_text("at or above the threshold of 50%")


def test_the_panel_opens_where_only_the_person_who_reacts_sees_the_verdict(
    open_page: Callable[..., Page], stack: Stack
) -> None:
    quiet = "C0QUIET001"
    members = set(stack.workspace.channels[CHANNEL].members)
    stack.workspace.add_channel(Channel(quiet, "quiet", members=members))
    table = SettingsTable(stack.aws.client("dynamodb"), stack.aws.physical_id("ClaimTable"))
    table.keep(quiet, ChannelSettings(answer=AnswerMode.EPHEMERAL), time.time())
    message = stack.workspace.post(quiet, RAE, INSULT)
    page = open_page(f"{stack.slack.address}/archives/{quiet}", **DESKTOP)
    stack.workspace.react(quiet, message.ts, VIEWER, EMOJI)
    expect(private_answers(page)).to_have_count(1, timeout=ANSWER_TIMEOUT)
    assert stack.settle()
    panel = open_panel(page, private_answers(page))
    expect(panel).to_contain_text("at or above the threshold of 50%")
    expect(panel.locator(".way")).to_contain_text("in private")
