"""What the page shows of a workspace, and how it copes with time, size and a lost connection."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import datetime

import pytest
from playwright.sync_api import Browser, Page, expect

from simulators.asgi import Server
from simulators.samples import CHANNEL, PRIVATE_CHANNEL, RAE, SAM, VIEWER, create_workspace
from simulators.slack.methods import WebApi
from simulators.slack.server import application
from simulators.slack.workspace import Channel, Message, Workspace
from tests.simulators.slack.browsing import DESKTOP, PHONE, row

pytestmark = [pytest.mark.slow, pytest.mark.long]

DAY = 24 * 3600
TABLET = {"viewport": {"width": 800, "height": 700}}
OTHER = "C0RANDOM01"


def add_channel(workspace: Workspace) -> None:
    workspace.add_channel(Channel(OTHER, "random", members={VIEWER, workspace.bot.id}))


def fill(workspace: Workspace) -> list[Message]:
    return [workspace.post(CHANNEL, RAE, f"message {number}") for number in range(30)]


def test_a_command_that_does_not_exist_is_refused_and_not_posted(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    page = look()
    box = page.get_by_label("Message", exact=True)
    box.fill("/toxik you are an idiot")
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text("/toxik is not a valid command")
    expect(box).to_have_value("/toxik you are an idiot")
    box.fill(" /toxik is a typo, see /etc/hosts")
    page.keyboard.press("Enter")
    expect(page.locator("#messages .message")).to_have_count(1)
    assert [one.text for one in workspace.messages(CHANNEL)] == ["/toxik is a typo, see /etc/hosts"]


def test_asking_uses_the_channels_own_emoji_and_asks_again_on_a_second_click(
    open_page: Callable[..., Page], workspace: Workspace
) -> None:
    server = Server(application(WebApi(workspace, {}), VIEWER, asking=lambda _: {"skull"}))
    server.start()
    message = workspace.post(CHANNEL, RAE, "hello")
    changes: list[tuple[str, bool]] = []
    workspace.watch_reactions(lambda change: changes.append((change.reaction, change.added)))
    page = open_page(server.address, **DESKTOP)
    for times in (1, 3):
        row(page, message).hover()
        with page.expect_response("**/client/asks"):
            row(page, message).get_by_role("button", name="Ask the bot for a verdict").click()
        assert changes == [("skull", True), ("skull", False), ("skull", True)][:times]
    server.stop()


def test_what_only_one_person_sees_is_no_reply(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "hello")
    bot = workspace.bot.id
    workspace.post(CHANNEL, bot, "just for you", thread_ts=message.ts, only_for=VIEWER)
    page = look()
    expect(row(page, message)).to_be_visible()
    expect(row(page, message).locator(".replies")).to_be_hidden()
    workspace.post(CHANNEL, RAE, "for all", thread_ts=message.ts)
    expect(row(page, message).locator(".replies")).to_have_text("1 reply")


def test_a_phone_has_a_heading_and_shows_the_examples_again(look: Callable[..., Page]) -> None:
    page = look(**PHONE)
    expect(page.get_by_role("heading", level=1)).to_contain_text("general")
    page.get_by_role("button", name="Close the examples").tap()
    expect(page.locator("#welcome")).to_be_hidden()
    page.get_by_role("button", name="Show examples").tap()
    expect(page.locator("#welcome")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_the_dot_shows_that_the_connection_is_lost_and_back(browser: Browser) -> None:
    workspace = create_workspace()
    server = Server(application(WebApi(workspace, {}), VIEWER))
    server.start()
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(server.address)
    connection = page.get_by_role("status").filter(has_text="connected")
    expect(connection).to_be_visible()
    green = page.evaluate(DOT)
    server.stop()
    expect(page.locator("#connection")).to_have_text("reconnecting")
    assert page.evaluate(DOT) != green
    message = workspace.post(CHANNEL, RAE, "meanwhile")
    again = Server(application(WebApi(workspace, {}), VIEWER), int(server.address.split(":")[-1]))
    again.start()
    try:
        expect(page.locator("#connection")).to_have_text("connected")
        assert page.evaluate(DOT) == green
        expect(row(page, message)).to_be_visible()
    finally:
        page.close()
        again.stop()


DOT = """() => {
  const dot = getComputedStyle(document.getElementById("connection"), "::before");
  return [dot.backgroundColor, dot.borderTopWidth];
}"""


def test_your_own_message_is_scrolled_into_view(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    first, *_ = fill(workspace)
    page = look()
    row(page, first).scroll_into_view_if_needed()
    page.get_by_label("Message", exact=True).fill("and mine")
    page.keyboard.press("Enter")
    expect(page.locator("#messages > .message").last).to_contain_text("and mine")
    expect(page.locator("#messages > .message").last).to_be_in_viewport()


def test_a_message_of_others_leaves_the_reader_where_they_are(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    first, *_ = fill(workspace)
    page = look()
    row(page, first).scroll_into_view_if_needed()
    theirs = workspace.post(CHANNEL, SAM, "news")
    expect(row(page, theirs)).to_be_attached()
    expect(row(page, first)).to_be_in_viewport()


def test_a_deletion_can_be_undone(look: Callable[..., Page], workspace: Workspace) -> None:
    mine = workspace.post(CHANNEL, VIEWER, "keep me")
    page = look()
    row(page, mine).get_by_role("button", name="Delete message").focus()
    page.keyboard.press("Enter")
    expect(row(page, mine)).not_to_contain_text("keep me")
    expect(row(page, mine).get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(row(page, mine)).to_contain_text("keep me")
    page.wait_for_timeout(6500)
    assert workspace.find(CHANNEL, mine.ts) is not None


def test_a_deletion_that_is_not_undone_happens_even_if_the_page_is_closed(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    before, mine, other = (workspace.post(CHANNEL, VIEWER, text) for text in ("a", "b", "c"))
    page = look()
    for message in (mine, other):
        row(page, message).get_by_role("button", name="Delete message").focus()
        page.keyboard.press("Enter")
        if message is mine:
            expect(row(page, mine)).to_have_count(0)
            expect(row(page, other)).to_be_focused()
    page.goto("about:blank")
    page.wait_for_timeout(500)
    assert [one.text for one in workspace.messages(CHANNEL)] == [before.text]


def test_interface_icons_are_drawn_and_need_no_font(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    workspace.post(CHANNEL, VIEWER, "hello")
    workspace.post(CHANNEL, workspace.bot.id, "psst", only_for=VIEWER)
    page = look()
    signs = page.evaluate(
        """() => {
          const parts = "button, .avatar, .private, .bar, #channels, .took, .file";
          const shown = [...document.querySelectorAll(parts)].flatMap((one) => [
            one.textContent, ...["::before", "::after"].map((pseudo) =>
              getComputedStyle(one, pseudo).content.replace("none", ""))]);
          return shown.filter((text) => /[^\\u0000-\\u024F\\u2013\\u2026]/.test(text));
        }"""
    )
    assert signs == []
    icons = row(page, workspace.messages(CHANNEL)[0]).locator(".tools button svg path")
    expect(icons).to_have_count(7)


def test_an_emoji_without_a_glyph_is_shown_by_its_name(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "party :tada: and :nonsense:")
    workspace.react(CHANNEL, message.ts, SAM, "rocket")
    page = look()
    can_draw = page.evaluate(
        """async () => {
          const { isDrawn } = await import("/page/glyphs.js");
          return ["A", "\\u{10FFFC}", "🎉", "🚀"].map(isDrawn);
        }"""
    )
    assert can_draw[:2] == [True, False]
    party = "🎉" if can_draw[2] else ":tada:"
    expect(row(page, message).locator(".text")).to_have_text(f"party {party} and :nonsense:")
    rocket = "🚀" if can_draw[3] else ":rocket:"
    expect(row(page, message).locator(".chip")).to_have_text(f"{rocket} 1")
    expect(row(page, message).get_by_role("img", name="tada")).to_be_visible()


def test_right_to_left_text_is_aligned_right_and_its_neighbors_left(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    hebrew = workspace.post(CHANNEL, RAE, "שלום לכולם, see you")
    english = workspace.post(CHANNEL, RAE, "see you, שלום")
    page = look()
    direction = "(one) => getComputedStyle(one).direction"
    assert row(page, hebrew).locator(".text").evaluate(direction) == "rtl"
    assert row(page, english).locator(".text").evaluate(direction) == "ltr"
    page.get_by_label("Message", exact=True).fill("مرحبا")
    assert page.get_by_label("Message", exact=True).evaluate(direction) == "rtl"


def test_typed_links_and_mentions_are_live_and_edited_as_typed(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    page = look()
    typed = "@Rae Lindqvist, see https://example.com/a?b=1&c=2 and #team-leads, @You"
    page.get_by_label("Message", exact=True).fill(typed)
    page.keyboard.press("Enter")
    mine = page.locator("#messages > .message").last
    expect(mine.get_by_role("link", name="https://example.com")).to_have_attribute(
        "href", "https://example.com/a?b=1&c=2"
    )
    expect(mine.locator(".mention.self")).to_have_text("@You")
    mine.get_by_role("button", name="Edit message").focus()
    page.keyboard.press("Enter")
    expect(mine.get_by_role("textbox", name="Edit message")).to_have_value(typed)
    page.keyboard.press("Escape")
    mine.get_by_role("link", name="#team-leads").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("team-leads")
    assert f"<@{RAE}>" in workspace.messages(CHANNEL)[-1].text


def test_a_private_channel_shows_its_lock(look: Callable[..., Page]) -> None:
    page = look(f"/archives/{PRIVATE_CHANNEL}")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("team-leads (private)")
    expect(heading.locator('[data-icon="lock"]')).to_be_visible()
    link = page.get_by_role("link", name="team-leads (private)")
    expect(link.locator('[data-icon="lock"]')).to_be_visible()


def test_an_empty_channel_says_so_until_somebody_writes(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    page = look()
    empty = page.locator(".empty")
    expect(empty).to_contain_text("This is the start of general. Nobody has written here yet.")
    workspace.post(CHANNEL, RAE, "hello")
    expect(empty).to_have_count(0)


def test_a_thread_in_a_narrow_window_takes_the_place_of_the_channel(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    message = workspace.post(CHANNEL, RAE, "one")
    workspace.post(CHANNEL, SAM, "two", thread_ts=message.ts)
    page = look(**TABLET)
    row(page, message).locator(".replies").click()
    thread = page.get_by_role("main", name="Thread").bounding_box()
    sidebar = page.get_by_role("navigation").bounding_box()
    assert thread is not None
    assert sidebar is not None
    assert thread["x"] == sidebar["x"] + sidebar["width"]
    assert thread["x"] + thread["width"] == 800
    expect(row(page, message)).not_to_be_visible()
    page.keyboard.press("Escape")
    expect(row(page, message).locator(".replies")).to_be_focused()


@pytest.mark.parametrize("width", [320, 375, 800, 1600])
def test_nothing_is_wider_than_the_window(
    look: Callable[..., Page], workspace: Workspace, width: int
) -> None:
    message = workspace.post(CHANNEL, RAE, f"{'verylongword' * 20} `{'code' * 40}`")
    workspace.post(CHANNEL, SAM, "two", thread_ts=message.ts)
    page = look(viewport={"width": width, "height": 700})
    scroll_width = "document.documentElement.scrollWidth"
    assert page.evaluate(scroll_width) == width
    row(page, message).locator(".replies").click()
    assert page.evaluate(scroll_width) == width


def test_date_lines_stand_between_the_days(look: Callable[..., Page], workspace: Workspace) -> None:
    now = time.time()
    # Noon: an hour more or less in summer changes no date.
    noon = datetime.fromtimestamp(now).replace(hour=12, minute=0, second=0).timestamp()
    old = workspace.put(Message(CHANNEL, f"{noon - 400 * DAY:.6f}", RAE, "long ago"))
    workspace.put(Message(CHANNEL, f"{noon - DAY:.6f}", RAE, "one"))
    workspace.put(Message(CHANNEL, f"{noon - DAY + 1:.6f}", SAM, "two"))
    page = look(**DESKTOP, locale="en-US")
    days = page.locator("#messages > .day")
    expect(days).to_have_count(2)
    expect(days.first).to_contain_text(str(datetime.fromtimestamp(float(old.ts)).year))
    expect(days.last).to_have_text("Yesterday")
    workspace.post(CHANNEL, RAE, "three")
    expect(days.last).to_have_text("Today")
    order = page.locator("#messages > li").evaluate_all("all => all.map((one) => one.className)")
    assert order == ["day", "message", "day", "message", "message", "day", "message"]


def test_each_channel_has_an_address_that_the_browser_remembers(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    add_channel(workspace)
    page = look()
    heading = page.get_by_role("heading", level=1)
    page.get_by_role("link", name="random").click()
    expect(page).to_have_url(re.compile(rf"/archives/{OTHER}$"))
    expect(heading).to_have_text("random")
    expect(page).to_have_title("random – Local workspace")
    page.go_back()
    expect(heading).to_have_text("general")
    page.go_forward()
    page.reload()
    expect(heading).to_have_text("random")


def test_a_message_has_the_address_that_it_has_in_slack(
    look: Callable[..., Page], workspace: Workspace
) -> None:
    first, *_ = fill(workspace)
    reply = workspace.post(CHANNEL, SAM, "a reply", thread_ts=first.ts)
    page = look(f"/archives/{CHANNEL}/p{reply.ts.replace('.', '')}?thread_ts={first.ts}")
    expect(page.locator(f'#thread-messages [data-ts="{reply.ts}"]')).to_be_focused()
    page.keyboard.press("Escape")
    row(page, first).locator(".when").click()
    expect(page).to_have_url(re.compile(rf"/archives/{CHANNEL}/p{first.ts.replace('.', '')}$"))
    expect(row(page, first)).to_be_focused()


def test_an_unknown_address_leads_to_a_channel_and_says_so(look: Callable[..., Page]) -> None:
    page = look("/archives/C0NOWHERE1")
    expect(page.get_by_role("alert")).to_contain_text("There is no such channel here")
    expect(page).to_have_url(re.compile(rf"/archives/{CHANNEL}$"))


@pytest.mark.parametrize("settings", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_first_visit_offers_examples_until_they_are_closed(
    look: Callable[..., Page], workspace: Workspace, settings: dict[str, object]
) -> None:
    page = look(**settings)
    card = page.get_by_role("region", name="Try it")
    example = card.get_by_role("listitem").nth(1).get_by_role("button")
    text = example.inner_text()
    example.click()
    mine = page.locator("#messages > .message").last
    expect(mine.locator(".text")).to_have_text(text)
    expect(mine.locator(".chip")).to_have_attribute("aria-pressed", "true")
    expect(mine.get_by_text("Toxic Bot is reading")).to_be_attached()
    [message] = workspace.messages(CHANNEL)
    assert (message.user, message.asked_at is not None) == (VIEWER, True)
    if page.get_by_role("button", name="Close thread").is_visible():
        page.keyboard.press("Escape")
    card.get_by_role("button", name="Close the examples").click()
    page.reload()
    expect(page.locator("#connection")).to_have_text("connected")
    expect(card).to_be_hidden()
