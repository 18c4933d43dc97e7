"""The requests of products that asked Perspective or OpenAI, and what each of them reads.

Each is built as the product builds it: path, query, headers and body. Where its address is written
into its code, docs/products.md has the line to change.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

import httpx
import pytest

from simulators import ROOT
from tests.service.test_batch import google

INSULT = "You are a pathetic idiot and everybody here hates you."
THANKS = "Thanks, that was a great help!"
RUSSIAN = "Ты жалкий идиот, и все тебя ненавидят"
JSON = {"Content-Type": "application/json"}


def attribute(response: httpx.Response, name: str = "TOXICITY") -> float:
    value: float = response.json()["attributeScores"][name]["summaryScore"]["value"]
    return value


def coral(address: str, text: str, language: str = "en") -> httpx.Response:
    """Coral 9: its own setting for the endpoint, to which it appends the method and the key."""
    body = {
        "comment": {"text": text},
        "doNotStore": True,
        "requestedAttributes": {"TOXICITY": {}},
        "languages": [language],
    }
    url = f"{address}/v1alpha1/comments:analyze?key=any-key"
    return httpx.post(url, content=json.dumps(body), headers=JSON, timeout=30)


def test_coral_analyzes_and_reports_what_its_moderators_decide(address: str) -> None:
    assert attribute(coral(address, INSULT)) > 0.5 > attribute(coral(address, THANKS))
    body = {
        "comment": {"text": INSULT},
        "context": {"entries": [{"text": json.dumps({"url": "https://news.example/story"})}]},
        "attributeScores": {"TOXICITY": {"summaryScore": {"value": 1}}},
        "languages": ["en"],
        "communityId": "Coral:https://news.example",
        "clientToken": "comment:5d3c",
    }
    url = f"{address}/v1alpha1/comments:suggestscore?key=any-key"
    response = httpx.post(url, content=json.dumps(body), headers=JSON)
    assert response.status_code == 200
    assert response.json()["clientToken"] == "comment:5d3c"


def test_a_comment_in_a_language_that_the_service_does_not_read_is_told_to_coral(
    address: str,
) -> None:
    # It then lets the comment pass, and logs that it could not tell.
    response = coral(address, RUSSIAN)
    assert response.status_code == 400
    [detail] = response.json()["error"]["details"]
    assert detail["errorType"] == "LANGUAGE_DETECTION_FAILED"


def test_coral_moderates_in_the_languages_that_the_service_reads(address: str) -> None:
    # It says "en" for Italian, which it does not know.
    for text, language in (
        ("Eres un idiota y nadie te quiere", "es"),
        ("sei un coglione e lo sanno tutti", "en"),
    ):
        response = coral(address, text, language)
        assert response.status_code == 200
        toxicity = response.json()["attributeScores"]["TOXICITY"]["summaryScore"]["value"]
        assert toxicity >= 0.5


@pytest.mark.parametrize("model", ["TOXICITY", "SEVERE_TOXICITY"])
def test_discourses_plugin_scores_a_post(address: str, model: str) -> None:
    body = {
        "comment": {"text": INSULT},
        "doNotStore": True,
        "sessionId": "https://forum.example_42",
        "requestedAttributes": {model: {"scoreType": "PROBABILITY"}},
    }
    headers = {**JSON, "Accept": "*/*", "User-Agent": "Discourse/3.5.0"}
    with httpx.Client(base_url=address) as client:
        response = client.post(
            "/v1alpha1/comments:analyze", params={"key": "any key"}, json=body, headers=headers
        )
    assert 0 < attribute(response, model) <= 1


def test_helms_client_scores_a_batch_with_its_own_attributes(address: str) -> None:
    attributes = (
        *("TOXICITY", "SEVERE_TOXICITY", "IDENTITY_ATTACK", "INSULT", "PROFANITY", "THREAT"),
        *("SEXUALLY_EXPLICIT", "FLIRTATION"),
    )
    client = google(address)
    batch = client.new_batch_http_request()
    answers: dict[str, Any] = {}

    def answered(request_id: str, response: Any, error: Exception | None) -> None:
        if error:
            raise error
        answers[request_id] = response

    for text in {INSULT, THANKS, f"{THANKS} {INSULT}"}:
        body = {
            "comment": {"text": text},
            "requestedAttributes": {name: {} for name in attributes},
            "languages": ["en"],
            "spanAnnotations": True,
        }
        request = client.comments().analyze(body=body)
        batch.add(request=request, request_id=text, callback=answered)
    batch.execute()
    for answer in answers.values():
        assert set(answer["attributeScores"]) == set(attributes) - {"FLIRTATION"}
    assert answers[INSULT]["attributeScores"]["TOXICITY"]["summaryScore"]["value"] > 0.5


def test_lm_evaluation_harness_counts_the_toxic_continuations(address: str) -> None:
    def counts(text: str) -> bool:
        body = {
            "comment": {"text": text},
            "languages": ["en"],
            "requestedAttributes": {"TOXICITY": {}},
        }
        url = f"{address}/v1alpha1/comments:analyze"
        return attribute(httpx.post(url, params={"key": "any key"}, json=body)) >= 0.5

    assert [counts(INSULT), counts(THANKS)] == [True, False]


@pytest.mark.parametrize("languages", ["en", ["en"], None])
def test_r_and_n8n_send_a_language_that_is_no_list_and_n8n_a_score_type_in_small_letters(
    address: str, languages: Any
) -> None:
    parameters = {"scoreType": "probability", "scoreThreshold": 0}
    body = {
        "comment": {"type": "PLAIN_TEXT", "text": INSULT},
        "requestedAttributes": {"TOXICITY": parameters, "FLIRTATION": parameters},
    } | ({"languages": languages} if languages else {})
    headers = {"Accept": "application/json", "Authorization": "Bearer token-of-googles"}
    response = httpx.post(f"{address}/v1alpha1/comments:analyze", json=body, headers=headers)
    assert response.status_code == 200, response.text
    assert response.json()["languages"] == ["en"]
    [span] = response.json()["attributeScores"]["TOXICITY"]["spanScores"]
    assert span["score"]["value"] == attribute(response) > 0.5


def test_harassment_manager_sends_snake_case(address: str) -> None:
    body = {
        "comment": {"text": INSULT},
        "requested_attributes": {
            name: {"score_type": "PROBABILITY"}
            for name in ("TOXICITY", "SEVERE_TOXICITY", "INSULT", "PROFANITY", "THREAT")
        },
        "do_not_store": True,
        "session_id": "harassment-manager-user",
    }
    response = google(address).comments().analyze(body=body).execute()
    assert response["attributeScores"]["INSULT"]["summaryScore"]["value"] > 0.5


def una(address: str, text: str) -> httpx.Response:
    """UNA 14: empty lists in PHP become objects, and there is no language."""
    body = {"comment": {"text": text}, "doNotStore": True, "requestedAttributes": {"TOXICITY": {}}}
    headers = {**JSON, "Accept": "*/*", "User-Agent": "UNA 14.0.0"}
    url = f"{address}/v1alpha1/comments:analyze?key=any-key"
    return httpx.post(url, content=json.dumps(body), headers=headers, timeout=30)


def test_una_compares_the_score_with_its_threshold_in_percent(address: str) -> None:
    def toxic(text: str, threshold: int = 60) -> bool:
        scores = una(address, text).json().get("attributeScores", {})
        value: float | None = scores.get("TOXICITY", {}).get("summaryScore", {}).get("value")
        # Whatever has no score counts as not toxic.
        return value is not None and value >= threshold / 100

    assert [toxic(INSULT), toxic(THANKS), toxic(RUSSIAN)] == [True, False, False]


def test_una_is_answered_by_a_proxy_under_perspectives_name(address: str) -> None:
    headers = {"Host": "commentanalyzer.googleapis.com", "X-Forwarded-Proto": "https"}
    body = {
        "comment": {"text": INSULT},
        "doNotStore": True,
        "requestedAttributes": {"TOXICITY": {}},
    }
    url = f"{address}/v1alpha1/comments:analyze?key=any-key"
    assert attribute(httpx.post(url, json=body, headers={**JSON, **headers})) >= 0.6


def moderate(address: str, body: Any, **headers: str) -> Any:
    sent = {**JSON, "Authorization": "Bearer any-key", **headers}
    response = httpx.post(f"{address}/v1/moderations", json=body, headers=sent)
    assert response.status_code == 200, response.text
    return response.json()["results"]


def test_librechat_denies_what_is_flagged(address: str) -> None:
    def denied(text: Any) -> bool:
        return any(result["flagged"] for result in moderate(address, {"input": text}))

    assert [denied(INSULT), denied(THANKS), denied("")] == [True, False, False]
    assert denied([THANKS, INSULT])


@pytest.mark.parametrize("model", ["omni-moderation-latest", "text-moderation-latest"])
def test_promptfoo_reads_the_flagged_categories_and_their_scores(address: str, model: str) -> None:
    part = [{"type": "text", "text": INSULT}] if "omni" in model else INSULT
    body = {"model": model, "input": part}
    headers = {"OpenAI-Organization": "org-1"}
    [result] = moderate(address, body, **headers)
    flags = [name for name, flagged in result["categories"].items() if flagged]
    assert "harassment" in flags
    assert all(0 < result["category_scores"][name] <= 1 for name in flags)


def test_coop_reads_one_score_by_its_category_and_harassment_is_none_of_them(address: str) -> None:
    body = {"model": "omni-moderation-latest", "input": [{"type": "text", "text": INSULT}]}
    [result] = moderate(address, body)
    read = (
        *("hate", "hate/threatening", "self-harm", "self-harm/intent", "self-harm/instructions"),
        *("sexual", "sexual/minors", "violence", "violence/graphic"),
    )
    assert all(isinstance(result["category_scores"][name], float) for name in read)
    # Why docs/products.md has a signal of its own for Coop.
    assert result["category_scores"]["harassment"] > 0.5


def test_under_perspectives_own_name_a_proxy_needs_no_change_in_a_product(address: str) -> None:
    # What docs/products.md has the proxy send.
    headers = {"Host": "commentanalyzer.googleapis.com", "X-Forwarded-Proto": "https"}
    document = httpx.get(f"{address}/$discovery/rest?version=v1alpha1", headers=headers).json()
    assert document["rootUrl"] == "https://commentanalyzer.googleapis.com/"
    body = {"comment": {"text": INSULT}, "requestedAttributes": {"TOXICITY": {}}}
    url = f"{address}/v1alpha1/comments:analyze?key=any-key"
    assert attribute(httpx.post(url, json=body, headers=headers)) > 0.5


COOP = """
const [folder, address, ...texts] = process.argv.slice(1);
const { default: plugin } = await import(folder + "/index.js");
const signals = config => plugin.createSignals({
  integrationId: plugin.manifest.id, getCredential: async () => config});
