"""The fuzzers find nothing in what stands, and would see it if there were something."""

from __future__ import annotations

import json
import random

import pytest

from benchmarks.forms import forms
from benchmarks.fuzz import _is_answered_at_slack, fuzz, fuzz_text
from benchmarks.mutation import mutated_body
from toxic_bot.slack.requests.events import Dropped
from toxic_bot.slack.requests.interactions import parse_form
from toxic_bot.slack.settings import Subscription


@pytest.mark.long
@pytest.mark.slow
def test_mutated_requests_find_no_way_in_and_no_exception() -> None:
    # In processes of its own: the receiver reads the environment when it is imported.
    findings = fuzz(400, seed=3)["receiver"]
    assert [one for one in findings.failures if " ms: " not in one] == []
    assert set(findings.outcomes) == {"200", "400", "401"}


def test_odd_texts_raise_no_exception() -> None:
    findings = fuzz_text(100, seed=3)
    assert [one for one in findings.failures if " ms: " not in one] == []


def test_every_form_is_one_that_the_bot_answers() -> None:
    subscription = Subscription(frozenset({"biohazard_sign"}))
    for form in forms():
        gesture = parse_form(form, subscription, "1766000000", "https://slack.com/api/")
        assert not isinstance(gesture, Dropped)


def test_a_mutated_form_is_the_same_for_the_same_seed() -> None:
    first, second = (mutated_body(forms()[1], random.Random(5)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.test/",
        "https://hooks.slack.com.evil.test/",
        "https://hooks.slack.com@evil.test/",
        "http://hooks.slack.com/",
        "https://hooks.slack.com:8443/",
    ],
)
def test_an_answer_to_a_foreign_address_would_be_noticed(url: str) -> None:
    assert not _is_answered_at_slack(json.dumps({"response_url": url}))
    assert _is_answered_at_slack(json.dumps({"response_url": "https://hooks.slack.com/a/b"}))
