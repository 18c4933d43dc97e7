"""What the tests of the page share: its windows, and the things that people do in it."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from simulators.slack.workspace import Message

INSULT = "You are a pathetic idiot and everybody here hates you."
ASK = "Ask the bot for a verdict"
EMOJI = "biohazard_sign"
expect.set_options(timeout=60_000)
ANSWER_TIMEOUT = 90_000
"""Milliseconds to wait for a verdict."""
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
MAX_TABS = 100
PHONE = {
    "viewport": {"width": 375, "height": 740},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}


def row(page: Page, message: Message) -> Locator:
    """Return a message in its channel."""
    return page.locator(f'#messages [data-ts="{message.ts}"]')


def react(page: Page, message: Message) -> None:
    """Ask for a verdict on a message."""
    row(page, message).hover()
    row(page, message).get_by_role("button", name=ASK).click()


def tab_to(page: Page, control: Locator) -> None:
    """Move the focus to a control as somebody without a mouse does."""
    for _ in range(MAX_TABS):
        if control.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {control}")
