"""A short soak: nothing is lost, doubled or dead, whatever fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.soak.course import soak
from toxic_bot.slack.settings import AnswerMode

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.mark.parametrize("mode", AnswerMode)
def test_every_reaction_of_a_hundred_is_accounted_for(mode: AnswerMode, tmp_path: Path) -> None:
    account = soak(mode, 100, seed=7, evidence=tmp_path)
    assert account.reactions == 100
    assert account.evidence is None
    assert account.lost == []
    assert account.doubled == []
    assert account.dead == []
    assert account.leaked == []
    assert account.answered + account.refused == 100
    assert 0 < account.played.total() <= account.planned.total()
