"""An answer in the thread follows its message: it is replaced by an edit, deleted by a deletion."""

from __future__ import annotations

import sys
import time

import pytest

from handler.channel_settings_table import SettingsTable
from simulators.slack.faults import Fault
from simulators.slack.workspace import Message
from tests.aws_account import claim_table, dynamodb
from tests.slack.answers.test_answerer import (
    INSULT,
    THANKS,
    Scenario,
    answer_all,
    classifier,
    scenario,
)
from toxic_bot.slack.answers.assessments import ANSWER_EXPIRY, COOLDOWNS
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.event_gestures import Deletion, Edit
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.lookups import assessment_claim
from toxic_bot.slack.retry import InProgressError, TryAgainError
from toxic_bot.slack.settings import AnswerMode
from toxic_bot.slack.web_api.client import SlackClient

__all__ = ["classifier", "scenario"]

pytestmark = pytest.mark.slow

IN_THREADS = pytest.mark.parametrize("in_thread", [False, True])


def written(scenario: Scenario, text: str, *, in_thread: bool) -> Message:
    message = scenario.post(text)
    return scenario.post(text, message.ts) if in_thread else message


def edit(scenario: Scenario, message: Message, text: str) -> Edit:
    scenario.workspace.edit("C0001", message.ts, text)
    scenario.clock_offset += COOLDOWNS[0] + 0.1
    event_ts = f"{scenario.clock():.6f}"
    number = next(scenario.event_numbers)
    return Edit(f"Ev{number:06}", event_ts, "T0001", message.user, "C0001", message.ts)


def delete(scenario: Scenario, message: Message) -> Deletion:
    scenario.workspace.delete("C0001", message.ts)
    number, thread = next(scenario.event_numbers), message.thread_ts or message.ts
    event_ts = f"{scenario.clock():.6f}"
    return Deletion(f"Ev{number:06}", event_ts, "T0001", message.user, "C0001", message.ts, thread)


def handle(scenario: Scenario, gesture: Gesture, worker: GestureRouter | None = None) -> None:
    (worker or scenario.worker()).answer(gesture, deadline=scenario.clock() + 20)


@IN_THREADS
def test_an_edited_message_gets_its_new_verdict_in_place_of_the_old_one(
    scenario: Scenario, in_thread: bool
) -> None:
    message = written(scenario, INSULT, in_thread=in_thread)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    handle(scenario, edit(scenario, message, THANKS))
    [answer] = scenario.answers()
    assert "does not read as toxic" in answer.text
    assert "As edited at" in str(answer.blocks)
    assert scenario.calls("chat.postMessage") == 1
    assert scenario.calls("chat.update") == 1


