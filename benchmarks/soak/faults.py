"""The faults that the soak plans, each for one call of one step."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from simulators.aws.failures import AwsFault
from simulators.slack.faults import Fault, Faults
from simulators.stack import Stack
from toxic_bot.slack.settings import AnswerMode

ENVIRONMENTS = 4
"""Execution environments of the worker: others go on while a fault holds one up."""

FAULTY = 0.2
"""Share of reactions that a fault is planned for."""

LATE = 6.0
"""Seconds by which a post takes effect too late: the worker gives up after five."""

AMBIGUOUS = frozenset(
    {
        "503 in HTML",
        "HTML",
        "empty",
        "truncated JSON",
        "odd JSON",
        "a list",
        "cut",
        "lost answer",
        "late effect",
    }
)
"""Faults after which a post has taken effect, or will, and the worker cannot know."""

RARE = ("Retry-After: 600", "Retry-After: 86400")
"""Faults that hold a method up for a minute of real time."""

RARE_EVERY = 500
"""Reactions for which each of those is planned once."""

KILLS = frozenset({"killed before", "killed after"})


@dataclass(frozen=True, slots=True)
class Step:
    """A step of worker or receiver that faults are planned for.

    Parameters
    ----------
    does
        What it is.
    call
        The Web API method or AWS operation; empty where it is Lambda's own.
    caller
        The function whose role calls AWS; empty for calls to Slack.
    share
        Calls for each reaction, at the least: later ones would never come.
    weight
        How often a fault is planned for it, relative to the others.
    """

    does: str
    call: str
    caller: str
    share: float
    weight: int


READ = Step("worker reads the message", "conversations.replies", "", 0.8, 30)
DELETE = Step("Lambda deletes the message", "", "", 0.9, 5)
LOSS = "killed before"
AWS_STEPS = (
    Step("receiver queues", "SendMessage", "Receiver", 0.95, 10),
    Step("worker makes a claim", "PutItem", "Worker", 0.7, 10),
    Step("worker closes a claim or counts", "UpdateItem", "Worker", 2.0, 10),
    Step("worker releases a claim", "DeleteItem", "Worker", 0.03, 2),
    Step("worker puts a reaction back", "SendMessage", "Worker", 0.05, 3),
)


def posting(mode: AnswerMode) -> Step:
    """Return the step in which the worker posts; not every message gets a nudge."""
    method = "chat.postMessage" if mode is AnswerMode.THREAD else "chat.postEphemeral"
    return Step("worker posts", method, "", 0.3 if mode is AnswerMode.NUDGE else 0.7, 30)


def api_faults() -> dict[str, Fault]:
    """Return the faults of Slack's Web API by name."""
    return {
        "rate limit": Fault(error="ratelimited", status=429, retry_after=2),
        **{
            f"Retry-After: {seconds}": Fault(error="ratelimited", status=429, retry_after=seconds)
            for seconds in (0, 1, 600, 86_400)
        },
        "odd Retry-After": Fault(error="ratelimited", status=429, retry_after="nan"),
        "500": Fault(error="internal_error", status=500),
        "503 in HTML": Fault(content="<html>try later</html>", status=503),
        "HTML": Fault(content="<html>welcome</html>"),
        "empty": Fault(content=""),
        "truncated JSON": Fault(content='{"ok": true, "messages": [{"te'),
        "fields of other types": Fault(
            content='{"ok": true, "messages": "none", "ts": 7, "response_metadata": [1]}'
        ),
        "odd JSON": Fault(content='{"ok": true, "messages": [1]}'),
        "a list": Fault(content="[]"),
        "unknown error": Fault(error="some_future_error"),
        "rejected token": Fault(error="invalid_auth"),
        "cut": Fault(cut=True),
        "lost answer": Fault(hang=LATE),
        "late effect": Fault(delay=LATE),
    }


def slack_faults(stack: Stack) -> dict[str, Fault]:
    """Return the faults of Slack's Web API by name, those that befall the workers included."""
    return api_faults() | {
        "killed before": Fault(before=stack.worker.kill, error="internal_error", status=500),
        "killed after": Fault(after=stack.worker.kill),
        # Long enough for another worker to receive the reaction, too.
        "visibility runs out": Fault(before=stack.aws.expire_visibility, delay=2.0),
    }


@dataclass(frozen=True, slots=True)
class Planned:
    """A fault in the n-th call of a step."""

    step: Step
    occurrence: int
    fault: str


def plan_faults(
    mode: AnswerMode, reactions: int, slack_kinds: Iterable[str], chance: random.Random
) -> list[Planned]:
    """Plan a fault for a fifth of the reactions: in the n-th call of one of the steps."""
    return plan((READ, posting(mode), *AWS_STEPS, DELETE), reactions, slack_kinds, chance)


def plan(
    steps: Sequence[Step], reactions: int, slack_kinds: Iterable[str], chance: random.Random
) -> list[Planned]:
    """Plan a fault for a fifth of the reactions, in the n-th call of one of some steps."""
    weights = [step.weight for step in steps]
    slack_faults = sorted(set(slack_kinds) - set(RARE))
    plan = {}
    for number in range(reactions):
        if chance.random() >= FAULTY:
            continue
        [step] = chance.choices(steps, weights)
        faults = [one.value for one in AwsFault] if step.caller else slack_faults
        fault = LOSS if step is DELETE else chance.choice(faults)
        occurrence = int(number * step.share)
        plan[step, occurrence] = Planned(step, occurrence, fault)
    for fault in RARE * (reactions // RARE_EVERY):
        occurrence = chance.randrange(int(reactions * READ.share))
        plan[READ, occurrence] = Planned(READ, occurrence, fault)
    return list(plan.values())


class PlannedFaults(Faults):
    """Faults in the n-th call of each method."""

    def __init__(self, plan: list[Planned], kinds: dict[str, Fault]) -> None:
        super().__init__()
        self._kinds = kinds
        self._plan = {(one.step.call, one.occurrence): one for one in plan}
        self._calls: Counter[str] = Counter()
        self.played: list[Planned] = []

    def next(self, method: str) -> Fault | None:
        """Return the fault that is planned for the next call to a method, if any."""
        with self._lock:
            occurrence = self._calls[method]
            self._calls[method] += 1
            planned = self._plan.get((method, occurrence))
            if planned is None:
                return None
            self.played.append(planned)
        return self._kinds[planned.fault]
