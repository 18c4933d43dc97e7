"""What browsers, their pages and probes send besides GET and POST."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from toxic_bot.service.listener import Listener
from toxic_bot.service.settings import ServiceSettings

FORUM = "https://forum.example"
ANALYZE = "/v1alpha1/comments:analyze"
COMMENT = '{"comment": {"text": "thanks"}, "requestedAttributes": {"TOXICITY": {}, "SPAM": {}}}'


@pytest.fixture(scope="module")
def open_to_forum(model_folder: Path) -> Iterator[httpx.Client]:
    """A client of a service that lets the forum's pages in."""
    settings = ServiceSettings(model=model_folder, origins=(FORUM,))
    with Listener(settings) as listener, httpx.Client(base_url=listener.address) as client:
        yield client


def preflight(client: httpx.Client, origin: str) -> httpx.Response:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    return client.options("/v1/verdicts", headers=headers)


def test_a_page_of_an_origin_that_is_let_in_may_call_the_service(
    open_to_forum: httpx.Client,
) -> None:
    response = preflight(open_to_forum, FORUM)
    assert response.status_code == 200
    assert response.headers["Access-Control-Allow-Origin"] == FORUM
    assert "authorization" in response.headers["Access-Control-Allow-Headers"]
    headers = {"Origin": FORUM}
    response = open_to_forum.post("/v1/verdicts", json={"text": "thanks"}, headers=headers)
    assert response.headers["Access-Control-Allow-Origin"] == FORUM
    assert "X-Unknown-Attributes" in response.headers["Access-Control-Expose-Headers"]
    # The page has to be able to read why a request fails.
    response = open_to_forum.post("/v1/verdicts", content=b"x" * 1_000_001, headers=headers)
    assert response.status_code == 413
    assert response.headers["Access-Control-Allow-Origin"] == FORUM


def test_a_page_of_another_origin_may_not(
    open_to_forum: httpx.Client, client: httpx.Client
) -> None:
    for one in (preflight(open_to_forum, "https://elsewhere.example"), preflight(client, FORUM)):
        assert "Access-Control-Allow-Origin" not in one.headers


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/", "/$discovery/rest"])
def test_head_is_get_without_a_body(client: httpx.Client, path: str) -> None:
    whole, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (whole.status_code, b"")
    assert head.headers["Content-Length"] == whole.headers["Content-Length"]
    # The connection is still usable.
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/healthz", "GET, HEAD, OPTIONS"), ("/v1/verdicts", "POST, OPTIONS")],
)
def test_options_tells_the_methods(client: httpx.Client, path: str, allowed: str) -> None:
    response = client.options(path)
    assert response.status_code == 204
    assert response.headers["Allow"] == allowed
    assert client.options("/nowhere").status_code == 404


def test_perspectives_pages_send_json_as_plain_text(client: httpx.Client) -> None:
    headers = {"Content-Type": "text/plain;charset=UTF-8"}
    assert client.post(ANALYZE, content=COMMENT, headers=headers).status_code == 200
    # Elsewhere it stays refused: pages of any origin may send it without asking.
    response = client.post("/v1/verdicts", content='{"text": "thanks"}', headers=headers)
    assert response.status_code == 422
