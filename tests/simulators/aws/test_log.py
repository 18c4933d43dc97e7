"""Reading a log to which several processes write."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators.aws.log import log_records

RECORDS = st.lists(
    st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text()), min_size=1),
    max_size=5,
)


@pytest.mark.slow
@given(RECORDS, st.lists(st.booleans(), min_size=5, max_size=5))
def test_records_are_read_whether_a_line_ended_between_them_or_not(
    records: list[dict[str, object]], apart: list[bool]
) -> None:
    text = "".join(
        json.dumps(record) + ("\n" if is_apart else "")
        for record, is_apart in zip(records, apart, strict=False)
    )
    assert list(log_records(text)) == records


def test_what_is_no_record_is_left_out() -> None:
    text = (
        'START RequestId: 1\n{"message": "cut off\n[1]\n\n{"message": "answered"} (rapid)\n"{}"\n'
    )
    assert list(log_records(text)) == [{"message": "answered"}]


@pytest.mark.slow
@given(RECORDS)
def test_records_are_found_behind_lines_that_others_have_begun(
    records: list[dict[str, object]],
) -> None:
    begun = ('  File "worker.py", line ', '{"level":"INFO","message":', "REPORT ", "")
    text = "".join(
        f"{begun[number % len(begun)]}{json.dumps(record)}\n"
        for number, record in enumerate(records)
    )
    assert list(log_records(text)) == records
