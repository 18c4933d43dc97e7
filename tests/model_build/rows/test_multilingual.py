"""The messages written in other languages are complete, balanced and kept apart from the suites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from model_build.rows.kinds import KINDS

ROOT = Path(__file__).parents[3]
WRITTEN = ROOT / "model_build" / "rows" / "multilingual"
SUITES = ROOT / "tests" / "model" / "multilingual"
LANGUAGES = sorted(folder.name for folder in WRITTEN.iterdir() if folder.is_dir())


def messages(language: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for file in sorted((WRITTEN / language).glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_about_half_of_the_messages_are_toxic_and_say_how(language: str) -> None:
    rows = messages(language)
    assert 0.4 < sum(row["label"] for row in rows) / len(rows) < 0.6
    assert all(set(row["kinds"]) <= set(KINDS) for row in rows)
    assert all(bool(row["kinds"]) == bool(row["label"]) for row in rows)
    assert len({row["text"] for row in rows}) == len(rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_stands_in_the_suite(language: str) -> None:
    suite = json.loads((SUITES / f"{language}.json").read_text("utf-8"))
    assert len(suite) >= 80
    assert 0.4 < sum(sample["toxic"] for sample in suite) / len(suite) < 0.6
    written = {row["text"].casefold() for row in messages(language)}
    assert not {sample["text"].casefold() for sample in suite} & written
