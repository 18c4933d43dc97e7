"""A short soak: nothing is lost, doubled or dead, whatever fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.soak.account import Account
from benchmarks.soak.course import soak
from benchmarks.soak.standalone import soak_standalone
from benchmarks.soak.watched import soak_watched
from benchmarks.targets import HomeName
from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.slack.settings import AnswerMode

pytestmark = [pytest.mark.slow, pytest.mark.long]


def assert_clean(account: Account) -> None:
    assert account.lost == []
    assert account.doubled == []
    assert account.dead == []
    assert account.unexplained == []
    assert account.leaked == []
    assert account.is_clean
    assert account.evidence is None


@pytest.mark.parametrize("mode", AnswerMode)
def test_every_reaction_of_a_hundred_is_accounted_for(mode: AnswerMode, tmp_path: Path) -> None:
    account = soak(mode, 100, seed=7, evidence=tmp_path)
    assert_clean(account)
    assert account.asked == 100
    assert account.answered + account.refused == 100
    assert 0 < account.played.total() <= account.planned.total()


@pytest.mark.parametrize("home", [HomeName.SOCKET, HomeName.LISTEN])
def test_two_copies_on_one_database_answer_each_reaction_once_whatever_befalls_them(
    home: HomeName, tmp_path: Path
) -> None:
    account = soak_standalone(
        home, AnswerMode.THREAD, 150, seed=9, evidence=tmp_path, model=EMBEDDED_MODEL
    )
    assert_clean(account)
    assert account.answered + account.refused == account.asked
    assert sum(number for (step, _), number in account.played.items() if step == "any") > 0


@pytest.mark.parametrize("home", [HomeName.SOCKET, HomeName.LISTEN])
def test_two_copies_on_one_database_judge_each_watched_message_once_whatever_befalls_them(
    home: HomeName, tmp_path: Path
) -> None:
    account = soak_watched(home, 100, seed=9, evidence=tmp_path, model=EMBEDDED_MODEL)
    assert_clean(account)
    assert account.asked > 100
    assert account.answered + account.refused == account.asked
    assert sum(number for (step, _), number in account.played.items() if step == "any") > 0
