"""The lock files of what is shipped."""

from __future__ import annotations

import re
from pathlib import Path

from simulators import ROOT

RUNTIME = ROOT / "requirements" / "runtime.txt"
"""What the Lambda layer has."""
SERVICE = ROOT / "requirements" / "service.txt"
"""What the image of the service has."""


def pins(lock: Path) -> dict[str, set[str]]:
    """Return the versions that a lock file pins, by package.

    A package has several if they are for different versions of Python.
    """
    versions: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", lock.read_text("utf-8"), re.M):
        versions.setdefault(name, set()).add(version)
    return versions
