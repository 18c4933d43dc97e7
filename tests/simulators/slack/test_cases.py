"""Cases end to end: in Lambda's runtime under the functions' own roles, and on the page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from simulators.samples import (
    CHANNEL,
    MODERATORS,
    NOOR,
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
from tests.simulators.slack.browsing import ANSWER_TIMEOUT, DESKTOP
from tests.simulators.slack.test_accessibility import EACH_WINDOW
from toxic_bot.slack.i18n.english import ENGLISH
from toxic_bot.slack.requests.interactions import REPORT

pytestmark = [pytest.mark.slow, pytest.mark.long]

CANARY = "zeppelinkanarie"
INSULT = f"You are a pathetic {CANARY} idiot and everybody here hates you."
TIMEOUT = 60.0
ATTEMPTS = 5


@pytest.fixture(scope="module")
def moderated(model_folder: Path) -> Iterator[Stack]:
    workspace = create_workspace()
    parameters = add_moderators(workspace) | {"NoteCases": "on"}
    options = Options(model=model_folder, limits=NO_LIMITS, parameters=parameters)
    with Stack(workspace, VIEWER, options).start() as stack:
        yield stack


def chosen(value: str) -> dict[str, Any]:
    return {"value": {"selected_option": {"value": value}}}


def posts(stack: Stack, kind: str = "toxic_report") -> list[Message]:
    return [
        one
        for one in stack.workspace.messages(MODERATORS)
        if (one.metadata or {}).get("event_type") == kind
    ]


def shown(message: Message) -> str:
    return json.dumps(message.blocks, ensure_ascii=False)


def told(stack: Stack, user: str, since: int) -> list[str]:
    messages = stack.workspace.messages(MODERATORS)[since:]
    return [one.text for one in messages if one.only_for == user]


def submit(stack: Stack, user: str, values: dict[str, dict[str, Any]]) -> None:
    modals = stack.interactivity.modals
    assert stack.wait_for(lambda: modals.of(user) is not None, TIMEOUT), stack.log("worker")
    assert stack.interactivity.submit_view(user, values).result() == {}
    modals.close(user)


def opened(stack: Stack, author: str = RAE) -> Message:
    """Report a message, and return the case's post."""
    before = len(posts(stack))
    message = stack.workspace.post(CHANNEL, author, INSULT)
    for _ in range(ATTEMPTS):
        # A worker that starts cold may be too late for Slack, and then asks to choose it again.
        stack.interactivity.choose_shortcut(CHANNEL, message.ts, SAM, REPORT)
        assert stack.settle()
        if stack.interactivity.modals.of(SAM) is not None:
            break
    word = {"value": {"value": f"again, this {CANARY}"}}
    submit(stack, SAM, {"reason": chosen("insult"), "word": word, "name": chosen("anonymous")})
    assert stack.wait_for(lambda: len(posts(stack)) > before, TIMEOUT), stack.log("worker")
    assert stack.settle()
    return posts(stack)[-1]


def items(stack: Stack) -> list[dict[str, Any]]:
    table = stack.aws.physical_id("ClaimTable")
    found: list[dict[str, Any]] = stack.aws.client("dynamodb").scan(TableName=table)["Items"]
    return found


def case_of(stack: Stack, post: Message) -> dict[str, Any]:
    cases = [json.loads(one["moderation_case"]["S"]) for one in items(stack) if "version" in one]
    [case] = [one for one in cases if one["post"] == post.ts]
    return dict(case)


def test_of_two_moderators_who_click_at_once_one_has_the_case(moderated: Stack) -> None:
    post, since = opened(moderated), len(moderated.workspace.messages(MODERATORS))
    users = (VIEWER, NOOR, RAE)

    def take(user: str) -> None:
        moderated.interactivity.click(MODERATORS, post.ts, user, "case_take")

    with ThreadPoolExecutor() as executor:
        list(executor.map(take, users))
    assert moderated.wait_for(
        lambda: sum(bool(told(moderated, user, since)) for user in users) == 2, TIMEOUT
    ), moderated.log("worker")
    assert moderated.settle()
    [first] = [user for user in users if not told(moderated, user, since)]
    for user in set(users) - {first}:
        assert told(moderated, user, since) == [f"<@{first}> has already taken this case."]
    assert f"*Taken by <@{first}>*" in shown(post)
    assert [one["user"] for one in case_of(moderated, post)["trail"]] == [first]


