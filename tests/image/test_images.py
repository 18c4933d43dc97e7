"""The images' sources and tools, without building the images ('make image-test' does that)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from image import CrashError, ImageError, registry, standin
from image.container import peak_memory
from image.engine import ATTEMPTS, Buildah
from image.images import AWS_BASE, BASE_DOCKERFILE, CONTEXT
from image.shell import failure_reason, run
from tests.cli.command import is_alive
from tests.socket_mode import wait_for
from tests.template.code import ROOT

# Both builders echo the step's command before its error.
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


@pytest.mark.parametrize("output", [BUILDAH, DOCKER])
def test_a_failed_build_is_explained_by_the_error_of_its_failed_step(output: str) -> None:
    assert failure_reason(output) == "no python3"


@pytest.mark.parametrize(
    ("output", "reason"), [("one\ntwo\n\n", "two"), ("", "it printed nothing")]
)
def test_a_failure_without_an_error_line_is_explained_by_its_last_line(
    output: str, reason: str
) -> None:
    assert failure_reason(output) == reason


def test_a_missing_program_is_named_with_how_to_install_it() -> None:
    with pytest.raises(ImageError, match="no-such-program is missing: install it"):
        run(["no-such-program"], timeout=1)


@pytest.mark.slow
def test_a_program_that_times_out_is_killed_with_its_children(tmp_path: Path) -> None:
    script = "sleep 60 & echo $! > pid; wait"
    with pytest.raises(ImageError, match="took longer"):
        run(["sh", "-c", script], folder=tmp_path, timeout=2)
    child = int((tmp_path / "pid").read_text())
    # A signal is sent at once, and takes effect when the process next has a CPU.
    wait_for(lambda: not is_alive(child))


def test_the_output_of_a_failed_program_is_logged(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with pytest.raises(ImageError, match="sh failed: no"):
        run(["sh", "-c", "echo yes; echo error: no; exit 3"], log=log, timeout=10)
    assert "yes\n" in log.read_text("utf-8")


PANIC = """\
error: no python3
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x2c pc=0x5593e941a2e2]

goroutine 1 [running]:
panic({0x5593e9ef5040, 0x5593ea72fa80})
"""


@pytest.fixture
def crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """Put a ``buildah`` on the path that panics in its first builds, and return its log."""

    def put(times: int) -> Path:
        log = tmp_path / "builds"
        program = tmp_path / "buildah"
        program.write_text(
            f"""#!/bin/sh
