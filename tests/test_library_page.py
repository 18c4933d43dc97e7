"""The page about the Python library says what its first lines really return."""

from __future__ import annotations

import re

import pytest

from tests.template.code import ROOT
from toxic_bot import Classifier


def test_the_first_lines_return_what_is_written_beside_them() -> None:
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    block = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert block
    written = dict(re.findall(r"^(verdict\.\w+)  # (.+)$", block[1], re.MULTILINE))
    assert list(written) == ["verdict.status", "verdict.score", "verdict.kinds"]
    assert 'classifier("you are an idiot")' in block[1]
    verdict = Classifier.load()("you are an idiot")
    assert f'"{verdict.status}"' in written["verdict.status"]
    # A CPU rounds some scores differently.
    assert verdict.score == pytest.approx(float(written["verdict.score"]), abs=0.01)
    assert written["verdict.kinds"] == '("insult",)'
    assert verdict.kinds == ("insult",)
