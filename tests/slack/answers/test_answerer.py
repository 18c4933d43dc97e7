from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import count

import pytest

from handler.case_table import CaseTable
from handler.channel_settings_table import SettingsTable
from handler.dynamodb_store import DynamoDBStore
from simulators.slack.faults import Fault
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.workspace import Channel, Message, Person, Workspace
from tests.aws_account import BOT_TOKEN, Account, SlackServer, claim_table, dynamodb
from tests.socket_mode import wait_for
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.slack.answers.assessments import COOLDOWNS
from toxic_bot.slack.composition import compose
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.retry import OutcomeUnknownError, TryAgainError
from toxic_bot.slack.settings import AnswerMode, BotSettings
from toxic_bot.slack.web_api import calls
from toxic_bot.slack.web_api.calls import TIMEOUT
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.reading import MAX_PAGES, PAGE_SIZE

INSULT = "You are a pathetic idiot and everybody here hates you."
THANKS = "Thanks, that was a great help!"
SECONDS_LEFT = 20.0


def settings(mode: AnswerMode) -> BotSettings:
    return BotSettings.from_environment({"ANSWER": mode.value})


@dataclass
class Scenario:
    """A local Slack workspace, a claim table, and workers that answer reactions."""

    workspace: Workspace
    api: WebApi
    address: str
    classifier: Classifier
    event_numbers: Iterator[int]
    # Seconds by which the workers' clock is ahead, so that no test waits for a cooldown.
    clock_offset: float = 0.0
    # Stopped, the clock moves by its offset alone: a minute is no longer on a slow machine.
    clock_stopped_at: float | None = None

    def worker(self, mode: AnswerMode = AnswerMode.THREAD) -> GestureRouter:
        """Return a worker in the state of a new Lambda environment."""
        client = dynamodb()
        return compose(
            SlackClient(lambda *, fresh: BOT_TOKEN, f"{self.address}/api/"),  # noqa: ARG005 - the token never changes
            self.classifier,
            DynamoDBStore(client, "claims"),
            SettingsTable(client, "claims"),
            CaseTable(client, "claims"),
            settings(mode),
            clock=self.clock,
        )

    def answer(self, worker: GestureRouter, reaction: Reaction) -> None:
        """Let a worker answer a reaction, with enough time left."""
        worker.answer(reaction, deadline=self.clock() + SECONDS_LEFT)

    def clock(self) -> float:
        now = time.time() if self.clock_stopped_at is None else self.clock_stopped_at
        return now + self.clock_offset

    def post(self, text: str, thread_ts: str | None = None, user: str = "U0WROTE") -> Message:
        return self.workspace.post("C0001", user, text, thread_ts=thread_ts)

    def reaction(self, message: Message, user: str = "U0ASKS") -> Reaction:
        return Reaction(
            event_id=f"Ev{next(self.event_numbers):06}",
            event_ts=f"{self.clock():.6f}",
            team="T0001",
            channel=message.channel,
            ts=message.ts,
            user=user,
            author=message.user,
            reaction="biohazard_sign",
        )

    def answers(self) -> list[Message]:
        bot = self.workspace.bot.id
        return [message for message in self.workspace.messages("C0001") if message.user == bot]

    def calls(self, method: str) -> int:
        return sum(call.method == method for call in self.api.calls)


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return load(EMBEDDED_MODEL)


