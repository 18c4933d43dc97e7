"""What the images are built with, short of building them ('make image-test' does that)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from image import ImageError, standin
from image.container import peak_memory
from image.images import AWS_BASE, CONTEXT
from image.shell import reason, run
from tests.template.code import ROOT

# As buildah and as Docker print it, each with the step's own words before.
BUILDAH = """\
[1/3] STEP 3/5: RUN command -v python3 >/dev/null || { echo "error: no python3"; exit 1; }
error: no python3
subprocess exited with status 1
subprocess exited with status 1
Error: building at STEP "RUN command -v python3": exit status 1
"""
DOCKER = """\
#5 [dependencies 2/4] RUN command -v python3 >/dev/null || { echo "error: no python3"; exit 1; }
#5 0.213 error: no python3
#5 ERROR: process "/bin/sh -c command -v python3" did not complete successfully: exit code: 1
------
 > [dependencies 2/4] RUN command -v python3:
0.213 error: no python3
------
ERROR: failed to solve: process "/bin/sh -c command -v python3" did not complete: exit code: 1
"""


@pytest.mark.parametrize("printed", [BUILDAH, DOCKER])
def test_a_failed_build_is_told_in_the_words_of_the_step_that_failed(printed: str) -> None:
    assert reason(printed) == "no python3"


@pytest.mark.parametrize(("printed", "told"), [("one\ntwo\n\n", "two"), ("", "it printed nothing")])
def test_a_failure_without_words_of_its_own_is_told_by_its_last_line(
    printed: str, told: str
) -> None:
    assert reason(printed) == told


def test_a_program_that_is_not_there_is_named_with_how_to_get_it() -> None:
    with pytest.raises(ImageError, match="no-such-program is missing: install it"):
        run(["no-such-program"], limit=1)


def test_a_program_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    script = "sleep 60 & echo $! > pid; wait"
    with pytest.raises(ImageError, match="took longer"):
        run(["sh", "-c", script], folder=tmp_path, limit=0.5)
    child = Path("/proc", (tmp_path / "pid").read_text().strip(), "stat")
    assert not child.exists() or child.read_text().split()[2] == "Z"


def test_what_a_program_prints_is_kept_for_whoever_mends_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with pytest.raises(ImageError, match="sh failed: no"):
        run(["sh", "-c", "echo yes; echo error: no; exit 3"], log=log, limit=10)
    assert "yes\n" in log.read_text("utf-8")


def test_the_stand_in_takes_the_runtime_client_from_the_lock_file_with_its_hashes() -> None:
    lock = (ROOT / "requirements" / "development.txt").read_text("utf-8")
    pinned = standin.pinned(lock, standin.RUNTIME_CLIENT)
    for name in standin.RUNTIME_CLIENT:
        assert re.search(rf"^{name}==.*\\\n\s+--hash=sha256:", pinned, re.MULTILINE)
    assert len(re.findall(r"^\S+==", pinned, re.MULTILINE)) == len(standin.RUNTIME_CLIENT)


def test_a_package_that_is_not_in_the_lock_file_is_named() -> None:
    with pytest.raises(ImageError, match="lacks awslambdaric"):
        standin.pinned("boto3==1 \\\n    --hash=sha256:0\n", standin.RUNTIME_CLIENT)


def test_the_emulator_of_the_stand_in_is_started_as_the_one_of_aws_is() -> None:
    entry = (ROOT / "image" / "standin" / "lambda-entrypoint.sh").read_text("utf-8")
    assert "/usr/local/bin/aws-lambda-rie /var/runtime/bootstrap" in entry
    for script in ("bootstrap", "lambda-entrypoint.sh"):
        assert os.access(ROOT / "image" / "standin" / script, os.X_OK)


def test_peak_memory_is_read_of_a_process_and_is_nothing_for_none() -> None:
    assert peak_memory(os.getpid()) > 1_000_000
    assert peak_memory(2**22 + 1) == 0


@pytest.mark.parametrize("name", ["Dockerfile.base", "Dockerfile.app"])
def test_base_images_are_build_arguments(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert "\nARG BASE=" in text
    external = [one for one in re.findall(r"^FROM (\S+)", text, re.MULTILINE) if one != "${BASE}"]
    stages = re.findall(r"^FROM \S+ AS (\S+)", text, re.MULTILINE)
    assert set(external) <= set(stages)


def test_the_default_base_is_the_one_that_the_commands_name() -> None:
    assert f"ARG BASE={AWS_BASE}\n" in (ROOT / "Dockerfile.base").read_text("utf-8")


def test_the_runtime_dependencies_come_from_the_hashed_lock_file_alone() -> None:
    base = (ROOT / "Dockerfile.base").read_text("utf-8")
    final = base[base.rindex("FROM ") :]
    assert "RUN" not in final
    assert "COPY requirements/runtime.txt" in base
    assert base.count("pip install") == base.count("--require-hashes") == 2
    lock = (ROOT / "requirements" / "runtime.txt").read_text("utf-8").lower()
    for heavy in ("torch", "transformers", "onnx=="):
        assert f"\n{heavy}" not in lock


def test_only_what_an_image_needs_is_sent_to_its_build() -> None:
    kept = [
        line.lstrip("!").split("/")[0]
        for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        if line.startswith("!")
    ]
    assert set(kept) == {*CONTEXT, "checkpoint"}


@pytest.mark.parametrize("arguments", [["build", "--nonsense"], ["nonsense"], []])
def test_bad_usage_of_the_command_is_explained(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "image", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "usage: python -m image" in done.stderr


def test_without_docker_and_buildah_one_line_says_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "image", "build"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 1
    *_, last = done.stderr.splitlines()
    assert last.startswith("error: there is neither Docker nor buildah")


CHECKS = {
    "cfn-lint": (Path(sys.executable).parent / "cfn-lint", ["template.yaml"]),
    "sam": (ROOT / ".venv" / "sam" / "bin" / "sam", ["validate", "--lint"]),
    "checkov": (
        ROOT / ".venv" / "checkov" / "bin" / "checkov",
        ["--file=template.yaml", "--framework=cloudformation", "--quiet", "--skip-download"],
    ),
}


@pytest.mark.parametrize("tool", CHECKS)
def test_the_template_passes_the_checks(tool: str) -> None:
    path, arguments = CHECKS[tool]
    program = str(path) if path.exists() else shutil.which(tool)
    if program is None:
        pytest.skip(f"{tool} is not installed: 'make check-template' installs it")
    done = subprocess.run(
        [program, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "SAM_CLI_TELEMETRY": "0"},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_exception_from_the_policy_check_says_why() -> None:
    template = (ROOT / "template.yaml").read_text("utf-8")
    skipped = re.findall(r"checkov:skip=(\w+)(.*)", template)
    assert skipped
    assert all(re.fullmatch(r":.{20,}\.", why) for _, why in skipped)


def test_a_machine_that_lacks_what_a_test_takes_may_leave_it_out(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "image", "test", "--if-possible"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("skipped the test of the images: there is neither Docker")
