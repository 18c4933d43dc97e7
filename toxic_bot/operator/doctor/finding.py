"""Findings: the result of one check, with its remedy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Parameters
    ----------
    what
        What was checked.
    ok
        Whether it is as it should be; None if it could not be checked.
    detail
        What was found.
    remedy
        How to fix it; empty if nothing is wrong.
    """

    what: str
    ok: bool | None
    detail: str
    remedy: str = ""


class CheckError(Exception):
    """A check found something wrong.

    Parameters
    ----------
    detail
        What was found.
    remedy
        How to fix it.
    """

    def __init__(self, detail: str, remedy: str) -> None:
        super().__init__(detail)
        self.remedy = remedy


class UncheckedError(Exception):
    """A check could not be made; the message says why."""


def check(what: str, action: Callable[[], str]) -> Finding:
    """Return the finding of a check.

    Parameters
    ----------
    what
        What is checked.
    action
        Makes the check and returns what it found. Raises CheckError when something is wrong
        and UncheckedError when it cannot tell.
    """
    try:
        return Finding(what, True, action())
    except CheckError as error:
        return Finding(what, False, str(error), error.remedy)
    except UncheckedError as error:
        return Finding(what, None, str(error))


def format_finding(finding: Finding) -> str:
    """Return a finding as one line, or two with its remedy."""
    mark = {True: "ok   ", False: "WRONG", None: "?    "}[finding.ok]
    line = f"{mark}  {finding.what}: {finding.detail}"
    return f"{line}\n       -> {finding.remedy}" if finding.remedy else line
