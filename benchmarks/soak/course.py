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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.progress import Progress

from benchmarks.soak.account import Account, Asked
from benchmarks.soak.faults import (
    AMBIGUOUS,
    AWS_STEPS,
    DELETE,
    KILLS,
    LOSS,
    READ,
    Planned,
    PlannedFaults,
    posting,
    slack_faults,
)
from simulators.aws.failures import AwsFault, PlannedFault
from simulators.samples import AMPLE_BUDGETS, RAE, VIEWER, create_workspace
from simulators.slack.delivery import LOCAL_DELAYS, RetryReason
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.workspace import Channel, Message, Person, SlackError
from simulators.stack import Options, Stack
from toxic_bot.slack.settings import AnswerMode

EMOJI = "biohazard_sign"
TOXIC = ("You are a pathetic idiot and everybody hates you.", "Nobody likes you, you idiot.")
TEXTS = (*TOXIC, "Thanks, that was a great help!", "Could you look at the build, please?")
CHANNELS = tuple(f"C0SOAK{number:04}" for number in range(20))
BATCH = 400
"""Reactions that are on their way at once."""

DELIVERED_AT_ONCE = 24
"""Events on their way to the receiver. The local stack has one; were hundreds waiting for it, most
of what it gets would be Slack's retries."""

KILL_EVERY = 100
"""Reactions after which the workers are killed at a random moment, too."""

OUT_OF_ORDER = 0.1
"""Share of reactions that Slack delivers in another order than they were made in."""

BELATED = 0.05
"""Share of reactions that Slack delivers only with the next batch."""

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

PAUSE = 1.5
"""Seconds without work after which time is made to pass."""


