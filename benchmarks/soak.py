"""The soak: thousands of reactions, a fifth of them with a fault, and an account of every one.

Slack's Web API, AWS's endpoint and the workers' processes fail as a plan says that a seed
determines. When everything has settled, each reaction must have been answered once; or lie
among the dead letters, with its reason in the log; or have been refused with a status other
than 200.
"""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from rich.progress import Progress
from rich.table import Table

from handler.settings import AnswerMode
from handler.slack.client import TIMEOUT
from local.aws.failures import AwsFault, PlannedFault
from local.samples import AMPLE_BUDGETS, RAE, VIEWER, create_workspace
from local.slack.delivery import Attempt, RetryReason
from local.slack.faults import Fault, Faults
from local.slack.rate_limits import NO_LIMITS
from local.slack.workspace import Channel, Message, Person, SlackError
from local.stack import Options, Stack

EMOJI = "biohazard_sign"
TOXIC = ("You are a pathetic idiot and everybody hates you.", "Nobody likes you, you idiot.")
TEXTS = (*TOXIC, "Thanks, that was a great help!", "Could you look at the build, please?")
CHANNELS = tuple(f"C0SOAK{number:04}" for number in range(20))
BATCH = 100
"""Reactions that are on their way at once."""

ENVIRONMENTS = 4
"""Execution environments of the worker: others go on while a fault holds one up."""

FAULTY = 0.2
"""Share of reactions that a fault is planned for."""

SETTLE_TIMEOUT = 600.0
"""Seconds until a batch counts as stuck."""

FINAL = (
    "answered",
    "judged without an answer",
    "this version was already answered in the thread",
    "this version was already answered under another event",
    "this event was already answered",
    "reaction covered by an earlier assessment",
)
"""What the worker logs when it is done with a reaction."""

LATE = 6.0
"""Seconds by which a post takes effect too late: the worker gives up after five."""

AMBIGUOUS = frozenset(
    {"503 in HTML", "HTML", "odd JSON", "a list", "cut", "lost answer", "late effect", "kill"}
)
"""Faults after which a post has taken effect, or will, and the worker cannot know."""

AWS_OPERATIONS = ("PutItem", "UpdateItem", "DeleteItem", "SendMessage")


def slack_faults(stack: Stack) -> dict[str, Fault]:
    """Return the faults of Slack's Web API by name."""
    return {
        "rate limit": Fault(error="ratelimited", status=429, retry_after=2),
        "odd Retry-After": Fault(error="ratelimited", status=429, retry_after="nan"),
        "500": Fault(error="internal_error", status=500),
        "503 in HTML": Fault(content="<html>try later</html>", status=503),
        "HTML": Fault(content="<html>welcome</html>"),
        "odd JSON": Fault(content='{"ok": true, "messages": [1]}'),
        "a list": Fault(content="[]"),
        "unknown error": Fault(error="some_future_error"),
        "rejected token": Fault(error="invalid_auth"),
        "cut": Fault(cut=True),
        "lost answer": Fault(hang=LATE),
        "late effect": Fault(delay=LATE),
        "kill": Fault(after=stack.worker.kill),
    }


@dataclass(frozen=True, slots=True)
class SlackPlan:
    """A fault in one call of a Web API method; see `slack_faults`."""

    method: str
    occurrence: int
    fault: str


class PlannedFaults(Faults):
    """Faults in the n-th call of each method."""

    def __init__(self, plan: list[SlackPlan], kinds: dict[str, Fault]) -> None:
        super().__init__()
        self._plan = {(one.method, one.occurrence): kinds[one.fault] for one in plan}
        self._calls: Counter[str] = Counter()

    def next(self, method: str) -> Fault | None:
        """Return the fault that is planned for the next call to a method, if any."""
        with self._lock:
            occurrence = self._calls[method]
            self._calls[method] += 1
        return self._plan.get((method, occurrence))


@dataclass(frozen=True, slots=True)
class Asked:
    """A reaction of the soak.

    Parameters
    ----------
    event_id
        Slack's ID of its event.
    message
        The message that it is about.
    user
        Who reacted.
    changed
        Whether the message was edited or deleted afterward.
    deliveries
        Slack's attempts to deliver it.
    """

    event_id: str
    message: Message
    user: str
    changed: bool
    deliveries: Future[list[Attempt]]

    @property
    def was_taken(self) -> bool:
        """Whether Slack was told that the event is safe."""
        return any(attempt.status == 200 for attempt in self.deliveries.result())


