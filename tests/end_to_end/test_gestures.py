"""Every gesture end to end, in AWS's Lambda runtime and under the functions' own roles."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

import pytest

from simulators.samples import CHANNEL, RAE, SAM, VIEWER
from simulators.slack.faults import Fault
from simulators.slack.workspace import Channel, Message, Person
from simulators.stack import Stack
from toxic_bot.slack.requests.interactions import (
    COMMAND,
    SHORTCUT,
    TRY_ACTION,
    TRY_BLOCK,
    TRY_INPUT,
)

pytestmark = pytest.mark.slow

INSULT = "You are a pathetic idiot and everybody here hates you."
EMOJI = "biohazard_sign"
TIMEOUT = 90.0


def shown(message: Message) -> str:
    return json.dumps(message.blocks, ensure_ascii=False)


def private_answers(stack: Stack, channel: str, user: str, since: int) -> list[Message]:
    messages = stack.workspace.messages(channel)[since:]
    return [one for one in messages if one.only_for == user]


def private_answer(
    stack: Stack, gesture: Callable[[], object], channel: str = CHANNEL, user: str = VIEWER
) -> Message:
    """Return the one private answer to a gesture."""
    since = len(stack.workspace.messages(channel))
    gesture()
    assert stack.wait_for(lambda: bool(private_answers(stack, channel, user, since)), TIMEOUT), (
        stack.log("worker")
    )
    assert stack.settle()
    [answer] = private_answers(stack, channel, user, since)
    return answer


def verdict_on(stack: Stack, text: str) -> tuple[Message, Message]:
    """Return a message and the verdict in its thread."""
    message = stack.workspace.post(CHANNEL, RAE, text)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert stack.wait_for(lambda: stack.is_answered(message), TIMEOUT), stack.log("worker")
    return message, stack.answers(message)[0]


def votes(stack: Stack) -> list[dict[str, object]]:
    table = stack.aws.physical_id("ClaimTable")
    items = stack.aws.client("dynamodb").scan(TableName=table)["Items"]
    return [json.loads(item["vote"]["S"]) for item in items if "vote" in item]


def test_the_shortcut_gets_a_private_verdict_and_leaves_no_trace(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    answer = private_answer(
        stack,
        lambda: stack.interactivity.choose_shortcut(CHANNEL, message.ts, VIEWER, SHORTCUT),
    )
    assert "reads as toxic" in answer.text
    assert message.reactions == {}
    assert stack.answers(message) == []


def test_the_shortcut_judges_the_text_that_slack_sends_where_the_bot_is_not(stack: Stack) -> None:
    stack.workspace.add_channel(Channel("C0ELSEWHERE", "elsewhere", members={VIEWER, RAE}))
    message = stack.workspace.post("C0ELSEWHERE", RAE, INSULT)
    answer = private_answer(
        stack,
        lambda: stack.interactivity.choose_shortcut("C0ELSEWHERE", message.ts, VIEWER, SHORTCUT),
        "C0ELSEWHERE",
    )
    assert "reads as toxic" in answer.text
    assert f"“{INSULT}”" in shown(answer)


def test_a_command_gets_a_private_verdict_with_the_words_that_drove_it(stack: Stack) -> None:
    text = "Well, my friend, you are an idiot"
    answer = private_answer(
        stack, lambda: stack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, text)
    )
    assert "This reads as toxic" in shown(answer)
    assert "an insult" in shown(answer)
    assert "“idiot” – strongly" in shown(answer)
    assert "nothing is stored" in shown(answer)


def test_somebody_whose_slack_is_german_is_answered_in_german_and_the_thread_in_english(
    stack: Stack,
) -> None:
    jonas = "U0JONAS001"
    stack.workspace.add_person(Person(jonas, "Jonas Weber", locale="de-DE"))
    stack.workspace.channels[CHANNEL].members.add(jonas)
    message, verdict = verdict_on(stack, INSULT)
    assert "This message reads as toxic" in verdict.text
    why = private_answer(
        stack, lambda: stack.interactivity.click(CHANNEL, verdict.ts, jonas, "why"), user=jonas
    )
    assert "Das gab den Ausschlag" in shown(why)
    quiet = private_answer(
        stack,
        lambda: stack.interactivity.choose_shortcut(CHANNEL, message.ts, jonas, SHORTCUT),
        user=jonas,
    )
    assert quiet.text.startswith("Diese Nachricht wirkt toxisch")
    assert "eine Beleidigung" in quiet.text
    assert "Stimmt nicht" in shown(quiet)
    stack.workspace.open_home(jonas)
    assert stack.wait_for(lambda: jonas in stack.workspace.homes, TIMEOUT)
    assert "Wie ich einschätze" in json.dumps(stack.workspace.homes[jonas], ensure_ascii=False)


def test_a_command_without_a_text_explains_itself_without_the_worker(stack: Stack) -> None:
    answer = private_answer(
        stack, lambda: stack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, " ")
    )
    assert answer.text.startswith("Type `/toxic`")


def test_the_text_of_a_command_is_in_no_log_and_in_no_store(stack: Stack) -> None:
    canary = "You are a zeppelinkanarie, an utter idiot"
    private_answer(
        stack, lambda: stack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, canary)
    )
    table = stack.aws.physical_id("ClaimTable")
    stored = json.dumps(stack.aws.client("dynamodb").scan(TableName=table)["Items"])
    for written in (stack.log("receiver"), stack.log("worker"), stored):
        assert "zeppelinkanarie" not in written
        assert "/response/" not in written
    assert stack.dead_letters() == 0


def test_why_shows_the_reasons_only_to_the_person_who_asks(stack: Stack) -> None:
    message, verdict = verdict_on(stack, INSULT)
    answer = private_answer(
        stack, lambda: stack.interactivity.click(CHANNEL, verdict.ts, SAM, "why"), user=SAM
    )
    assert answer.thread_ts == message.ts
    assert "idiot" in shown(answer)
    assert "The text as I read it" in shown(answer)
    assert "since been edited" not in shown(answer)


def test_why_says_when_the_message_was_edited_since(stack: Stack) -> None:
    message, verdict = verdict_on(stack, INSULT)
    stack.workspace.edit(CHANNEL, message.ts, "Thanks, that was a great help!")
    answer = private_answer(
        stack, lambda: stack.interactivity.click(CHANNEL, verdict.ts, VIEWER, "why")
    )
    assert "since been edited" in shown(answer)
    assert "great help" in shown(answer)


@pytest.mark.long
def test_of_a_long_message_why_shows_the_part_that_decided(stack: Stack) -> None:
    calm = "It rained all day in the valley and nobody minded the long walk home. " * 20
    _, verdict = verdict_on(stack, f"{calm}{INSULT} {calm}")
    answer = private_answer(
        stack, lambda: stack.interactivity.click(CHANNEL, verdict.ts, VIEWER, "why")
    )
    assert "The part that decided" in shown(answer)
    assert "pathetic idiot" in shown(answer)


def test_a_vote_is_kept_without_text_and_each_person_has_one(stack: Stack) -> None:
    message, verdict = verdict_on(stack, INSULT)
    for action in ("right", "wrong"):
        click = partial(stack.interactivity.click, CHANNEL, verdict.ts, SAM, action)
        assert f"verdict {action}" in private_answer(stack, click, user=SAM).text
    [vote] = [one for one in votes(stack) if one["ts"] == message.ts]
    assert (vote["user"], vote["right"], vote["verdict"]) == (SAM, False, "toxic")
    assert "insult" in str(vote["kinds"])
    assert "idiot" not in json.dumps(vote)


def test_the_home_tab_shows_channels_and_figures_and_judges_a_text(stack: Stack) -> None:
    verdict_on(stack, INSULT)
    stack.workspace.homes.clear()
    stack.workspace.open_home(VIEWER)
    assert stack.wait_for(lambda: VIEWER in stack.workspace.homes, TIMEOUT), stack.log("worker")
    home = json.dumps(stack.workspace.homes[VIEWER], ensure_ascii=False)
    assert f"<#{CHANNEL}>" in home
    assert "of them toxic" in home
    stack.interactivity.click_home(
        VIEWER, TRY_ACTION, {TRY_BLOCK: {TRY_INPUT: "you are a <!channel> idiot"}}
    )

    def is_judged() -> bool:
        return "This reads as toxic" in json.dumps(stack.workspace.homes[VIEWER])

    assert stack.wait_for(is_judged, TIMEOUT), stack.log("worker")
    assert "<!channel>" not in json.dumps(
        [one for one in stack.workspace.homes[VIEWER]["blocks"] if "mrkdwn" in json.dumps(one)]
    )


def test_an_invitation_gets_one_short_message(stack: Stack) -> None:
    stack.workspace.add_channel(Channel("C0NEW", "new", members={VIEWER}))
    stack.workspace.invite("C0NEW", stack.workspace.bot.id)
    assert stack.wait_for(lambda: bool(stack.workspace.messages("C0NEW")), TIMEOUT)
    stack.workspace.invite("C0NEW", SAM)
    assert stack.settle()
    [welcome] = stack.workspace.messages("C0NEW")
    for part in (":biohazard_sign:", "Is this toxic?", "/toxic", "I store no texts"):
        assert part in welcome.text


def test_a_gesture_is_answered_once_however_often_the_queue_delivers_it(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    sent: list[tuple[str, dict[str, Any]]] = []
    send = stack.interactivity.send
    assert send is not None

    def record(kind: str, fields: dict[str, Any]) -> Future[str | None]:
        sent.append((kind, fields))
        return send(kind, fields)

    stack.interactivity.send = record
    try:
        private_answer(
            stack,
            lambda: stack.interactivity.choose_shortcut(CHANNEL, message.ts, VIEWER, SHORTCUT),
        )
    finally:
        stack.interactivity.send = send
    since = len(stack.workspace.messages(CHANNEL))
    for _ in range(3):
        assert send(*sent[0]).result() == ""
    assert stack.settle()
    assert private_answers(stack, CHANNEL, VIEWER, since) == []


def test_a_gesture_that_has_expired_is_dropped_and_is_no_dead_letter(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    since = len(stack.workspace.messages(CHANNEL))
    stack.web_api.faults.add("conversations.replies", Fault(error="ratelimited", status=429))
    stack.interactivity.choose_shortcut(CHANNEL, message.ts, VIEWER, SHORTCUT)
    assert stack.wait_for(lambda: stack.pending_messages() > 0, TIMEOUT)
    stack.interactivity.expire_response_urls()

    def is_over() -> bool:
        stack.let_time_pass()
        return stack.pending_messages() == 0 and not stack.poller.busy

    assert stack.wait_for(is_over, TIMEOUT)
    assert private_answers(stack, CHANNEL, VIEWER, since) == []
    assert stack.dead_letters() == 0
