"""``toxic-bot serve``, as a user runs it."""

from __future__ import annotations

import json
import re
import signal
import socket
import threading
import time
from pathlib import Path

import httpx
import pytest

from tests.cli.command import run
from tests.service.conftest import serving
from toxic_bot.service.keys import new_key

pytestmark = pytest.mark.slow

CANARY = "zebrafinch"
INSULT = f"You are a pathetic {CANARY}"


def test_beyond_this_machine_it_refuses_to_serve_without_keys() -> None:
    result = run("serve", "--host", "0.0.0.0", "--port", "0")
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert "--keys FILE" in line
    assert "--no-keys" in line


def test_preload_loads_every_model_at_the_start(folder_with_damaged_languages: Path) -> None:
    model = ("--model", str(folder_with_damaged_languages))
    result = run("serve", "--port", "0", "--preload", *model)
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert "multilingual" in line
    with serving(*model) as (address, _):
        assert httpx.post(f"{address}/v1/verdicts", json={"text": "hi"}).status_code == 200


@pytest.mark.long
def test_a_new_key_can_be_appended_to_the_file_and_lets_its_client_in(tmp_path: Path) -> None:
    file = tmp_path / "keys.txt"
    keys = []
    for name in ("forum", "chat"):
        made = run("serve", "--new-key", name)
        assert made.returncode == 0
        key, line = made.stderr.split()[-1], made.stdout
        assert key not in line
        with file.open("a") as lines:
            lines.write(line)
        keys.append(key)
    with serving("--host", "0.0.0.0", "--keys", str(file)) as (address, _):
        url = f"http://127.0.0.1:{httpx.URL(address).port}"
        for key in keys:
            headers = {"Authorization": f"Bearer {key}"}
            response = httpx.post(f"{url}/v1/verdicts", json={"text": "hi"}, headers=headers)
            assert response.status_code == 200
        response = httpx.post(f"{url}/v1/verdicts", json={"text": "hi"})
        assert response.status_code == 401
        assert httpx.get(f"{url}/metrics").status_code == 401
        assert httpx.get(f"{url}/healthz").status_code == 200


@pytest.mark.long
def test_when_it_hears_sighup_it_reads_the_keys_again_and_serves_on(tmp_path: Path) -> None:
    file = tmp_path / "keys.txt"
    (first, line), (second, other_line) = new_key("forum"), new_key("chat")
    line = f"{line} 130\n"
    file.write_text(line)
    with serving("--keys", str(file)) as (address, process):

        def status(key: str, *texts: str) -> int:
            headers = {"Authorization": f"Bearer {key}"}
            body = {"texts": texts or ["hi"]}
            return httpx.post(
                f"{address}/v1/verdicts", json=body, headers=headers, timeout=60
            ).status_code

        # More than the rate allows in minutes; a slow machine may not judge it in time.
        status(first, *["one more sentence about the weather " * 200] * 25)
        assert status(second) == 401
        file.write_text(line + other_line)
        process.send_signal(signal.SIGHUP)
        while status(second) == 401:
            time.sleep(0.05)
        assert status(first) == 429, "its rate is not renewed"
        file.write_text("nonsense")
        process.send_signal(signal.SIGHUP)
        assert process.stdout is not None
        told = process.stdout.readline().decode()
        assert "keys.txt, line 1" in told
        assert "still valid" in told
        assert status(second) == 200


