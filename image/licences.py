"""The licences of what is shipped, as a page of the docs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from image import ImageError
from simulators import ROOT

RUNTIME = ROOT / "requirements" / "runtime.txt"
"""What the Lambda layer has."""
SERVICE = ROOT / "requirements" / "service.txt"
"""What the image of the service has."""
PAGE = ROOT / "docs" / "licences.md"

ALLOWED = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSD-3-Clause-Open-MPI",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "PSF-2.0",
        "Unlicense",
        "Zlib",
    }
)
"""SPDX identifiers of the licences that a shipped package may have."""

BUNDLED = {
    "GPL-3.0-or-later WITH GCC-exception-3.1": "GCC's libgfortran, which OpenBLAS needs, in NumPy. "
    "The exception lets programs under any licence use it",
    "LGPL-2.1-or-later": "GCC's libquadmath, which libgfortran needs, in NumPy for Python 3.11",
}
"""Licences outside of `ALLOWED` that a library inside a package has: which, and why it may stay."""

SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
}
"""Identifiers by the names that older metadata has; BSD is several, and not told apart."""

_TEXT = """\
# Licences

The licences of the packages in the Lambda layer and in the service's image, as the packages declare
them; `make audit` writes this page. Versions are in `requirements/runtime.txt` and
`requirements/service.txt`. Commas stand where a package names several licences, but not whether all
of them apply or one of your choice.

What only tests, benchmarks and model building need is not shipped, and not listed. The data that
the embedded model was trained on has licences of its own: see its
[card](../toxic_bot/judge/model/README.md).

| package | licence | in the layer | in the service |
|---|---|---|---|
{packages}

## Inside the packages

Wheels contain libraries of other projects. NumPy's `LICENSE.txt` and ONNX Runtime's
`ThirdPartyNotices.txt` list theirs, and the images keep these files. Two of NumPy's have copyleft
licences, which matter if you pass on an image:

| licence | what has it |
|---|---|
{bundled}
"""


def page() -> str:
    """Return the page, from the metadata of the installed packages.

    Raises
    ------
    ImageError
        If a package is not installed.
    """
    runtime, service = pins(RUNTIME), pins(SERVICE)
    packages = (
        f"| {name} | {declared(name)} | {_tick(name in runtime)} | {_tick(name in service)} |"
        for name in sorted(runtime | service)
    )
    bundled = (f"| {licence} | {library} |" for licence, library in BUNDLED.items())
    return _TEXT.format(packages="\n".join(packages), bundled="\n".join(bundled))


def declared(name: str) -> str:
    """Return an installed package's licences: an SPDX expression, or identifiers with commas.

    A name without a known identifier is returned as it is.

    Raises
    ------
    ImageError
        If the package is not installed.
    """
    try:
        metadata = distribution(name).metadata
    except PackageNotFoundError:
        raise ImageError(f"{name} is not installed: run 'make .venv/development'") from None
    if "License-Expression" in metadata:
        return metadata["License-Expression"]
    classifiers = metadata.get_all("Classifier") or []
    names = {line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License ::")}
    # Some have the whole text here, and python-dateutil "Dual License".
    [field] = metadata.get_all("License") or [""]
    if field and "\n" not in field and field != "Dual License":
        names.add(field)
    return ", ".join(sorted({SPDX.get(name, name) for name in names})) or "not declared"


def bundled(name: str) -> set[str]:
    """Return the licences that an installed package's license files name for what it bundles."""
    return {
        licence
        for path in distribution(name).files or ()
        if re.search(r"\.dist-info/.*(LICEN[CS]E|COPYING|NOTICE)", str(path), re.IGNORECASE)
        for licence in re.findall(r"^License: (.+)$", path.read_text("utf-8"), re.MULTILINE)
    }


def outside(licences: str, allowed: Iterable[str] = ALLOWED) -> set[str]:
    """Return those of some licences that are not allowed, even if another one may be chosen.

    Parameters
    ----------
    licences
        As `declared` returns them.
    allowed
        SPDX identifiers, with their exceptions.
    """
    names = re.split(r"\s+(?:AND|OR)\s+|,\s*", re.sub(r"[()]", "", licences))
    return set(names) - set(allowed)


def _tick(contained: bool) -> str:
    return "yes" if contained else ""


def pins(lock: Path) -> dict[str, set[str]]:
    """Return the versions that a lock file pins, by package.

    A package has several if they are for different versions of Python.
    """
    versions: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", lock.read_text("utf-8"), re.M):
        versions.setdefault(name, set()).add(version)
    return versions