def soak(
    mode: AnswerMode, reactions: int, seed: int, *, evidence: Path, real_time: bool = False
) -> Account:
    """Let people react while everything fails as planned, and account for every reaction.

    Parameters
    ----------
    mode
        Who sees the answers.
    reactions
        Number of reactions.
    seed
        Determines messages, reactions and faults.
    evidence
        Folder for the functions' logs, if anything was lost, doubled, dead or leaked.
    real_time
        Whether the last batch waits for its delays; otherwise time is made to pass.
    """
    # Servers that break a response off, and killed workers, are what this is about.
    for name in ("uvicorn.error", "simulators.aws.poller"):
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
        delays=LOCAL_DELAYS,
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
            run.ask(min(BATCH, reactions - len(run.asked)), reactions)
            run.settle(real_time=real_time and len(run.asked) == reactions)
            progress.update(task, completed=len(run.asked))
        account = run.account()
        if not account.is_clean:
            account.evidence = run.keep_logs(evidence)
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
        self._slack_faults = PlannedFaults([], {})
        self._plan: list[Planned] = []
        self._late: list[tuple[Message, str, dict[str, Any], bool]] = []
        self._made_lately: list[tuple[Message, bool]] = []
        self._on_their_way = threading.BoundedSemaphore(DELIVERED_AT_ONCE)
        self._killers: list[threading.Timer] = []
        self._batch = 0
        self._kills = 0

    def plan_faults(self, reactions: int) -> None:
        """Plan a fault for a fifth of the reactions: in the n-th call of one of the steps."""
        kinds = slack_faults(self._stack)
        post = posting(self._mode)
        steps = (READ, post, *AWS_STEPS, DELETE)
        weights = [step.weight for step in steps]
        plan = {}
        for number in range(reactions):
            if self._chance.random() >= FAULTY:
                continue
            [step] = self._chance.choices(steps, weights)
            faults = [one.value for one in AwsFault] if step.caller else sorted(kinds)
            fault = LOSS if step is DELETE else self._chance.choice(faults)
            occurrence = int(number * step.share)
            plan[step, occurrence] = Planned(step, occurrence, fault)
        self._plan = list(plan.values())
        self._slack_faults = PlannedFaults(
            [one for one in self._plan if one.step in (READ, post)], kinds
        )
        self._stack.web_api.faults = self._slack_faults
        self._stack.aws.plan_faults(
            PlannedFault(
                one.step.call,
                one.occurrence,
                AwsFault(one.fault),
                self._stack.aws.function(one.step.caller).credentials.access_key,
            )
            for one in self._plan
            if one.step.caller
        )
        self._stack.poller.lose_responses(
            one.occurrence for one in self._plan if one.step is DELETE
        )

    def ask(self, count: int, reactions: int) -> None:
        """Let people react to new messages, some of which change, or get several reactions.

        Slack delivers some of the events in another order, and some only with the next batch.
        """
        made = [self._made() for _ in range(count - len(self._late))]
        is_last = len(self.asked) + len(made) + len(self._late) >= reactions
        due, self._late = self._late, []
        for one in made:
            chance = self._chance.random()
            if chance < BELATED and not is_last:
                self._late.append(one)
            elif chance < BELATED + OUT_OF_ORDER:
                due.insert(self._chance.randrange(len(due) + 1), one)
            else:
                due.append(one)
        self._batch = len(due)
        self._start_killers()
        for one in due:
            self._deliver(*one)

    def _start_killers(self) -> None:
        self._killers = [
            threading.Timer(self._chance.uniform(0, self._batch / 30), self._stack.worker.kill)
            for _ in range(max(1, self._batch // KILL_EVERY))
        ]
        for killer in self._killers:
            killer.start()
        self._kills += ENVIRONMENTS * len(self._killers)

    def _made(self) -> tuple[Message, str, dict[str, Any], bool]:
        message = self._message()
        return self._react(message, self._chance.choice(self._people))

    def _message(self) -> Message:
        changed = {message.ts for message, is_changed in self._made_lately if is_changed}
        plain = [message for message, _ in self._made_lately if message.ts not in changed]
        if plain and self._chance.random() < 0.1:
            return self._chance.choice(plain)
        text = f"{self._chance.choice(TEXTS)} {self._canary}"
        return self._stack.workspace.post(self._chance.choice(CHANNELS), RAE, text)

    def _react(self, message: Message, user: str) -> tuple[Message, str, dict[str, Any], bool]:
        events = self._stack.events
        if user in message.reactions.get(EMOJI, []):
            self._stack.workspace.unreact(message.channel, message.ts, user, EMOJI)
        request_url, events.request_url = events.request_url, ""
        change = self._stack.workspace.react(message.channel, message.ts, user, EMOJI)
        events.request_url = request_url
        envelope = events.new_envelope(change)
        # In private modes, every post must be attributable to one version.
        changed = self._mode is AnswerMode.THREAD and self._chance.random() < 0.05
        self._made_lately = [*self._made_lately[-BATCH:], (message, changed)]
        return message, user, envelope, changed

    def _deliver(
        self, message: Message, user: str, envelope: dict[str, Any], changed: bool
    ) -> None:
        events = self._stack.events
        self._on_their_way.acquire()
        deliveries = events.deliver(envelope)
        deliveries.add_done_callback(lambda _: self._on_their_way.release())
        if self._chance.random() < 0.1:
            events.redeliver(envelope, 1, RetryReason.TIMEOUT)
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
        for one in self.asked[-self._batch :]:
            one.deliveries.result()
        now = idle_since = time.monotonic()
        deadline = now + SETTLE_TIMEOUT
        while self._stack.pending_messages() and now < deadline:
            if self._stack.poller.busy:
                idle_since = now
            # A post that takes effect late must not find its claim gone: time that is made to
            # pass would not pass for Slack. Its worker may have been killed meanwhile.
            elif not real_time and now > max(idle_since, self._slack_faults.late_until) + PAUSE:
                self._stack.let_time_pass()
                idle_since = now
            time.sleep(0.05)
            now = time.monotonic()
        for killer in self._killers:
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
        self._count_faults(account)
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

    def keep_logs(self, folder: Path) -> Path:
        """Copy the functions' logs to a new folder for this run, and return it."""
        kept = folder / f"{self._mode.value}-{time.strftime('%Y%m%dT%H%M%S')}"
        kept.mkdir(parents=True)
        for function in ("receiver", "worker"):
            (kept / f"{function}.log").write_text(self._stack.log(function), encoding="utf-8")
        return kept

    def _count_faults(self, account: Account) -> None:
        account.planned.update((one.step.does, one.fault) for one in self._plan)
        account.played.update((one.step.does, one.fault) for one in self._slack_faults.played)
        steps = {
            (self._stack.aws.function(step.caller).credentials.access_key, step.call): step.does
            for step in AWS_STEPS
        }
        account.played.update(
            (steps[one.caller, one.operation], one.fault.value)
            for one in self._stack.aws.played_faults()
        )
        account.played[DELETE.does, LOSS] = self._stack.poller.lost_responses

    def _unknown_posts(self, account: Account) -> int:
        """Return how many posts may have taken effect without the worker's knowledge, at most."""
        post = posting(self._mode).does
        unknown = sum(account.played[post, fault] for fault in AMBIGUOUS)
        killed = sum(number for (_, fault), number in account.played.items() if fault in KILLS)
        return unknown + ENVIRONMENTS * killed + self._kills

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
        # Slack keeps no private posts, so a post of unknown outcome may need to be repeated.
        account.repeated = len(posts) - len(self._private_posts_due(account))
        if account.repeated < 0:
            account.lost.append(f"{-account.repeated} private posts")
        if account.repeated > self._unknown_posts(account):
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
