"""Known vulnerabilities of pinned packages, as pip-audit finds them in OSV's database."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from image import ImageError, UnavailableError
from image.shell import failure_reason
from simulators import ROOT

TIMEOUT = 540
"""Seconds for all packages."""

# pip-audit turns some failures of the network into a message, and ends with a traceback at others.
# Status 400 is an answer: the database does not understand the question.
_UNREACHABLE = re.compile(
    r"^requests\.exceptions\.(?P<error>(?!HTTPError: 400)\w+)|Could not connect to", re.MULTILINE
)


class UnreachableError(ImageError):
    """A database of vulnerabilities that cannot be reached."""


@dataclass(frozen=True)
class Vulnerability:
    """A known vulnerability.

    Parameters
    ----------
    package, version
        What has it.
    name
        Its ID in the database.
    fixed
        The versions without it; empty if there is none.
    """

    package: str
    version: str
    name: str
    fixed: tuple[str, ...]

    def __str__(self) -> str:
        fix = f"fixed in {', '.join(self.fixed)}" if self.fixed else "not fixed yet"
        return f"{self.package} {self.version}: {self.name}, {fix}"


def environment() -> Path:
    """Return the environment that pip-audit is in.

    Raises
    ------
    UnavailableError
        If it is not installed.
    """
    folder = Path(os.environ.get("AUDIT_ENVIRONMENT") or ROOT / ".venv" / "audit")
    if not (folder / "bin" / "pip-audit").exists():
        raise UnavailableError("pip-audit is not installed: 'make .venv/audit' installs it")
    return folder


def vulnerabilities(pins: Mapping[str, set[str]], log: Path) -> list[Vulnerability]:
    """Return the known vulnerabilities of packages.

    ``PIP_AUDIT_OSV_URL`` chooses another database with OSV's API.

    Parameters
    ----------
    pins
        Versions by package.
    log
        File to which pip-audit's output is appended.

    Raises
    ------
    UnreachableError
        If the database cannot be reached.
    UnavailableError
        If pip-audit is not installed.
    ImageError
        If it fails for any other reason.
    """
    command = [str(environment() / "bin" / "pip-audit"), "--no-deps", "--disable-pip", "--strict"]
    command += ["--progress-spinner", "off", "--format", "json", "--vulnerability-service", "osv"]
    with tempfile.TemporaryDirectory(prefix="audit-") as folder:
        return [
            vulnerability
            for number, requirements in enumerate(_requirements(pins))
            for vulnerability in _found(command, Path(folder, f"{number}.txt"), requirements, log)
        ]


def _requirements(pins: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield requirements of which none has two versions of a package: pip-audit takes only one.

    Markers are left out, because what is shipped may run on another Python than pip-audit.
    """
    remaining = {name: sorted(versions) for name, versions in sorted(pins.items())}
    while remaining:
        yield "".join(f"{name}=={versions.pop()}\n" for name, versions in remaining.items())
        remaining = {name: versions for name, versions in remaining.items() if versions}


def _found(command: list[str], path: Path, requirements: str, log: Path) -> Iterator[Vulnerability]:
    path.write_text(requirements, "utf-8")
    try:
        result = subprocess.run(
            [*command, "--requirement", str(path)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        raise ImageError(f"pip-audit took longer than {TIMEOUT} seconds: try again") from None
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{requirements}{result.stdout}{result.stderr}\n")
    # Its exit status is 1 both for findings and for errors; with errors it prints no JSON.
    if not result.stdout.strip():
        if unreachable := _UNREACHABLE.search(result.stderr):
            reason = unreachable["error"] or "ConnectTimeout"
            raise UnreachableError(f"OSV's database cannot be reached ({reason})")
        raise ImageError(f"pip-audit failed: {failure_reason(result.stderr)}")
    for package in json.loads(result.stdout)["dependencies"]:
        for found in package["vulns"]:
            fixed = tuple(found["fix_versions"])
            yield Vulnerability(package["name"], package["version"], found["id"], fixed)
