"""A browser, and the page of the running stack in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from local.stack import Stack
from tests.local.slack.browsing import DESKTOP

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        installed = next(filter(None, map(shutil.which, BROWSERS)), None)
        downloaded = playwright.chromium.executable_path
        path = installed or (downloaded if Path(downloaded).exists() else None)
        if path is None:
            reason = (
                "Chromium is missing: install the package 'chromium' or run "
                "'.venv/bin/playwright install chromium'"
            )
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def is_unexpected_error(message: ConsoleMessage) -> bool:
    # The browser logs every error response; the page itself shows those with status 400.
    return message.type == "error" and "400 (Bad Request)" not in message.text


@pytest.fixture
def visit(browser: Browser, stack: Stack) -> Iterator[Callable[..., Page]]:
    contexts = []
    problems: list[str] = []

    def open_page(**settings: Any) -> Page:
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda message: problems.append(message.text) if is_unexpected_error(message) else None,
        )
        page.goto(stack.slack.address)
        expect(page.locator("#connection")).to_have_text("connected")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def page(visit: Callable[..., Page]) -> Page:
    return visit(**DESKTOP)
