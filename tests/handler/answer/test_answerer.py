from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from aws_lambda_powertools.utilities.idempotency import DynamoDBPersistenceLayer

from handler.answer.answerer import COOLDOWNS, Answerer
from handler.answer.claims import Claims
from handler.retry import TryAgainError
from handler.settings import AnswerMode
from handler.slack.client import MAX_PAGES, PAGE_SIZE, SlackClient
from handler.slack.events import Reaction
from judge.classifier import Classifier, load
from local.asgi import Server
from local.slack.faults import Fault
from local.slack.methods import Grant, WebApi
from local.slack.rate_limits import NO_LIMITS
from local.slack.server import application
from local.slack.workspace import Channel, Message, Person, Workspace
from tests.handler.conftest import BOT_TOKEN, Account

INSULT = "You are a pathetic idiot and everybody here hates you."
THANKS = "Thanks, that was a great help!"
SECONDS_LEFT = 20.0


def plenty() -> float:
    return SECONDS_LEFT


@dataclass
class Town:
    """A workspace, a table of claims, and workers that answer in it."""

    workspace: Workspace
    api: WebApi
    address: str
    classifier: Classifier
    numbers: Iterator[int]
    # How far the workers' clock is ahead: a test need not sit out a pause.
    ahead: float = 0.0

    def worker(self, mode: AnswerMode = AnswerMode.THREAD) -> Answerer:
        """Return a worker as a new Lambda environment makes it."""
        table = boto3.session.Session().client("dynamodb")
        claims = Claims(lambda: DynamoDBPersistenceLayer("claims", boto3_client=table))
        answerer = Answerer(
            SlackClient(lambda *, fresh: BOT_TOKEN, f"{self.address}/api/"),  # noqa: ARG005 - no store behind it
            self.classifier,
            claims,
            mode,
            clock=self.clock,
        )
        context: Any = SimpleNamespace(get_remaining_time_in_millis=lambda: SECONDS_LEFT * 1e3)
        claims.begin(context)
        return answerer

    def clock(self) -> float:
        return time.time() + self.ahead

    def post(self, text: str, thread_ts: str | None = None, user: str = "U0WROTE") -> Message:
        return self.workspace.post("C0001", user, text, thread_ts=thread_ts)

    def reaction(self, message: Message, user: str = "U0ASKS") -> Reaction:
        return Reaction(
            event_id=f"Ev{next(self.numbers):06}",
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
        return [one for one in self.workspace.messages("C0001") if one.user == bot]

    def calls(self, method: str) -> int:
        return sum(call.method == method for call in self.api.calls)


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return load(Path("model"))


@pytest.fixture
def town(account: Account, classifier: Classifier) -> Iterator[Town]:  # noqa: ARG001 - it has to be there first
    workspace = Workspace()
    people = [f"U{number:04}" for number in range(50)]
    for person in ("U0ASKS", "U0WROTE", *people):
        workspace.add_person(Person(person, person.lower()))
    members = set(workspace.people)
    workspace.add_channel(Channel("C0001", "general", members=members))
    api = WebApi(workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
    server = Server(application(api, "U0ASKS"))
    server.start()
    yield Town(workspace, api, server.address, classifier, count())
    server.stop()


def settle(town: Town, worker: Answerer, reactions: list[Reaction]) -> None:
    """Answer events as the queue hands them out: what comes back is tried again later."""
    waiting = list(reactions)
    for _ in range(10):
        if not waiting:
            return
        with ThreadPoolExecutor(8) as pool:
            waiting = [one for one in pool.map(lambda r: _try(worker, r), waiting) if one]
        town.ahead += 3
    raise AssertionError(f"{len(waiting)} events were not answered in ten tries")


def _try(worker: Answerer, reaction: Reaction) -> Reaction | None:
    try:
        worker.answer(reaction, plenty)
    except TryAgainError:
        return reaction
    return None


@pytest.mark.parametrize(("text", "toxic"), [(INSULT, True), (THANKS, False)])
def test_a_reaction_gets_its_verdict_in_the_thread(town: Town, text: str, toxic: bool) -> None:
    message = town.post(text)
    town.worker().answer(town.reaction(message), plenty)
    [answer] = town.answers()
    assert answer.thread_ts == message.ts
    assert ("reads as toxic" in answer.text) is toxic
    assert town.calls("conversations.replies") == 1
    assert town.calls("chat.postMessage") == 1


def test_a_reply_gets_its_verdict_in_its_thread(town: Town) -> None:
    parent = town.post(THANKS)
    town.worker().answer(town.reaction(town.post(INSULT, parent.ts)), plenty)
    [answer] = town.answers()
    assert answer.thread_ts == parent.ts
    assert "reads as toxic" in answer.text


def test_a_repeated_event_costs_no_call_once_it_is_answered(town: Town) -> None:
    reaction = town.reaction(town.post(INSULT))
    town.worker().answer(reaction, plenty)
    before = len(town.api.calls)
    for _ in range(3):
        town.worker().answer(reaction, plenty)
    town.ahead += 300
    town.worker().answer(reaction, plenty)
    assert len(town.api.calls) == before


def test_the_same_event_fifty_times_at_once_makes_one_verdict(town: Town) -> None:
    reaction = town.reaction(town.post(INSULT))
    settle(town, town.worker(), [reaction] * 50)
    assert len(town.answers()) == 1
    assert len(town.api.calls) == 2


def test_fifty_people_at_once_make_one_verdict_and_few_calls(town: Town) -> None:
    message = town.post(INSULT)
    reactions = [town.reaction(message, f"U{number:04}") for number in range(50)]
    settle(town, town.worker(), reactions)
    assert len(town.answers()) == 1
    assert len(town.api.calls) <= 5


def test_fifty_people_within_a_minute_make_one_verdict_and_few_calls(town: Town) -> None:
    message = town.post(INSULT)
    worker = town.worker()
    waiting: list[Reaction] = []
    for number in range(50):
        waiting = [
            one for one in [*waiting, town.reaction(message, f"U{number:04}")] if _try(worker, one)
        ]
        town.ahead += 1.2
    town.ahead += COOLDOWNS[-1]
    settle(town, worker, waiting)
    assert len(town.answers()) == 1
    assert len(town.api.calls) <= 7


def test_an_edited_message_is_judged_again(town: Town) -> None:
    message = town.post(THANKS)
    worker = town.worker()
    worker.answer(town.reaction(message), plenty)
    town.workspace.edit("C0001", message.ts, INSULT)
    town.ahead += COOLDOWNS[0] + 0.1
    worker.answer(town.reaction(message), plenty)
    assert ["reads as toxic" in one.text for one in town.answers()] == [False, True]


def test_a_reaction_right_after_an_edit_is_put_off_and_not_lost(town: Town) -> None:
    message = town.post(THANKS)
    worker = town.worker()
    worker.answer(town.reaction(message), plenty)
    town.workspace.edit("C0001", message.ts, INSULT)
    again = town.reaction(message)
    with pytest.raises(TryAgainError) as caught:
        worker.answer(again, plenty)
    assert caught.value.delay is not None
    assert 0 < caught.value.delay <= COOLDOWNS[0]
    settle(town, worker, [again])
    assert len(town.answers()) == 2


def test_an_unchanged_message_is_not_answered_again_later(town: Town) -> None:
    message = town.post(INSULT)
    for _ in range(3):
        town.worker().answer(town.reaction(message), plenty)
        town.ahead += 120
    assert len(town.answers()) == 1


@pytest.mark.parametrize("in_thread", [False, True])
def test_a_crash_between_posting_and_closing_the_claim_makes_no_second_verdict(
    town: Town, in_thread: bool
) -> None:
    message = town.post(INSULT)
    if in_thread:
        message = town.post(INSULT, message.ts)
    reaction = town.reaction(message)
    town.worker().answer(reaction, plenty)
    # The claims are lost with the crash; the post is not.
    table = boto3.session.Session().resource("dynamodb").Table("claims")
    for item in table.scan()["Items"]:
        table.delete_item(Key={"id": item["id"]})
    town.worker().answer(reaction, plenty)
    town.ahead += COOLDOWNS[0] + 0.1
    town.worker().answer(town.reaction(message, "U0001"), plenty)
    assert len(town.answers()) == 1


@pytest.mark.parametrize("edited", [False, True])
def test_in_a_thread_too_long_to_search_the_claim_keeps_the_verdict_single(
    town: Town, edited: bool
) -> None:
    message = town.post(INSULT)
    if edited:
        town.workspace.edit("C0001", message.ts, INSULT + " Go away.")
    for number in range(MAX_PAGES * PAGE_SIZE + 10):
        town.post(f"reply {number}", message.ts)
    town.worker().answer(town.reaction(message), plenty)
    table = boto3.session.Session().resource("dynamodb").Table("claims")
    for item in table.scan()["Items"]:
        if str(item["id"]).startswith("assessment#"):
            table.delete_item(Key={"id": item["id"]})
    town.worker().answer(town.reaction(message), plenty)
    assert len(town.answers()) == 1


@pytest.mark.parametrize("method", ["conversations.replies", "chat.postMessage"])
def test_a_failed_call_leaves_the_event_to_be_answered_later(town: Town, method: str) -> None:
    town.api.faults.add(method, Fault(error="internal_error", status=500))
    reaction = town.reaction(town.post(INSULT))
    worker = town.worker()
    with pytest.raises(TryAgainError):
        worker.answer(reaction, plenty)
    worker.answer(reaction, plenty)
    assert len(town.answers()) == 1


@pytest.mark.parametrize("method", ["conversations.replies", "chat.postMessage"])
def test_a_refusal_is_recorded_once_and_not_tried_again(
    town: Town, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    town.api.faults.add(method, Fault(error="is_archived"))
    reaction = town.reaction(town.post(INSULT))
    town.worker().answer(reaction, plenty)
    town.worker().answer(reaction, plenty)
    assert town.answers() == []
    assert town.calls(method) == 1
    assert "is_archived" in capsys.readouterr().out


def test_an_unreachable_table_gives_the_event_back_before_anything_is_posted(town: Town) -> None:
    worker = town.worker()
    boto3.session.Session().client("dynamodb").delete_table(TableName="claims")
    try:
        with pytest.raises(TryAgainError, match="claims"):
            worker.answer(town.reaction(town.post(INSULT)), plenty)
    finally:
        boto3.session.Session().client("dynamodb").create_table(
            TableName="claims",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
    assert town.api.calls == []


def test_ephemeral_answers_go_to_each_who_asked_and_to_nobody_twice(town: Town) -> None:
    message = town.post(INSULT)
    worker = town.worker(AnswerMode.EPHEMERAL)
    reactions = [town.reaction(message, user) for user in ("U0ASKS", "U0001", "U0002")]
    settle(town, worker, reactions * 2)
    assert sorted(str(one.only_for) for one in town.answers()) == ["U0001", "U0002", "U0ASKS"]
    assert all("reads as toxic" in one.text for one in town.answers())


def test_a_nudge_goes_to_the_author_alone_and_only_when_toxic(town: Town) -> None:
    worker = town.worker(AnswerMode.NUDGE)
    settle(town, worker, [town.reaction(town.post(THANKS)), town.reaction(town.post(INSULT))])
    [nudge] = town.answers()
    assert nudge.only_for == "U0WROTE"


def test_the_bots_own_answer_is_never_judged(town: Town) -> None:
    message = town.post(INSULT)
    worker = town.worker()
    worker.answer(town.reaction(message), plenty)
    [answer] = town.answers()
    worker.answer(town.reaction(answer), plenty)
    assert len(town.answers()) == 1


def test_where_there_is_no_text_it_says_so(town: Town) -> None:
    files = town.workspace.post("C0001", "U0WROTE", "", file_names=("plan.pdf",))
    invisible = town.post("\u200b\u200b")
    settle(town, town.worker(), [town.reaction(files), town.reaction(invisible)])
    assert sorted("only files" in one.text for one in town.answers()) == [False, True]
    assert all("nothing to judge" in one.text for one in town.answers())


def test_of_a_deleted_message_only_the_one_who_asked_is_told(town: Town) -> None:
    message = town.post(INSULT)
    reaction = town.reaction(message)
    town.workspace.delete("C0001", message.ts)
    town.worker().answer(reaction, plenty)
    [answer] = town.answers()
    assert answer.only_for == "U0ASKS"
    assert "deleted" in answer.text


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
def test_odd_text_gets_an_answer(town: Town, text: str) -> None:
    town.worker().answer(town.reaction(town.post(text)), plenty)
    assert len(town.answers()) == 1


def test_neither_texts_nor_tokens_reach_the_log_or_the_table(
    town: Town, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "the merger closes on Friday"
    reaction = town.reaction(town.post(f"{secret}, you idiot"))
    town.api.faults.add("chat.postMessage", Fault(error="internal_error", status=500))
    settle(town, town.worker(), [reaction])
    table = boto3.session.Session().resource("dynamodb").Table("claims")
    kept = str(table.scan()["Items"])
    captured = capsys.readouterr()
    for private in (secret, "merger", BOT_TOKEN):
        assert private not in captured.out + captured.err + kept
