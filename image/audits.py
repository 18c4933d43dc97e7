"""The commands that look into what the images ship: known vulnerabilities, and licenses."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from image import ImageError, licences
from image.licences import RUNTIME, SERVICE, pins
from image.vulnerabilities import UnreachableError, vulnerabilities
from simulators import ROOT


def audit(_: argparse.Namespace, log: Path, console: Console) -> None:
    """Look for known vulnerabilities of what is shipped.

    Where the database cannot be reached, say so.

    Raises
    ------
    ImageError
        If there are any, or pip-audit fails.
    """
    shipped = pins(RUNTIME)
    for name, versions in pins(SERVICE).items():
        shipped[name] = shipped.get(name, set()) | versions
    try:
        found = vulnerabilities(shipped, log)
    except UnreachableError as error:
        console.print(f"skipped the search for known vulnerabilities: {error}", soft_wrap=True)
        return
    for vulnerability in found:
        console.print(str(vulnerability), soft_wrap=True, highlight=False)
    if found:
        raise ImageError(
            f"what is shipped has known vulnerabilities ({len(found)}): raise the versions in "
            "pyproject.toml, and run 'make lock'"
        )
    console.print(f"no known vulnerabilities in {len(shipped)} packages")


def write_licences(_: argparse.Namespace, __: Path, console: Console) -> None:
    """Rewrite the page of licenses.

    Raises
    ------
    ImageError
        If a package is not installed.
    """
    licences.PAGE.write_text(licences.page(), "utf-8")
    console.print(f"wrote {licences.PAGE.relative_to(ROOT)}")
