"""Moderators end to end: notes and the digest in Lambda's runtime, under their own roles."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from simulators.aws.runtime import InvocationError
from simulators.samples import (
    CHANNEL,
    MODERATORS,
    RAE,
    SAM,
    VIEWER,
    add_moderators,
    create_workspace,
)
from simulators.slack.faults import Fault
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.workspace import Message
from simulators.stack import Options, Stack
from tests.accessibility import violations
from tests.cli.command import run
from tests.simulators.slack.browsing import ANSWER_TIMEOUT, DESKTOP, row, tab_to
from tests.simulators.slack.test_accessibility import EACH_WINDOW
from toxic_bot.slack.answers.verdict_counts import VerdictCounts
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import SQLiteStore

pytestmark = [pytest.mark.slow, pytest.mark.long]

INSULT = "You are a pathetic zeppelinkanarie idiot and everybody here hates you."
EMOJI = "biohazard_sign"
TIMEOUT = 60.0
MONDAY = "2020-01-06T08:00:00Z"
"""Of a week that no other test's digest is for."""


@pytest.fixture(scope="module")
def moderated(model_folder: Path) -> Iterator[Stack]:
    workspace = create_workspace()
    options = Options(model=model_folder, limits=NO_LIMITS, parameters=add_moderators(workspace))
    with Stack(workspace, VIEWER, options).start() as stack:
        yield stack


def posts(stack: Stack, kind: str) -> list[Message]:
    return [
        one
        for one in stack.workspace.messages(MODERATORS)
        if (one.metadata or {}).get("event_type") == kind
    ]


def notes_on(stack: Stack, message: Message) -> list[Message]:
    link = f"/archives/{CHANNEL}/p{message.ts.replace('.', '')}"
    return [one for one in posts(stack, "toxic_note") if link in json.dumps(one.blocks)]


def ask(stack: Stack) -> Message:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    return message


def noted(stack: Stack) -> tuple[Message, Message]:
    message = ask(stack)
    assert stack.wait_for(lambda: bool(notes_on(stack, message)), TIMEOUT), stack.log("worker")
    assert stack.settle()
    [note] = notes_on(stack, message)
    return message, note


def test_a_worker_that_dies_between_answer_and_note_makes_up_for_the_note(
    moderated: Stack,
) -> None:
    moderated.web_api.faults.add("chat.postMessage", Fault(after=moderated.worker.kill))
    message = ask(moderated)

    def is_noted() -> bool:
        moderated.let_time_pass()
        return bool(notes_on(moderated, message))

    assert moderated.wait_for(is_noted, TIMEOUT), moderated.log("worker")
    assert moderated.settle()
    assert len(moderated.answers(message)) == 1
    assert len(notes_on(moderated, message)) == 1


def test_a_worker_that_dies_after_the_note_does_not_post_it_again(moderated: Stack) -> None:
    moderated.web_api.faults.add("chat.postMessage", Fault())
    moderated.web_api.faults.add("chat.postMessage", Fault(after=moderated.worker.kill))
    message = ask(moderated)
    assert moderated.wait_for(lambda: bool(notes_on(moderated, message)), TIMEOUT)

    def is_over() -> bool:
        moderated.let_time_pass()
        return moderated.pending_messages() == 0 and not moderated.poller.busy

    assert moderated.wait_for(is_over, TIMEOUT), moderated.log("worker")
    assert len(moderated.answers(message)) == 1
    assert len(notes_on(moderated, message)) == 1
    assert moderated.dead_letters() == 0


def test_the_schedule_may_fire_twice_at_once_and_slack_may_lose_a_response(
    moderated: Stack,
) -> None:
    def fire(_: int) -> bool:
        try:
            moderated.digest.invoke({"time": MONDAY})
        except InvocationError:
            return False
        return True

    moderated.web_api.faults.add("chat.postMessage", Fault(cut=True))
    with ThreadPoolExecutor() as executor:
        list(executor.map(fire, range(2)))
    moderated.let_time_pass()
    assert fire(0)
    assert len(posts(moderated, "toxic_digest")) == 1


def test_the_page_shows_the_digest_and_the_note_with_its_buttons(
    moderated: Stack, open_page: Callable[..., Page]
) -> None:
    message, note = noted(moderated)
    answer = moderated.answers(message)[0]
    moderated.interactivity.click(CHANNEL, answer.ts, SAM, "wrong")
    assert moderated.settle()
    moderated.post_digest()
    page = open_page(f"{moderated.slack.address}/archives/{MODERATORS}")
    digest = page.locator("#messages .message", has_text="The week in verdicts").last
    expect(digest).to_contain_text("of them toxic")
    expect(digest).to_contain_text("#general")
    expect(digest).to_contain_text("insults: ")
    expect(digest.get_by_role("link", name="toxic, score")).to_have_attribute(
        "href", f"{moderated.slack.address}/archives/{CHANNEL}/p{message.ts.replace('.', '')}"
    )
    shown = page.locator(f'#messages [data-ts="{note.ts}"]')
    shown.get_by_role("button", name="Seen").click()
    expect(shown).to_contain_text("Seen by @You", timeout=30_000)
    expect(shown.get_by_role("button", name="Seen")).to_have_count(0)
    shown.get_by_role("button", name="Wrong").click()
    expect(page.locator("#messages")).to_contain_text("You called this verdict wrong")
    shown.get_by_role("link", name="Open the message").click()
    expect(page.locator(f'#messages [data-ts="{message.ts}"]')).to_be_visible()


