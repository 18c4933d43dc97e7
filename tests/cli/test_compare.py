"""Perspective and the service, asked about the same texts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.command import run
from tests.service.conftest import serving
from toxic_bot.comparison.page import agreement, equivalent_limit, propose

SCORES = st.floats(0, 1)
TEXTS = ["You are a pathetic idiot", "thanks a lot", "Привет, как дела?", "shut up, moron"]


@given(st.lists(st.tuples(SCORES, SCORES), min_size=1), SCORES)
def test_the_equivalent_limit_flags_at_least_as_many_and_none_where_none_was(
    pairs: list[tuple[float, float]], limit: float
) -> None:
    other = equivalent_limit(pairs, limit)
    flagged = sum(a >= limit for a, _ in pairs)
    assert sum(b >= other for _, b in pairs) >= flagged
    assert sum(b > other for _, b in pairs) <= max(0, flagged - 1)
    assert math.isinf(other) == (flagged == 0)
    assert 0 <= agreement(pairs, limit, other) <= 1


@pytest.mark.slow
def test_a_service_agrees_with_itself_and_what_it_cannot_score_is_left_out(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    with serving() as (address, _):
        result = run(
            "compare", str(texts), "--service", address, "--perspective", address,
            "--per-second", "100", "--output", str(tmp_path), "--limit", "0.55",
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        asked = {"comment": {"text": TEXTS[0]}, "requestedAttributes": {"TOXICITY": {}}}
        answer = httpx.post(f"{address}/v1alpha1/comments:analyze", json=asked).json()
    score = answer["attributeScores"]["TOXICITY"]["summaryScore"]["value"]
    _, *lines = (tmp_path / "comparison.csv").read_text().splitlines()
    rows = [[float(value) for value in line.split(",")] for line in lines]
    assert [row[0] for row in rows] == [1, 2, 4]
    assert all(first == second for _, first, second in rows)
    assert rows[0][1] == pytest.approx(score, abs=1e-5)
    page = (tmp_path / "comparison.html").read_text()
    assert page.count("<circle") == 3
    assert "idiot" not in page
    assert "1 were not scored" in result.stdout
    # A service flags as many as itself with its own lowest flagged score.
    limits = {
        one["there"]: one for one in json.loads((tmp_path / "limits.json").read_text())["limits"]
    }
    assert set(limits) == {0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95}
    flagged = sorted(first for _, first, _ in rows if first >= 0.55)
    assert limits[0.55]["flagged"] == len(flagged)
    assert limits[0.55]["here"] == pytest.approx(flagged[0], abs=1e-5)
    assert limits[0.55]["agreement"] == 1
    assert f"0.55 there flags as many as {flagged[0]:.3f} here" in result.stdout


def test_where_nothing_is_flagged_no_limit_is_proposed() -> None:
    [none, some] = propose([(0.1, 0.2), (0.6, 0.4)], (0.9, 0.5))
    assert (none.flagged, none.here) == (0, None)
    assert (some.flagged, some.here, some.agreement) == (1, 0.4, 1)


@pytest.mark.slow
def test_a_service_that_is_not_there_is_named_in_one_line(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text(json.dumps({"text": "hello"}))
    address = "http://127.0.0.1:1/nowhere"
    result = run("compare", str(texts), "--perspective", address, "--output", str(tmp_path))
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert address in line