@pytest.fixture
def scenario(
    account: Account,  # noqa: ARG001 - it must exist first
    slack_server: SlackServer,
    classifier: Classifier,
) -> Scenario:
    workspace = Workspace()
    people = [f"U{number:04}" for number in range(50)]
    for person in ("U0ASKS", "U0WROTE", *people):
        workspace.add_person(Person(person, person.lower()))
    members = set(workspace.people)
    workspace.add_channel(Channel("C0001", "general", members=members))
    api = WebApi(workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
    slack_server.serve(application(api, "U0ASKS"))
    return Scenario(workspace, api, slack_server.address, classifier, count())


def answer_all(scenario: Scenario, worker: GestureRouter, reactions: list[Reaction]) -> None:
    """Answer events as the queue delivers them; a returned event is tried again later."""
    unanswered = list(reactions)
    for _ in range(10):
        if not unanswered:
            return
        with ThreadPoolExecutor(8) as executor:
            done = executor.map(partial(try_to_answer, scenario, worker), unanswered)
            unanswered = [event for event, ok in zip(unanswered, done, strict=True) if not ok]
        scenario.clock_offset += 3
    raise AssertionError(f"{len(unanswered)} events were not answered in ten tries")


def try_to_answer(scenario: Scenario, worker: GestureRouter, reaction: Reaction) -> bool:
    """Let the worker answer an event; return False if the event goes back to the queue."""
    try:
        scenario.answer(worker, reaction)
    except TryAgainError:
        return False
    return True


@pytest.mark.parametrize(("text", "toxic"), [(INSULT, True), (THANKS, False)])
def test_a_reaction_is_answered_with_a_verdict_in_the_thread(
    scenario: Scenario, text: str, toxic: bool
) -> None:
    message = scenario.post(text)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    [answer] = scenario.answers()
    assert answer.thread_ts == message.ts
    assert ("reads as toxic" in answer.text) is toxic
    assert scenario.calls("conversations.replies") == 1
    assert scenario.calls("chat.postMessage") == 1


def test_a_message_that_is_not_in_english_is_not_judged(scenario: Scenario) -> None:
    message = scenario.post("안녕하세요, 회의는 세 시에 시작합니다")
    scenario.answer(scenario.worker(), scenario.reaction(message))
    [answer] = scenario.answers()
    assert "nothing to judge" in answer.text
    assert "only read English" in answer.text


def test_a_reaction_to_a_reply_is_answered_in_the_same_thread(scenario: Scenario) -> None:
    parent = scenario.post(THANKS)
    scenario.answer(scenario.worker(), scenario.reaction(scenario.post(INSULT, parent.ts)))
    [answer] = scenario.answers()
    assert answer.thread_ts == parent.ts
    assert "reads as toxic" in answer.text


def test_a_repeated_event_makes_no_slack_call_once_it_is_answered(scenario: Scenario) -> None:
    reaction = scenario.reaction(scenario.post(INSULT))
    scenario.answer(scenario.worker(), reaction)
    calls_before = len(scenario.api.calls)
    for _ in range(3):
        scenario.answer(scenario.worker(), reaction)
    scenario.clock_offset += 300
    scenario.answer(scenario.worker(), reaction)
    assert len(scenario.api.calls) == calls_before


@pytest.mark.slow
def test_fifty_simultaneous_copies_of_an_event_get_one_verdict(scenario: Scenario) -> None:
    reaction = scenario.reaction(scenario.post(INSULT))
    answer_all(scenario, scenario.worker(), [reaction] * 50)
    assert len(scenario.answers()) == 1
    assert len(scenario.api.calls) == 2


@pytest.mark.slow
def test_fifty_simultaneous_reactions_get_one_verdict_with_few_slack_calls(
    scenario: Scenario,
) -> None:
    message = scenario.post(INSULT)
    reactions = [scenario.reaction(message, f"U{number:04}") for number in range(50)]
    answer_all(scenario, scenario.worker(), reactions)
    assert len(scenario.answers()) == 1
    assert len(scenario.api.calls) <= 5


@pytest.mark.long
@pytest.mark.slow
def test_fifty_reactions_within_a_minute_get_one_verdict_with_few_slack_calls(
    scenario: Scenario,
) -> None:
    message = scenario.post(INSULT)
    scenario.clock_stopped_at = time.time()
    worker = scenario.worker()
    unanswered: list[Reaction] = []
    for number in range(50):
        unanswered.append(scenario.reaction(message, f"U{number:04}"))
        unanswered = [event for event in unanswered if not try_to_answer(scenario, worker, event)]
        scenario.clock_offset += 1.2
    scenario.clock_offset += COOLDOWNS[-1]
    answer_all(scenario, worker, unanswered)
    assert len(scenario.answers()) == 1
    assert len(scenario.api.calls) <= 7


@pytest.mark.slow
def test_an_edited_message_is_judged_again(scenario: Scenario) -> None:
    message = scenario.post(THANKS)
    worker = scenario.worker()
    scenario.answer(worker, scenario.reaction(message))
    scenario.workspace.edit("C0001", message.ts, INSULT)
    scenario.clock_offset += COOLDOWNS[0] + 0.1
    scenario.answer(worker, scenario.reaction(message))
    assert ["reads as toxic" in answer.text for answer in scenario.answers()] == [False, True]


def edit_and_ask_again(scenario: Scenario, message: Message, text: str) -> None:
    scenario.workspace.edit("C0001", message.ts, text)
    scenario.clock_offset += COOLDOWNS[-1] + 0.1
    scenario.answer(scenario.worker(), scenario.reaction(message))


def says_outdated(answer: Message) -> bool:
    in_text, in_blocks = (
        "about an earlier version" in shown for shown in (answer.text, str(answer.blocks))
    )
    assert in_text == in_blocks
    return in_text


@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.slow
def test_an_answer_to_an_earlier_version_says_so_once_the_next_one_is_answered(
    scenario: Scenario, in_thread: bool
) -> None:
    message = scenario.post(INSULT)
    if in_thread:
        message = scenario.post(INSULT, message.ts)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    assert not says_outdated(scenario.answers()[0])
    edit_and_ask_again(scenario, message, THANKS)
    first, second = scenario.answers()
    assert says_outdated(first)
    assert "an insult" in str(first.blocks)
    assert not any(block["type"] == "actions" for block in first.blocks)
    assert not says_outdated(second)
    assert [call.method for call in scenario.api.calls][-2:] == ["chat.postMessage", "chat.update"]


@pytest.mark.slow
def test_each_answer_is_marked_as_outdated_exactly_once(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    other = scenario.post(INSULT)
    for one in (message, other):
        scenario.answer(scenario.worker(), scenario.reaction(one))
    for number, text in enumerate((THANKS, INSULT, THANKS)):
        edit_and_ask_again(scenario, message, text)
        for _ in range(2):
            scenario.clock_offset += 120
            scenario.answer(scenario.worker(), scenario.reaction(message))
        assert scenario.calls("chat.update") == number + 1
    marks = [says_outdated(answer) for answer in scenario.answers()]
    assert marks == [True, False, True, True, False]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(error="internal_error", status=500),
        Fault(error="ratelimited", status=429, retry_after=1),
        Fault(error="edit_window_closed"),
        Fault(content="{"),
    ],
    ids=["internal error", "rate limit", "refused", "no JSON"],
)
@pytest.mark.slow
def test_a_failed_update_costs_no_verdict_and_is_made_up_for_by_the_next_assessment(
    scenario: Scenario, fault: Fault, capsys: pytest.CaptureFixture[str]
) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    scenario.api.faults.add("chat.update", fault)
    capsys.readouterr()
    edit_and_ask_again(scenario, message, THANKS)
    assert len(scenario.answers()) == 2
    log = capsys.readouterr().out
    assert "not marked as outdated" in log or "edit_window_closed" in log
    scenario.clock_offset += 120
    scenario.answer(scenario.worker(), scenario.reaction(message, "U0001"))
    assert [says_outdated(answer) for answer in scenario.answers()] == [True, False]


