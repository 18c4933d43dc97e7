"""Takes the pictures in the docs: ``python -m simulators.picture page docs/page.png``.

They show the sample workspace in Chromium, after the bot has answered (``page``), a private answer
(``private``), the form with a channel's settings (``settings``), that of a report (``report``), the
Home tab (``home``), and the moderators' channel with a digest (``digest``) or cases (``cases``).
Emoji appear in them as they do to people only if a font with colored emoji is installed, such as
Noto Color Emoji.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, ViewportSize, sync_playwright

from handler.dynamodb_store import DynamoDBStore
from simulators import LocalError
from simulators.samples import (
    CHANNEL,
    MODERATORS,
    NOOR,
    PRIVATE_CHANNEL,
    RAE,
    SAM,
    SAMPLES,
    TOMAS,
    VIEWER,
    add_moderators,
    create_workspace,
    post_samples,
)
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.workspace import TEAM, Message
from simulators.stack import Options, Stack
from toxic_bot.slack.answers.verdict_counts import VerdictCounts
from toxic_bot.slack.requests.interactions import COMMAND, REPORT, SETTINGS, SHORTCUT

EMOJI = "biohazard_sign"
WINDOW = ViewportSize(width=1280, height=760)
SCALE = 1.5
SHOWN = 9
"""Which sample has its thread open: an insult, with a reply."""
ANSWER_TIMEOUT = 60.0

SHORT = ViewportSize(width=1100, height=560)
MIDDLE = ViewportSize(width=1100, height=800)
TALL = ViewportSize(width=1100, height=980)
PAST = (
    (CHANNEL, ("insult",), 12),
    (CHANNEL, ("putdown",), 10),
    (CHANNEL, (), 9),
    (PRIVATE_CHANNEL, ("obscene",), 9),
    (CHANNEL, ("insult", "threat"), 5),
    (CHANNEL, (), 5),
    (CHANNEL, (), 4),
    (PRIVATE_CHANNEL, ("insult",), 4),
    (PRIVATE_CHANNEL, ("obscene",), 2),
    (CHANNEL, ("identity",), 2),
    (PRIVATE_CHANNEL, (), 1),
)
"""Verdicts of the past two weeks: channel, kinds, and days ago."""


def take_page(path: Path) -> None:
    """Start the bot, let it answer, and take the picture."""
    workspace = create_workspace()
    samples = post_samples(workspace)
    with Stack(workspace, VIEWER, Options(limits=NO_LIMITS)).start() as stack:
        # One by one, so that only the first answer, which is out of the picture, starts cold.
        for message in samples[:13]:
            workspace.react(message.channel, message.ts, VIEWER, EMOJI)
            if not stack.wait_for(partial(stack.is_answered, message), ANSWER_TIMEOUT):
                raise LocalError(f"the bot did not answer: {stack.log('worker')[-500:]}")
        for user in (SAM, NOOR, RAE):
            workspace.react(samples[7].channel, samples[7].ts, user, "joy")
        arrange = partial(_arrange, message=samples[SHOWN - 1])
        _photograph(f"{stack.slack.address}/archives/{CHANNEL}", WINDOW, arrange, path)


def take_digest(path: Path) -> None:
    """Start the bot, let it answer and make its digest, and take the picture."""
    workspace = create_workspace()
    options = Options(limits=NO_LIMITS, parameters=add_moderators(workspace))
    samples = post_samples(workspace)
    with Stack(workspace, VIEWER, options).start() as stack:
        _fill_past(stack)
        for message in (samples[8], samples[10]):
            workspace.react(message.channel, message.ts, VIEWER, EMOJI)
            if not stack.wait_for(partial(stack.is_answered, message), ANSWER_TIMEOUT):
                raise LocalError(f"the bot did not answer: {stack.log('worker')[-500:]}")
        for user in (SAM, NOOR):
            stack.interactivity.click(CHANNEL, stack.answers(samples[10])[0].ts, user, "wrong")
        stack.settle()
        stack.interactivity.click(MODERATORS, workspace.messages(MODERATORS)[0].ts, SAM, "seen")
        stack.settle()
        stack.post_digest()
        _photograph(f"{stack.slack.address}/archives/{MODERATORS}", TALL, _close_card, path)


def take_private(path: Path) -> None:
    """Choose the shortcut on a message, and take the picture of the answer."""
    with _sample_workspace() as (stack, samples):
        ts = samples[-1].ts

        def arrange(page: Page) -> None:
            # A page that is loaded later would not show it.
            stack.interactivity.choose_shortcut(CHANNEL, ts, VIEWER, SHORTCUT)
            page.locator("#messages .private:visible").wait_for(timeout=ANSWER_TIMEOUT * 1e3)
            _show_last(page)

        _photograph(f"{stack.slack.address}/archives/{CHANNEL}", SHORT, arrange, path)


def take_settings(path: Path) -> None:
    """Open the form with a channel's settings, and take the picture."""
    with _sample_workspace() as (stack, _):

        def arrange(page: Page) -> None:
            stack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, SETTINGS)
            _open_form(page)

        _photograph(f"{stack.slack.address}/archives/{CHANNEL}", TALL, arrange, path)