case "$*" in *" info") exit;; esac
echo build >> {log}
[ $(wc -l < {log}) -gt {times} ] && {{ echo built; exit; }}
cat {tmp_path}/panic; exit 2
""",
            "utf-8",
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        return log

    (tmp_path / "panic").write_text(PANIC, "utf-8")
    return put


def test_a_build_whose_builder_panics_is_begun_again(
    crash: Callable[[int], Path], tmp_path: Path
) -> None:
    builds = crash(ATTEMPTS - 1)
    Buildah().build(Path("Dockerfile"), "tag", tmp_path, {}, tmp_path / "log")
    assert builds.read_text("utf-8").count("build\n") == ATTEMPTS
    assert "goroutine 1" in (tmp_path / "log").read_text("utf-8")


def test_a_builder_that_panics_each_time_is_given_up(
    crash: Callable[[int], Path], tmp_path: Path
) -> None:
    builds = crash(ATTEMPTS)
    with pytest.raises(CrashError, match="buildah crashed: invalid memory address"):
        Buildah().build(Path("Dockerfile"), "tag", tmp_path, {}, tmp_path / "log")
    assert builds.read_text("utf-8").count("build\n") == ATTEMPTS


def test_a_failed_build_is_not_begun_again(crash: Callable[[int], Path], tmp_path: Path) -> None:
    builds = crash(1)
    (tmp_path / "panic").write_text(BUILDAH, "utf-8")
    with pytest.raises(ImageError, match="no python3"):
        Buildah().build(Path("Dockerfile"), "tag", tmp_path, {}, tmp_path / "log")
    assert builds.read_text("utf-8") == "build\n"


def test_the_stand_in_installs_the_runtime_client_from_the_lock_file_with_hashes() -> None:
    lock = (ROOT / "requirements" / "development.txt").read_text("utf-8")
    pinned = standin.pinned(lock, standin.RUNTIME_CLIENT)
    for name in standin.RUNTIME_CLIENT:
        assert re.search(rf"^{name}==.*\\\n\s+--hash=sha256:", pinned, re.MULTILINE)
    assert len(re.findall(r"^\S+==", pinned, re.MULTILINE)) == len(standin.RUNTIME_CLIENT)


def test_the_stand_in_has_the_python_of_awss_image() -> None:
    # https://packages.debian.org/python3: bookworm has 3.11, trixie 3.13.
    assert (standin.SUITE, AWS_BASE.rpartition(":")[2]) == ("trixie", "3.13")


def test_a_package_missing_from_the_lock_file_is_named() -> None:
    with pytest.raises(ImageError, match="lacks awslambdaric"):
        standin.pinned("boto3==1 \\\n    --hash=sha256:0\n", standin.RUNTIME_CLIENT)


def test_the_stand_in_starts_its_emulator_as_the_aws_image_does() -> None:
    entry = (ROOT / "image" / "standin" / "lambda-entrypoint.sh").read_text("utf-8")
    assert "/usr/local/bin/aws-lambda-rie /var/runtime/bootstrap" in entry
    for script in ("bootstrap", "lambda-entrypoint.sh"):
        assert os.access(ROOT / "image" / "standin" / script, os.X_OK)


def test_peak_memory_is_positive_for_a_running_process_and_0_for_none() -> None:
    assert peak_memory(os.getpid()) > 1_000_000
    assert peak_memory(2**22 + 1) == 0


def test_the_service_image_installs_only_the_hashed_lock_file_and_does_not_run_as_root() -> None:
    text = (ROOT / "Dockerfile.service").read_text("utf-8")
    assert text.count("pip install") == text.count("--require-hashes") == 1
    assert re.findall(r"^COPY requirements/(\S+)", text, re.MULTILINE) == ["service.txt"]
    assert re.search(r"^USER [1-9]", text, re.MULTILINE)
    # Whoever starts it has to say who may use it.
    assert "--no-keys" not in text[text.index("ENTRYPOINT") :].split("#")[0]
    for folder in re.findall(r"^COPY (\w+)/ ", text, re.MULTILINE):
        assert folder in CONTEXT


@pytest.mark.parametrize("name", ["base", "app", "service", "standalone"])
def test_parent_images_are_build_arguments(name: str) -> None:
    text = (ROOT / f"Dockerfile.{name}").read_text("utf-8")
    assert "\nARG BASE=" in text
    parents = set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) - {"${BASE}"}
    stages = re.findall(r"^FROM \S+ AS (\S+)", text, re.MULTILINE)
    assert parents <= set(stages)


def test_the_base_image_builds_on_awss_image_or_on_a_digest_of_it() -> None:
    repository = AWS_BASE.rpartition(":")[0]
    parent = registry.parent(BASE_DOCKERFILE)
    assert parent == AWS_BASE or re.fullmatch(rf"{repository}@sha256:[0-9a-f]{{64}}", parent)


def test_the_runtime_dependencies_come_only_from_the_hashed_lock_file() -> None:
    base = (ROOT / "Dockerfile.base").read_text("utf-8")
    final_stage = base[base.rindex("FROM ") :]
    assert "RUN" not in final_stage
    assert "COPY requirements/runtime.txt" in base
    assert base.count("pip install") == base.count("--require-hashes") == 2
    lock = (ROOT / "requirements" / "runtime.txt").read_text("utf-8").lower()
    for heavy in ("torch", "transformers", "onnx=="):
        assert f"\n{heavy}" not in lock


def test_the_build_context_holds_only_what_the_images_need() -> None:
    included = [
        line.lstrip("!").split("/")[0]
        for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        if line.startswith("!")
    ]
    assert set(included) == {*CONTEXT, "checkpoint"}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["build", "--nonsense"], ["nonsense"], []])
def test_incorrect_usage_prints_the_usage(arguments: list[str]) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "image", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert "usage: python -m image" in result.stderr


@pytest.mark.slow
def test_building_needs_no_package_but_docker_or_buildah_which_one_line_names(
    tmp_path: Path,
) -> None:
    result = subprocess.run(
        # -S: without what is installed.
        [sys.executable, "-S", "-m", "image", "build"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
        check=False,
    )
    assert result.returncode == 1
    *_, last = result.stderr.splitlines()
    assert last.startswith("error: found neither a running Docker nor buildah")


CHECKS = {
    "cfn-lint": (Path(sys.executable).parent / "cfn-lint", ["--"]),
    "sam": (ROOT / ".venv" / "sam" / "bin" / "sam", ["validate", "--lint", "--template"]),
    "checkov": (
        ROOT / ".venv" / "checkov" / "bin" / "checkov",
        ["--framework=cloudformation", "--quiet", "--skip-download", "--file"],
    ),
}
"""Programs, with what they are given before the template's name."""


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("template", ["template.yaml", "observability.yaml"])
# 'make check-template' runs all three, and .ci/run that.
@pytest.mark.parametrize(
    "tool", ["cfn-lint", *(pytest.param(one, marks=pytest.mark.long) for one in ("sam", "checkov"))]
)
def test_the_templates_pass_the_checks(tool: str, template: str) -> None:
    path, arguments = CHECKS[tool]
    # The 'sam' of an activated environment is only there for its emulator.
    folders = [one for one in os.get_exec_path() if Path(one) != Path(sys.executable).parent]
    program = str(path) if path.exists() else shutil.which(tool, path=os.pathsep.join(folders))
    if program is None:
        pytest.skip(f"{tool} is not installed: run 'make check-template' to install it")
    result = subprocess.run(
        [program, *arguments, template],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "SAM_CLI_TELEMETRY": "0"},
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_skipped_policy_check_states_a_reason() -> None:
    template = (ROOT / "template.yaml").read_text("utf-8")
    skipped = re.findall(r"checkov:skip=(\w+)(.*)", template)
    assert skipped
    assert all(re.fullmatch(r":.{20,}\.", reason) for _, reason in skipped)
    everywhere = (ROOT / ".checkov.yaml").read_text("utf-8").partition("skip-check:\n")[2]
    assert re.fullmatch(r"(  # .{20,}\.\n  - CKV\w+\n)+", everywhere)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["test", "service"])
def test_a_machine_without_a_builder_may_skip_the_image_test(command: str, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "image", command, "--if-possible"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
        check=False,
    )
    assert result.returncode == 0
    assert result.stdout.startswith("skipped the image test: found neither a running Docker")
