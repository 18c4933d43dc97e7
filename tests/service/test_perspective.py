"""Perspective's API, with the clients that its users have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import httpx
import pytest
from googleapiclient import discovery
from googleapiclient.errors import HttpError
from perspective import PerspectiveAPI

from tests.service.conftest import serving
from toxic_bot.service.perspective.attributes import ATTRIBUTES

INSULT = "You are a pathetic idiot and everybody here hates you."
THANKS = "Thanks, that was a great help!"
ANALYZE = "/v1alpha1/comments:analyze"


@pytest.fixture
def google(address: str) -> Any:
    """Google's client, built as Perspective's guide says; only the address is another."""
    return discovery.build(
        "commentanalyzer",
        "v1alpha1",
        developerKey="any key",
        discoveryServiceUrl=f"{address}/$discovery/rest?version=v1alpha1",
        static_discovery=False,
    )


@pytest.fixture
def perspective(address: str) -> Any:
    """The client of PyPI's package `perspective`; only the address is another."""
    client = PerspectiveAPI("any key")
    client.api_client.url = f"{address}/v1alpha1/{{endpoint}}"
    return client


def comment(text: str, **fields: Any) -> dict[str, Any]:
    return {"comment": {"text": text}, "requestedAttributes": {"TOXICITY": {}}} | fields


def score(response: dict[str, Any], attribute: str = "TOXICITY") -> float:
    value: float = response["attributeScores"][attribute]["summaryScore"]["value"]
    return value


@pytest.mark.slow
def test_googles_client_gets_every_attribute(google: Any) -> None:
    body = comment(INSULT, requestedAttributes={name: {} for name in ATTRIBUTES})
    response = google.comments().analyze(body=body).execute()
    assert set(response["attributeScores"]) == set(ATTRIBUTES)
    for attribute in ATTRIBUTES:
        summary = response["attributeScores"][attribute]["summaryScore"]
        assert summary["type"] == "PROBABILITY"
        assert 0 <= summary["value"] <= score(response)
    fine = google.comments().analyze(body=comment(THANKS)).execute()
    assert score(fine) < 0.5 <= score(response)


def test_googles_client_suggests_a_score(google: Any) -> None:
    body = {
        "comment": {"text": THANKS},
        "attributeScores": {"TOXICITY": {"summaryScore": {"value": 0}}},
        "clientToken": "comment-1",
    }
    response = google.comments().suggestscore(body=body).execute()
    assert response == {"clientToken": "comment-1"}


def test_googles_client_sees_googles_errors(google: Any) -> None:
    with pytest.raises(HttpError) as raised:
        google.comments().analyze(body=comment("")).execute()
    assert raised.value.resp.status == 400
    assert raised.value.reason == "Comment must be non-empty."
    assert raised.value.error_details[0]["errorType"] == "COMMENT_EMPTY"


def test_pypis_client_scores_and_suggests(perspective: Any) -> None:
    scores = perspective.score(INSULT, tests=["TOXICITY", "SEVERE_TOXICITY", "INSULT"])
    assert set(scores) == {"TOXICITY", "SEVERE_TOXICITY", "INSULT"}
    assert scores["SEVERE_TOXICITY"] < scores["TOXICITY"]
    response = perspective.analyze_comment(
        INSULT,
        comment_type="PLAIN_TEXT",
        context=[{"text": "A comment before", "type": "PLAIN_TEXT"}],
        span_annotations=True,
        languages=["en"],
        do_not_store=True,
        client_token="token",
        session_id="session",
        community_id="community",
    )
    assert response["clientToken"] == "token"
    suggested = perspective.suggest_score(
        INSULT, {"TOXICITY": {"summaryScore": {"value": 1.0}}}, client_token="token"
    )
    assert suggested == {"clientToken": "token"}


def test_pypis_client_sees_the_error(perspective: Any) -> None:
    with pytest.raises(HTTPError) as raised:
        perspective.score("x" * 20_481)
    assert json.loads(raised.value.read())["error"]["message"] == "Comment text too long."


def test_spans_are_those_of_the_sentences(client: httpx.Client) -> None:
    text = f"{THANKS}  {INSULT}\nSee you tomorrow"
    asked = comment(text, spanAnnotations=True)
    spans = client.post(ANALYZE, json=asked).json()["attributeScores"]["TOXICITY"]["spanScores"]
    assert [text[span["begin"] : span["end"]] for span in spans] == [
        THANKS,
        INSULT,
        "See you tomorrow",
    ]
    assert max(spans, key=lambda span: span["score"]["value"]) == spans[1]


def test_without_annotations_the_span_is_the_whole_comment(client: httpx.Client) -> None:
    scores = client.post(ANALYZE, json=comment(INSULT)).json()["attributeScores"]["TOXICITY"]
    [span] = scores["spanScores"]
    assert (span["begin"], span["end"]) == (0, len(INSULT))
    assert span["score"] == scores["summaryScore"]


def test_scores_below_the_threshold_are_left_out(client: httpx.Client) -> None:
    asked = comment(THANKS, requestedAttributes={"TOXICITY": {"scoreThreshold": 0.5}, "INSULT": {}})
    assert set(client.post(ANALYZE, json=asked).json()["attributeScores"]) == {"INSULT"}
    asked["comment"]["text"] = INSULT
    assert "TOXICITY" in client.post(ANALYZE, json=asked).json()["attributeScores"]


