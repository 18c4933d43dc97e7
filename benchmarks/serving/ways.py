"""The ways to a verdict - FastAPI, I/O binding, Triton - at fixed lengths, one text at a time."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import onnxruntime
from tokenizers import Tokenizer

from benchmarks.chat import SENTENCES
from benchmarks.percentiles import Latency
from benchmarks.serving import triton_server
from benchmarks.serving.servers import PATH, service
from simulators import ROOT
from toxic_bot.judge.bound_forward import BoundForward
from toxic_bot.judge.classifier import Classifier, graph_of
from toxic_bot.judge.config import ModelConfig
from toxic_bot.judge.device import Device, create_cuda_session
from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.judge.session import create_session

LENGTHS = (32, 64, 128, 256)
"""Tokens of the texts, with the two that enclose them."""
FASTAPI, IO_BINDING, TRITON = "FastAPI", "IOBinding", "Triton"
WARM_UP = 20
Ask = Callable[[str], object]
Way = Callable[[], AbstractContextManager[Ask]]


@dataclass(frozen=True, slots=True)
class Timed:
    """One way at one length.

    Parameters
    ----------
    way
        Its name.
    tokens
        The text's length.
    latency
        From the text to its verdict.
    """

    way: str
    tokens: int
    latency: Latency


def measure(
    model: Path, device: Device, *, runs: int, triton: str | None = None
) -> Iterator[Timed]:
    """Time each way at each length; one that is not there is left out, with a line that says so.

    Parameters
    ----------
    model
        The model folder; for a GPU one with an fp16 graph.
    device
        Where the model computes.
    runs
        Verdicts for each way and length.
    triton
        Host and port of a Triton that serves the model; None to start the one of the tests, which
        computes on a CPU only.

    Raises
    ------
    ToxicBotError
        When there is no such device, the model cannot be loaded, or a server does not start.
    """
    if device is Device.CUDA and "CUDAExecutionProvider" not in _providers():
        raise ToxicBotError(
            "no GPU that ONNX Runtime can use: install onnxruntime-gpu in place of onnxruntime, "
            "or give --device cpu"
        )
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    texts = {tokens: text_of(tokenizer, tokens) for tokens in LENGTHS}
    for name, way in _ways(model, device, triton).items():
        with way() as ask:
            for tokens, text in texts.items():
                yield Timed(name, tokens, _time(partial(ask, text), runs))


def text_of(tokenizer: Tokenizer, tokens: int) -> str:
    """Return a text of so many tokens."""
    words: list[str] = []
    for word in itertools.chain.from_iterable(map(str.split, itertools.cycle(SENTENCES))):
        length = len(tokenizer.encode(" ".join([*words, word])).ids)
        if length <= tokens:
            words.append(word)
        if length == tokens:
            break
    return " ".join(words)


def _ways(model: Path, device: Device, triton: str | None) -> Mapping[str, Way]:
    ways: dict[str, Way] = {
        FASTAPI: partial(_fastapi, model, device),
        IO_BINDING: partial(_io_binding, model, device),
    }
    if triton is not None:
        if not triton_server.is_ready(triton):
            raise ToxicBotError(f"no Triton is ready at {triton}: start one, see docs/triton.md")
        ways[TRITON] = partial(_triton_at, triton)
    elif device is Device.CUDA:
        print("Triton is left out: give --triton with the address of one that has a GPU")
    else:
        try:
            triton_server.environment()
            ways[TRITON] = partial(_triton, model)
        except ToxicBotError as error:
            print(f"Triton is left out: {error}")
    return ways


@contextmanager
def _fastapi(model: Path, device: Device) -> Iterator[Ask]:
    with service(model, "--device", device) as server:
        address = urlsplit(server.address).netloc
        yield _asks(address, PATH, lambda text: {"text": text})


@contextmanager
def _io_binding(model: Path, device: Device) -> Iterator[Ask]:
    """Judge in this process; on a CPU with the int8 graph, whose scores a batch may change."""
    config = ModelConfig.read(model / "config.json")
    graph = graph_of(model, config, device)
    create = create_cuda_session if device is Device.CUDA else partial(create_session, threads=None)
    forward = BoundForward(create(graph), config, device)
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    yield Classifier(config, tokenizer, forward).classify


@contextmanager
def _triton(model: Path) -> Iterator[Ask]:
    with tempfile.TemporaryDirectory(prefix="triton-") as name:
        folder = Path(name)
        options = ("model", "triton", folder / "models", "--model", model.resolve())
        command = (sys.executable, "-m", "toxic_bot", *options)
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        with triton_server.started(folder / "models", folder) as triton:
            triton.wait_until_ready()
            with _triton_at(triton.http) as ask:
                yield ask


@contextmanager
def _triton_at(address: str) -> Iterator[Ask]:
    yield _asks(
        address,
        "/v2/models/toxic_bot/infer",
        lambda text: {
            "inputs": [{"name": "TEXT", "shape": [1], "datatype": "BYTES", "data": [text]}]
        },
    )


def _asks(address: str, path: str, body: Callable[[str], object]) -> Ask:
    """Return a function that asks a server over one connection, which stays open."""
    connection = HTTPConnection(address, timeout=60)

    def ask(text: str) -> bytes:
        content = json.dumps(body(text)).encode()
        connection.request("POST", path, content, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise ToxicBotError(f"{address}{path} gives no verdict: {response.status}")
        return answer

    return ask


def _time(ask: Callable[[], object], runs: int) -> Latency:
    for _ in range(WARM_UP):
        ask()
    milliseconds = []
    for _ in range(runs):
        started = time.perf_counter()
        ask()
        milliseconds.append((time.perf_counter() - started) * 1e3)
    return Latency.from_milliseconds(milliseconds)


def _providers() -> list[str]:
    return list(onnxruntime.get_available_providers())
