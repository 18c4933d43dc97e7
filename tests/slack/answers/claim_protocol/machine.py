"""A model of the claim protocol: two workers, one queue, and everything that can go wrong."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.workspace import Channel, Person, Workspace
from tests.aws_account import BOT_TOKEN
from tests.slack.answers.claim_protocol.homes import Clock, Home, Process
from tests.slack.answers.claim_protocol.stepped import SteppedSlack
from tests.slack.answers.claim_protocol.steps import Ending, Steps, Try
from toxic_bot.judge.classifier import Classifier
from toxic_bot.slack.cases.case import CaseStore
from toxic_bot.slack.channel_settings import SettingsStore
from toxic_bot.slack.composition import Store, compose
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.settings import AnswerMode, BotSettings

INSULT = "You are a pathetic idiot and everybody here hates you."
USERS = ("U0001", "U0002")
AUTHOR = "U0WROTE"
INVOCATION = 30.0
"""Seconds that a worker has for a reaction: its claims lapse then, and it is killed."""

MODEL_TIME = 3600.0
"""Seconds in which things go wrong: less than what a reaction waits before it is given up."""

DRAINS = 400
"""Tries after which a reaction that is still queued is lost."""

STEPS_TO_POST = 4
"""Two claims, the message, and then the post."""

FAULTS = [one for one in Ending if one is not Ending.WORKS]
KILLS = (Ending.KILLED_BEFORE, Ending.KILLED_AFTER)

_WHICH = st.sampled_from([0, 1])


class LostError(AssertionError):
    """A reaction has no answer, and never gets one."""


class DoubledError(AssertionError):
    """An answer came twice, although nothing excuses that."""


class ClaimProtocol(RuleBasedStateMachine):
    """Reactions to one message, and the two workers that answer them.

    Rules let people react and edit, Slack and the queue deliver twice, time pass, and each worker
    take its next step, which may fail, lose its response, take effect late or end in a kill. In
    the end everything works again, and whatever is queued is answered.

    Parameters
    ----------
    make_home
        Returns an empty home of the bot.
    mode
        Who sees the answers. Slack shows whether a thread has its answer; private ones may
        come again after a try that was disturbed, but not otherwise.
    classifier
        Judges the message.
    channel
        An ID that no other run uses: all share one store.
    channel_store
        Has no settings of any channel.
    case_store
        Has no cases.
    """

    def __init__(
        self,
        make_home: Callable[[Clock], Home],
        mode: AnswerMode,
        classifier: Classifier,
        channel: str,
        channel_store: SettingsStore,
        case_store: CaseStore,
    ) -> None:
        super().__init__()
        self._mode = mode
        self._classifier = classifier
        self._channel_store = channel_store
        self._case_store = case_store
        self._clock = Clock()
        self._began = self._clock()
        self._workspace = Workspace()
        for person in (*USERS, AUTHOR):
            self._workspace.add_person(Person(person, person.lower()))
        self._workspace.add_channel(
            Channel(channel, "general", members={*USERS, AUTHOR, self._workspace.bot.id})
        )
        self._api = WebApi(self._workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
        self._message = self._workspace.post(channel, AUTHOR, INSULT)
        self._reactions: list[tuple[Reaction, str]] = []
        self._posts: list[tuple[str, Try]] = []
        self._has_failed = False
        self._home = make_home(self._clock)
        self._workers: list[Process] = [self._home.process(self._router) for _ in range(2)]

    @initialize(user=st.sampled_from(USERS))
    def react_first(self, user: str) -> None:
        self._react(user)

    @precondition(lambda self: len(self._reactions) < 4)
    @rule(user=st.sampled_from(USERS))
    def react(self, user: str) -> None:
        self._react(user)

    @rule(data=st.data())
    def deliver_again(self, data: st.DataObject) -> None:
        reaction, _ = data.draw(st.sampled_from(self._reactions))
        self._home.put(reaction)

    @precondition(lambda self: self._mode is AnswerMode.THREAD)
    @rule()
    def edit(self) -> None:
        self._workspace.edit(self._message.channel, self._message.ts, INSULT)
        self._clock.now += 0.01

    @rule(which=_WHICH, steps=st.integers(1, 5))
    def go_on(self, which: int, steps: int) -> None:
        for _ in range(steps):
            self._step(self._workers[which], Ending.WORKS)

    @rule(which=_WHICH, after=st.integers(0, 5), ending=st.sampled_from(FAULTS))
    def disturb(self, which: int, after: int, ending: Ending) -> None:
        for _ in range(after):
            self._step(self._workers[which], Ending.WORKS)
        if ending not in KILLS or self._home.can_be_received_again():
            self._step(self._workers[which], ending)

    @rule(which=_WHICH, ending=st.sampled_from(FAULTS))
    def disturb_a_post(self, which: int, ending: Ending) -> None:
        steps = self._workers[which].steps
        for _ in range(STEPS_TO_POST):
            if steps.waits_at.startswith("chat_post"):
                self.disturb(which, 0, ending)
                break
            self._step(self._workers[which], Ending.WORKS)

    @rule()
    def let_late_posts_arrive(self) -> None:
        self._let_late_posts_arrive()

    @rule()
    def receive_again(self) -> None:
        self._home.repeat()

    @precondition(lambda self: self._clock() - self._began < MODEL_TIME)
    @rule(seconds=st.sampled_from([0.5, 3.0, 10.0, 31.0, 200.0]))
    def pass_time(self, seconds: float) -> None:
        self._pass_time(seconds)

    @invariant()
    def nothing_is_doubled(self) -> None:
        self._check_doubles()

    def teardown(self) -> None:
        """Let everything work again, until nothing is left to do."""
        try:
            if not self._has_failed:
                self._drain()
                self._let_late_posts_arrive()
                self._check_doubles()
                self._check_losses()
        finally:
            for worker in self._workers:
                if worker.steps.waits_at:
                    self._step(worker, Ending.KILLED_BEFORE)

    def _react(self, user: str) -> None:
        self._clock.now += 0.01
        reaction = Reaction(
            event_id=f"Ev{len(self._reactions)}",
            event_ts=f"{self._clock():.6f}",
            team="T0001",
            channel=self._message.channel,
            ts=self._message.ts,
            user=user,
            author=AUTHOR,
            reaction="biohazard_sign",
        )
        self._clock.now += 0.01
        self._reactions.append((reaction, self._message.edited))
        self._home.put(reaction)

    def _router(self, store: Store, steps: Steps) -> GestureRouter:
        settings = BotSettings.from_environment(
            {
                "ANSWER": self._mode.value,
                "GESTURES": "reaction",
                "USER_BUDGET": "0",
                "CHANNEL_BUDGET": "0",
            }
        )
        slack = SteppedSlack(self._api, steps, self._posted)
        return compose(
            slack,
            self._classifier,
            store,
            self._channel_store,
            self._case_store,
            settings,
            clock=self._clock,
        )

    def _posted(self, method: str, arguments: Mapping[str, Any], attempt: Try) -> None:
        if method == "chat_postMessage":
            about = arguments["metadata"]["event_payload"]["edited"]
        else:
            about = arguments["user"]
        self._posts.append((about, attempt))

    def _take(self, worker: Process) -> bool:
        work = worker.take()
        if work is not None:
            worker.steps.begin(work, self._clock() + INVOCATION)
            self._clock.now += 0.01
        return work is not None

    def _step(self, worker: Process, ending: Ending) -> None:
        """Let a worker take a step; one that does nothing takes a reaction first."""
        if worker.steps.waits_at or self._take(worker):
            self._clock.now += 0.01
            worker.steps.go_on(ending)
            if ending in KILLS:
                worker.restart()

    def _pass_time(self, seconds: float) -> None:
        # Slack's longest delay is shorter than a lease.
        self._let_late_posts_arrive(self._clock() + seconds)
        self._clock.now += seconds
        for worker in self._workers:
            if worker.steps.waits_at and worker.steps.attempt.until <= self._clock():
                self._step(worker, Ending.KILLED_BEFORE)

    def _let_late_posts_arrive(self, by: float = math.inf) -> None:
        for steps in (worker.steps for worker in self._workers):
            due = [one for one in steps.late if one.until <= by]
            steps.late = [one for one in steps.late if one.until > by]
            for one in due:
                one.effect()

    def _drain(self) -> None:
        for _ in range(DRAINS):
            for worker in self._workers:
                while worker.steps.waits_at:
                    self._step(worker, Ending.WORKS)
            taken = [self._take(worker) for worker in self._workers]
            if any(taken):
                continue
            due = self._home.next_due()
            if due is None:
                return
            self._pass_time(max(0.01, due - self._clock()))
        self._fail(LostError(f"reactions wait for ever: {self._reactions}"))

    def _check_doubles(self) -> None:
        excused = Counter(about for about, attempt in self._posts if self._is_excused(attempt))
        for about, times in Counter(about for about, _ in self._posts).items():
            if times > 1 + excused[about]:
                self._fail(DoubledError(f"{times} answers for {about or 'the first version'!r}"))

    def _is_excused(self, attempt: Try) -> bool:
        return self._mode is AnswerMode.EPHEMERAL and attempt.disturbed

    def _check_losses(self) -> None:
        answered = {about for about, _ in self._posts}
        for reaction, edited in self._reactions:
            if self._mode is AnswerMode.EPHEMERAL:
                is_answered = reaction.user in answered
            else:
                is_answered = any(about >= edited for about in answered)
            if not is_answered:
                self._fail(LostError(f"no answer to {reaction}"))

    def _fail(self, error: AssertionError) -> None:
        self._has_failed = True
        raise error
