"""Exits save layers within the share of verdicts that may change; patience is measured beside."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("onnx", reason="the pipeline needs the 'build' dependencies")

from model_build.evaluation import exit_rules
from model_build.evaluation.exit_rules import Heads
from model_build.graph.early_exit import Exit


def _heads(seed: int, rows: int = 3000, noise: float = 1.0) -> Heads:
    """Return heads that agree with the last one the better the higher they are."""
    random = np.random.default_rng(seed)
    truth = random.normal(-3, 3, rows)
    spread = noise * np.array([3.0, 2.0, 1.0, 0.5, 0.2, 0.0])
    log_odds = truth[:, None] + random.normal(size=(rows, 6)) * spread
    return Heads(log_odds, truth < -2, offset=0.0)


@given(seed=st.integers(0, 1000), budget=st.sampled_from([0.0, 0.001, 0.003, 0.02]))
def test_no_more_verdicts_change_than_allowed(seed: int, budget: float) -> None:
    heads = _heads(seed, rows=800)
    exits = exit_rules.choose(heads, budget)
    left = exit_rules.leave(heads, exits)
    assert (heads.flagged & (left < heads.layers)).mean() <= budget
    assert all(exit_.limit <= 0 for exit_ in exits)


def test_heads_that_know_early_save_most_layers() -> None:
    heads = _heads(1, noise=0.0)
    left = exit_rules.leave(heads, exit_rules.choose(heads, 0.0))
    assert left[heads.typical].mean() == 1


def test_the_more_verdicts_may_change_the_fewer_layers_are_run() -> None:
    heads = _heads(2)
    means = [
        exit_rules.leave(heads, exit_rules.choose(heads, budget))[heads.typical].mean()
        for budget in (0.0, 0.002, 0.02)
    ]
    assert means == sorted(means, reverse=True)
    assert means[-1] < heads.layers / 2


def test_a_row_leaves_at_the_first_head_that_is_sure() -> None:
    log_odds = np.array([[-9.0, -9, -9], [1, -9, -9], [1, 1, 1], [-1, -1, -9]])
    heads = Heads(log_odds, np.ones(4, bool), offset=0.0)
    left = exit_rules.leave(heads, [Exit(1, -5.0), Exit(2, -5.0)])
    assert left.tolist() == [1, 2, 3, 3]


@given(seed=st.integers(0, 1000))
def test_a_text_that_leaves_scores_like_at_the_last_head_but_never_toxic(seed: int) -> None:
    heads = _heads(seed)
    shifted = Heads(heads.log_odds, heads.typical, offset=1.7)
    chosen = exit_rules.choose(heads, 0.002)
    left = exit_rules.leave(heads, chosen)
    for exit_ in exit_rules.calibrated(shifted, chosen):
        leaving = left == exit_.layer
        raw = heads.log_odds[leaving, exit_.layer - 1] + shifted.offset
        served = raw * exit_.scale + exit_.shift - shifted.offset
        assert (served < 0).all()
        assert (raw < exit_.limit + 1e-3).all()
        last = heads.log_odds[leaving, -1]
        unscaled = raw - shifted.offset
        assert ((served - last) ** 2).mean() <= ((unscaled - last) ** 2).mean() + 0.5


def test_patience_waits_until_a_verdict_has_been_repeated() -> None:
    signs = np.array([[-1, -1, -1, -1], [-1, 1, 1, 1], [1, -1, 1, 1], [1, 1, -1, -1]])
    heads = Heads(signs * 1.0, np.ones(4, bool), offset=0.0)
    left, flagged = exit_rules.be_patient(heads, 1)
    assert left.tolist() == [2, 3, 4, 2]
    assert flagged.tolist() == [False, True, True, True]
    assert exit_rules.be_patient(heads, 2)[0].tolist() == [3, 4, 4, 4]


def test_the_table_names_every_rule() -> None:
    rules = [outcome.rule for outcome in exit_rules.compare(_heads(3))]
    assert sum(rule.startswith("patience") for rule in rules) == 4
    assert sum("clearly not toxic" in rule for rule in rules) == 5
