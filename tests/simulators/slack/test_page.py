"""The page in a real browser, on a desktop and on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from simulators.samples import CHANNEL, RAE, SAM, VIEWER
from simulators.stack import Stack
from tests.simulators.slack.browsing import ANSWER_TIMEOUT, ASK, DESKTOP, INSULT, PHONE, react, row

pytestmark = pytest.mark.slow


def test_a_reaction_opens_the_thread_in_which_the_verdict_appears(page: Page, stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    react(page, message)
    thread = page.get_by_role("complementary", name="Thread")
    verdict = thread.locator(".from-bot")
    expect(verdict).to_contain_text("This message reads as toxic", timeout=ANSWER_TIMEOUT)
    expect(verdict).to_contain_text(re.compile(r"answered in \d+ ms|answered in [\d.]+ s"))
    expect(verdict).to_have_attribute("data-verdict", "toxic")
    expect(row(page, message).locator(".replies")).to_contain_text("1 reply")
    expect(row(page, message).locator(".pill")).to_have_text("toxic")
    expect(page.locator("#announcer")).to_contain_text("reads as toxic")


def test_your_own_message_can_be_posted_edited_and_judged_again(page: Page, stack: Stack) -> None:
    text = "Thanks for the review <3 & see you"
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")
    mine = page.locator("#messages > .message").last
    expect(mine.locator(".text")).to_have_text(text)
    [message] = [one for one in stack.workspace.messages(CHANNEL) if one.user == VIEWER][-1:]
    assert message.text == "Thanks for the review &lt;3 &amp; see you"
    react(page, message)
    expect(row(page, message).locator(".pill")).to_have_text("not toxic", timeout=ANSWER_TIMEOUT)
    row(page, message).hover()
    row(page, message).get_by_role("button", name="Edit message").click()
    editor = row(page, message).get_by_role("textbox", name="Edit message")
    expect(editor).to_have_value(text)
    editor.fill(INSULT)
    editor.press("Enter")
    expect(row(page, message).locator(".body")).to_contain_text("(edited)")
    expect(row(page, message).locator(".pill")).to_have_text("toxic", timeout=ANSWER_TIMEOUT)
    expect(row(page, message).locator(".replies")).to_contain_text("1 reply")


def test_an_emoji_can_be_found_with_the_keyboard_alone(page: Page, stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, "Lunch?")
    row(page, message).get_by_role("button", name="Add a reaction").focus()
    page.keyboard.press("Enter")
    picker = page.get_by_role("dialog", name="Choose an emoji")
    expect(picker.get_by_label("Search emoji")).to_be_focused()
    page.keyboard.type("pizza")
    page.keyboard.press("Enter")
    chip = row(page, message).locator(".chip")
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(chip).to_have_attribute("aria-label", "pizza, 1: You")
    chip.click()
    expect(chip).to_have_count(0)
    assert stack.workspace.find(CHANNEL, message.ts) is not None


def test_arrow_keys_navigate_the_emoji_picker_and_escape_closes_it(
    page: Page, stack: Stack
) -> None:
    message = stack.workspace.post(CHANNEL, RAE, "Coffee?")
    opener = row(page, message).get_by_role("button", name="Add a reaction")
    opener.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("option", name="thumbsup", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#picker")).to_be_hidden()
    expect(opener).to_be_focused()


def test_replies_can_be_posted_in_a_thread(page: Page, stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, "Who is on call?")
    row(page, message).hover()
    row(page, message).get_by_role("button", name="Reply in thread").click()
    page.get_by_label("Reply", exact=True).fill("I am.")
    page.get_by_role("button", name="Send reply").click()
    expect(page.locator("#thread-messages")).to_contain_text("I am.")
    reply = stack.workspace.thread(CHANNEL, message.ts)[1]
    assert (reply.user, reply.text, reply.thread_ts) == (VIEWER, "I am.", message.ts)
    page.keyboard.press("Escape")
    expect(page.locator("#thread")).to_be_hidden()


def test_a_verdict_on_a_reply_says_which_reply_it_is_about(page: Page, stack: Stack) -> None:
    parent = stack.workspace.post(CHANNEL, RAE, "The build is green.")
    reply = stack.workspace.post(CHANNEL, SAM, INSULT, thread_ts=parent.ts)
    row(page, parent).locator(".replies").click()
    reply_row = page.locator(f'#thread-messages [data-ts="{reply.ts}"]')
    reply_row.hover()
    reply_row.get_by_role("button", name=ASK).click()
    verdict = page.locator("#thread-messages .from-bot")
    reference = re.compile(r"About the reply from \d+:\d\d:\d\d")
    expect(verdict).to_contain_text(reference, timeout=ANSWER_TIMEOUT)
    expect(row(page, parent).locator(".pill")).to_have_count(0)


def test_changes_by_others_appear_immediately(page: Page, stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, SAM, "Draft")
    expect(row(page, message)).to_contain_text("Draft")
    stack.workspace.edit(CHANNEL, message.ts, "Final")
    expect(row(page, message)).to_contain_text("Final (edited)")
    stack.workspace.delete(CHANNEL, message.ts)
    expect(row(page, message)).to_have_count(0)


def test_ephemeral_messages_to_others_are_not_shown(page: Page, stack: Stack) -> None:
    post = stack.workspace.post
    theirs = post(CHANNEL, stack.workspace.bot.id, "for Sam", only_for=SAM)
    mine = post(CHANNEL, stack.workspace.bot.id, "for you", only_for=VIEWER)
    expect(row(page, mine)).to_contain_text("Only visible to you")
    expect(row(page, theirs)).to_have_count(0)


def test_html_in_a_message_stays_text(page: Page, stack: Stack) -> None:
    attack = "&lt;img src=x onerror=alert(1)&gt; <javascript:alert(1)|click> *bold* `a*b*c`"
    message = stack.workspace.post(CHANNEL, SAM, attack)
    text = row(page, message).locator(".text")
    expect(text).to_contain_text("<img src=x onerror=alert(1)>")
    expect(text.locator("img, a")).to_have_count(0)
    expect(text.locator("strong")).to_have_text("bold")
    expect(text.locator("code")).to_have_text("a*b*c")


def test_a_long_message_is_folded_and_can_be_unfolded(page: Page, stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, SAM, "All is well. " * 100)
    more = row(page, message).get_by_role("button", name="Show all")
    expect(more).to_have_attribute("aria-expanded", "false")
    more.click()
    expect(row(page, message).get_by_role("button", name="Show less")).to_be_focused()
    expect(row(page, message).locator(".folded")).to_have_count(0)


def test_an_error_is_shown(page: Page, stack: Stack) -> None:
    stack.workspace.channels[CHANNEL].archived = True
    try:
        page.get_by_label("Message", exact=True).fill("Is anybody there?")
        with page.expect_response("**/client/messages") as response:
            page.keyboard.press("Enter")
        assert response.value.status == 400
        expect(page.get_by_role("alert")).to_have_text("Request failed: is archived")
        expect(page.get_by_label("Message", exact=True)).to_have_value("Is anybody there?")
    finally:
        stack.workspace.channels[CHANNEL].archived = False


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast(
    visit: Callable[..., Page], stack: Stack, scheme: str
) -> None:
    message = stack.workspace.post(CHANNEL, RAE, f"{INSULT} <@{SAM}> `code`")
    page = visit(**DESKTOP, color_scheme=scheme)
    react(page, message)
    expect(page.locator("#thread .from-bot")).to_be_visible(timeout=ANSWER_TIMEOUT)
    assert page.evaluate(LOW_CONTRAST) == []


def test_every_control_has_an_accessible_name(page: Page, stack: Stack) -> None:
    stack.workspace.post(CHANNEL, RAE, "hello")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, textarea")]
            .filter((one) => !one.closest("[hidden]"))
            .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim()
                || one.labels?.length))
            .map((one) => one.outerHTML)"""
    )
    assert nameless == []