def test_no_text_reaches_the_moderators_the_logs_or_the_table(moderated: Stack) -> None:
    noted(moderated)
    table = moderated.aws.physical_id("ClaimTable")
    stored = json.dumps(moderated.aws.client("dynamodb").scan(TableName=table)["Items"])
    told = json.dumps([[one.text, one.blocks] for one in moderated.workspace.messages(MODERATORS)])
    for written in (moderated.log("worker"), moderated.log("digest"), stored, told):
        assert "zeppelinkanarie" not in written
    verdict_counts = [line for line in stored.split("}, {") if "tally#" in line]
    assert verdict_counts
    assert not [line for line in verdict_counts if RAE in line or VIEWER in line]


def test_the_command_prints_the_digest_of_a_database_and_posts_that_of_a_workspace(
    moderated: Stack, tmp_path: Path
) -> None:
    path = tmp_path / "claims.sqlite"
    VerdictCounts(SQLiteStore(Database(path))).add("T1", "C1", "toxic", ("threat",), time.time())
    printed = run("digest", "--database", str(path))
    assert "1 message judged, 1 of them toxic" in printed.stdout
    assert "• C1: 1 of 1 toxic" in printed.stdout
    before = len(posts(moderated, "toxic_digest"))
    result = run("digest", "--workspace", moderated.slack.address)
    assert result.returncode == 0, result.stderr
    assert "#moderators" in result.stdout
    assert 1 <= len(posts(moderated, "toxic_digest")) <= before + 1
    missing = run("digest", "--workspace", "http://127.0.0.1:9")
    assert missing.returncode == 1
    assert missing.stderr.startswith("error: no workspace answers")


def test_a_message_is_reported_by_keyboard_alone_and_the_moderators_get_it(
    moderated: Stack, open_page: Callable[..., Page]
) -> None:
    message = moderated.workspace.post(CHANNEL, RAE, INSULT)
    page = open_page(f"{moderated.slack.address}/archives/{CHANNEL}", **DESKTOP)
    button = row(page, message).get_by_role("button", name="Report to moderators")
    form = page.get_by_role("dialog", name="Report to moderators")
    button.focus()
    page.keyboard.press("Enter")
    expect(form).to_be_visible(timeout=ANSWER_TIMEOUT)
    assert violations(page) == []
    tab_to(page, form.get_by_label("What is it?"))
    page.keyboard.type("An insult")
    tab_to(page, form.get_by_label("What should they know?"))
    page.keyboard.type("This is the third time.")
    # Tab stops once among the choices; the arrows go from one to the next.
    tab_to(page, form.get_by_role("radio", name="No, report it anonymously"))
    page.keyboard.press("ArrowDown")
    expect(form.get_by_role("radio", name="Yes, so that they can write to me")).to_be_checked()
    page.keyboard.press("ArrowUp")
    tab_to(page, form.get_by_role("button", name="Send"))
    page.keyboard.press("Enter")
    expect(form).to_contain_text("on its way to the moderators", timeout=ANSWER_TIMEOUT)
    assert violations(page) == []
    for _ in range(3):
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('#modal').contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(form).to_be_hidden()
    expect(button).to_be_focused()
    assert moderated.wait_for(lambda: bool(posts(moderated, "toxic_report")), TIMEOUT)
    assert moderated.settle()
    [report] = posts(moderated, "toxic_report")
    shown = json.dumps(report.blocks, ensure_ascii=False)
    for part in (
        "An insult or bullying",
        "third time",
        "Reported anonymously",
        "I read it as toxic",
    ):
        assert part in shown
    assert VIEWER not in shown
    assert "zeppelinkanarie" not in shown
    table = moderated.aws.physical_id("ClaimTable")
    stored = json.dumps(moderated.aws.client("dynamodb").scan(TableName=table)["Items"])
    for written in (moderated.log("receiver"), moderated.log("worker"), stored):
        assert "zeppelinkanarie" not in written
        assert "third time" not in written


@pytest.mark.parametrize("window", EACH_WINDOW)
def test_axe_finds_nothing_in_notes_the_digest_private_answers_and_on_the_home_tab(
    moderated: Stack, open_page: Callable[..., Page], window: dict[str, Any]
) -> None:
    noted(moderated)
    moderated.post_digest()
    page = open_page(f"{moderated.slack.address}/archives/{MODERATORS}", **window)
    expect(page.locator("#messages .message", has_text="The week in verdicts").last).to_be_visible()
    found = {"notes and digest": violations(page)}
    page = open_page(f"{moderated.slack.address}/archives/{CHANNEL}", **window)
    last = page.locator("#messages > .from-bot").last
    for typed, shown in (
        ("you are an idiot", "This reads as toxic"),
        ("settings", "Open settings"),
    ):
        page.get_by_label("Message", exact=True).fill(f"/toxic {typed}")
        page.keyboard.press("Enter")
        expect(last).to_contain_text(shown, timeout=ANSWER_TIMEOUT)
        found[shown] = violations(page)
    page = open_page(f"{moderated.slack.address}/home", **window)
    page.get_by_label("Try a text").fill("you are an idiot")
    page.locator("#home").get_by_role("button", name="Is this toxic?").click()
    expect(page.locator("#home")).to_contain_text("This reads as toxic", timeout=ANSWER_TIMEOUT)
    found["home"] = violations(page)
    assert {view: problems for view, problems in found.items() if problems} == {}
