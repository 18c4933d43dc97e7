"""The service's own endpoint."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from toxic_bot.judge.normalization import read

INSULT = "You are a pathetic idiot and everybody here hates you."
THANKS = "Thanks, that was a great help!"
FIELDS = {
    "verdict", "score", "limit", "kinds", "probabilities", "windows", "legible", "language",
    "words", "reading",
}  # fmt: skip


def ask(client: httpx.Client, **body: Any) -> list[dict[str, Any]]:
    response = client.post("/v1/verdicts", json=body)
    assert response.status_code == 200, response.text
    verdicts: list[dict[str, Any]] = response.json()["verdicts"]
    return verdicts


def refusal(response: httpx.Response, status: int) -> str:
    assert response.status_code == status
    message: str = response.json()["error"]["message"]
    assert len(message.splitlines()) == 1
    return message


def test_texts_are_judged_in_their_order(client: httpx.Client) -> None:
    insult, thanks = ask(client, texts=[INSULT, THANKS])
    assert set(insult) == FIELDS
    assert insult["verdict"] == "toxic"
    assert insult["score"] >= insult["limit"] > thanks["score"]
    assert thanks["verdict"] == "fine"
    assert thanks["kinds"] == []
    assert insult["windows"] == 1
    assert insult["language"] == "en"
    assert ask(client, text=INSULT) == [insult]


def test_a_verdict_names_the_model_and_its_version(client: httpx.Client) -> None:
    model = client.post("/v1/verdicts", json={"text": THANKS}).json()["model"]
    assert model["name"]
    assert len(model["version"]) == 12


@pytest.mark.parametrize(
    ("text", "legible", "language"),
    [
        ("?!", True, None),
        ("", True, None),
        ("Привет, как дела?", False, "ru"),
        ("Możesz to sprawdzić przed lunchem, proszę?", False, "pl"),
    ],
)
def test_a_text_that_cannot_be_judged_is_not_called_fine_and_its_language_is_told(
    client: httpx.Client, text: str, legible: bool, language: str | None
) -> None:
    [verdict] = ask(client, text=text, explain=True)
    assert verdict["verdict"] == "not judged"
    assert verdict["legible"] is legible
    assert verdict["language"] == language
    assert verdict["words"] == []


def test_an_explanation_has_the_words_that_drove_the_score_and_the_text_as_read(
    client: httpx.Client,
) -> None:
    text = "Well, you are such an 1d10t, my friend"
    [verdict] = ask(client, text=text, explain=True)
    assert verdict["reading"] == read(text).text
    words = verdict["words"]
    assert words[0]["word"] == "1d10t"
    assert [word["effect"] for word in words] == sorted(
        (word["effect"] for word in words), reverse=True
    )
    for word in words:
        assert text[word["begin"] : word["end"]] == word["word"]


@pytest.mark.slow
def test_a_long_text_is_explained_by_the_words_of_one_sentence_and_a_very_long_one_not_at_all(
    client: httpx.Client,
) -> None:
    long = "It rained all day in the valley. " * 20 + INSULT
    [verdict] = ask(client, text=long, explain=True)
    words = [word["word"] for word in verdict["words"]]
    assert words
    assert all(word in INSULT for word in words)
    [verdict] = ask(client, text=long * 10, explain=True)
    assert verdict["words"] is None
    assert verdict["verdict"] == "toxic"


def test_half_of_a_surrogate_pair_is_judged_and_echoed(client: httpx.Client) -> None:
    body = rb'{"text": "you idiot\ud83d", "explain": true}'
    response = client.post(
        "/v1/verdicts", content=body, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 200
    assert response.json()["verdicts"][0]["words"][0]["word"] == "idiot\ud83d"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "give either text or texts"),
        ({"text": "a", "texts": ["b"]}, "give either text or texts"),
        ({"text": 5}, "text:"),
        ({"texts": []}, "texts:"),
        ({"texts": ["a"] * 129}, "texts:"),
        ({"texts": ["a", None]}, "texts.1:"),
        ({"text": "a", "explain": "yes"}, "explain:"),
        ({"texts": ["a"] * 9, "explain": True}, "at most 8 texts"),
        ({"text": "a", "langage": "en"}, "langage:"),
        ([], "the body is not a JSON object"),
        ("text", "Content-Type: application/json"),
    ],
)
def test_a_bad_field_names_itself_in_one_line(client: httpx.Client, body: Any, field: str) -> None:
    assert field in refusal(client.post("/v1/verdicts", json=body), 422)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'"' + b"[" * 100_000, b"[" * 100_000])
def test_what_is_not_json_is_refused(client: httpx.Client, body: bytes) -> None:
    response = client.post(
        "/v1/verdicts", content=body, headers={"Content-Type": "application/json"}
    )
    assert response.status_code in (400, 422)
    assert len(response.json()["error"]["message"].splitlines()) == 1


def test_a_body_over_a_megabyte_is_refused_with_or_without_its_length(client: httpx.Client) -> None:
    largest = b'{"text": "' + b"a" * (1_000_000 - 12) + b'"}'
    assert len(largest) == 1_000_000
    headers = {"Content-Type": "application/json"}
    response = client.post("/v1/verdicts", content=largest, headers=headers)
    assert response.status_code == 200
    assert "1,000,000" in refusal(client.post("/v1/verdicts", content=largest + b" "), 413)
    chunks = iter([largest, b" "])
    assert "1,000,000" in refusal(client.post("/v1/verdicts", content=chunks), 413)


def test_health_readiness_metrics_and_documentation_are_there(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok"}
    ask(client, text=THANKS)
    counts = client.get("/metrics")
    assert counts.headers["Content-Type"].startswith("text/plain; version=")
    assert 'toxic_bot_texts_total{verdict="fine"}' in counts.text
    assert 'toxic_bot_requests_total{endpoint="/v1/verdicts",status="200"}' in counts.text
    assert client.get("/docs").status_code == 200
    assert "/v1/verdicts" in client.get("/openapi.json").json()["paths"]