def take_report(path: Path) -> None:
    """Open the form of a report, and take the picture."""
    workspace = create_workspace()
    options = Options(limits=NO_LIMITS, parameters=add_moderators(workspace))
    samples = post_samples(workspace, SAMPLES[:11])
    with Stack(workspace, VIEWER, options).start() as stack:

        def arrange(page: Page) -> None:
            _close_card(page)
            stack.interactivity.choose_shortcut(CHANNEL, samples[8].ts, VIEWER, REPORT)
            page.locator("#modal").wait_for(timeout=ANSWER_TIMEOUT * 1e3)
            page.get_by_label("What should they know?").fill("It is the third time this week.")
            page.evaluate("document.activeElement.blur()")

        _photograph(f"{stack.slack.address}/archives/{CHANNEL}", MIDDLE, arrange, path)


def take_cases(path: Path) -> None:
    """Report messages, handle the cases, and take the picture."""
    workspace = create_workspace()
    options = Options(limits=NO_LIMITS, parameters=add_moderators(workspace))
    samples = post_samples(workspace, SAMPLES[:12])
    with Stack(workspace, VIEWER, options).start() as stack:
        cases = [
            _report(stack, samples[10], RAE, "insult", "Nobody should have to read this."),
            _report(stack, samples[11], TOMAS, "threat", "Please do something, today."),
        ]
        stack.interactivity.click(MODERATORS, cases[0].ts, VIEWER, "case_flag")
        _submit(stack, VIEWER, {})
        stack.interactivity.click(MODERATORS, cases[0].ts, VIEWER, "case_close")
        _submit(stack, VIEWER, {"outcome": _chosen("talked_to")})
        stack.interactivity.click(MODERATORS, cases[1].ts, NOOR, "case_ask_edit")
        _submit(stack, NOOR, {"letter": {"value": {"value": "Please edit this."}}})
        _photograph(f"{stack.slack.address}/archives/{MODERATORS}", MIDDLE, _close_card, path)


def _report(stack: Stack, message: Message, user: str, reason: str, word: str) -> Message:
    stack.interactivity.choose_shortcut(CHANNEL, message.ts, user, REPORT)
    said = {"word": {"value": {"value": word}}, "name": _chosen("anonymous")}
    _submit(stack, user, {"reason": _chosen(reason), **said})
    return stack.workspace.messages(MODERATORS)[-1]


def _submit(stack: Stack, user: str, values: dict[str, dict[str, Any]]) -> None:
    modals = stack.interactivity.modals
    if not stack.wait_for(lambda: modals.of(user) is not None, ANSWER_TIMEOUT):
        raise LocalError(f"no form opened: {stack.log('worker')[-500:]}")
    stack.interactivity.submit_view(user, values).result()
    modals.close(user)
    stack.settle()


def _chosen(value: str) -> dict[str, Any]:
    return {"value": {"selected_option": {"value": value}}}


