"""What is shipped has licences that allow it, and the page says which."""

from __future__ import annotations

from pathlib import Path

import pytest

from image import ImageError
from image.licences import (
    ALLOWED,
    BUNDLED,
    PAGE,
    RUNTIME,
    SERVICE,
    bundled,
    declared,
    outside,
    page,
    pins,
)

SHIPPED = sorted(pins(RUNTIME) | pins(SERVICE))


def install(folder: Path, metadata: str) -> None:
    info = folder / "sample-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: sample\nVersion: 1.0\n{metadata}", "utf-8"
    )


def test_the_page_is_what_is_generated() -> None:
    assert PAGE.read_text("utf-8") == page(), "run 'make audit', and commit docs/licences.md"


def test_the_page_has_every_package_of_the_lock_files() -> None:
    assert {"numpy", "slack-sdk", "uvicorn"} <= set(SHIPPED)
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if "| yes |" in line]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_no_package_declares_a_licence_that_is_not_allowed(name: str) -> None:
    assert outside(declared(name)) == set()


@pytest.mark.parametrize("name", SHIPPED)
def test_no_package_contains_a_library_with_a_licence_that_the_page_does_not_explain(
    name: str,
) -> None:
    for licence in bundled(name):
        assert outside(licence, ALLOWED | BUNDLED.keys()) == set()


def test_the_licences_of_libraries_inside_a_package_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "License-Expression: MIT\n")
    text = "The MIT License\n----\nName: a library\nLicense: GPL-2.0-only\n  For details, see it.\n"
    (tmp_path / "sample-1.0.dist-info" / "LICENSE.txt").write_text(text, "utf-8")
    (tmp_path / "sample-1.0.dist-info" / "RECORD").write_text(
        "sample-1.0.dist-info/LICENSE.txt,,\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert bundled("sample") == {"GPL-2.0-only"}


@pytest.mark.parametrize(
    ("metadata", "licences"),
    [
        ("License-Expression: MIT OR Apache-2.0\n", "MIT OR Apache-2.0"),
        ("License: GPLv3\nClassifier: License :: OSI Approved :: MIT License\n", "GPLv3, MIT"),
        (
            "License: Dual License\nClassifier: License :: OSI Approved :: BSD License\n"
            "Classifier: License :: OSI Approved :: Apache Software License\n",
            "Apache-2.0, BSD",
        ),
        ("License: The whole text.\n        All of it.\n", "not declared"),
        ("Classifier: Programming Language :: Python\n", "not declared"),
    ],
)
def test_licences_are_read_from_metadata_of_any_age(
    metadata: str, licences: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, metadata)
    monkeypatch.syspath_prepend(tmp_path)
    assert declared("sample") == licences


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(ImageError, match="no-such-package is not installed"):
        declared("no-such-package")


@pytest.mark.parametrize(
    ("licences", "forbidden"),
    [
        ("MIT AND (Apache-2.0 OR BSD-2-Clause)", set()),
        ("MIT, GPL-2.0-only", {"GPL-2.0-only"}),
        ("MIT OR LGPL-3.0-only", {"LGPL-3.0-only"}),
        ("AGPL-3.0-or-later", {"AGPL-3.0-or-later"}),
        ("GPL-3.0-or-later WITH GCC-exception-3.1", {"GPL-3.0-or-later WITH GCC-exception-3.1"}),
        ("not declared", {"not declared"}),
    ],
)
def test_a_licence_that_is_not_allowed_is_found(licences: str, forbidden: set[str]) -> None:
    assert outside(licences) == forbidden
