"""A browser, and the page of the running stack in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from simulators.asgi import Server
from simulators.samples import VIEWER, create_workspace
from simulators.slack.methods import WebApi
from simulators.slack.server import application
from simulators.slack.workspace import Workspace
from simulators.stack import Stack
from tests.simulators.slack.browsing import DESKTOP

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
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
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages; fails the test if one of them logs an error."""
    contexts = []
    problems: list[str] = []

    def open_one(address: str, **settings: Any) -> Page:
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda message: problems.append(message.text) if is_unexpected_error(message) else None,
        )
        page.goto(address)
        expect(page.locator("#connection")).to_have_text("connected")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def visit(open_page: Callable[..., Page], stack: Stack) -> Callable[..., Page]:
    """Opens the page of the running bot."""
    return lambda **settings: open_page(stack.slack.address, **settings)


@pytest.fixture
def page(visit: Callable[..., Page]) -> Page:
    return visit(**DESKTOP)


@pytest.fixture
def workspace() -> Workspace:
    """A workspace whose bot does not run: for what the page does by itself."""
    return create_workspace()


@pytest.fixture
def web_api(workspace: Workspace) -> WebApi:
    """The Web API of that workspace."""
    return WebApi(workspace, {})


@pytest.fixture
def slack_server(web_api: WebApi) -> Iterator[Server]:
    server = Server(application(web_api, VIEWER))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def look(open_page: Callable[..., Page], slack_server: Server) -> Callable[..., Page]:
    """Opens the page of the workspace whose bot does not run."""

    def open_path(path: str = "/", **settings: Any) -> Page:
        return open_page(f"{slack_server.address}{path}", **(settings or DESKTOP))

    return open_path