def test_a_missing_file_of_keys_a_bad_host_and_a_port_in_use_are_named(
    tmp_path: Path, address: str
) -> None:
    result = run("serve", "--keys", str(tmp_path / "none.txt"))
    assert result.returncode == 1
    assert "none.txt" in result.stderr
    result = run("serve", "--host", "a" * 70, "--no-keys")
    assert result.returncode == 1
    assert "cannot be used" in result.stderr
    port = str(httpx.URL(address).port)
    result = run("serve", "--port", port)
    assert result.returncode == 1
    assert port in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("number", "status"),
    [pytest.param(signal.SIGINT, 0, marks=pytest.mark.long), (signal.SIGTERM, 143)],
)
def test_when_it_is_stopped_what_is_begun_is_finished(number: int, status: int) -> None:
    texts = ["one more sentence about the weather " * 100] * 12
    with serving("--threads", "1") as (address, process):
        responses: list[httpx.Response] = []

        def ask() -> None:
            body = {"texts": texts}
            responses.append(httpx.post(f"{address}/v1/verdicts", json=body, timeout=60))

        thread = threading.Thread(target=ask)
        thread.start()
        while "toxic_bot_texts_waiting 0" in httpx.get(f"{address}/metrics").text:
            time.sleep(0.01)
        process.send_signal(number)
        thread.join()
        printed = process.communicate(timeout=30)[0].decode()
        assert process.returncode == status
    assert responses[0].status_code == 200
    assert len(responses[0].json()["verdicts"]) == len(texts)
    assert printed == ""


def test_clients_that_hang_up_leave_no_work_behind() -> None:
    body = json.dumps({"texts": ["one more sentence about the weather " * 200] * 128}).encode()
    head = (
        "POST /v1/verdicts HTTP/1.1\r\nHost: service\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    with serving("--threads", "1") as (address, _):
        url = httpx.URL(address)
        with socket.create_connection((url.host, url.port or 0)) as connection:
            connection.sendall(head + body)
            while "toxic_bot_texts_waiting 0" in httpx.get(f"{address}/metrics").text:
                time.sleep(0.01)
        # Whichever has begun is finished.
        while "toxic_bot_texts_waiting 0" not in (counts := httpx.get(f"{address}/metrics").text):
            time.sleep(0.01)
    [judged] = re.findall(r"toxic_bot_text_seconds_count (\S+)", counts)
    assert float(judged) < 64


def test_neither_texts_nor_keys_are_logged_or_counted(tmp_path: Path) -> None:
    file = tmp_path / "keys.txt"
    key, line = new_key("forum")
    file.write_text(line)
    comment = {"comment": {"text": INSULT}, "requestedAttributes": {"TOXICITY": {}}}
    requests: list[tuple[str, object]] = [
        ("/v1/verdicts", {"text": INSULT}),
        ("/v1/verdicts", {"text": INSULT, "explain": True}),
        ("/v1/verdicts", {"texts": [INSULT, {"not": INSULT}]}),
        ("/v1/verdicts", {CANARY: INSULT}),
        ("/v1/moderations", {"input": INSULT}),
        ("/v1/moderations", {"input": [{"type": CANARY, "text": INSULT}]}),
        ("/v1alpha1/comments:analyze", comment),
        ("/v1alpha1/comments:analyze", comment | {"languages": [CANARY]}),
        ("/v1alpha1/comments:suggestscore", {"comment": {"text": INSULT}}),
        (f"/{CANARY}", {"text": INSULT}),
    ]
    with serving("--keys", str(file)) as (address, process):
        for path, body in requests:
            for secret in (key, CANARY):
                url = f"{address}{path}?key={secret}"
                assert httpx.post(url, json=body).status_code < 500
        url = f"{address}/v1/verdicts?key={key}"
        httpx.post(
            url, content=f'{{"text": "{CANARY}', headers={"Content-Type": "application/json"}
        )
        counts = httpx.get(f"{address}/metrics?key={key}").text
        assert "toxic_bot_texts_total" in counts
        process.send_signal(signal.SIGTERM)
        printed = process.communicate(timeout=30)[0].decode()
    for written in (counts, printed):
        assert CANARY not in written
        assert key not in written


def test_help_explains_keys() -> None:
    printed = run("serve", "--help").stdout
    for words in ("--new-key forum >> keys.txt", "--keys keys.txt", "Authorization: Bearer KEY"):
        assert words in printed
