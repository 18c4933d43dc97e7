"""The soak: thousands of reactions, a fifth of them with a fault, and an account of every one.

Slack's Web API, AWS's endpoint and the workers' processes fail as a plan says that a seed
determines. When everything has settled, each reaction must have been answered once; or lie
among the dead letters, with its reason in the log; or have been refused with a status other
than 200.
"""

from __future__ import annotations

import logging
import random
import time
from pathlib import Path

from rich.progress import Progress

from benchmarks.soak.account import Account
from benchmarks.soak.audit import Audit
from benchmarks.soak.crowd import BATCH, CHANNELS, Crowd
from benchmarks.soak.faults import (
    DELETE,
    ENVIRONMENTS,
    READ,
    PlannedFaults,
    plan_faults,
    posting,
    slack_faults,
)
from simulators.aws.failures import AwsFault, PlannedFault
from simulators.samples import AMPLE_BUDGETS, VIEWER, create_workspace
from simulators.slack.delivery import LOCAL_DELAYS
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.workspace import Channel, Person
from simulators.stack import Options, Stack
from toxic_bot.slack.settings import AnswerMode

SETTLE_TIMEOUT = 600.0
"""Seconds until a batch counts as stuck."""

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
        run = _Run(stack, mode, Crowd(stack, mode, chance, people), chance, reactions)
        task = progress.add_task(f"{mode}: {reactions:,} reactions", total=reactions)
        while len(run.crowd.asked) < reactions:
            run.crowd.ask(min(BATCH, reactions - len(run.crowd.asked)), reactions)
            run.settle(real_time=real_time and len(run.crowd.asked) == reactions)
            progress.update(task, completed=len(run.crowd.asked))
        account = run.account()
        if not account.is_clean:
            account.evidence = run.keep_logs(evidence)
    account.seconds = time.monotonic() - started
    return account


class _Run:
    def __init__(
        self, stack: Stack, mode: AnswerMode, crowd: Crowd, chance: random.Random, reactions: int
    ) -> None:
        self.crowd = crowd
        self._stack = stack
        self._mode = mode
        self._dead: list[str] = []
        kinds = slack_faults(stack)
        self._plan = plan_faults(mode, reactions, kinds, chance)
        in_slack = (READ, posting(mode))
        self._slack_faults = PlannedFaults(
            [one for one in self._plan if one.step in in_slack], kinds
        )
        stack.web_api.faults = self._slack_faults
        stack.aws.plan_faults(
            PlannedFault(
                one.step.call,
                one.occurrence,
                AwsFault(one.fault),
                stack.aws.function(one.step.caller).credentials.access_key,
            )
            for one in self._plan
            if one.step.caller
        )
        stack.poller.lose_responses(one.occurrence for one in self._plan if one.step is DELETE)

    def settle(self, *, real_time: bool) -> None:
        """Wait until every reaction of the batch is answered or dead."""
        self.crowd.wait_for_deliveries()
        now = idle_since = time.monotonic()
        deadline = now + SETTLE_TIMEOUT
        while self._stack.pending_messages() and now < deadline:
            if self._stack.poller.busy:
                idle_since = now
            elif not real_time and now > idle_since + PAUSE:
                self._stack.let_time_pass()
                idle_since = now
            time.sleep(0.05)
            now = time.monotonic()
        self.crowd.stop_killing()
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
        return Audit(
            self._stack, self._mode, self.crowd, self._plan, self._slack_faults, self._dead
        ).account()

    def keep_logs(self, folder: Path) -> Path:
        """Copy the functions' logs to a new folder for this run, and return it."""
        kept = folder / f"{self._mode.value}-{time.strftime('%Y%m%dT%H%M%S')}"
        kept.mkdir(parents=True)
        for function in ("receiver", "worker"):
            (kept / f"{function}.log").write_text(self._stack.log(function), encoding="utf-8")
        return kept
