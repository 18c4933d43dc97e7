"""Takes the picture of the page in the docs: ``python -m local.picture docs/page.png``.

It shows the sample workspace after the bot has answered, in Chromium. Emoji appear in it as they do
to people only if a font with colored emoji is installed, such as Noto Color Emoji.
"""

from __future__ import annotations

import shutil
import sys
from functools import partial
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from local import LocalError
from local.samples import NOOR, RAE, SAM, VIEWER, create_workspace, post_samples
from local.slack.rate_limits import NO_LIMITS
from local.slack.workspace import Message
from local.stack import Options, Stack

EMOJI = "biohazard_sign"
WINDOW = ViewportSize(width=1280, height=760)
SCALE = 1.5
SHOWN = 5
"""Which sample has its thread open: an insult, with a reply."""
ANSWER_TIMEOUT = 60.0


def take(path: Path) -> None:
    """Start the bot, let it answer, and take the picture."""
    workspace = create_workspace()
    samples = post_samples(workspace)
    with Stack(workspace, VIEWER, Options(limits=NO_LIMITS)).start() as stack:
        # One by one, so that only the first answer, which is out of the picture, starts cold.
        for message in samples[:9]:
            workspace.react(message.channel, message.ts, VIEWER, EMOJI)
            if not stack.wait_for(partial(stack.is_answered, message), ANSWER_TIMEOUT):
                raise LocalError(f"the bot did not answer: {stack.log('worker')[-500:]}")
        for user in (SAM, NOOR, RAE):
            workspace.react(samples[3].channel, samples[3].ts, user, "joy")
        _photograph(stack.slack.address, samples[SHOWN - 1], path)


def _photograph(address: str, message: Message, path: Path) -> None:
    with sync_playwright() as playwright:
        chromium = playwright.chromium
        browser = chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=WINDOW, device_scale_factor=SCALE, color_scheme="light")
        page.goto(f"{address}/archives/{message.channel}")
        _arrange(page, message)
        page.screenshot(path=path)
        browser.close()


def _arrange(page: Page, message: Message) -> None:
    row = page.locator(f'#messages [data-ts="{message.ts}"]')
    page.get_by_role("button", name="Close the examples").click()
    row.locator(".replies").click()
    row.evaluate("row => row.scrollIntoView({ block: 'center' })")
    row.hover()
    page.evaluate("document.activeElement.blur()")


if __name__ == "__main__":
    take(Path(sys.argv[1]))