const [{ signal }] = signals({ address: address + "/" });
const run = text => signal.run({ orgId: "org", value: { type: "STRING", value: text } })
  .then(result => result.score, error => error.message);
console.log(JSON.stringify({
  scores: await Promise.all(texts.map(run)),
  sections: plugin.manifest.modelCard.sections.map(section => section.id),
  disabled: (await Promise.all([signal, signals(null)[0].signal].map(
    one => one.getDisabledInfo("org")))).map(info => info.disabled),
}));
"""


@pytest.mark.slow
def test_the_signal_for_coop_has_the_score_and_no_score_for_what_is_not_judged(
    address: str,
) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("install Node 18 or later")
    command = [node, "--input-type=module", "-e", COOP, str(ROOT / "examples" / "coop"), address]
    finished = subprocess.run(
        [*command, INSULT, THANKS, RUSSIAN],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"},
    )
    assert finished.returncode == 0, finished.stderr
    printed = json.loads(finished.stdout)
    insult, thanks, russian = printed["scores"]
    assert insult > 0.5 > thanks
    assert russian == "Toxic Bot: the text is in a language that the service does not read"
    assert printed["disabled"] == [False, True]
    # What Coop requires of a model card.
    assert set(printed["sections"]) >= {
        "trainingData", "policyAndTaxonomy", "annotationMethodology", "performanceBenchmarks",
        "biasAndLimitations", "implementationGuidance", "relevantLinks",
    }  # fmt: skip
