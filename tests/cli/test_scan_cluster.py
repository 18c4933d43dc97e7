"""An archive judged by a Ray cluster of this machine."""

from __future__ import annotations

import json
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from pyarrow import parquet

from simulators import ROOT
from simulators.process import free_port
from tests.cli.command import run

ENVIRONMENT = Path(os.environ.get("RAY_ENVIRONMENT") or ROOT / ".venv" / "ray")
COUNT = 1100
"""Messages: two full parts and one that is not."""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "long.jsonl"
    texts = ("You are a pathetic idiot", "Thanks, that was a great help!", "\ud83e", "über 🦄")
    rows = [
        {"id": n, "channel": f"c{n % 3}", "user": f"u{n % 7}", "text": f"{texts[n % 4]} {n}"}
        for n in range(COUNT)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def scan_on_cluster(
    address: str, archive: Path, output: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """Run the command in Ray's environment."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        pytest.skip("Ray is not installed: 'make .venv/ray' installs it")
    paths = (str(archive), "--output", str(output))
    return subprocess.run(
        [python, "-m", "toxic_bot", "scan", *paths, "--ray", address, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=480,
    )


@pytest.mark.slow
@pytest.mark.long
def test_a_cluster_writes_the_same_report_as_this_machine(archive: Path, tmp_path: Path) -> None:
    options = ("--texts", "--people")
    here, there = tmp_path / "here", tmp_path / "there"
    assert run("scan", str(archive), "--output", str(here), *options).returncode == 0
    result = scan_on_cluster("local", archive, there, *options)
    assert result.returncode == 0, result.stderr
    assert f"Judged {COUNT:,} messages" in result.stdout
    report = parquet.read_table(here / "report.parquet")
    assert report.num_rows == COUNT
    assert parquet.read_table(there / "report.parquet").equals(report)
    assert (there / "report.html").read_text() == (here / "report.html").read_text()
    assert sorted(path.name for path in there.iterdir()) == ["report.html", "report.parquet"]


@pytest.mark.slow
@pytest.mark.long
def test_a_cluster_that_is_not_there_is_named_in_one_line(archive: Path, tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    result = scan_on_cluster(address, archive, tmp_path / "report")
    assert result.returncode == 1
    [line] = [line for line in result.stderr.splitlines() if line.startswith("error:")]
    assert address in line
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed here")
def test_without_ray_one_line_says_what_is_missing(archive: Path, tmp_path: Path) -> None:
    result = run("scan", str(archive), "--output", str(tmp_path / "report"), "--ray", "local")
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert "ray" in line
    assert "pip install" in line
