"""Which files of its dependencies the image keeps: ``python image/runtime_files.py FOLDER``.

More than half of what pip installs is never used: the APIs of 400 other AWS services, a second
copy of ONNX Runtime, tests. Every build removes what is not listed here. The tests run the
functions with only these files, and compare the list with the clients that the code creates.
"""

from __future__ import annotations

import compileall
import gzip
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

SERVICES = ("codedeploy", "dynamodb", "lambda", "secretsmanager", "sqs", "ssm")
"""The AWS services that the functions call, by botocore's names."""
TRACING_SERVICES = ("xray",)
"""Those that X-Ray's SDK calls."""

KEPT = (
    # Powertools: what handler/ imports, and what that imports.
    "aws_lambda_powertools/*.py",
    "aws_lambda_powertools/{exceptions,logging,metrics,middleware_factory,shared}/**.py",
    "aws_lambda_powertools/{tracing,warnings}/**.py",
    "aws_lambda_powertools/utilities/*.py",
    "aws_lambda_powertools/utilities/{jmespath_utils,typing}/**.py",
    # With Tracing=on, Powertools loads X-Ray's SDK, which patches what it finds.
    "aws_xray_sdk/*.py",
    "aws_xray_sdk/core/**",
    "aws_xray_sdk/ext/**",
    "wrapt/*.py",
    "wrapt/*.so",
    # botocore, with the APIs of a few services.
    "botocore/**.py",
    "botocore/cacert.pem",
    "botocore/data/*.json",
    "botocore/data/{" + ",".join(SERVICES + TRACING_SERVICES) + "}/**",
    "dateutil/*.py",
    "dateutil/{parser,tz}/*.py",
    "jmespath/*.py",
    "six.py",
    "urllib3/**.py",
    # The model. libonnxruntime.so.* is for C programs; Python's module contains the same.
    "gcld3/__init__.py",
    "gcld3/*.so",
    "numpy.libs/*",
    "numpy/*.py",
    "numpy/{_core,_typing,_utils,lib,linalg,matrixlib}/*.py",
    "numpy/{_core,linalg}/*.so",
    "onnxruntime/*.py",
    "onnxruntime/*.txt",
    "onnxruntime/LICENSE",
    "onnxruntime/capi/*.py",
    "onnxruntime/capi/libonnxruntime_providers_shared.so",
    "onnxruntime/capi/onnxruntime_pybind11_state*.so",
    "tokenizers/**.py",
    "tokenizers/*.so",
    # Slack.
    "slack_sdk/*.py",
    "slack_sdk/{errors,http_retry,models,signature,web,webhook}/**.py",
    "typing_extensions.py",
    # Lambda's base image has no time zones.
    "tzdata/__init__.py",
    "tzdata/zones",
    "tzdata/zoneinfo/**",
    # Versions and licenses.
    "*.dist-info/METADATA",
    "*.dist-info/**{LICENSE,COPYING,NOTICE}*",
    "*.dist-info/licenses/**",
)
"""Patterns of paths: ``*`` stops at a slash, ``**`` does not, and braces hold alternatives."""

DROPPED = (
    "**/tests/**",
    "numpy/_core/{*_tests,_simd}.*.so",
    "slack_sdk/web/{async,legacy}_*.py",
)
"""Patterns of paths that go although a pattern of `KEPT` matches them."""

DOCSTRINGS = ("numpy/_core/_add_newdocs.py", "numpy/_core/_add_newdocs_scalars.py")
"""Modules that NumPy imports only to give docstrings to what is written in C. They are emptied."""


def kept_files(paths: Iterable[str]) -> Iterator[str]:
    """Yield those of some installed files that the image keeps.

    Parameters
    ----------
    paths
        Relative to the folder in which the packages are installed, with slashes.
    """
    kept, dropped = _expression(KEPT), _expression(DROPPED)
    return (path for path in paths if kept.fullmatch(path) and not dropped.fullmatch(path))


def unused_patterns(paths: Iterable[str]) -> list[str]:
    """Return the patterns of `KEPT` that match none of some installed files."""
    known = list(paths)
    return [pattern for pattern in KEPT if not any(map(_expression((pattern,)).fullmatch, known))]


def installed_files(folder: Path) -> list[str]:
    """Return the files below a folder, relative to it."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def prune(folder: Path) -> None:
    """Remove all files that the image does not keep, and compile the other modules.

    Parameters
    ----------
    folder
        The folder in which pip installed the runtime dependencies.
    """
    kept = set(kept_files(installed_files(folder)))
    for root, _, names in os.walk(folder, topdown=False):
        for name in names:
            if Path(root, name).relative_to(folder).as_posix() not in kept:
                Path(root, name).unlink()
        if not any(Path(root).iterdir()):
            Path(root).rmdir()
    shorten(folder)
    compile_modules(folder)


def compile_modules(folder: Path) -> None:
    """Put the bytecode of all modules in place of their source.

    Parameters
    ----------
    folder
        The folder with the kept files.
    """
    # Unchecked: nothing changes in an image, so no file need be compared with its source.
    unchecked = PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(folder, quiet=1, legacy=True, invalidation_mode=unchecked)
    for source in folder.rglob("*.py"):
        if source.with_suffix(".pyc").exists():
            source.unlink()


def shorten(folder: Path) -> None:
    """Take out of the kept files what is read at every cold start, and never used.

    Parameters
    ----------
    folder
        The folder with the kept files.
    """
    for name in DOCSTRINGS:
        _replace(folder / name, "")
    data = folder / "botocore" / "data"
    endpoints = json.loads((data / "endpoints.json").read_bytes())
    for partition in endpoints["partitions"]:
        partition["services"] = {
            name: service
            for name, service in partition["services"].items()
            if name in SERVICES + TRACING_SERVICES
        }
    _replace(data / "endpoints.json", _compact(endpoints))
    for path in data.rglob("*.json.gz"):
        api = json.loads(gzip.decompress(path.read_bytes()))
        path.unlink()
        # botocore looks for a file that is not compressed first.
        _replace(path.with_suffix(""), _compact(_undocumented(api)))


def _undocumented(api: Any) -> Any:
    """Return a service's API without its documentation, which is most of it."""
    if isinstance(api, dict):
        # A field of this name has an object.
        return {
            name: _undocumented(value)
            for name, value in api.items()
            if not (name == "documentation" and isinstance(value, str))
        }
    return [_undocumented(value) for value in api] if isinstance(api, list) else api


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _replace(path: Path, text: str) -> None:
    # Not written into: the file may be a link to another installation's.
    path.unlink(missing_ok=True)
    path.write_text(text, "utf-8")


def _expression(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_translated, patterns)))


def _translated(pattern: str) -> str:
    known = {"**": ".*", "*": "[^/]*", "{": "(?:", "}": ")", ",": "|"}
    parts = re.split(r"(\*\*|[*{},])", pattern)
    return "".join(known.get(part, re.escape(part)) for part in parts)


if __name__ == "__main__":
    prune(Path(sys.argv[1]))