@pytest.mark.long
def test_the_page_works_on_a_phone(visit: Callable[..., Page], stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, f"{INSULT} {'verylongword' * 20}")
    page = visit(**PHONE)
    button = row(page, message).get_by_role("button", name=ASK)
    button.scroll_into_view_if_needed()
    expect(button).to_be_in_viewport()
    box = button.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 36
    button.tap()
    expect(row(page, message).locator(".pill")).to_have_text("toxic", timeout=ANSWER_TIMEOUT)
    row(page, message).locator(".replies").tap()
    thread = page.get_by_role("main", name="Thread")
    expect(thread.locator(".from-bot")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    page.get_by_role("button", name="Close thread").tap()
    expect(thread).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") == 375


# Visible text whose WCAG contrast with its background is under 4.5. Emoji are exempt: their
# colors are part of the font.
LOW_CONTRAST = """() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((one) => {
      const part = one / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const [r, g, b, alpha = 1] = numbers(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && /\\w/.test(node.data));
    if (!own || !one.checkVisibility({ opacityProperty: true }) || one.closest(".hidden")) continue;
    const pair = [luminance(numbers(getComputedStyle(one).color)), luminance(background(one))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) low.push(`${one.className || one.tagName}: ${ratio.toFixed(2)}`);
  }
  return [...new Set(low)];
}"""


def test_the_shortcut_the_buttons_and_the_command_are_answered_privately(
    page: Page, stack: Stack
) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    row(page, message).hover()
    row(page, message).get_by_role("button", name="Is this toxic?").click()
    answer = page.locator("#messages > .from-bot", has_text="This message reads as toxic").last
    expect(answer).to_contain_text("Only visible to you", timeout=ANSWER_TIMEOUT)
    answer.get_by_role("button", name="Why?").click()
    why = page.locator("#messages > .from-bot").last
    expect(why).to_contain_text("The text as I read it", timeout=ANSWER_TIMEOUT)
    answer.get_by_role("button", name="Wrong").click()
    expect(page.locator("#messages > .from-bot").last).to_contain_text(
        "You called this verdict wrong", timeout=ANSWER_TIMEOUT
    )
    page.get_by_label("Message", exact=True).fill("/toxic you are an idiot")
    page.keyboard.press("Enter")
    expect(page.locator("#messages > .from-bot").last).to_contain_text(
        "This reads as toxic", timeout=ANSWER_TIMEOUT
    )
    assert not [one for one in stack.workspace.messages(CHANNEL) if one.text.startswith("/toxic")]


def test_a_text_can_be_tried_on_the_home_tab(page: Page) -> None:
    page.get_by_role("link", name="Toxic Bot").click()
    expect(page.locator("#home")).to_contain_text("How I judge", timeout=ANSWER_TIMEOUT)
    page.reload()
    expect(page.locator("#home")).to_contain_text("How I judge", timeout=ANSWER_TIMEOUT)
    page.get_by_label("Try a text").fill("you are an idiot")
    page.locator("#home").get_by_role("button", name="Is this toxic?").click()
    expect(page.locator("#home")).to_contain_text("This reads as toxic", timeout=ANSWER_TIMEOUT)
    expect(page.get_by_label("Try a text")).to_have_value("you are an idiot")