def take_home(path: Path) -> None:
    """Report a message, try a text on the Home tab, and take the picture."""
    workspace = create_workspace()
    options = Options(limits=NO_LIMITS, parameters=add_moderators(workspace))
    samples = post_samples(workspace, SAMPLES[:11])
    with Stack(workspace, VIEWER, options).start() as stack:
        _report(stack, samples[10], RAE, "insult", "Nobody should have to read this.")
        for message in (samples[0], samples[8]):
            stack.workspace.react(message.channel, message.ts, VIEWER, EMOJI)
            if not stack.wait_for(partial(stack.is_answered, message), ANSWER_TIMEOUT):
                raise LocalError(f"the bot did not answer: {stack.log('worker')[-500:]}")
        _photograph(f"{stack.slack.address}/home", TALL, _try_text, path)


@contextmanager
def _sample_workspace() -> Iterator[tuple[Stack, list[Message]]]:
    workspace = create_workspace()
    samples = post_samples(workspace, SAMPLES[:11])
    with Stack(workspace, VIEWER, Options(limits=NO_LIMITS)).start() as stack:
        yield stack, samples


def _fill_past(stack: Stack) -> None:
    table = DynamoDBStore(stack.aws.client("dynamodb"), stack.aws.physical_id("ClaimTable"))
    for channel, kinds, days_ago in PAST:
        verdict = "toxic" if kinds else "fine"
        VerdictCounts(table).add(TEAM, channel, verdict, kinds, time.time() - days_ago * 24 * 3600)


def _photograph(
    address: str, window: ViewportSize, arrange: Callable[[Page], None], path: Path
) -> None:
    with sync_playwright() as playwright:
        chromium = playwright.chromium
        browser = chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=window, device_scale_factor=SCALE, color_scheme="light")
        page.goto(address)
        arrange(page)
        page.screenshot(path=path)
        browser.close()


def _close_card(page: Page) -> None:
    page.get_by_role("button", name="Close the examples").click()
    page.evaluate("document.activeElement.blur()")


def _show_last(page: Page) -> None:
    _close_card(page)
    page.mouse.move(0, 0)
    page.locator("#messages [data-ts]").last.evaluate("row => row.scrollIntoView()")


def _open_form(page: Page) -> None:
    _close_card(page)
    page.get_by_role("button", name="Open settings").click(timeout=ANSWER_TIMEOUT * 1e3)
    page.locator("#modal").wait_for(timeout=ANSWER_TIMEOUT * 1e3)
    page.evaluate("document.activeElement.blur()")
    # What is least like other bots' settings is at the end.
    page.locator('#modal [data-block="urgent"]').evaluate("field => field.scrollIntoView()")


def _try_text(page: Page) -> None:
    page.get_by_label("Try a text").fill("Well, my friend, you are an idiot")
    page.get_by_role("button", name="Is this toxic?").click()
    result = page.get_by_text("What drove the score, strongest first:")
    result.wait_for(timeout=ANSWER_TIMEOUT * 1e3)
    page.evaluate("document.activeElement.blur()")
    result.evaluate("block => block.parentElement.lastElementChild.scrollIntoView()")


def _arrange(page: Page, message: Message) -> None:
    row = page.locator(f'#messages [data-ts="{message.ts}"]')
    _close_card(page)
    row.locator(".replies").click()
    row.evaluate("row => row.scrollIntoView({ block: 'center' })")
    row.hover()
    page.evaluate("document.activeElement.blur()")


if __name__ == "__main__":
    take = {
        "page": take_page,
        "private": take_private,
        "settings": take_settings,
        "report": take_report,
        "home": take_home,
        "digest": take_digest,
        "cases": take_cases,
    }
    parser = argparse.ArgumentParser(description="Take one of the docs' pictures, with Chromium.")
    parser.add_argument("picture", choices=take)
    parser.add_argument("file", type=Path, help="PNG file to write")
    arguments = parser.parse_args()
    take[arguments.picture](arguments.file)
