"""The lock files agree with what asks for their packages, on every Python that is served."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from itertools import product

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from simulators import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = {
    "runtime": "lambda",
    "development": "development",
    "service": "service",
    "slack": "slack",
    "ray": "ray",
    "build": "build",
}
OVERRIDES = ("unused", "triton-only", "cuda")
"""Files of what 'make lock' leaves out, which lock nothing."""
FILES = sorted(
    path.stem for path in (ROOT / "requirements").glob("*.txt") if path.stem not in OVERRIDES
)
ENVIRONMENTS = [
    {"python_version": version, "python_full_version": f"{version}.9", "sys_platform": platform}
    for version, platform in product(("3.11", "3.12", "3.13"), ("linux", "darwin", "win32"))
]
ENTRY = re.compile(
    r"^(\S+==[^\\]+?) \\((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)", re.MULTILINE
)


@cache
def text(name: str) -> str:
    return (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")


@cache
def locked(name: str) -> tuple[Requirement, ...]:
    return tuple(Requirement(entry) for entry, _ in ENTRY.findall(text(name)))


def wanted(extra: str) -> list[Requirement]:
    """Return what the project requires with an extra; an extra may contain others."""
    extras = PROJECT["optional-dependencies"]
    found = [Requirement(one) for one in PROJECT["dependencies"]]
    for requirement in map(Requirement, extras[extra]):
        if requirement.name == PROJECT["name"]:
            found += [one for inner in requirement.extras for one in wanted(inner)]
        else:
            found.append(requirement)
    return found


def applies(requirement: Requirement, environment: dict[str, str]) -> bool:
    return requirement.marker is None or requirement.marker.evaluate(environment)


def versions(name: str, package: str, environment: dict[str, str]) -> list[str]:
    """Return the versions of a package that a lock file installs somewhere."""
    return [
        next(iter(one.specifier)).version
        for one in locked(name)
        if canonicalize_name(one.name) == canonicalize_name(package) and applies(one, environment)
    ]


@pytest.mark.parametrize("name", EXTRAS)
def test_a_lock_file_has_what_the_project_requires_on_every_python_and_system(name: str) -> None:
    for environment, requirement in product(ENVIRONMENTS, wanted(EXTRAS[name])):
        found = versions(name, requirement.name, environment)
        if applies(requirement, environment):
            [version] = found
            assert requirement.specifier.contains(version), (requirement, environment)


@pytest.mark.parametrize("name", FILES)
def test_every_package_of_a_lock_file_has_one_version_and_its_hashes(name: str) -> None:
    names = re.findall(r"^([^\s#=]+)==", text(name), re.MULTILINE)
    assert len(locked(name)) == len(names) > 0
    for environment, package in product(ENVIRONMENTS, names):
        package = package.partition("[")[0]
        assert len(versions(name, package, environment)) <= 1


@pytest.mark.parametrize("name", FILES)
def test_a_lock_file_names_no_address(name: str) -> None:
    assert "://" not in text(name)
    assert "make lock" in text(name)


@pytest.mark.parametrize("name", ["development", "service", "slack", "ray"])
def test_what_is_tested_is_what_is_installed(name: str) -> None:
    """Every file has the versions of the files that it is locked with."""
    with_ = "runtime" if name == "development" else "development"
    for environment, one in product(ENVIRONMENTS, locked(with_)):
        found = versions(name, one.name, environment)
        if found and applies(one, environment):
            assert found == [next(iter(one.specifier)).version]
