"""Several processes train the same model as one."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import torch

from model_build.profile import MINILM
from model_build.rows import dataset
from model_build.training import finetuning
from model_build.training.checkpoint import load
from model_build.training.data_parallel import Processes
from model_build.work import Work
from simulators.process import free_port

TRAINING = dataclasses.replace(
    MINILM.training, learning_rate=3e-3, epochs=1, batch_size=32, max_tokens=32, dropout=0.0
)
SCRIPT = """
import sys
from pathlib import Path
from model_build.profile import MINILM
from model_build.training import finetuning, loop
from model_build.work import Work
from tests.model_build.fp32 import use_fp32
from tests.model_build.training.test_data_parallel import TRAINING
loop._SAVE_SECONDS = 0
use_fp32()
finetuning.run(Work(Path(sys.argv[1])), MINILM, checkpoint=sys.argv[2], training=TRAINING)
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory, texts: Path) -> Work:
    """Return a work folder with rows."""
    work = Work(tmp_path_factory.mktemp("processes"))
    dataset.run(work, dataset.Settings((str(texts),), templates=0, written=False))
    return work


def test_a_batch_is_shared_out_once() -> None:
    shares = [Processes(number, 3).share(list(range(8))) for number in range(3)]
    assert sorted(row for share in shares for row in share.rows) == list(range(8))
    assert {share.factor for share in shares} == {3.0}


def test_a_batch_with_fewer_rows_than_processes_is_computed_by_all() -> None:
    assert Processes(2, 3).share([4, 5]).rows == [4, 5]
    assert Processes(2, 3).share([4, 5]).factor == 1.0


@contextmanager
def _together(work: Work, checkpoint: Path, count: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Run processes as torchrun does, and kill those that are left."""
    port = free_port()
    processes = []
    for number in range(count):
        environment = os.environ | {
            "RANK": str(number),
            "LOCAL_RANK": str(number),
            "WORLD_SIZE": str(count),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(port),
            "OMP_NUM_THREADS": "1",
        }
        processes.append(
            subprocess.Popen(
                [sys.executable, "-c", SCRIPT, str(work.folder), str(checkpoint)],
                env=environment,
                text=True,
                stderr=subprocess.PIPE,
            )
        )
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()


def _same(first: Path, second: Path) -> bool:
    left, right = (
        load(str(folder), fresh_head=False).model.state_dict() for folder in (first, second)
    )
    return all(torch.allclose(left[name], right[name], atol=2e-3) for name in left)


@pytest.mark.slow
@pytest.mark.long
def test_two_processes_train_the_same_model_as_one_even_if_they_are_killed_and_resumed(
    work: Work, tiny_bert: Path, tmp_path: Path
) -> None:
    alone = Work(tmp_path / "alone")
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "data").symlink_to(work.step("data"))
    finetuning.run(alone, MINILM, checkpoint=str(tiny_bert), training=TRAINING)

    state = work.step("train") / "state.pt"
    with _together(work, tiny_bert, 2) as processes:
        while not state.exists():
            assert processes[0].poll() is None, processes[0].communicate()[1]
            time.sleep(0.01)
        for process in processes:
            process.send_signal(signal.SIGKILL)
    assert not work.record("train")

    with _together(work, tiny_bert, 2) as processes:
        errors = [process.communicate()[1] for process in processes]
        assert [process.returncode for process in processes] == [0, 0], errors
    assert not state.exists()
    assert _same(alone.step("train") / "model", work.step("train") / "model")
    results = work.record("train")["results"]
    assert results["steps"] == alone.record("train")["results"]["steps"]
    assert json.dumps(work.record("train")["settings"]) == json.dumps(
        alone.record("train")["settings"]
    )


def test_only_training_runs_under_torchrun(work: Work) -> None:
    command = [sys.executable, "-m", "model_build", "quantize", "--work", str(work.folder)]
    environment = os.environ | {"RANK": "0", "WORLD_SIZE": "2"}
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr.startswith("error: only 'train' runs under torchrun")
