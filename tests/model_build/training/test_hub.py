"""Checkpoints and data sets are downloaded from a hub by id, with the hub's own client."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from simulators.asgi import Server
from tests.model_build.training.hub import application

pytestmark = [pytest.mark.slow, pytest.mark.long]
ROOT = Path(__file__).parents[3]
Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def command(tmp_path: Path, texts: Path, tiny_roberta: Path) -> Iterator[Command]:
    """Return a function that runs ``python -m model_build`` with access to a hub."""
    rows = tmp_path / "rows" / "default" / "train"
    rows.mkdir(parents=True)
    pd.read_json(texts / "talk.jsonl", lines=True).to_parquet(rows / "0000.parquet")
    hub = Server(
        application({"models/tiny/roberta": tiny_roberta, "datasets/tiny/talk": tmp_path / "rows"})
    )
    hub.start()
    environment = {**os.environ, "HF_ENDPOINT": hub.address, "HF_HOME": str(tmp_path / "home")}
    environment |= {"HF_HUB_DISABLE_TELEMETRY": "1", "NO_PROXY": "127.0.0.1"}
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        environment.pop(name, None)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "model_build", *arguments, "--work", str(tmp_path / "work")],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    yield run
    hub.stop()


def test_a_build_accepts_the_hub_id_of_a_checkpoint(command: Command, tmp_path: Path) -> None:
    output = tmp_path / "model"
    process = command(
        "build",
        "--profile",
        "distilroberta",
        "--checkpoint",
        "tiny/roberta",
        "--output",
        str(output),
    )
    assert process.returncode == 0, process.stderr
    assert "tiny/roberta" in (output / "README.md").read_text()


def test_the_data_step_accepts_the_hub_id_of_a_data_set(command: Command, tmp_path: Path) -> None:
    process = command("data", "--data", "hub:tiny/talk", "--no-templates", "--no-written")
    assert process.returncode == 0, process.stderr
    assert len(pd.read_parquet(tmp_path / "work" / "data" / "train.parquet")) > 100


def test_an_unknown_hub_id_is_reported_in_one_line(command: Command) -> None:
    for arguments in (
        ("train", "--profile", "distilroberta", "--checkpoint", "tiny/none"),
        ("data", "--data", "hub:tiny/none"),
    ):
        process = command(*arguments)
        assert process.returncode == 1
        [error] = [line for line in process.stderr.splitlines() if line.startswith("error: ")]
        assert "tiny/none" in error
        assert "Traceback" not in process.stderr
