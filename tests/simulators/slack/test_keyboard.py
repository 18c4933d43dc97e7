"""The page by keyboard alone, and what a screen reader is told."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from simulators.samples import CHANNEL, RAE, SAM, VIEWER, post_samples
from simulators.slack.workspace import Message, Workspace
from tests.simulators.slack.browsing import EMOJI, row

pytestmark = [pytest.mark.slow, pytest.mark.long]

FOCUS = "document.activeElement.id || document.activeElement.dataset.ts"
WATCH_LIVE_REGIONS = """() => {
  window.spoken = [];
  const LIVE = '[role=status], [role=alert], [role=log], [aria-live=polite], [aria-live=assertive]';
  new MutationObserver((changes) => {
    for (const change of changes) {
      const isLive = change.target.nodeType === 1 ? change.target.closest(LIVE)
        : change.target.parentElement?.closest(LIVE);
      if (!isLive) continue;
      for (const node of change.addedNodes) {
        if (node.textContent.trim()) window.spoken.push(node.textContent);
      }
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""


def answer(workspace: Workspace, message: Message, text: str) -> Message:
    payload = {"channel": message.channel, "ts": message.ts, "edited": message.edited}
    return workspace.post(
        message.channel,
        workspace.bot.id,
        text,
        thread_ts=message.ts,
        metadata={"event_type": "toxic_verdict", "event_payload": payload},
    )


def test_the_composer_is_few_tabs_away_however_many_messages_there_are(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    for message in post_samples(workspace):
        workspace.react(CHANNEL, message.ts, RAE, "eyes")
    page = look()
    page.get_by_role("button", name="Close the examples").click()
    page.reload()
    expect(page.locator("#connection")).to_have_text("connected")
    tabs = 0
    while page.evaluate(FOCUS) != "composer-text":
        page.keyboard.press("Tab")
        tabs += 1
        assert tabs < 20
    assert tabs <= 12


def test_the_first_link_skips_to_the_message_box(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "one")
    page = look()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.type("two")
    expect(page.get_by_label("Message", exact=True)).to_have_value("two")
    expect(row(page, message)).to_be_visible()


def test_arrow_keys_move_between_messages_and_tab_into_one(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    first, second, third = (workspace.post(CHANNEL, RAE, text) for text in ("one", "two", "three"))
    page = look()
    row(page, third).focus()
    page.keyboard.press("ArrowUp")
    expect(row(page, second)).to_be_focused()
    page.keyboard.press("Home")
    expect(row(page, first)).to_be_focused()
    page.keyboard.press("ArrowDown")
    for _ in range(2):  # the message's address, then its first action
        page.keyboard.press("Tab")
    expect(row(page, second).get_by_role("button", name="Ask the bot")).to_be_focused()
    page.keyboard.press("Shift+Tab")  # among the actions, End goes to the last of them
    page.keyboard.press("End")
    expect(row(page, third)).to_be_focused()


def test_the_actions_of_a_message_are_one_stop_and_arrow_keys_move_between_them(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    mine = workspace.post(CHANNEL, VIEWER, "one")
    page = look()
    toolbar = row(page, mine).get_by_role("toolbar", name="Message actions")
    ask, why, report, react, reply, edit, delete = toolbar.get_by_role("button").all()
    ask.focus()
    page.keyboard.press("ArrowLeft")
    expect(ask).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(why).to_be_focused()
    page.keyboard.press("End")
    expect(delete).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(edit).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(row(page, mine).locator(".when")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    expect(ask).to_be_focused()
    page.keyboard.press("ArrowDown")  # on to the next message, of which there is none
    expect(ask).to_be_focused()
    for _ in (why, report, react, reply):
        page.keyboard.press("ArrowRight")
    expect(reply).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Reply", exact=True)).to_be_focused()


def test_a_new_message_does_not_move_the_focus(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "one")
    page = look()
    row(page, message).get_by_role("button", name="Add a reaction").focus()
    other = workspace.post(CHANNEL, SAM, "two")
    workspace.react(CHANNEL, message.ts, SAM, "eyes")
    expect(row(page, other)).to_be_visible()
    expect(row(page, message).locator(".chip")).to_be_visible()
    expect(row(page, message).get_by_role("button", name="Add a reaction")).to_be_focused()


def test_tab_stops_at_what_one_has_just_written_or_was_just_told(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "one")
    page = look()
    row(page, message).focus()
    page.keyboard.press("F6")
    page.keyboard.type("two")
    page.keyboard.press("Enter")
    expect(page.locator("#messages .message")).to_have_count(2)
    mine = workspace.messages(CHANNEL)[-1]
    page.keyboard.press("Shift+F6")
    expect(row(page, mine)).to_be_focused()
    page.keyboard.press("F6")
    told = workspace.post(CHANNEL, workspace.bot.id, "three", only_for=VIEWER)
    expect(row(page, told)).to_be_visible()
    page.keyboard.press("Shift+F6")
    expect(row(page, told)).to_be_focused()


def test_sending_takes_no_focus_back_when_its_answer_is_late(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "one")
    page = look()
    late: list[tuple[Route, APIResponse]] = []
    page.route("**/client/messages", lambda route: late.append((route, route.fetch())))
    page.get_by_label("Message", exact=True).fill("two")
    page.get_by_role("button", name="Send message").click()
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    expect(page.locator("#messages .message")).to_have_count(2)
    row(page, message).focus()
    [(route, answer)] = late
    with page.expect_response("**/client/messages") as response:
        route.fulfill(response=answer)
    response.value.finished()
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(row(page, message)).to_be_focused()


def test_f6_goes_from_part_to_part_and_back(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "one")
    page = look()
    page.keyboard.press("F6")
    expect(page.get_by_role("link", name="general")).to_be_focused()
    page.keyboard.press("F6")
    expect(row(page, message)).to_be_focused()
    page.keyboard.press("F6")
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    page.keyboard.press("F6")
    expect(page.get_by_role("link", name="general")).to_be_focused()
    page.keyboard.press("Shift+F6")
    expect(page.get_by_label("Message", exact=True)).to_be_focused()


def test_f6_reaches_the_home_tab_and_the_browser_leads_back_from_it(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    blocks = [
        {
            "type": "actions",
            "elements": [
                {
                    "type": "button",
                    "action_id": "try",
                    "text": {"type": "plain_text", "text": "Try"},
                }
            ],
        }
    ]
    workspace.publish_home(VIEWER, {"type": "home", "blocks": blocks})
    page = look()
    page.get_by_role("link", name="Toxic Bot").press("Enter")
    expect(page).to_have_url(re.compile("/home$"))
    page.keyboard.press("F6")
    expect(page.get_by_role("button", name="Try")).to_be_focused()
    page.keyboard.press("F6")
    expect(page.get_by_role("link", name="Toxic Bot")).to_be_focused()
    page.go_back()
    expect(page.get_by_label("Message", exact=True)).to_be_visible()


def test_the_focus_goes_into_a_thread_and_back(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "one")
    workspace.post(CHANNEL, SAM, "two", thread_ts=message.ts)
    page = look()
    for opener in (
        row(page, message).locator(".replies"),
        row(page, message).get_by_role("button", name="Reply in thread"),
    ):
        opener.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Reply", exact=True)).to_be_focused()
        page.keyboard.press("Escape")
        expect(opener).to_be_focused()


def test_tab_closes_the_picker_and_goes_on_from_its_button(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "one")
    page = look()
    row(page, message).get_by_role("button", name="Add a reaction").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Search emoji")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#picker")).to_be_hidden()
    # The message's actions are one stop, and after the last message comes the first-run card.
    expect(page.get_by_role("button", name="Close the examples")).to_be_focused()


def test_arrow_up_in_an_empty_composer_edits_your_last_message(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    mine = workspace.post(CHANNEL, VIEWER, "first draft")
    workspace.post(CHANNEL, RAE, "hello")
    page = look()
    composer = page.get_by_label("Message", exact=True)
    composer.fill("a\nb")
    composer.press("ArrowUp")
    expect(page.locator(".editor")).to_have_count(0)
    composer.fill("")
    composer.press("ArrowUp")
    editor = row(page, mine).get_by_role("textbox", name="Edit message")
    expect(editor).to_be_focused()
    editor.fill("second draft")
    editor.press("Enter")
    expect(row(page, mine).locator(".text")).to_have_text("second draft")


def test_a_screen_reader_is_told_an_answer_once_and_nothing_again(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "one")
    for number in range(8):
        workspace.post(CHANNEL, SAM, f"reply {number}", thread_ts=message.ts)
    page = look()
    row(page, message).locator(".replies").click()
    expect(page.locator("#thread-messages .message")).to_have_count(9)
    page.evaluate(WATCH_LIVE_REGIONS)
    workspace.react(CHANNEL, message.ts, RAE, EMOJI)
    verdict = answer(workspace, message, "This message is fine.")
    expect(page.locator(f'#thread-messages [data-ts="{verdict.ts}"]')).to_be_visible()
    workspace.react(CHANNEL, message.ts, RAE, "eyes")
    expect(page.locator("#thread-messages .chip")).to_have_count(2)
    assert page.evaluate("window.spoken") == ["This message is fine."]


def test_a_screen_reader_is_told_what_others_write_in_the_open_thread(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "one")
    workspace.post(CHANNEL, SAM, "two", thread_ts=message.ts)
    page = look()
    row(page, message).locator(".replies").click()
    workspace.post(CHANNEL, SAM, f"ask <@{RAE}> &amp; me", thread_ts=message.ts)
    expect(page.locator("#announcer")).to_have_text("Sam Okafor: ask @Rae Lindqvist & me")
