"""Builds that are broken on purpose: the tests that should notice do.

Each patch in tests/broken takes one promise back. One that no longer applies has to be made anew.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simulators import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.long]

PATCHES = Path(__file__).parent / "broken"
NEEDED = ("benchmarks", "events", "handler", "simulators", "tests", "toxic_bot")
CAUGHT_BY = {
    "claim_skipped": "tests/slack/answers/test_answerer.py::"
    "test_a_repeated_event_makes_no_slack_call_once_it_is_answered",
    "completed_before_the_post": "tests/slack/answers/test_claims.py",
    "signature_unchecked": "tests/slack/web_api/test_signature.py::"
    "test_a_forged_request_is_refused",
    "cubic_pattern": "tests/slack/test_text_work.py::"
    "test_no_shape_of_text_is_searched_more_often_when_it_is_longer",
    "quadratic_pattern": "tests/slack/test_text_work.py::"
    "test_no_pattern_goes_back_over_a_text_again_and_again",
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, to break."""
    folder = tmp_path_factory.mktemp("broken")
    for name in NEEDED:
        shutil.copytree(
            ROOT / name,
            folder / name,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    for name in ("pyproject.toml", "template.yaml", "observability.yaml", "manifest.yaml"):
        shutil.copy2(ROOT / name, folder / name)
    return folder


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_every_patch_has_its_test() -> None:
    assert {path.stem for path in PATCHES.glob("*.patch")} == CAUGHT_BY.keys()


@pytest.mark.parametrize("change", CAUGHT_BY)
def test_a_broken_build_is_caught(copy: Path, change: str) -> None:
    patch = str(PATCHES / f"{change}.patch")
    test = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", CAUGHT_BY[change]]
    applied = run(copy, "git", "apply", patch)
    assert applied.returncode == 0, applied.stderr
    try:
        broken = run(copy, *test)
    finally:
        run(copy, "git", "apply", "--reverse", patch)
    assert broken.returncode == pytest.ExitCode.TESTS_FAILED, broken.stdout
    assert "1 failed" in broken.stdout
