"""Google's batches, with Google's client and by hand."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import Any

import httpx
import pytest
from googleapiclient import discovery
from googleapiclient.errors import HttpError
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.service.perspective import batch
from toxic_bot.service.perspective.batch import read_batch
from toxic_bot.service.request_errors import RequestError

INSULT = "You are a pathetic idiot and everybody here hates you."
THANKS = "Thanks, that was a great help!"
CALL = (
    b"Content-Type: application/http\r\nContent-ID: <one>\r\n\r\n"
    b"POST /v1alpha1/comments:analyze HTTP/1.1\r\nContent-Type: application/json\r\n\r\n"
    b'{"comment": {"text": "thanks"}, "requestedAttributes": {"TOXICITY": {}}}'
)


def google(address: str, key: str = "any key") -> Any:
    return discovery.build(
        "commentanalyzer",
        "v1alpha1",
        developerKey=key,
        discoveryServiceUrl=f"{address}/$discovery/rest?version=v1alpha1",
        static_discovery=False,
    )


def execute(client: Any, texts: list[str]) -> tuple[dict[str, Any], dict[str, HttpError]]:
    """Batch some texts, as HELM does: each is the ID of its call."""
    answers: dict[str, Any] = {}
    errors: dict[str, HttpError] = {}

    def answered(request_id: str, response: Any, error: HttpError | None) -> None:
        if error is None:
            answers[request_id] = response
        else:
            errors[request_id] = error

    batch = client.new_batch_http_request()
    for text in texts:
        body = {
            "comment": {"text": text},
            "requestedAttributes": {"TOXICITY": {}, "INSULT": {}},
            "languages": ["en"],
            "spanAnnotations": True,
        }
        request = client.comments().analyze(body=body)
        batch.add(request=request, request_id=text, callback=answered)
    batch.execute()
    return answers, errors


def batched(*parts: bytes, boundary: bytes = b"b", newline: bytes = b"\r\n") -> bytes:
    lines = [line for part in parts for line in (b"--" + boundary, part)]
    return newline.join([*lines, b"--" + boundary + b"--", b""])


def post(address: str, body: bytes, content_type: str = "multipart/mixed; boundary=b") -> Any:
    return httpx.post(f"{address}/batch", content=body, headers={"Content-Type": content_type})


@pytest.mark.slow
def test_googles_client_gets_an_answer_for_each_call(address: str) -> None:
    texts = [INSULT, THANKS, f"Grüße & 50 % +\n{THANKS} " + "so long an ID is folded " * 20]
    answers, errors = execute(google(address), texts)
    assert errors == {}
    scores = [answers[text]["attributeScores"]["TOXICITY"]["summaryScore"] for text in texts]
    assert scores[0]["value"] > 0.5 > scores[1]["value"]
    assert len(answers[texts[2]]["attributeScores"]["INSULT"]["spanScores"]) > 1


def test_a_call_that_fails_fails_alone(address: str) -> None:
    answers, errors = execute(google(address), [INSULT, " ", "Привет, как дела?"])
    assert set(answers) == {INSULT}
    assert errors[" "].status_code == 400
    assert errors[" "].reason == "Comment must be non-empty."


@pytest.mark.long
@pytest.mark.slow
def test_a_batch_may_be_as_large_as_googles_client_makes_it(address: str) -> None:
    texts = [f"thanks {number}" for number in range(1000)]
    answers, errors = execute(google(address), texts)
    # A slow machine does not judge all of them in time, and says so for each.
    assert len(answers) + len(errors) == 1000
    assert {error.status_code for error in errors.values()} <= {503}
    assert len(answers) > 16


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_either_end_of_a_line_will_do(address: str, newline: bytes) -> None:
    response = post(address, batched(CALL.replace(b"\r\n", newline), newline=newline))
    assert response.status_code == 200
    assert "Content-ID: <response-one>\r\n" in response.text
    assert "HTTP/1.1 200 OK\r\n" in response.text
    assert '"attributeScores"' in response.text


@pytest.mark.parametrize(
    ("body", "content_type", "message"),
    [
        (batched(CALL), "application/json", "multipart/mixed"),
        (batched(CALL), "multipart/mixed", "boundary"),
        (batched(), "multipart/mixed; boundary=b", "1 to 1,000 calls"),
        (batched(*[CALL] * 1001), "multipart/mixed; boundary=b", "1 to 1,000 calls"),
        (batched(CALL, b"\r\n\r\nhello"), "multipart/mixed; boundary=b", "call 2"),
        (batched(CALL.replace(b"/v1alpha1/comments:analyze", b"/batch")),
         "multipart/mixed; boundary=b", "comments:analyze"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_what_is_no_batch_is_refused_in_googles_shape(
    address: str, body: bytes, content_type: str, message: str
) -> None:
    response = post(address, body, content_type)
    assert response.status_code == 400
    assert response.json()["error"]["status"] == "INVALID_ARGUMENT"
    assert message in response.json()["error"]["message"]


@given(st.binary(max_size=300), st.sampled_from([b"", b"--b\r\n", b"--b\n\n\nPOST / HTTP/1.1\n"]))
def test_whatever_is_sent_is_a_batch_or_an_error(content: bytes, beginning: bytes) -> None:
    with suppress(RequestError):
        assert read_batch("multipart/mixed; boundary=b", beginning + content)


PIECES = [b"--b", b"--", b"b", b"\r\n", b"\n", b"\r", b" ", b"\t", b"x", b"--b\r\n", b"\r\n--b--"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
def test_a_batch_is_divided_as_its_standard_says(content: bytes) -> None:
    divided = re.split(rb"(?:^|\r?\n)--b(?=--|[ \t]*\r?\n)", content)[1:]
    expected = [part for part in divided if not part.startswith(b"--")]
    assert batch._parts(content, b"\n--b") == expected


def test_headers_of_a_call_are_read_unfolded_and_have_a_limit() -> None:
    call = CALL.replace(b"<one>", b"<one\r\n two>")
    type_ = "multipart/mixed; boundary=b"
    [one] = read_batch(type_, batched(call))
    assert (one.id, one.headers) == ("<one two>", ((b"content-type", b"application/json"),))
    for line in (b"Content-ID: <one>", b"Content-Type: application/json"):
        many = CALL.replace(line, line + b"\r\nX: y" * 90_000)
        with pytest.raises(RequestError, match="too many headers"):
            read_batch(type_, batched(many))


@pytest.mark.slow
def test_each_call_counts_toward_its_keys_rate_and_without_a_key_there_is_none(
    locked: str, key: str
) -> None:
    with pytest.raises(HttpError) as refused:
        execute(google(locked, "wrong"), [THANKS])
    assert refused.value.status_code == 400
    assert "key" in refused.value.reason
    started = time.monotonic()
    answers, errors = execute(google(locked, key), [f"thanks {number}" for number in range(100)])
    refilled = (time.monotonic() - started) * 130 / 60
    # With one span, each call is two texts.
    assert 60 <= len(answers) <= (130 + refilled) / 2 + 1
    assert {error.status_code for error in errors.values()} == {429}
