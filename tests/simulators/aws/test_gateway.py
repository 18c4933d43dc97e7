"""API Gateway: requests become events, and results become responses."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.testclient import TestClient

from simulators.aws.gateway import MAX_REQUEST_BYTES, PATH, Access, Bucket, gateway
from simulators.aws.runtime import InvocationError

QUEUED = {"statusCode": 200, "headers": {"content-type": "text/plain"}, "body": "queued"}


@dataclass
class Recorder:
    """Records the events and returns a given result or raises a given error."""

    result: Any = field(default_factory=lambda: QUEUED)
    error: InvocationError | None = None
    events: list[dict[str, Any]] = field(default_factory=list)

    def invoke(self, event: dict[str, Any]) -> Any:
        self.events.append(event)
        if self.error:
            raise self.error
        return self.result


@pytest.fixture
def function() -> Recorder:
    return Recorder()


@pytest.fixture
def client(function: Recorder) -> TestClient:
    return TestClient(gateway(function), base_url="http://api.example.com")


def test_a_request_becomes_an_event_of_payload_format_version_2(
    client: TestClient, function: Recorder
) -> None:
    response = client.post(PATH, json={"a": "é"}, headers={"X-Slack-Signature": "v0=1"})
    assert (response.status_code, response.text) == (200, "queued")
    [event] = function.events
    assert event["version"] == "2.0"
    assert event["rawPath"] == PATH
    assert event["requestContext"]["http"]["method"] == "POST"
    assert event["headers"]["x-slack-signature"] == "v0=1"
    assert event["headers"]["host"] == "api.example.com"
    assert all(name == name.lower() for name in event["headers"])
    assert event["isBase64Encoded"] is False
    assert event["body"] == '{"a":"é"}'


def test_a_body_that_is_not_text_is_base64_encoded(client: TestClient, function: Recorder) -> None:
    client.post(PATH, content=b"\xff\x00", headers={"Content-Type": "application/octet-stream"})
    client.post(PATH, content=b"\xff\x00", headers={"Content-Type": "application/json"})
    for event in function.events:
        assert event["isBase64Encoded"] is True
        assert base64.b64decode(event["body"]) == b"\xff\x00"


def test_duplicate_headers_are_joined_with_commas(client: TestClient, function: Recorder) -> None:
    client.post(PATH, headers=[("X-One", "a"), ("X-One", "b")])
    assert function.events[0]["headers"]["x-one"] == "a,b"


def test_a_failed_invocation_returns_500(client: TestClient, function: Recorder) -> None:
    function.error = InvocationError("Runtime.ExitError", "exit status 1")
    response = client.post(PATH, json={})
    assert (response.status_code, response.json()) == (500, {"message": "Internal Server Error"})


def test_a_request_over_ten_megabytes_never_reaches_the_function(
    client: TestClient, function: Recorder
) -> None:
    response = client.post(PATH, content=b"a" * (MAX_REQUEST_BYTES + 1))
    assert response.status_code == 413
    assert function.events == []


@pytest.mark.parametrize(("method", "path"), [("GET", PATH), ("POST", "/other")])
def test_other_routes_return_404(client: TestClient, method: str, path: str) -> None:
    response = client.request(method, path)
    assert (response.status_code, response.json()) == (404, {"message": "Not Found"})


def test_a_result_may_have_a_base64_body_or_be_a_plain_value(
    client: TestClient, function: Recorder
) -> None:
    encoded = base64.b64encode(b"\xff").decode()
    function.result = {"statusCode": 201, "body": encoded, "isBase64Encoded": True}
    response = client.post(PATH)
    assert (response.status_code, response.content) == (201, b"\xff")
    function.result = {"hello": "there"}
    assert client.post(PATH).json() == {"hello": "there"}


def test_a_bucket_fills_at_its_rate_up_to_a_burst() -> None:
    now = [0.0]
    bucket = Bucket(2, lambda: now[0])
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    now[0] = 0.5
    assert [bucket.take() for _ in range(2)] == [True, False]
    now[0] = 60
    assert [bucket.take() for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(("rate", "status", "invoked"), [(100, 200, 1), (0, 429, 0)])
def test_a_request_over_the_rate_gets_a_429_and_every_request_is_logged(
    function: Recorder, rate: float, status: int, invoked: int
) -> None:
    log: list[Access] = []
    client = TestClient(gateway(function, log=log.append, requests_per_second=rate))
    assert client.post(PATH, json={}).status_code == status
    assert [one.status for one in log] == [status]
    assert len(function.events) == invoked
