"""Whatever is sent is answered as the OpenAPI document says, and never with a 5xx."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

pytestmark = pytest.mark.slow

EXAMPLES = 40
"""Requests for each endpoint."""

ENDPOINTS = [
    ("POST", "/v1/verdicts"),
    ("POST", "/v1/moderations"),
    ("POST", "/v1alpha1/comments:analyze"),
    ("POST", "/v1alpha1/comments:suggestscore"),
    ("GET", "/$discovery/rest"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
]


@pytest.fixture(scope="module")
def document(address: str) -> Any:
    """The OpenAPI document of a served process."""
    # Slow to import, and every process collects this file.
    import schemathesis

    return schemathesis.openapi.from_url(f"{address}/openapi.json")


def check_endpoint(document: Any, method: str, path: str, mode: str) -> None:
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    kept = [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    ]

    @settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(HealthCheck))
    @given(case=document[path][method].as_strategy(generation_mode=GenerationMode(mode)))
    def check(case: Any) -> None:
        case.call_and_validate(checks=kept)

    check()


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_what_the_description_allows_is_answered_as_it_says(
    document: Any, method: str, path: str
) -> None:
    check_endpoint(document, method, path, "positive")


@pytest.mark.parametrize("path", [path for method, path in ENDPOINTS if method == "POST"])
def test_what_the_description_does_not_allow_is_refused_as_it_says(
    document: Any, path: str
) -> None:
    check_endpoint(document, "POST", path, "negative")


def test_every_endpoint_is_described_and_tested(document: Any) -> None:
    described = {(one.ok().method.upper(), one.ok().path) for one in document.get_all_operations()}
    assert described == set(ENDPOINTS)
