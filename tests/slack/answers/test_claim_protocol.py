"""The claim protocol, checked by a machine; and each of its guards, which the machine misses."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from handler import dynamodb_store
from handler.case_table import CaseTable
from handler.channel_settings_table import SettingsTable
from handler.dynamodb_store import DynamoDBStore
from tests.aws_account import cold_start, dynamodb
from tests.slack.answers.claim_protocol.homes import Clock, Home, LambdaHome, StandaloneHome
from tests.slack.answers.claim_protocol.machine import ClaimProtocol, DoubledError, LostError
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.slack.answers import claims
from toxic_bot.slack.answers.claims import Claims, Done
from toxic_bot.slack.retry import OutcomeUnknownError, TryAgainError
from toxic_bot.slack.settings import AnswerMode
from toxic_bot.slack.web_api import reading
from toxic_bot.standalone import dispatcher, gesture_queue, sqlite_store
from toxic_bot.standalone.dispatcher import Dispatcher
from toxic_bot.standalone.gesture_queue import GestureQueue
from toxic_bot.standalone.sqlite_store import SQLiteStore

Run = Callable[[AnswerMode, int, tuple[Phase, ...]], None]
Remove = Callable[[pytest.MonkeyPatch], None]

ALL_PHASES = (Phase.generate, Phase.shrink)
EXAMPLES = 40
"""Runs of the machine."""
MOST_TIMES = 80
"""How many times as many it may take to find a removed guard; it ends when it has found it."""


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    classifier = load(EMBEDDED_MODEL)
    # It judges one text a thousand times.
    classifier.classify = cache(classifier.classify)  # type: ignore[method-assign] # on purpose
    return classifier


@pytest.fixture(params=["Lambda", "standalone"])
def run(
    request: pytest.FixtureRequest,
    classifier: Classifier,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Lets the machine run in one of the bot's homes."""
    monkeypatch.setattr(claims, "CLOSE_PAUSE", 0)
    request.getfixturevalue("account")
    numbers = count()
    client = dynamodb()
    if request.param == "Lambda":
        worker = cold_start("handler.worker")
        store = DynamoDBStore(client, "claims")

        def make_home(clock: Clock) -> Home:
            return LambdaHome(worker, store, clock)
    else:
        monkeypatch.setattr(dispatcher, "FILE_PAUSE", 0)

        def make_home(clock: Clock) -> Home:
            for module in (dispatcher, gesture_queue):
                monkeypatch.setattr(module, "time", SimpleNamespace(time=clock))
            return StandaloneHome(tmp_path / f"{next(numbers)}.sqlite", clock)

    def run_machine(mode: AnswerMode, times: int, phases: tuple[Phase, ...]) -> None:
        def make_machine() -> ClaimProtocol:
            channel = f"C{next(numbers):06}"
            own, cases = SettingsTable(client, "claims"), CaseTable(client, "claims")
            return ClaimProtocol(make_home, mode, classifier, channel, own, cases)

        run_state_machine_as_test(
            make_machine,  # type: ignore[arg-type] # any factory will do
            settings=settings(
                derandomize=True,
                database=None,
                deadline=None,
                max_examples=times * EXAMPLES,
                stateful_step_count=25,
                phases=phases,
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )

    return run_machine


@pytest.mark.parametrize(
    "mode", [AnswerMode.THREAD, pytest.param(AnswerMode.EPHEMERAL, marks=pytest.mark.long)]
)
@pytest.mark.slow
def test_every_reaction_is_answered_exactly_once_whatever_happens_between_two_steps(
    run: Run, mode: AnswerMode
) -> None:
    run(mode, 1, ALL_PHASES)


def without_conditional_claims(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(dynamodb_store, "_FREE", f"{dynamodb_store._FREE} OR attribute_exists(id)")
    patch.setattr(sqlite_store, "_MAKE", f"{sqlite_store._MAKE} OR TRUE")


def with_claims_that_lapse_at_once(patch: pytest.MonkeyPatch) -> None:
    _replace_lapse(patch, "#lapse >= :now_ms OR #lapse < :now_ms", "(TRUE OR claim.lapses_at < ?)")


def with_claims_that_never_lapse(patch: pytest.MonkeyPatch) -> None:
    _replace_lapse(
        patch, "#lapse >= :now_ms AND #lapse < :now_ms", "(FALSE AND claim.lapses_at < ?)"
    )


def _replace_lapse(patch: pytest.MonkeyPatch, dynamodb: str, sqlite: str) -> None:
    free, make = dynamodb_store._FREE, sqlite_store._MAKE
    patch.setattr(dynamodb_store, "_FREE", free.replace("#lapse < :now_ms", f"({dynamodb})"))
    patch.setattr(sqlite_store, "_MAKE", make.replace("claim.lapses_at < ?", sqlite))


def without_a_search_for_the_bots_own_answer(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reading, "find_answers", lambda *_: (False, ()))


def without_completion_records(patch: pytest.MonkeyPatch) -> None:
    for store in (DynamoDBStore, SQLiteStore):
        patch.setattr(store, "close", lambda *_: True)


def without_a_claim_of_each_answer(patch: pytest.MonkeyPatch) -> None:
    once = Claims.once

    def once_unless_it_is_an_answer(
        self: Claims, claim_id: str, work: Callable[[], dict[str, Any]], **options: Any
    ) -> Done:
        if claim_id.startswith("answer#"):
            return Done(work(), by_us=True)
        return once(self, claim_id, work, **options)

    patch.setattr(Claims, "once", once_unless_it_is_an_answer)


def with_claims_released_when_the_outcome_of_a_post_is_unknown(patch: pytest.MonkeyPatch) -> None:
    do = Claims._do

    def do_and_release(
        self: Claims, claim: claims.Claim, work: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        def known() -> dict[str, Any]:
            try:
                return work()
            except OutcomeUnknownError as error:
                raise TryAgainError(str(error), reason=error.reason) from None

        return do(self, claim, known)

    patch.setattr(Claims, "_do", do_and_release)


def without_a_queue_that_keeps_what_is_taken(patch: pytest.MonkeyPatch) -> None:
    receive, take = LambdaHome.receive, GestureQueue.take

    def receive_and_delete(self: LambdaHome) -> Any:
        record = receive(self)
        if record is not None:
            self.delete(record)
        return record

    def take_and_delete(self: GestureQueue) -> Any:
        entry = take(self)
        if entry is not None:
            self._database.change(
                "DELETE FROM gesture WHERE event_id = ?", (entry.gesture.event_id,)
            )
        return entry

    patch.setattr(LambdaHome, "receive", receive_and_delete)
    patch.setattr(GestureQueue, "take", take_and_delete)


def without_retries(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("handler.worker._wait", lambda *_: None)
    patch.setattr(
        Dispatcher, "_try_again", lambda self, entry, _: self._queue.remove(entry.gesture)
    )


GUARDS: dict[Remove, tuple[AnswerMode, type[AssertionError]]] = {
    without_conditional_claims: (AnswerMode.THREAD, DoubledError),
    with_claims_that_lapse_at_once: (AnswerMode.THREAD, DoubledError),
    with_claims_that_never_lapse: (AnswerMode.THREAD, LostError),
    without_a_search_for_the_bots_own_answer: (AnswerMode.THREAD, DoubledError),
    without_completion_records: (AnswerMode.EPHEMERAL, DoubledError),
    without_a_claim_of_each_answer: (AnswerMode.EPHEMERAL, DoubledError),
    with_claims_released_when_the_outcome_of_a_post_is_unknown: (
        AnswerMode.THREAD,
        DoubledError,
    ),
    without_a_queue_that_keeps_what_is_taken: (AnswerMode.THREAD, LostError),
    without_retries: (AnswerMode.THREAD, LostError),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("remove", GUARDS, ids=lambda one: one.__name__)
def test_the_machine_finds_what_each_guard_prevents(
    run: Run, remove: Remove, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode, expected = GUARDS[remove]
    remove(monkeypatch)
    with pytest.raises(expected):
        run(mode, MOST_TIMES, (Phase.generate,))