def test_who_asks_again_after_the_edit_is_not_answered_a_second_time(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    handle(scenario, edit(scenario, message, THANKS))
    scenario.clock_offset += 120
    scenario.answer(scenario.worker(), scenario.reaction(message, "U0001"))
    assert len(scenario.answers()) == 1


def test_an_edit_after_the_asker_was_answered_anew_marks_nothing_twice(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    late = edit(scenario, message, THANKS)
    scenario.answer(scenario.worker(), scenario.reaction(message, "U0001"))
    before = [answer.text for answer in scenario.answers()]
    handle(scenario, late)
    assert [answer.text for answer in scenario.answers()] == before


def test_a_doubled_edit_makes_no_further_call(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    gesture = edit(scenario, message, THANKS)
    handle(scenario, gesture)
    calls = len(scenario.api.calls)
    for _ in range(3):
        handle(scenario, gesture)
    assert len(scenario.api.calls) == calls


def test_many_edits_cost_few_calls_and_the_last_one_is_judged(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    worker = scenario.worker()
    scenario.answer(worker, scenario.reaction(message))
    edits = [edit(scenario, message, text) for text in (THANKS, INSULT, THANKS, INSULT, THANKS)]
    calls = len(scenario.api.calls)
    for gesture in edits:
        handle(scenario, gesture, worker)
    made = sorted(call.method for call in scenario.api.calls[calls:])
    assert made == ["auth.test", "chat.update", "conversations.replies"]
    [answer] = scenario.answers()
    assert "does not read as toxic" in answer.text


@pytest.mark.parametrize("mode", [AnswerMode.EPHEMERAL, AnswerMode.NUDGE])
def test_where_answers_are_private_an_edit_costs_no_call(
    scenario: Scenario, mode: AnswerMode
) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(mode), scenario.reaction(message))
    calls = len(scenario.api.calls)
    handle(scenario, edit(scenario, message, THANKS), scenario.worker(mode))
    assert len(scenario.api.calls) == calls


def test_an_edit_posts_nothing_where_there_is_no_answer_and_covers_no_reaction(
    scenario: Scenario,
) -> None:
    message = scenario.post(THANKS)
    reaction = scenario.reaction(message)
    # As if the answer had been deleted by hand.
    handle(scenario, edit(scenario, message, INSULT))
    assert scenario.answers() == []
    answer_all(scenario, scenario.worker(), [reaction])
    assert len(scenario.answers()) == 1


def test_a_rate_limited_replacement_is_made_up_for(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    scenario.api.faults.add("chat.update", Fault(error="ratelimited", status=429, retry_after=1))
    gesture = edit(scenario, message, THANKS)
    with pytest.raises(TryAgainError):
        handle(scenario, gesture)
    handle(scenario, gesture)
    [answer] = scenario.answers()
    assert "does not read as toxic" in answer.text


def test_a_worker_that_dies_after_the_replacement_leaves_one_verdict(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    gesture = edit(scenario, message, THANKS)
    replace = SlackClient.replace_answer

    def replace_and_die(*arguments: object, **named: object) -> None:
        replace(*arguments, **named)  # type: ignore[arg-type] # as they came
        sys.exit("killed")

    with monkeypatch.context() as patch:
        patch.setattr(SlackClient, "replace_answer", replace_and_die)
        with pytest.raises(SystemExit):
            handle(scenario, gesture)
    handle(scenario, gesture)
    [answer] = scenario.answers()
    assert "does not read as toxic" in answer.text


@IN_THREADS
def test_the_answers_to_a_deleted_message_are_taken_back_and_no_others(
    scenario: Scenario, in_thread: bool
) -> None:
    parent = scenario.post(THANKS)
    message = scenario.post(INSULT, parent.ts) if in_thread else scenario.post(INSULT)
    other = scenario.post(INSULT, parent.ts if in_thread else message.ts)
    worker = scenario.worker()
    for one in (message, other):
        scenario.answer(worker, scenario.reaction(one))
    # Two answers to the message itself: the earlier one is marked.
    scenario.workspace.edit("C0001", message.ts, THANKS)
    scenario.clock_offset += COOLDOWNS[-1] + 0.1
    scenario.answer(worker, scenario.reaction(message))
    assert len(scenario.answers()) == 3
    handle(scenario, delete(scenario, message))
    [answer] = scenario.answers()
    assert answer.metadata is not None
    assert answer.metadata["event_payload"]["ts"] == other.ts


def test_a_deleted_message_leaves_nothing_behind_in_the_channel(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    handle(scenario, delete(scenario, message))
    assert scenario.workspace.messages("C0001") == []


@pytest.mark.parametrize("error", ["message_not_found", "cant_delete_message"])
def test_an_answer_that_cannot_be_deleted_ends_the_matter(scenario: Scenario, error: str) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    scenario.api.faults.add("chat.delete", Fault(error=error))
    gesture = delete(scenario, message)
    handle(scenario, gesture)
    calls = len(scenario.api.calls)
    handle(scenario, gesture)
    assert len(scenario.api.calls) == calls


def test_a_deletion_waits_for_the_answer_that_is_on_its_way(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    worker, gestures = scenario.worker(), []

    def delete_meanwhile() -> None:
        gestures.append(delete(scenario, message))
        with pytest.raises(InProgressError):
            handle(scenario, gestures[0])

    scenario.api.faults.add("chat.postMessage", Fault(before=delete_meanwhile))
    scenario.answer(worker, scenario.reaction(message))
    handle(scenario, gestures[0])
    assert scenario.answers() == []


def test_it_is_known_for_a_week_that_a_message_was_asked_about(scenario: Scenario) -> None:
    message = scenario.post(THANKS)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    table = claim_table()
    item = table.get_item(Key={"id": assessment_claim("C0001", message.ts)})["Item"]
    expiration = item["expiration"]
    assert abs(int(str(expiration)) - time.time() - ANSWER_EXPIRY) < 600


def test_an_answer_is_taken_back_although_the_bot_no_longer_listens(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    client = dynamodb()
    muted = ChannelSettings(listens=False)
    SettingsTable(client, "claims").keep("C0001", muted, scenario.clock())
    handle(scenario, delete(scenario, message))
    assert scenario.answers() == []