def test_a_worker_that_dies_after_a_letter_does_not_send_it_again(moderated: Stack) -> None:
    post, since = opened(moderated), len(moderated.workspace.messages(MODERATORS))
    letters = len(moderated.workspace.messages(f"D{RAE[1:]}"))
    moderated.interactivity.click(MODERATORS, post.ts, NOOR, "case_write")
    modals = moderated.interactivity.modals
    assert moderated.wait_for(lambda: modals.of(NOOR) is not None, TIMEOUT)
    moderated.web_api.faults.add("chat.postMessage", Fault(after=moderated.worker.kill))
    submit(moderated, NOOR, {"letter": {"value": {"value": "Please calm down."}}})

    def is_over() -> bool:
        moderated.let_time_pass()
        return bool(told(moderated, NOOR, since))

    assert moderated.wait_for(is_over, TIMEOUT), moderated.log("worker")
    assert moderated.settle()
    [said] = told(moderated, NOOR, since)
    assert said.startswith("Slack did not confirm it.")
    assert len(moderated.workspace.messages(f"D{RAE[1:]}")) == letters + 1
    assert case_of(moderated, post)["trail"][-1]["detail"] == "unknown"
    assert moderated.dead_letters() == 0


def test_a_click_and_a_form_act_once_however_often_they_are_delivered(moderated: Stack) -> None:
    post, since = opened(moderated), len(moderated.workspace.messages(MODERATORS))
    letters = len(moderated.workspace.messages(f"D{RAE[1:]}"))
    sent: list[tuple[str, dict[str, Any]]] = []
    send = moderated.interactivity.send
    assert send is not None

    def record(kind: str, fields: dict[str, Any]) -> Future[str | None]:
        sent.append((kind, fields))
        return send(kind, fields)

    moderated.interactivity.send = record
    try:
        moderated.interactivity.click(MODERATORS, post.ts, NOOR, "case_take")
        assert moderated.settle()
        moderated.interactivity.click(MODERATORS, post.ts, NOOR, "case_write")
        submit(moderated, NOOR, {"letter": {"value": {"value": "Please calm down."}}})
    finally:
        moderated.interactivity.send = send
    for kind, fields in [sent[0], sent[2]] * 3:
        assert send(kind, fields).result() == ""
    assert moderated.wait_for(lambda: bool(told(moderated, NOOR, since)), TIMEOUT)
    assert moderated.settle()
    assert told(moderated, NOOR, since) == ["Your message has been sent to the author."]
    assert len(moderated.workspace.messages(f"D{RAE[1:]}")) == letters + 1
    assert [one["step"] for one in case_of(moderated, post)["trail"]] == ["take", "write"]


def test_a_note_is_a_case_and_its_votes_still_count(moderated: Stack) -> None:
    before = len(posts(moderated, "toxic_note"))
    message = moderated.workspace.post(CHANNEL, RAE, INSULT)
    moderated.workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
    assert moderated.wait_for(lambda: len(posts(moderated, "toxic_note")) > before, TIMEOUT), (
        moderated.log("worker")
    )
    assert moderated.settle()
    note, since = posts(moderated, "toxic_note")[-1], len(moderated.workspace.messages(MODERATORS))
    moderated.interactivity.click(MODERATORS, note.ts, NOOR, "wrong")
    moderated.interactivity.click(MODERATORS, note.ts, NOOR, "case_take")
    assert moderated.wait_for(lambda: "Taken by" in shown(note), TIMEOUT), moderated.log("worker")
    assert moderated.wait_for(lambda: bool(told(moderated, NOOR, since)), TIMEOUT)
    assert case_of(moderated, note)["author"] == RAE


def press(page: Page, button: Locator) -> None:
    """Press a button by keyboard."""
    expect(button).to_be_visible(timeout=ANSWER_TIMEOUT)
    button.focus()
    page.keyboard.press("Enter")


def open_form(page: Page, case: Locator, name: str) -> Locator:
    """Open a case's form by keyboard; where the bot is too late for Slack, press again."""
    form = page.get_by_role("dialog", name=name)
    for _ in range(ATTEMPTS):
        press(page, case.get_by_role("button", name=name, exact=True))
        with suppress(AssertionError):
            expect(form).to_be_visible(timeout=ANSWER_TIMEOUT / ATTEMPTS)
            return form
    raise AssertionError(f"{name} opens no form: {page.locator('#messages').inner_text()}")