def test_a_worker_that_dies_before_the_update_leaves_it_to_the_redelivery(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    scenario.workspace.edit("C0001", message.ts, THANKS)
    scenario.clock_offset += COOLDOWNS[0] + 0.1
    reaction = scenario.reaction(message)
    worker = scenario.worker()
    with monkeypatch.context() as patch:
        patch.setattr(SlackClient, "mark_outdated", lambda *_: sys.exit("killed"))
        with pytest.raises(SystemExit):
            scenario.answer(worker, reaction)
    assert len(scenario.answers()) == 2
    scenario.answer(scenario.worker(), reaction)
    assert [says_outdated(answer) for answer in scenario.answers()] == [True, False]


def test_no_answer_is_updated_when_no_time_is_left(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    scenario.workspace.edit("C0001", message.ts, THANKS)
    scenario.clock_offset += COOLDOWNS[0] + 0.1
    scenario.worker().answer(scenario.reaction(message), deadline=scenario.clock() + TIMEOUT)
    assert len(scenario.answers()) == 2
    assert scenario.calls("chat.update") == 0


def test_a_reaction_right_after_an_edit_is_postponed_but_not_lost(scenario: Scenario) -> None:
    message = scenario.post(THANKS)
    worker = scenario.worker()
    scenario.answer(worker, scenario.reaction(message))
    scenario.workspace.edit("C0001", message.ts, INSULT)
    second = scenario.reaction(message)
    with pytest.raises(TryAgainError) as caught:
        scenario.answer(worker, second)
    assert caught.value.delay is not None
    assert 0 < caught.value.delay <= COOLDOWNS[0]
    answer_all(scenario, worker, [second])
    assert len(scenario.answers()) == 2


def test_an_unchanged_message_is_never_answered_twice(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    for _ in range(3):
        scenario.answer(scenario.worker(), scenario.reaction(message))
        scenario.clock_offset += 120
    assert len(scenario.answers()) == 1


@pytest.mark.parametrize("in_thread", [False, True])
def test_a_crash_after_posting_does_not_cause_a_second_verdict(
    scenario: Scenario, in_thread: bool
) -> None:
    message = scenario.post(INSULT)
    if in_thread:
        message = scenario.post(INSULT, message.ts)
    reaction = scenario.reaction(message)
    scenario.answer(scenario.worker(), reaction)
    # The crash loses the claims but not the post.
    table = claim_table()
    for item in table.scan()["Items"]:
        table.delete_item(Key={"id": item["id"]})
    scenario.answer(scenario.worker(), reaction)
    scenario.clock_offset += COOLDOWNS[0] + 0.1
    scenario.answer(scenario.worker(), scenario.reaction(message, "U0001"))
    assert len(scenario.answers()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("edited", [False, True])
def test_in_a_thread_too_long_to_search_the_claim_prevents_a_second_verdict(
    scenario: Scenario, edited: bool
) -> None:
    message = scenario.post(INSULT)
    if edited:
        scenario.workspace.edit("C0001", message.ts, INSULT + " Go away.")
    for number in range(MAX_PAGES * PAGE_SIZE + 10):
        scenario.post(f"reply {number}", message.ts)
    scenario.answer(scenario.worker(), scenario.reaction(message))
    table = claim_table()
    for item in table.scan()["Items"]:
        if str(item["id"]).startswith("assessment#"):
            table.delete_item(Key={"id": item["id"]})
    scenario.answer(scenario.worker(), scenario.reaction(message))
    assert len(scenario.answers()) == 1


@pytest.mark.parametrize("method", ["conversations.replies", "chat.postMessage"])
def test_an_event_is_answered_on_retry_after_a_failed_slack_call(
    scenario: Scenario, method: str
) -> None:
    scenario.api.faults.add(method, Fault(error="internal_error", status=500))
    reaction = scenario.reaction(scenario.post(INSULT))
    worker = scenario.worker()
    with pytest.raises(TryAgainError) as caught:
        scenario.answer(worker, reaction)
    scenario.clock_offset += (caught.value.delay or 0) + 0.1
    scenario.answer(worker, reaction)
    assert len(scenario.answers()) == 1


@pytest.mark.parametrize("method", ["conversations.replies", "chat.postMessage"])
def test_a_call_that_slack_refuses_is_logged_and_not_retried(
    scenario: Scenario, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario.api.faults.add(method, Fault(error="is_archived"))
    reaction = scenario.reaction(scenario.post(INSULT))
    scenario.answer(scenario.worker(), reaction)
    scenario.answer(scenario.worker(), reaction)
    assert scenario.answers() == []
    assert scenario.calls(method) == 1
    assert "is_archived" in capsys.readouterr().out


def test_a_message_delivered_by_two_workspaces_gets_one_verdict(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    reactions = [
        dataclasses.replace(scenario.reaction(message), team=team)
        for team in ("T0001", "T0002") * 5
    ]
    answer_all(scenario, scenario.worker(), reactions)
    assert len(scenario.answers()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("mode", AnswerMode)
def test_a_post_that_takes_effect_after_the_client_gave_up_is_not_repeated(
    scenario: Scenario, mode: AnswerMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "TIMEOUT", 2.0)
    message = scenario.post(INSULT)
    method = "chat.postMessage" if mode is AnswerMode.THREAD else "chat.postEphemeral"
    scenario.api.faults.add(method, Fault(delay=3.0))
    worker = scenario.worker(mode)
    with pytest.raises(OutcomeUnknownError):
        scenario.answer(worker, scenario.reaction(message))
    # Somebody else asks while the post is on its way.
    other = scenario.reaction(message)
    with pytest.raises(TryAgainError):
        scenario.answer(worker, other)
    wait_for(lambda: len(scenario.answers()) == 1)
    if mode is AnswerMode.THREAD:
        scenario.clock_offset += SECONDS_LEFT
        answer_all(scenario, worker, [other])
        assert len(scenario.answers()) == 1


def test_a_reaction_covered_by_another_ones_answer_says_so(
    scenario: Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    message = scenario.post(INSULT)
    worker = scenario.worker(AnswerMode.NUDGE)
    scenario.answer(worker, scenario.reaction(message))
    scenario.clock_offset += COOLDOWNS[0] + 0.1
    capsys.readouterr()
    scenario.answer(worker, scenario.reaction(message, "U0001"))
    assert "already answered under another event" in capsys.readouterr().out
    assert len(scenario.answers()) == 1


def test_a_rejected_token_lets_the_reaction_wait(scenario: Scenario) -> None:
    scenario.api.faults.add("conversations.replies", Fault(error="invalid_auth"), times=2)
    reaction = scenario.reaction(scenario.post(INSULT))
    worker = scenario.worker()
    with pytest.raises(TryAgainError, match="invalid_auth"):
        scenario.answer(worker, reaction)
    scenario.answer(worker, reaction)
    assert len(scenario.answers()) == 1


def test_an_unreachable_claim_table_returns_the_event_before_any_slack_call(
    scenario: Scenario,
) -> None:
    worker = scenario.worker()
    dynamodb().delete_table(TableName="claims")
    try:
        with pytest.raises(TryAgainError, match="claims"):
            scenario.answer(worker, scenario.reaction(scenario.post(INSULT)))
    finally:
        dynamodb().create_table(
            TableName="claims",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
    assert scenario.api.calls == []


@pytest.mark.slow
def test_ephemeral_mode_answers_everybody_who_reacted_exactly_once(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    worker = scenario.worker(AnswerMode.EPHEMERAL)
    reactions = [scenario.reaction(message, user) for user in ("U0ASKS", "U0001", "U0002")]
    answer_all(scenario, worker, reactions * 2)
    assert sorted(str(answer.only_for) for answer in scenario.answers()) == [
        "U0001",
        "U0002",
        "U0ASKS",
    ]
    assert all("reads as toxic" in answer.text for answer in scenario.answers())


@pytest.mark.slow
def test_a_nudge_goes_only_to_the_author_and_only_about_a_toxic_message(scenario: Scenario) -> None:
    worker = scenario.worker(AnswerMode.NUDGE)
    answer_all(
        scenario,
        worker,
        [scenario.reaction(scenario.post(THANKS)), scenario.reaction(scenario.post(INSULT))],
    )
    [nudge] = scenario.answers()
    assert nudge.only_for == "U0WROTE"
    assert f"“{INSULT}”" in str(nudge.blocks)
    assert INSULT not in nudge.text
    assert "Not hurtful? Tell us" in str(nudge.blocks)
    assert "You can still edit or delete it" in str(nudge.blocks)
    table = claim_table()
    assert "pathetic" not in str(table.scan()["Items"])


def test_the_bots_own_answers_are_never_judged(scenario: Scenario) -> None:
    message = scenario.post(INSULT)
    worker = scenario.worker()
    scenario.answer(worker, scenario.reaction(message))
    [answer] = scenario.answers()
    scenario.answer(worker, scenario.reaction(answer))
    assert len(scenario.answers()) == 1


def test_a_message_without_text_is_answered_with_nothing_to_judge(scenario: Scenario) -> None:
    files = scenario.workspace.post("C0001", "U0WROTE", "", file_names=("plan.pdf",))
    invisible = scenario.post("\u200b\u200b")
    answer_all(
        scenario, scenario.worker(), [scenario.reaction(files), scenario.reaction(invisible)]
    )
    assert sorted("only files" in answer.text for answer in scenario.answers()) == [False, True]
    assert all("nothing to judge" in answer.text for answer in scenario.answers())


def test_only_the_person_who_reacted_is_told_that_the_message_was_deleted(
    scenario: Scenario,
) -> None:
    message = scenario.post(INSULT)
    reaction = scenario.reaction(message)
    scenario.workspace.delete("C0001", message.ts)
    scenario.answer(scenario.worker(), reaction)
    [answer] = scenario.answers()
    assert answer.only_for == "U0ASKS"
    assert "deleted" in answer.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "x" * 40_000,
        ":tada: :rocket:",
        "🐒🐒🐒",
        "\u202eright to left\u202c",
        "zero\u200bwidth",
        "NUL \x00 here",
        "<@U0WROTE> <#C0001|general> <https://example.com|here>",
        "```" * 1000,
        "*" * 5000,
        "<" * 5000,
    ],
    ids=[
        "long",
        "short-names",
        "emoji",
        "rtl",
        "zero-width",
        "nul",
        "refs",
        "ticks",
        "stars",
        "lt",
    ],
)
def test_unusual_text_gets_an_answer(scenario: Scenario, text: str) -> None:
    scenario.answer(scenario.worker(), scenario.reaction(scenario.post(text)))
    assert len(scenario.answers()) == 1


@pytest.mark.parametrize("text", [INSULT, THANKS])
def test_nothing_that_a_message_says_is_posted_for_others_to_see(
    scenario: Scenario, text: str
) -> None:
    smuggled = ("<!channel>", "<@U0VICTIM>", "<https://evil.test|here>", "*smuggled*", "evil.test")
    message = scenario.post(f"{' '.join(smuggled)} {text}")
    scenario.answer(scenario.worker(), scenario.reaction(message))
    [answer] = scenario.answers()
    posted = f"{answer.text} {answer.blocks}"
    assert [one for one in (*smuggled, text, "smuggled", "U0VICTIM") if one in posted] == []


@pytest.mark.slow
def test_neither_message_text_nor_the_token_reaches_the_log_or_the_claim_table(
    scenario: Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    confidential = "the merger closes on Friday"
    reaction = scenario.reaction(scenario.post(f"{confidential}, you idiot"))
    scenario.api.faults.add("chat.postMessage", Fault(error="internal_error", status=500))
    answer_all(scenario, scenario.worker(), [reaction])
    table = claim_table()
    stored = str(table.scan()["Items"])
    captured = capsys.readouterr()
    for private in (confidential, "merger", BOT_TOKEN):
        assert private not in captured.out + captured.err + stored