@dataclass(slots=True)
class Account:
    """What became of the reactions."""

    reactions: int = 0
    answered: int = 0
    dead: list[str] = field(default_factory=list)
    refused: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    repeated: int = 0
    unexplained: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost, doubled, dead, unexplained or leaked."""
        return not (self.lost or self.doubled or self.dead or self.unexplained or self.leaked)


def soak(mode: AnswerMode, reactions: int, seed: int, *, real_time: bool = False) -> Account:
    """Let people react while everything fails as planned, and account for every reaction.

    Parameters
    ----------
    mode
        Who sees the answers.
    reactions
        Number of reactions.
    seed
        Determines messages, reactions and faults.
    real_time
        Whether the last batch waits for its delays; otherwise time is made to pass.
    """
    # Servers that break a response off, and killed workers, are what this is about.
    for name in ("uvicorn.error", "local.aws.poller"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    chance = random.Random(f"{seed} {mode}")
    workspace = create_workspace()
    for number in range(5):
        workspace.add_person(Person(f"U0SOAK{number:04}", f"Person {number}"))
    people = sorted(set(workspace.people) - {workspace.bot.id})
    for channel in CHANNELS:
        workspace.add_channel(Channel(channel, channel.lower(), members=set(workspace.people)))
    options = Options(
        concurrency=ENVIRONMENTS,
        parameters={"Answer": mode.value, "WorkerConcurrency": str(ENVIRONMENTS)} | AMPLE_BUDGETS,
        limits=NO_LIMITS,
        delays=(0.0, 0.5, 1.0),
    )
    started = time.monotonic()
    with (
        Progress(transient=True) as progress,
        Stack(workspace, VIEWER, options).start() as stack,
    ):
        run = _Run(stack, mode, chance, people)
        run.plan_faults(reactions)
        task = progress.add_task(f"{mode}: {reactions:,} reactions", total=reactions)
        while len(run.asked) < reactions:
            run.ask(min(BATCH, reactions - len(run.asked)))
            run.settle(real_time=real_time and len(run.asked) == reactions)
            progress.update(task, completed=len(run.asked))
        account = run.account()
    account.seconds = time.monotonic() - started
    return account


class _Run:
    def __init__(
        self, stack: Stack, mode: AnswerMode, chance: random.Random, people: list[str]
    ) -> None:
        self.asked: list[Asked] = []
        self._stack = stack
        self._mode = mode
        self._chance = chance
        self._people = people
        self._canary = f"canary{chance.getrandbits(64):x}"
        self._dead: list[str] = []
        self._ambiguous = 0
        self._kills = 0

    def plan_faults(self, reactions: int) -> None:
        """Plan a fault for a fifth of the reactions: in Slack or in AWS, each in its n-th call."""
        kinds = slack_faults(self._stack)
        post = "chat.postMessage" if self._mode is AnswerMode.THREAD else "chat.postEphemeral"
        slack_plan, aws_plan = [], []
        for number in range(reactions):
            if self._chance.random() >= FAULTY:
                continue
            if self._chance.random() < 0.7:
                method = self._chance.choice(["conversations.replies", post])
                slack_plan.append(SlackPlan(method, number, self._chance.choice(sorted(kinds))))
            else:
                operation = self._chance.choice(AWS_OPERATIONS)
                aws_plan.append(
                    PlannedFault(operation, number, self._chance.choice(list(AwsFault)))
                )
        self._ambiguous = sum(one.method == post and one.fault in AMBIGUOUS for one in slack_plan)
        self._stack.web_api.faults = PlannedFaults(slack_plan, kinds)
        self._stack.aws.plan_faults(aws_plan)

    def ask(self, count: int) -> None:
        """Let people react to new messages, some of which change, or get several reactions."""
        for _ in range(count):
            message = self._message()
            user = self._chance.choice(self._people)
            self._react(message, user)

    def _message(self) -> Message:
        plain = [one for one in self.asked[-BATCH:] if not one.changed]
        if plain and self._chance.random() < 0.1:
            return self._chance.choice(plain).message
        text = f"{self._chance.choice(TEXTS)} {self._canary}"
        return self._stack.workspace.post(self._chance.choice(CHANNELS), RAE, text)

    def _react(self, message: Message, user: str) -> None:
        events = self._stack.events
        if user in message.reactions.get(EMOJI, []):
            self._stack.workspace.unreact(message.channel, message.ts, user, EMOJI)
        request_url, events.request_url = events.request_url, ""
        change = self._stack.workspace.react(message.channel, message.ts, user, EMOJI)
        events.request_url = request_url
        envelope = events.new_envelope(change)
        deliveries = events.deliver(envelope)
        if self._chance.random() < 0.1:
            events.redeliver(envelope, 1, RetryReason.TIMEOUT)
        # In private modes, every post must be attributable to one version.
        changed = self._mode is AnswerMode.THREAD and self._chance.random() < 0.05
        if changed:
            self._change(message)
        self.asked.append(Asked(envelope["event_id"], message, user, changed, deliveries))

    def _change(self, message: Message) -> None:
        try:
            if self._chance.random() < 0.5:
                text = f"{message.text} {self._chance.choice(TEXTS)}"
                self._stack.workspace.edit(message.channel, message.ts, text)
            else:
                self._stack.workspace.delete(message.channel, message.ts)
        except SlackError:
            # It was deleted before.
            return

    def settle(self, *, real_time: bool) -> None:
        """Wait until every reaction of the batch is answered or dead."""
        for one in self.asked[-BATCH:]:
            one.deliveries.result()
        killer = threading.Timer(self._chance.uniform(0, 3), self._stack.worker.kill)
        killer.start()
        self._kills += ENVIRONMENTS
        deadline = time.monotonic() + SETTLE_TIMEOUT
        idle_since = time.monotonic()
        while self._stack.pending_messages() and time.monotonic() < deadline:
            if self._stack.poller.busy:
                idle_since = time.monotonic()
            # A post that takes effect late must not find its claim gone: time that is made to
            # pass would not pass for Slack.
            elif not real_time and time.monotonic() - idle_since > LATE - TIMEOUT + 0.5:
                self._stack.let_time_pass()
                idle_since = time.monotonic()
            time.sleep(0.05)
        killer.cancel()
        self._dead += self._take_dead_letters()

    def _take_dead_letters(self) -> list[str]:
        sqs, url = self._stack.aws.client("sqs"), self._stack.aws.queue_url("DeadLetterQueue")
        bodies = []
        while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                bodies.append(message["Body"])
                sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return bodies

    def account(self) -> Account:
        """Say what became of every reaction."""
        lines = _lines_by_event(self._stack.records("worker"))
        dead = {json.loads(body)["event_id"] for body in self._dead}
        account = Account(reactions=len(self.asked))
        for one in self.asked:
            own = lines.get(one.event_id, [])
            if not one.was_taken:
                account.refused += 1
            elif one.event_id in dead:
                account.dead.append(one.event_id)
                if not any(line["level"] in ("ERROR", "WARNING") for line in own):
                    account.unexplained.append(one.event_id)
            elif self._is_answered(one, own):
                account.answered += 1
            else:
                account.lost.append(one.event_id)
        self._count_repeats(account)
        logs = self._stack.log("worker") + self._stack.log("receiver")
        secrets = self._stack.secrets
        account.leaked = [
            name
            for name, text in (
                ("text", self._canary),
                ("bot token", secrets.bot_token),
                ("signing secret", secrets.signing_secret),
            )
            if text in logs
        ]
        return account

    def _is_answered(self, one: Asked, lines: list[dict[str, Any]]) -> bool:
        done = any(
            line["message"] in FINAL or str(line["message"]).startswith("Slack answered")
            for line in lines
        )
        if self._mode is AnswerMode.THREAD and not one.changed and not one.message.deleted:
            return done and bool(self._stack.answers(one.message))
        return done

    def _count_repeats(self, account: Account) -> None:
        posts = [
            post
            for channel in CHANNELS
            for post in self._stack.workspace.messages(channel)
            if post.user == self._stack.workspace.bot.id
        ]
        if self._mode is AnswerMode.THREAD:
            payloads = (post.metadata["event_payload"] for post in posts if post.metadata)
            versions = Counter("/".join(one.values()) for one in payloads)
            account.doubled = [version for version, number in versions.items() if number > 1]
            return
        # Slack keeps no private posts, so a post of unknown outcome may have to be repeated.
        account.repeated = len(posts) - len(self._private_posts_due(account))
        if account.repeated < 0:
            account.lost.append(f"{-account.repeated} private posts")
        if account.repeated > self._ambiguous + self._kills:
            account.doubled.append(f"{account.repeated} private posts")

    def _private_posts_due(self, account: Account) -> set[tuple[str, str]]:
        gone = {*account.dead, *account.lost}
        asked = [one for one in self.asked if one.event_id not in gone and one.was_taken]
        if self._mode is AnswerMode.EPHEMERAL:
            return {(one.message.ts, one.user) for one in asked}
        return {(one.message.ts, RAE) for one in asked if one.message.text.startswith(TOXIC)}


def _lines_by_event(records: Iterator[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    lines: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        if "event_id" in record and "message" in record:
            lines.setdefault(str(record["event_id"]), []).append(record)
    return lines


def soak_table(accounts: dict[AnswerMode, Account], seed: int) -> Table:
    """Return what became of the reactions as a table."""
    table = Table(title=f"The soak, seed {seed}", title_justify="left")
    table.add_column("")
    for mode in accounts:
        table.add_column(mode.value, justify="right")
    rows: dict[str, Callable[[Account], object]] = {
        "reactions": lambda one: f"{one.reactions:,}",
        "answered": lambda one: f"{one.answered:,}",
        "refused, and so not taken": lambda one: one.refused,
        "lost": lambda one: len(one.lost),
        "doubled": lambda one: len(one.doubled),
        "dead without need": lambda one: len(one.dead),
        "dead and unexplained": lambda one: len(one.unexplained),
        "leaked into a log": lambda one: ", ".join(one.leaked) or 0,
        "private posts repeated, outcome unknown": lambda one: one.repeated,
        "seconds": lambda one: round(one.seconds),
    }
    for name, value in rows.items():
        table.add_row(name, *(str(value(one)) for one in accounts.values()))
    return table
