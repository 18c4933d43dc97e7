"""The page in a real browser, on a desktop and on a phone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Request,
    Route,
    expect,
    sync_playwright,
)

from tests.accessibility import violations
from tests.service.conftest import serving
from toxic_bot.service.keys import hash_key, new_key

pytestmark = pytest.mark.slow

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
INSULT = "You are a pathetic idiot and everybody here hates you."
expect.set_options(timeout=60_000)
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {
    "viewport": {"width": 375, "height": 740},
    "has_touch": True,
    "is_mobile": True,
    "color_scheme": "dark",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        installed = next(filter(None, map(shutil.which, BROWSERS)), None)
        downloaded = playwright.chromium.executable_path
        path = installed or (downloaded if Path(downloaded).exists() else None)
        if path is None:
            reason = "Chromium is missing: install the package 'chromium'"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def page(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page; the test fails if it writes an error to the console or asks anybody else."""
    options: dict[str, Any] = request.param
    context = browser.new_context(**options)
    page = context.new_page()
    errors: list[str] = []

    def check(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    def check_address(asked: Request) -> None:
        if not asked.url.startswith((address, "data:")):
            errors.append(asked.url)

    page.on("console", check)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", check_address)
    page.goto(address)
    yield page
    context.close()
    assert errors == []


def test_the_verdict_follows_what_is_typed(page: Page) -> None:
    summary = page.get_by_role("status")
    expect(summary).to_have_text("No message yet")
    page.keyboard.type("Thanks, that was a great help!")  # the field has the focus
    expect(summary).to_have_text("Fine")
    page.get_by_label("Message", exact=True).fill("You are an 1d10t 🙂")
    expect(summary).to_have_text(re.compile("^Toxic"))
    expect(page.locator("mark", has_text="1d10t")).to_have_text("1d10t")
    expect(page.locator("#reading")).to_contain_text("idiot")
    expect(page.get_by_role("meter")).to_have_attribute(
        "aria-valuetext", re.compile(r"0\.\d\d, toxic from 0\.50")
    )
    page.get_by_label("Message", exact=True).fill("Привет, как дела?")
    expect(summary).to_have_text("Not judged: not in a language that I read")


def test_an_example_is_judged_when_it_is_clicked(page: Page) -> None:
    page.get_by_role("button", name="Thanks").click()
    expect(page.get_by_role("status")).to_have_text("Fine")


def test_each_example_gets_the_verdict_that_it_is_there_for(page: Page) -> None:
    examples = page.get_by_role("group", name="Examples").get_by_role("button").all()
    verdicts: list[str | re.Pattern[str]] = [
        "Fine",
        "Toxic: insult",
        "Fine",
        "Toxic: threat",
        re.compile("^Toxic"),
    ]
    assert len(examples) == len(verdicts)
    for example, verdict in zip(examples, verdicts, strict=True):
        page.get_by_label("Message", exact=True).fill("")
        expect(page.get_by_role("status")).to_have_text("No message yet")
        example.click()
        expect(page.get_by_role("status")).to_have_text(verdict)


def test_what_is_typed_is_never_read_as_html(page: Page) -> None:
    page.get_by_label("Message", exact=True).fill('<img src=x onerror="alert(1)"> you idiot')
    expect(page.locator("#reading")).to_contain_text("<img")
    assert page.locator("main img").count() == 0


def test_kinds_are_listed_with_the_most_evident_first(page: Page) -> None:
    def add_kinds(route: Route) -> None:
        response = route.fetch()
        body = response.json()
        body["verdicts"][0] |= {
            "kinds": ["threat", "putdown"],
            "probabilities": {"putdown": 0.2, "threat": 0.9, "identity": 0.05},
        }
        route.fulfill(response=response, json=body)

    page.route("**/v1/verdicts", add_kinds)
    page.get_by_label("Message", exact=True).fill(INSULT)
    expect(page.get_by_role("status")).to_have_text("Toxic: threat, put-down")
    rows = page.locator("#kinds li")
    expect(rows).to_have_text(
        [re.compile("threat.*0.90"), re.compile("put-down"), re.compile("attack on an identity")]
    )
    page.unroute_all()


def test_no_kinds_are_listed_of_what_is_fine(page: Page) -> None:
    page.get_by_label("Message", exact=True).fill("As I told you twice, maybe try reading this")
    expect(page.get_by_role("status")).to_have_text("Fine")
    expect(page.get_by_role("heading", name="Kinds")).to_be_hidden()


@pytest.mark.long
def test_axe_finds_nothing_whatever_the_verdict(page: Page) -> None:
    found = {"empty": violations(page)}
    for text in (INSULT, "Thanks, that was a great help!", "Привет, как дела?"):
        page.get_by_label("Message", exact=True).fill(text)
        expect(page.get_by_role("status")).to_have_text(re.compile("^(Toxic|Fine|Not judged)"))
        found[text] = violations(page)
    assert {state: problems for state, problems in found.items() if problems} == {}


def test_each_request_can_be_copied_and_run(page: Page) -> None:
    page.get_by_label("Message", exact=True).fill('it\'s "you" \\ idiot')
    expect(page.locator("code").first).to_contain_text("idiot")
    commands = page.locator("code").all_inner_texts()
    assert len(commands) == 3
    for command in commands:
        finished = subprocess.run(
            ["bash", "-c", f"{command} --silent --fail"], capture_output=True, check=True
        )
        assert json.loads(finished.stdout)


@pytest.mark.long
def test_nothing_is_wider_than_the_screen(page: Page) -> None:
    page.get_by_label("Message", exact=True).fill("a" * 500 + " " + INSULT)
    expect(page.get_by_role("status")).to_have_text(re.compile("Toxic|Fine"))
    width, screen = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= screen


@pytest.mark.long
def test_everything_is_reached_by_keyboard_and_has_a_name(page: Page) -> None:
    page.get_by_role("button", name="Thanks").click()
    expect(page.get_by_role("status")).to_have_text("Fine")
    controls = page.locator("a, button, textarea, pre").locator("visible=true")
    names = page.evaluate(
        """() => [...document.querySelectorAll("a, button, textarea, pre")].map(
            (one) => one.ariaLabel || one.innerText || one.labels?.[0]?.innerText)"""
    )
    assert all(names)
    page.get_by_label("Message", exact=True).focus()
    for _ in range(controls.count() - 1):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('a, button, pre')")


def test_a_service_with_keys_asks_for_one(browser: Browser, tmp_path: Path) -> None:
    key, _ = new_key("me")
    file = tmp_path / "keys.txt"
    file.write_text(f"me sha256:{hash_key(key)}\n")
    with serving("--keys", str(file)) as (address, _):
        page = browser.new_page()
        page.goto(address)
        page.get_by_role("button", name="Thanks").click()
        expect(page.get_by_role("status")).to_have_text("A key is needed")
        page.get_by_label("This service asks for a key").fill(key)
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_have_text("Fine")
        page.close()


def test_the_page_takes_nothing_from_elsewhere(address: str) -> None:
    policy = httpx.get(address).headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