def test_a_case_is_handled_by_keyboard_alone(
    moderated: Stack, open_page: Callable[..., Page]
) -> None:
    post = opened(moderated, author=VIEWER)
    page = open_page(f"{moderated.slack.address}/archives/{MODERATORS}", **DESKTOP)
    case = page.locator(f'#messages [data-ts="{post.ts}"]')
    press(page, case.get_by_role("button", name="Take", exact=True))
    expect(case).to_contain_text("Taken by @You", timeout=ANSWER_TIMEOUT)
    # The button is gone: the keyboard stays where it was.
    expect(case).to_be_focused()

    form = open_form(page, case, "Write to the author")
    expect(form).to_contain_text("without your name")
    text = form.get_by_label("Your message")
    expect(text).to_have_value(ENGLISH["case"]["letter"])
    text.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("Please talk to each other first.")
    press(page, form.get_by_role("button", name="Send"))
    expect(form).to_be_hidden(timeout=ANSWER_TIMEOUT)
    expect(page.locator("#messages")).to_contain_text(
        "Your message has been sent to the author.", timeout=ANSWER_TIMEOUT
    )

    form = open_form(page, case, "Remove")
    expect(form).to_contain_text("Slack lets me delete only what I posted")
    press(page, form.get_by_role("button", name="Remove"))
    expect(page.locator("#messages")).to_contain_text(
        "Slack lets me delete only my own messages.", timeout=ANSWER_TIMEOUT
    )

    form = open_form(page, case, "Close")
    form.get_by_role("radio", name="no problem found").focus()
    page.keyboard.press("ArrowDown")
    expect(form.get_by_role("radio", name="talked to the author")).to_be_checked()
    press(page, form.locator("#modal-submit"))
    expect(case).to_contain_text("Closed: talked to the author", timeout=ANSWER_TIMEOUT)
    assert moderated.settle()
    # The button is gone: the keyboard stays at the case.
    expect(case).to_be_focused()
    for part in ("@You wrote to the author", "refused by Slack: cant_delete_message"):
        expect(case).to_contain_text(part)
    expect(case.get_by_role("button", name="Reopen")).to_be_visible()

    page = open_page(f"{moderated.slack.address}/archives/D{VIEWER[1:]}", **DESKTOP)
    letter = page.locator("#messages .message").last
    expect(letter).to_contain_text("Please talk to each other first.")
    expect(letter).to_contain_text("From the moderators, about your message")


@pytest.mark.parametrize("window", EACH_WINDOW)
def test_a_case_its_forms_and_the_home_tab_are_accessible(
    moderated: Stack, open_page: Callable[..., Page], window: dict[str, Any]
) -> None:
    post = opened(moderated)
    page = open_page(f"{moderated.slack.address}/archives/{MODERATORS}", **window)
    case = page.locator(f'#messages [data-ts="{post.ts}"]')
    expect(case).to_contain_text("Open")
    assert violations(page) == []
    for name in ("Close", "Write to the author", "Ask for an edit", "Flag in the thread", "Remove"):
        form = open_form(page, case, name)
        assert violations(page) == []
        page.keyboard.press("Escape")
        expect(form).to_be_hidden()
        expect(case.get_by_role("button", name=name, exact=True)).to_be_focused()
    page = open_page(f"{moderated.slack.address}/home", **window)
    listed = page.get_by_text("Cases not yet closed")
    expect(listed).to_be_visible(timeout=ANSWER_TIMEOUT)
    assert violations(page) == []


def test_no_text_is_in_a_log_or_in_the_table(moderated: Stack) -> None:
    post = opened(moderated)
    moderated.interactivity.click(MODERATORS, post.ts, NOOR, "case_ask_edit")
    submit(moderated, NOOR, {"letter": {"value": {"value": f"Please, no more {CANARY}."}}})
    assert moderated.wait_for(
        lambda: "asked the author to edit the message" in shown(post), TIMEOUT
    ), moderated.log("worker")
    assert moderated.settle()
    assert CANARY in shown(moderated.workspace.messages(f"D{RAE[1:]}")[-1])
    stored = json.dumps(items(moderated))
    assert "moderation_case" in stored
    for written in (moderated.log("receiver"), moderated.log("worker"), stored):
        assert CANARY not in written
    assert moderated.dead_letters() == 0
