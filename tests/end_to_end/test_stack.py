"""The bot end to end, in AWS's Lambda runtime and under the functions' own roles."""

from __future__ import annotations

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from simulators.samples import CHANNEL, PRIVATE_CHANNEL, RAE, SAM, VIEWER
from simulators.slack.delivery import RetryReason
from simulators.slack.faults import Fault
from simulators.slack.workspace import Message
from simulators.stack import Stack

pytestmark = pytest.mark.slow

EMOJI = "biohazard_sign"
INSULT = "You are a pathetic idiot and everybody here hates you."
TIMEOUT = 90.0


def answer_to(stack: Stack, message: Message) -> Message:
    assert stack.wait_for(partial(stack.is_answered, message), TIMEOUT), stack.log("worker")
    stack.settle()
    answers = stack.answers(message)
    assert len(answers) == 1
    return answers[0]


def calls_about(stack: Stack, message: Message, since: int) -> list[str]:
    return [
        call.method
        for call in stack.web_api.calls[since:]
        if message.ts in (call.arguments.get("ts"), call.arguments.get("thread_ts"))
    ]


def take_dead_letters(stack: Stack) -> list[str]:
    queue = stack.aws.client("sqs")
    url = stack.aws.queue_url("DeadLetterQueue")
    messages = queue.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    for message in messages:
        queue.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return [message["Body"] for message in messages]


