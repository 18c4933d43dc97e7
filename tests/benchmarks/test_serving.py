"""The load on the service: as long as chat, and in an open loop."""

from __future__ import annotations

import json
import math
import os
import statistics
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from benchmarks.chat import Chat
from benchmarks.serving.contest import Measured, loads, markdown, write
from benchmarks.serving.driver import Load, Outcome, drive, environment, histogram_quantile
from benchmarks.serving.servers import Server, service
from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.judge.errors import ToxicBotError

CHAT = Chat(Tokenizer.from_file(str(EMBEDDED_MODEL / "tokenizer.json")))
TOGETHER = 100
"""Requests that the test's server leaves waiting."""


@pytest.fixture(scope="module")
def locust() -> None:
    try:
        environment()
    except ToxicBotError as error:
        pytest.skip(str(error))


def outcome(latencies: list[float]) -> Outcome:
    return Outcome(latencies, 0.0, 2.0, {}, server_cpu=1.0, client_cpu=0.5)


def test_arrivals_of_an_open_loop_are_random_and_keep_the_rate() -> None:
    load = Load.open_loop(["one", "two"], rate=100, seconds=60)
    assert len(load.due) == len(load.bodies) == pytest.approx(6000, rel=0.05)
    assert list(load.due) == sorted(load.due)
    gaps = [after - before for before, after in zip(load.due, load.due[1:], strict=False)]
    # The gaps of a Poisson process deviate by as much as their mean.
    assert statistics.stdev(gaps) == pytest.approx(statistics.fmean(gaps), rel=0.1)


def test_every_load_judges_the_same_texts() -> None:
    alone, _, _, batches = (load.bodies for _, load in list(loads(CHAT, 100, 60, 15).values()))
    judged = [text for body in batches for text in body["texts"]]
    assert {body["text"] for body in alone} == set(judged)


@given(
    st.lists(st.floats(0.0005, 30), min_size=1, max_size=200),
    st.floats(0.01, 1),
)
def test_a_quantile_lies_in_the_bucket_of_the_true_one(values: list[float], share: float) -> None:
    bounds = [0.001, 0.01, 0.1, 1.0, 10.0, 50.0]
    buckets = {bound: float(sum(value <= bound for value in values)) for bound in bounds}
    true = sorted(values)[max(0, math.ceil(share * len(values) - 1e-9) - 1)]
    upper = next(bound for bound in bounds if true <= bound)
    lower = max((bound for bound in bounds if bound < upper), default=0.0)
    quantile = histogram_quantile(buckets, share)
    assert quantile is not None
    assert lower - 1e-6 <= quantile <= upper + 1e-6


def test_a_histogram_without_requests_has_no_quantile() -> None:
    assert histogram_quantile({}, 0.5) is None
    assert histogram_quantile({0.1: 0.0, math.inf: 0.0}, 0.5) is None


def test_what_is_not_answered_is_slower_than_anything_else() -> None:
    measured = outcome([1.0, 2.0, math.inf, 3.0])
    assert (measured.percentile(0.5), measured.percentile(0.99)) == (2.0, math.inf)
    assert (measured.answered, measured.rate) == (3, 1.5)


def test_the_files_hold_what_was_measured(tmp_path: Path) -> None:
    measured = [Measured("toxic-bot serve", "steady", 1, outcome([1.0, math.inf]))]
    write(measured, tmp_path)
    assert (tmp_path / "load.md").read_text("utf-8") == markdown(measured)
    assert "| steady | toxic-bot serve | 2 | 1 | - / - | 1.0 / no answer |" in markdown(measured)
    [record] = json.loads((tmp_path / "load.json").read_text("utf-8"))
    assert record["latencies, ms"] == [1.0, None]


@contextmanager
def held_back(count: int) -> Iterator[str]:
    """Run a server that answers nothing until ``count`` requests wait."""
    barrier = threading.Barrier(count)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            try:
                barrier.wait(30)
                status = 200
            except threading.BrokenBarrierError:
                status = 503
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    class Backlog(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 512

    with Backlog(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.slow
@pytest.mark.usefixtures("locust")
def test_requests_of_an_open_loop_arrive_while_none_is_answered() -> None:
    due = [n / TOGETHER for n in range(TOGETHER)]
    load = Load([{"text": "thanks"}] * TOGETHER, due)
    with held_back(TOGETHER) as address:
        found = drive(Server(address, os.getpid()), load)
    assert found.answered == TOGETHER
    # The first one waited for the last one, and its latency says so.
    assert max(found.latencies) >= (due[-1] - due[0]) * 1e3


@pytest.mark.slow
@pytest.mark.usefixtures("locust")
def test_the_service_answers_a_load_and_counts_it(model_folder: Path) -> None:
    with service(model_folder) as server:
        steady = drive(server, Load.open_loop(["thanks"], rate=20, seconds=1))
        flat_out = drive(server, Load([{"texts": ["thanks", "hello"]}], clients=2, seconds=0.5))
    for found in (steady, flat_out):
        assert found.answered == len(found.latencies) > 0
        assert max(found.server_buckets.values()) == found.answered
        assert found.server_percentile(0.5) is not None
        assert found.server_cpu > 0
