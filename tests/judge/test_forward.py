"""Windows to logits: one at a time, in bound buffers, in batches of several threads."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.cli.command import run
from toxic_bot.judge.batching import BATCHES, DynamicBatching, lengths, smallest
from toxic_bot.judge.bound_forward import BoundForward
from toxic_bot.judge.classifier import load
from toxic_bot.judge.config import ModelConfig
from toxic_bot.judge.device import Device, DeviceError
from toxic_bot.judge.errors import ModelError
from toxic_bot.judge.forward import Window, WindowByWindow
from toxic_bot.judge.session import create_session

FIRST, LAST = 101, 102


@dataclass(frozen=True)
class Tokens:
    ids: list[int]


def window(tokens: int, seed: int = 0) -> Tokens:
    ids = np.random.default_rng(seed).integers(1000, 20000, tokens - 2)
    return Tokens([FIRST, *map(int, ids), LAST])


@pytest.fixture(scope="module")
def config(model_folder: Path) -> ModelConfig:
    return ModelConfig.read(model_folder / "config.json")


@pytest.fixture(scope="module")
def session(model_folder: Path) -> onnxruntime.InferenceSession:
    return create_session(model_folder / "model.onnx", 2)


@pytest.fixture(scope="module")
def one_by_one(session: onnxruntime.InferenceSession, config: ModelConfig) -> WindowByWindow:
    return WindowByWindow(session, config.inputs)


@pytest.fixture
def bound(session: onnxruntime.InferenceSession, config: ModelConfig) -> BoundForward:
    return BoundForward(session, config, "cpu")


@given(st.integers(1, 600), st.data())
def test_a_window_is_padded_to_the_next_length(tokens: int, data: st.DataObject) -> None:
    buckets = lengths(tokens)
    assert list(buckets) == sorted(set(buckets))
    assert buckets[-1] == tokens
    needed = data.draw(st.integers(1, tokens))
    chosen = smallest(buckets, needed)
    assert chosen >= needed
    assert all(bucket < needed for bucket in buckets if bucket < chosen)


def test_bound_buffers_give_the_logits_of_the_plain_session(
    bound: BoundForward, one_by_one: WindowByWindow, config: ModelConfig
) -> None:
    for length in lengths(config.window.tokens):
        for seed in range(3):
            windows = [window(length, seed)]
            assert (bound.logits(windows) == one_by_one.logits(windows)).all()


@pytest.mark.long
@pytest.mark.slow
def test_windows_of_any_length_keep_their_order_and_nearly_their_logits(
    bound: BoundForward, one_by_one: WindowByWindow, config: ModelConfig
) -> None:
    # The int8 graph shares a scale, so the logits are near only; the order would show.
    sizes = np.random.default_rng(1).integers(3, config.window.tokens, 150)
    windows = [window(int(size), seed) for seed, size in enumerate(sizes)]
    logits, expected = bound.logits(windows), one_by_one.logits(windows)
    assert logits.shape == expected.shape
    assert np.abs(logits - expected).mean() < 0.2 * expected.std()
    assert np.corrcoef(logits[:, 0], expected[:, 0])[0, 1] > 0.9


def test_buffers_are_reused_for_windows_of_similar_length_and_number(bound: BoundForward) -> None:
    bound.logits([window(20)] * 3)
    assert bound.shapes == {(4, 32)}
    bound.logits([window(30)] * 4)
    assert bound.shapes == {(4, 32)}
    bound.logits([window(60), window(20)])
    assert bound.shapes == {(4, 32), (1, 32), (1, 64)}


def test_more_windows_than_a_batch_holds_run_in_several(bound: BoundForward) -> None:
    count = BATCHES[-1] + 3
    logits = bound.logits([window(10, seed) for seed in range(count)])
    assert len(logits) == count
    assert bound.shapes == {(BATCHES[-1], 16), (4, 16)}


class Held:
    """Computes the number of tokens, once it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.calls: list[int] = []

    def logits(self, windows: Sequence[Window]) -> NDArray[np.float32]:
        self.calls.append(len(windows))
        self.go.wait(60)
        if any(len(each.ids) == 13 for each in windows):
            raise ValueError("an unlucky number of tokens")
        return np.array([[len(each.ids)] for each in windows], np.float32)


def test_texts_that_arrive_while_a_batch_runs_make_the_next_one() -> None:
    held = Held()
    batching = DynamicBatching(held, max_windows=100)
    with ThreadPoolExecutor(20) as threads:
        first = threads.submit(batching.logits, [window(5)])
        while not held.calls:
            pass
        others = [threads.submit(batching.logits, [window(6), window(n)]) for n in range(20, 35)]
        while batching.waiting < len(others):
            pass
        held.go.set()
        assert first.result(60).tolist() == [[5]]
        assert [o.result(60).tolist() for o in others] == [[[6], [n]] for n in range(20, 35)]
    assert held.calls == [1, 30]


def test_an_error_reaches_those_who_wait_and_only_them() -> None:
    held = Held()
    held.go.set()
    batching = DynamicBatching(held)
    with pytest.raises(ValueError, match="unlucky"):
        batching.logits([window(13)])
    assert batching.logits([window(14)]).tolist() == [[14]]


def test_without_a_graph_for_gpus_one_line_says_how_to_make_one(model_folder: Path) -> None:
    with pytest.raises(ModelError, match="python -m model_build fp16") as raised:
        load(model_folder, device=Device.CUDA)
    assert "\n" not in str(raised.value)


without_gpu = pytest.mark.skipif(
    "CUDAExecutionProvider" in onnxruntime.get_available_providers(),
    reason="this ONNX Runtime may find a GPU",
)


@without_gpu
def test_without_a_gpu_one_line_says_so(folder_for_gpus: Path) -> None:
    with pytest.raises(DeviceError, match="onnxruntime-gpu") as raised:
        load(folder_for_gpus, device=Device.CUDA)
    assert "\n" not in str(raised.value)


@pytest.mark.slow
@without_gpu
@pytest.mark.parametrize(
    "command", [["classify", "hello"], ["serve", "--port", "0"], ["serve", "--workers", "2"]]
)
def test_without_a_gpu_every_command_says_so_in_one_line(
    command: list[str], folder_for_gpus: Path
) -> None:
    result = run(*command, "--device", "cuda", "--model", str(folder_for_gpus))
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert line.startswith("error: this ONNX Runtime is built for CPUs")
    assert "--device" in line
