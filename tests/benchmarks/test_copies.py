"""The copies of the bot that a soak kills and starts again."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from benchmarks.soak import copies
from benchmarks.soak.copies import started
from simulators.process import inherited_environment


def test_a_copy_that_is_killed_is_started_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "_PROGRAM", "import time; time.sleep(600)")
    with started([([], 0)], inherited_environment(), tmp_path) as running:

        def kill() -> None:
            for _ in range(20):
                running.kill(0)

        killing = threading.Thread(target=kill)
        killing.start()
        while killing.is_alive():
            running.revive()
        assert (running.kills, running.deaths) == (20, 0)
