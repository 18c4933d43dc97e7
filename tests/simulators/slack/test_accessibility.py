"""What axe finds on the page, in its states, colors and widths."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from simulators.samples import CHANNEL, PRIVATE_CHANNEL, RAE, SAM, VIEWER
from simulators.slack.workspace import Message, Workspace
from simulators.stack import Stack
from tests.accessibility import violations
from tests.simulators.slack.browsing import ANSWER_TIMEOUT, DESKTOP, EMOJI, INSULT, PHONE, row

pytestmark = [pytest.mark.slow, pytest.mark.long]

COLORS: dict[str, dict[str, str]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced": {"forced_colors": "active"},
}
WIDTHS = (320, 800, 1600)
WINDOWS: dict[str, dict[str, Any]] = {
    "light": {**DESKTOP, **COLORS["light"]},
    "dark": {**DESKTOP, **COLORS["dark"]},
    "phone": {**PHONE, **COLORS["light"]},
    "dark phone": {**PHONE, **COLORS["dark"]},
}
EACH_WINDOW = [
    # Each scheme and each size once; the others are long.
    pytest.param(one, id=name, marks=[] if name in ("light", "dark phone") else [pytest.mark.long])
    for name, one in WINDOWS.items()
]


def window(width: int, colors: str) -> dict[str, Any]:
    return {"viewport": {"width": width, "height": 760}, **COLORS[colors]}


def conversation(workspace: Workspace) -> Message:
    workspace.post(
        CHANNEL, SAM, f"<@{VIEWER}>, <@{RAE}>: see <https://example.com|this>, `code` and :tada:"
    )
    workspace.post(CHANNEL, SAM, "שלום לכולם", file_names=("plan.pdf",))
    message = workspace.post(CHANNEL, VIEWER, INSULT)
    workspace.react(CHANNEL, message.ts, RAE, "eyes")
    workspace.react(CHANNEL, message.ts, VIEWER, "rocket")
    workspace.post(CHANNEL, RAE, "Could we all calm down, please?", thread_ts=message.ts)
    workspace.post(CHANNEL, workspace.bot.id, "Only for you", only_for=VIEWER)
    notice = {"type": "mrkdwn", "text": f"By <@{RAE}> in <#{CHANNEL}>, for <@{VIEWER}>"}
    for sign in (":large_orange_circle:", ":large_yellow_circle:", ":white_check_mark:"):
        line = {"type": "section", "text": {"type": "mrkdwn", "text": f"{sign} *Notice*"}}
        blocks: list[dict[str, Any]] = [line, {"type": "context", "elements": [notice]}]
        workspace.post(CHANNEL, workspace.bot.id, "Notice", blocks=blocks)
    workspace.post(PRIVATE_CHANNEL, RAE, "unread")
    return message


@pytest.mark.parametrize(
    ("width", "colors"),
    [
        # Each width and each scheme once; the rest of their pairs are long.
        pytest.param(width, colors, marks=[pytest.mark.long] if number % 4 else [])
        for number, (width, colors) in enumerate(product(WIDTHS, COLORS))
    ],
)
def test_axe_finds_nothing_while_people_write(
    look: Callable[..., Page], workspace: Workspace, width: int, colors: str
) -> None:
    message = conversation(workspace)
    page = look(**window(width, colors))
    found = {"first run": violations(page)}
    row(page, message).hover()
    found["actions"] = violations(page)
    row(page, message).get_by_role("button", name="Add a reaction").click()
    found["picker"] = violations(page)
    page.get_by_label("Search emoji").fill("nothing like it")
    found["empty picker"] = violations(page)
    page.keyboard.press("Escape")
    row(page, message).get_by_role("button", name="Edit message").click()
    found["editor"] = violations(page)
    page.keyboard.press("Escape")
    row(page, message).get_by_role("button", name="Delete message").click()
    found["undo"] = violations(page)
    row(page, message).get_by_role("button", name="Undo").click()
    workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    row(page, message).locator(".replies").click()
    expect(page.locator(".typing")).to_be_visible()
    found["thread"] = violations(page)
    page.keyboard.press("Escape")
    page.goto(f"{page.url.split('/archives')[0]}/archives/C0NOWHERE1")
    expect(page.get_by_role("alert")).to_be_visible()
    found["error"] = violations(page)
    assert {state: problems for state, problems in found.items() if problems} == {}


@pytest.mark.parametrize("colors", COLORS)
def test_axe_finds_nothing_in_an_empty_channel(look: Callable[..., Page], colors: str) -> None:
    assert violations(look(f"/archives/{PRIVATE_CHANNEL}", **window(800, colors))) == []


@pytest.mark.parametrize("colors", COLORS)
def test_axe_finds_nothing_about_an_answer(
    visit: Callable[..., Page], stack: Stack, colors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = stack.workspace
    message = workspace.post(CHANNEL, RAE, INSULT)
    workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    page = visit(**window(1280, colors))
    expect(row(page, message).locator(".pill")).to_be_visible(timeout=ANSWER_TIMEOUT)
    row(page, message).locator(".replies").click()
    found = {"answer": violations(page)}
    page.locator("#thread").get_by_role("button", name="How I read this").click()
    expect(page.get_by_role("dialog")).to_be_visible(timeout=ANSWER_TIMEOUT)
    found["reading"] = violations(page)
    page.keyboard.press("Escape")
    # As long as the bot does not hear of it: then, the new verdict replaces the old one.
    monkeypatch.setattr(stack.events, "request_url", "")
    workspace.edit(CHANNEL, message.ts, "I disagree.")
    expect(row(page, message).locator(".pill")).to_have_text("edited since")
    found["edited"] = violations(page)
    assert {state: problems for state, problems in found.items() if problems} == {}