def test_a_reaction_gets_one_verdict_in_the_thread(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    answer = answer_to(stack, message)
    assert answer.thread_ts == message.ts
    assert "reads as toxic" in answer.text
    assert answer.only_for is None
    assert answer.metadata == {
        "event_type": "toxic_verdict",
        "event_payload": {"channel": CHANNEL, "ts": message.ts, "edited": ""},
    }


def test_a_friendly_message_is_not_called_toxic(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, "Thanks a lot, that was a great help!")
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert "does not read as toxic" in answer_to(stack, message).text


def test_a_reply_is_judged_and_answered_in_its_own_thread(stack: Stack) -> None:
    parent = stack.workspace.post(CHANNEL, RAE, "The build is green again.")
    reply = stack.workspace.post(CHANNEL, SAM, INSULT, thread_ts=parent.ts)
    stack.workspace.react(CHANNEL, reply.ts, VIEWER, EMOJI)
    answer = answer_to(stack, reply)
    assert answer.thread_ts == parent.ts
    assert "reads as toxic" in answer.text
    assert answer not in stack.answers(parent)


def test_messages_in_private_channels_are_answered(stack: Stack) -> None:
    message = stack.workspace.post(PRIVATE_CHANNEL, RAE, INSULT)
    stack.workspace.react(PRIVATE_CHANNEL, message.ts, VIEWER, EMOJI)
    assert answer_to(stack, message).channel == PRIVATE_CHANNEL


def test_an_event_and_its_retries_produce_one_verdict(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    since = len(stack.web_api.calls)
    change = stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    envelope = stack.events.delivered_envelope(change)
    for retry in (1, 2, 3):
        assert stack.events.redeliver(envelope, retry, RetryReason.TIMEOUT).result().status == 200
    answer_to(stack, message)
    # A retry after the answer does not fetch the message again.
    fetches = calls_about(stack, message, since).count("conversations.replies")
    stack.events.redeliver(envelope, 3, RetryReason.TIMEOUT).result()
    stack.settle()
    assert calls_about(stack, message, since).count("conversations.replies") == fetches
    assert len(stack.answers(message)) == 1


def test_fifty_concurrent_deliveries_produce_one_verdict(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    change = stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    envelope = stack.events.delivered_envelope(change)
    deliveries = [stack.events.redeliver(envelope, 1, RetryReason.TIMEOUT) for _ in range(50)]
    assert {delivery.result().status for delivery in deliveries} == {200}
    answer_to(stack, message)


def test_fifty_people_who_react_at_once_get_one_verdict_with_few_calls(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    since = len(stack.web_api.calls)
    users = [f"U0CROWD{number:03d}" for number in range(50)]
    with ThreadPoolExecutor(10) as executor:
        for reaction in [
            executor.submit(stack.workspace.react, CHANNEL, message.ts, user, EMOJI)
            for user in users
        ]:
            reaction.result()
    assert stack.wait_for(lambda: len(stack.events.attempts) >= 50, TIMEOUT)
    answer_to(stack, message)
    assert stack.settle(90)
    assert len(stack.answers(message)) == 1
    assert len(calls_about(stack, message, since)) <= 8
    assert stack.dead_letters() == 0


def test_a_message_edited_after_its_verdict_is_judged_again(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, "Thanks a lot, that was a great help!")
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    answer_to(stack, message)
    stack.workspace.edit(CHANNEL, message.ts, INSULT)
    stack.workspace.react(CHANNEL, message.ts, SAM, EMOJI)
    assert stack.wait_for(
        lambda: any("This message reads as toxic" in one.text for one in stack.answers(message)),
        TIMEOUT,
    )
    # Whichever arrives first, the edit or the reaction: one answer is about the new version.
    assert stack.settle()
    *outdated, last = stack.answers(message)
    assert "This message reads as toxic" in last.text
    assert all("earlier version" in one.text for one in outdated)


def test_reacting_again_without_an_edit_produces_no_second_verdict(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    answer_to(stack, message)
    stack.workspace.unreact(CHANNEL, message.ts, VIEWER, EMOJI)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert stack.wait_for(lambda: stack.pending_messages() == 0, TIMEOUT)
    stack.settle()
    assert len(stack.answers(message)) == 1


def test_a_poisoned_record_ends_up_in_the_dead_letter_queue_and_the_others_are_answered(
    stack: Stack,
) -> None:
    before = stack.dead_letters()
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    stack.aws.client("sqs").send_message(
        QueueUrl=stack.aws.queue_url("Queue"), MessageBody='{"event_id": "Ev0BROKEN", '
    )
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)

    def is_dead() -> bool:
        stack.let_time_pass()
        return stack.dead_letters() == before + 1

    assert stack.wait_for(is_dead, TIMEOUT)
    answer_to(stack, message)
    assert stack.pending_messages() == 0
    assert take_dead_letters(stack) == ['{"event_id": "Ev0BROKEN", ']


def test_a_short_rate_limit_delays_the_answer(stack: Stack) -> None:
    rate_limit = Fault(error="ratelimited", status=429, retry_after=1)
    stack.web_api.faults.add("chat.postMessage", rate_limit)
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    since = len(stack.web_api.calls)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    answer_to(stack, message)
    errors = [
        call.error for call in stack.web_api.calls[since:] if call.method == "chat.postMessage"
    ]
    assert errors == ["ratelimited", ""]


def test_a_rate_limited_reaction_waits_on_the_queue(stack: Stack) -> None:
    rate_limit = Fault(error="ratelimited", status=429, retry_after=4)
    stack.web_api.faults.add("chat.postMessage", rate_limit)
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    since = len(stack.web_api.calls)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)

    def is_returned() -> bool:
        return any(call.error == "ratelimited" for call in stack.web_api.calls[since:])

    assert stack.wait_for(is_returned, TIMEOUT)
    assert stack.wait_for(lambda: not stack.poller.busy, TIMEOUT)
    assert stack.answers(message) == []
    assert stack.pending_messages() == 1
    answer_to(stack, message)
    assert stack.settle()
    assert stack.dead_letters() == 0


@pytest.mark.parametrize(
    "fault",
    [Fault(error="internal_error"), Fault(status=503), Fault(error="fatal_error", status=500)],
    ids=["internal_error", "http_503", "fatal_error"],
)
def test_an_event_is_retried_after_a_temporary_slack_error(stack: Stack, fault: Fault) -> None:
    stack.web_api.faults.add("conversations.replies", fault)
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    since = len(stack.web_api.calls)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert stack.wait_for(lambda: len(stack.web_api.calls) > since, TIMEOUT)
    assert stack.wait_for(lambda: stack.let_time_pass() > 0, TIMEOUT)
    answer_to(stack, message)


@pytest.mark.parametrize(
    "error", ["is_archived", "not_in_channel", "missing_scope", "channel_not_found"]
)
def test_an_event_is_not_retried_after_a_permanent_slack_error(stack: Stack, error: str) -> None:
    stack.web_api.faults.add("chat.postMessage", Fault(error=error))
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    since = len(stack.web_api.calls)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert stack.wait_for(
        lambda: any(call.error == error for call in stack.web_api.calls[since:]), TIMEOUT
    )
    assert stack.settle()
    assert stack.answers(message) == []


def test_a_crash_right_after_posting_does_not_duplicate_the_verdict(stack: Stack) -> None:
    stack.web_api.faults.add("chat.postMessage", Fault(after=stack.worker.kill))
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert stack.wait_for(partial(stack.is_answered, message), TIMEOUT)
    assert stack.wait_for(lambda: stack.let_time_pass() > 0, TIMEOUT)
    assert stack.wait_for(lambda: stack.pending_messages() == 0, TIMEOUT)
    stack.settle()
    assert len(stack.answers(message)) == 1


def test_a_crash_before_posting_does_not_lose_the_verdict(stack: Stack) -> None:
    stack.web_api.faults.add("conversations.replies", Fault(after=stack.worker.kill))
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    since = len(stack.web_api.calls)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert stack.wait_for(lambda: len(stack.web_api.calls) > since, TIMEOUT)
    assert stack.wait_for(lambda: stack.let_time_pass() > 0, TIMEOUT)
    answer_to(stack, message)


def test_a_claim_does_not_lapse_while_its_answer_is_still_being_posted(stack: Stack) -> None:
    posts = [Fault(delay=1.0), Fault(before=stack.worker.kill, delay=1.0)]
    for fault in posts:
        stack.web_api.faults.add("chat.postMessage", fault)
        message = stack.workspace.post(CHANNEL, RAE, INSULT)
        stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        stack.workspace.react(CHANNEL, message.ts, SAM, EMOJI)

        def is_over() -> bool:
            stack.let_time_pass()
            return not stack.poller.busy and stack.pending_messages() == 0

        assert stack.wait_for(is_over, TIMEOUT)
        assert len(stack.answers(message)) == 1


def test_other_emoji_and_other_events_are_ignored(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    since = len(stack.web_api.calls)
    attempts = len(stack.events.attempts)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, "thumbsup")
    stack.workspace.unreact(CHANNEL, message.ts, VIEWER, "thumbsup")
    assert stack.wait_for(lambda: len(stack.events.attempts) > attempts, TIMEOUT)
    stack.settle()
    assert stack.events.attempts[-1].status == 200
    assert len(stack.web_api.calls) == since


def test_a_reaction_to_the_bots_own_answer_is_ignored(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    answer = answer_to(stack, message)
    since = len(stack.web_api.calls)
    stack.workspace.react(CHANNEL, answer.ts, VIEWER, EMOJI)
    stack.settle()
    assert stack.web_api.calls[since:] == []


def test_a_message_with_only_files_has_nothing_to_judge(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, "", file_names=("plan.pdf",))
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert "nothing to judge" in answer_to(stack, message).text


def test_only_the_person_who_asked_learns_that_the_message_was_deleted(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    stack.web_api.faults.add("conversations.replies", Fault(delay=0.5))
    message_count = len(stack.workspace.messages(CHANNEL))
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    stack.workspace.delete(CHANNEL, message.ts)

    def notices() -> list[Message]:
        return [
            one
            for one in stack.workspace.messages(CHANNEL)[message_count - 1 :]
            if one.only_for == VIEWER and "deleted" in one.text
        ]

    assert stack.wait_for(lambda: bool(notices()), TIMEOUT)


@pytest.mark.parametrize(
    "text",
    ["a" * 40_000, ":tada: :heart:", "‏שלום, תודה רבה", "\u200b\u200d\ufeff", "\x00 hi \x00"],
    ids=["40,000 characters", "only emoji", "right to left", "zero width", "NUL"],
)
def test_any_text_gets_an_answer(stack: Stack, text: str) -> None:
    message = stack.workspace.post(CHANNEL, RAE, text)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert answer_to(stack, message).text


def test_logs_contain_no_secrets_and_no_message_text(stack: Stack) -> None:
    marker = uuid.uuid4().hex
    message = stack.workspace.post(CHANNEL, RAE, f"You idiot {marker}")
    poison = json.dumps({"text": marker})
    stack.aws.client("sqs").send_message(QueueUrl=stack.aws.queue_url("Queue"), MessageBody=poison)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    answer_to(stack, message)

    def is_dead() -> bool:
        stack.let_time_pass()
        return stack.dead_letters() > 0

    assert stack.wait_for(is_dead, TIMEOUT)
    assert take_dead_letters(stack) == [poison]
    for function in ("receiver", "worker"):
        log = stack.log(function)
        assert marker not in log
        assert INSULT not in log
        assert stack.secrets.bot_token not in log
        assert stack.secrets.signing_secret not in log
    assert message.ts in stack.log("worker")


def test_the_log_records_event_channel_verdict_score_and_latency(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    change = stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    answer_to(stack, message)
    [record] = [
        one
        for one in stack.records("worker")
        if one.get("message") == "answered" and one.get("ts") == message.ts
    ]
    assert record["event_id"] == stack.events.delivered_envelope(change)["event_id"]
    assert record["channel"] == CHANNEL
    assert record["verdict"] == "toxic"
    assert 0.5 < record["score"] <= 1
    assert record["latency_ms"] > 0
