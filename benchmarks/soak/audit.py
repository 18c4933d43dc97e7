"""The audit of a soak: it looks every reaction up in the threads, the log and the dead letters."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from benchmarks.soak.account import Account, Asked
from benchmarks.soak.crowd import CHANNELS, TOXIC, Crowd
from benchmarks.soak.faults import (
    AMBIGUOUS,
    AWS_STEPS,
    DELETE,
    ENVIRONMENTS,
    KILLS,
    LOSS,
    Planned,
    PlannedFaults,
    posting,
)
from simulators.samples import RAE
from simulators.stack import Stack
from toxic_bot.slack.settings import AnswerMode

FINAL = (
    "answered",
    "judged without an answer",
    "this version was already answered in the thread",
    "this version was already answered under another event",
    "this event was already answered",
    "reaction covered by an earlier assessment",
)
"""What the worker logs when it is done with a reaction."""


class Audit:
    """Says what became of every reaction.

    Parameters
    ----------
    stack
        The bot that was to answer them.
    mode
        Who sees the answers.
    crowd
        Who reacted.
    plan
        The faults that were planned.
    slack_faults
        Those among them that Slack has played.
    dead
        The bodies of the dead letters.
    """

    def __init__(
        self,
        stack: Stack,
        mode: AnswerMode,
        crowd: Crowd,
        plan: list[Planned],
        slack_faults: PlannedFaults,
        dead: list[str],
    ) -> None:
        self._stack = stack
        self._mode = mode
        self._crowd = crowd
        self._plan = plan
        self._slack_faults = slack_faults
        self._dead = dead

    def account(self) -> Account:
        """Say what became of every reaction."""
        lines = _lines_by_event(self._stack.records("worker"))
        dead = {json.loads(body)["event_id"] for body in self._dead}
        account = Account(asked=len(self._crowd.asked), forged=self._crowd.forged)
        for one in self._crowd.asked:
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
                ("text", self._crowd.canary),
                ("bot token", secrets.bot_token),
                ("signing secret", secrets.signing_secret),
            )
            if text in logs
        ]
        return account

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
        return unknown + ENVIRONMENTS * killed + ENVIRONMENTS * self._crowd.kills

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
        asked = [one for one in self._crowd.asked if one.event_id not in gone and one.was_taken]
        if self._mode is AnswerMode.EPHEMERAL:
            return {(one.message.ts, one.user) for one in asked}
        return {(one.message.ts, RAE) for one in asked if one.message.text.startswith(TOXIC)}


def _lines_by_event(records: Iterator[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    lines: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        if "event_id" in record and "message" in record:
            lines.setdefault(str(record["event_id"]), []).append(record)
    return lines