def test_fields_may_be_in_snake_case_and_null_as_in_googles_json(client: httpx.Client) -> None:
    asked = {
        "comment": {"text": THANKS, "type": None},
        "requested_attributes": {"TOXICITY": {"score_threshold": None}},
        "client_token": "token",
        "languages": None,
    }
    response = client.post(ANALYZE, json=asked)
    assert response.json()["clientToken"] == "token"
    assert response.json()["languages"] == ["en"]


@pytest.mark.parametrize(
    ("asked", "error_type", "message"),
    [
        (comment(" \n"), "COMMENT_EMPTY", "Comment must be non-empty."),
        (comment("é" * 10_241), "COMMENT_TOO_LONG", "Comment text too long."),
        (
            comment("a", requestedAttributes={}),
            "NO_REQUESTED_ATTRIBUTES",
            "Missing requested_attributes",
        ),
        (
            comment("a", requestedAttributes={"SPAM": {}}),
            "INVALID_REQUEST",
            "Unknown requested attribute: SPAM",
        ),
        (
            comment("a", languages=["pl", "ja"]),
            "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE",
            "Attribute TOXICITY does not support request languages: pl, ja",
        ),
        (comment("Привет, как дела?"), "LANGUAGE_DETECTION_FAILED", "Unable to detect language"),
        (
            comment("a", requestedAttributes={"TOXICITY": {"scoreType": "PERCENTILE"}}),
            "INVALID_REQUEST",
            "score type",
        ),
        (
            comment("a") | {"comment": {"text": "a", "type": "HTML"}},
            "INVALID_REQUEST",
            "only 'PLAIN_TEXT' comments are supported",
        ),
        (comment("a", langages=["en"]), "INVALID_REQUEST", "langages"),
    ],
)
def test_errors_have_googles_shape(
    client: httpx.Client, asked: dict[str, Any], error_type: str, message: str
) -> None:
    response = client.post(ANALYZE, json=asked)
    assert response.status_code == 400
    error = response.json()["error"]
    assert (error["code"], error["status"]) == (400, "INVALID_ARGUMENT")
    assert message in error["message"]
    [detail] = error["details"]
    assert detail["@type"] == "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
    assert detail["errorType"] == error_type


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Du bist ein kompletter Vollidiot, und keiner mag dich", "de"),
        ("Eres un idiota y nadie te quiere aquí", "es"),
        ("Vous êtes un incapable et tout le monde le sait", "fr"),
        ("sei un coglione e lo sanno tutti qui dentro", "it"),
        ("você é um lixo e ninguém te aguenta mais", "pt"),
    ],
)
def test_a_comment_is_scored_in_its_own_language(
    client: httpx.Client, text: str, language: str
) -> None:
    answer = client.post(ANALYZE, json=comment(text, languages=[language])).json()
    assert score(answer) >= 0.5
    assert answer["detectedLanguages"] == [language]


def test_attributes_of_a_language_that_is_not_supported_can_be_dropped(
    client: httpx.Client,
) -> None:
    asked = comment("Danke", languages=["pl"], dropUnsupportedAttributes=True)
    response = client.post(ANALYZE, json=asked)
    assert response.status_code == 200
    assert response.json()["attributeScores"] == {}


def test_what_is_unknown_keeps_nobody_from_the_rest_and_is_named_in_a_header(
    client: httpx.Client,
) -> None:
    requested: dict[str, Any] = {"TOXICITY": {}, "SPAM": {}, "zebra\n": {}}
    response = client.post(ANALYZE, json=comment(THANKS, requestedAttributes=requested))
    assert response.status_code == 200
    assert set(response.json()["attributeScores"]) == {"TOXICITY"}
    assert response.headers["X-Unknown-Attributes"] == "SPAM, zebra?"
    response = client.post(ANALYZE, json=comment(INSULT, languages=["pl", "en"]))
    assert score(response.json()) > 0.5
    assert response.headers["X-Unsupported-Languages"] == "pl"
    assert "X-Unknown-Attributes" not in response.headers
    suggestion = {"comment": {"text": THANKS}, "attributeScores": {"SPAM": {}}}
    assert client.post("/v1alpha1/comments:suggestscore", json=suggestion).status_code == 200


@pytest.mark.slow
def test_with_strict_what_is_unknown_is_an_error_as_it_was_there(model_folder: Path) -> None:
    with (
        serving("--strict", "--model", str(model_folder)) as (address, _),
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        requested: dict[str, Any] = {"TOXICITY": {}, "SPAM": {}}
        refused = client.post(ANALYZE, json=comment(THANKS, requestedAttributes=requested))
        assert refused.json()["error"]["message"] == "Unknown requested attribute: SPAM"
        refused = client.post(ANALYZE, json=comment(THANKS, languages=["en", "pl"]))
        detail = refused.json()["error"]["details"][0]
        assert detail["errorType"] == "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"
        suggestion = {"comment": {"text": THANKS}, "attributeScores": {"SPAM": {}}}
        assert client.post("/v1alpha1/comments:suggestscore", json=suggestion).status_code == 400


def test_english_may_have_a_region(client: httpx.Client) -> None:
    assert client.post(ANALYZE, json=comment(THANKS, languages=["en-GB"])).status_code == 200


def test_behind_a_proxy_the_discovery_document_has_the_proxys_address(client: httpx.Client) -> None:
    headers = {"Host": "judge.example", "X-Forwarded-Proto": "https"}
    document = client.get("/$discovery/rest?version=v1alpha1", headers=headers).json()
    assert document["rootUrl"] == "https://judge.example/"
