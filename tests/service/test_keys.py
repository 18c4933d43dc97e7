"""Who may use the service, and how much."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx
import openai
import pytest
from googleapiclient import discovery

from tests.service.conftest import serving
from toxic_bot.service import ServiceError
from toxic_bot.service.keys import hash_key, new_key, read_keys
from toxic_bot.service.quota import Bucket
from toxic_bot.service.request_errors import RequestError


@pytest.mark.slow
def test_googles_and_openais_clients_send_their_keys(locked: str, key: str) -> None:
    client = discovery.build(
        "commentanalyzer",
        "v1alpha1",
        developerKey=key,
        discoveryServiceUrl=f"{locked}/$discovery/rest?version=v1alpha1",
        static_discovery=False,
    )
    body = {"comment": {"text": "thanks"}, "requestedAttributes": {"TOXICITY": {}}}
    assert client.comments().analyze(body=body).execute()["attributeScores"]
    assert openai.OpenAI(api_key=key, base_url=f"{locked}/v1").moderations.create(input="thanks")


def test_a_wrong_key_is_refused_in_the_shape_of_the_api(locked: str) -> None:
    with pytest.raises(openai.AuthenticationError):
        openai.OpenAI(api_key="wrong", base_url=f"{locked}/v1").moderations.create(input="thanks")
    url = f"{locked}/v1alpha1/comments:analyze"
    refused = httpx.post(url, params={"key": "wrong"}, json={})
    assert (refused.status_code, refused.json()["error"]["status"]) == (400, "INVALID_ARGUMENT")
    missing = httpx.post(url, json={})
    assert (missing.status_code, missing.json()["error"]["status"]) == (403, "PERMISSION_DENIED")
    own = httpx.post(f"{locked}/v1/verdicts", json={"text": "thanks"})
    assert own.status_code == 401
    assert own.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "path", ["/v1/verdicts", "/v1/moderations", "/v1alpha1/comments:analyze?key=wrong"]
)
def test_a_strangers_body_is_not_even_read(locked: str, path: str) -> None:
    url = httpx.URL(locked)
    head = f"POST {path} HTTP/1.1\r\nHost: service\r\nContent-Length: 900000\r\n\r\n"
    with socket.create_connection((url.host, url.port or 0), 60) as connection:
        connection.sendall(head.encode())
        status = connection.recv(65536).split()[1]
    assert status == (b"400" if "wrong" in path else b"401")


def test_beyond_its_rate_a_key_gets_429_and_when_to_try_again(locked: str, key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    body = {"texts": ["thanks"] * 128}
    statuses = []
    for _ in range(3):
        response = httpx.post(f"{locked}/v1/verdicts", json=body, headers=headers, timeout=30)
        statuses.append(response.status_code)
    assert statuses[-1] == 429
    assert 1 <= int(response.headers["Retry-After"]) <= 60
    assert "130 texts a minute" in response.json()["error"]["message"]


def test_a_bucket_refills_steadily_and_holds_a_minutes_worth() -> None:
    now = 0.0
    bucket = Bucket(60, clock=lambda: now)
    bucket.take(60)
    with pytest.raises(RequestError) as refused:
        bucket.take(10)
    assert refused.value.retry_after == 10
    now = 10.0
    bucket.take(10)
    now = 1_000.0
    bucket.take(60)
    with pytest.raises(RequestError):
        bucket.take(1)


def test_a_full_bucket_lends_what_it_does_not_hold_and_then_refills_from_below() -> None:
    now = 0.0
    bucket = Bucket(600, clock=lambda: now)
    bucket.take(1_200)
    now = 60.0
    with pytest.raises(RequestError) as refused:
        bucket.take(1)
    assert refused.value.retry_after == 1
    now = 61.0
    bucket.take(10)


@pytest.mark.long
@pytest.mark.slow
def test_a_long_text_counts_as_several_toward_the_rate(
    key: str, model_folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "keys.txt"
    file.write_text(f"forum sha256:{hash_key(key)} 130\n")
    headers = {"Authorization": f"Bearer {key}"}
    with (
        serving("--model", str(model_folder), "--keys", str(file)) as (address, _),
        httpx.Client(base_url=address, headers=headers, timeout=60) as client,
    ):
        long = "one more sentence about the weather " * 200
        # Judged slowly, it leaves the bucket time to refill, but not for as much again.
        statuses = [
            client.post("/v1/verdicts", json={"texts": [long] * 9}).status_code for _ in range(2)
        ]
        assert statuses == [200, 429]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "has no key"),
        ("forum sha256:abc", "line 1"),
        ("# a comment\nforum tb-secret", "line 2"),
        (f"forum sha256:{'0' * 64} 5", "at least 128"),
    ],
)
def test_a_bad_file_of_keys_is_explained_in_one_line_that_quotes_none(
    tmp_path: Path, content: str, reason: str
) -> None:
    file = tmp_path / "keys.txt"
    file.write_text(content)
    with pytest.raises(ServiceError, match=reason) as raised:
        read_keys(file)
    assert len(str(raised.value).splitlines()) == 1
    assert "tb-secret" not in str(raised.value)


@pytest.mark.parametrize("name", ["", "two words", "a#b", "a\nb", "x" * 65])
def test_a_name_that_cannot_stand_in_the_file_is_refused(name: str) -> None:
    with pytest.raises(ServiceError, match="name"):
        new_key(name)


def test_a_key_is_stored_as_its_hash_only() -> None:
    key, line = new_key("forum")
    assert key not in line
    assert line == f"forum sha256:{hash_key(key)}"
    assert new_key("forum")[0] != key
