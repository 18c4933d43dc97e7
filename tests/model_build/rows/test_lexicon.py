"""The lexicon is counted in the training rows."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from model_build.__main__ import main
from model_build.rows.lexicon import rank
from model_build.work import Work
from toxic_bot.judge.words import words


def rows(*texts: tuple[str, float], sources: int = 4, times: int = 3) -> pd.DataFrame:
    """Return each text as often from each of some sources."""
    return pd.DataFrame(
        [
            {"text": text, "target": target, "source": f"source {number}"}
            for text, target in texts
            for number in range(sources)
            for _ in range(times)
        ]
    )


def test_a_word_is_known_once_enough_rows_of_enough_sources_have_it() -> None:
    assert rank(rows(("Gtfo my lawn", 0.0)), ()) == ["gtfo", "lawn", "my"]
    assert rank(rows(("gtfo my lawn", 0.0), sources=3), ()) == []
    assert rank(rows(("gtfo my lawn", 0.0), times=2), ()) == []


def test_the_words_of_the_vocabulary_are_known_however_rare() -> None:
    assert rank(rows(("hello", 0.0)), {"anemone"}) == ["hello", "anemone"]


def test_frequent_words_come_first_and_what_hurts_before_what_is_as_frequent() -> None:
    counted = rows(("duck", 0.0), times=6)
    hurtful = rows(("dick", 1.0), times=3)
    assert rank(pd.concat([counted, hurtful]), ()) == ["dick", "duck"]
    assert rank(pd.concat([rows(("duck", 0.0), times=40), hurtful]), ()) == ["duck", "dick"]


def test_masked_and_quoted_parts_of_words_are_not_counted() -> None:
    assert rank(rows(("f*cking don't", 0.0)), ()) == []


def test_the_command_writes_a_word_a_line(tmp_path: Path) -> None:
    work, model, file = Work(tmp_path / "work"), tmp_path / "model", tmp_path / "words.txt"
    work.step("data").mkdir(parents=True)
    rows(("gtfo", 1.0)).to_parquet(work.step("data") / "train.parquet")
    model.mkdir()
    vocabulary = {"[UNK]": 0, "hello": 1, "##ing": 2, "a": 3}
    (model / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary}}))
    options = ["--work", str(work.folder), "--model", str(model), "--output", str(file)]
    assert main(["lexicon", *options]) == 0
    assert file.read_text() == "gtfo\nhello\n"


def test_rows_or_a_tokenizer_that_are_missing_are_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["lexicon", "--work", str(tmp_path), "--model", str(tmp_path)]
    assert main(options) == 1
    assert "run 'python -m model_build data' first" in capsys.readouterr().err
    (tmp_path / "data").mkdir()
    rows(("gtfo", 1.0)).to_parquet(tmp_path / "data" / "train.parquet")
    assert main(options) == 1
    assert "give a model folder" in capsys.readouterr().err


def test_the_lexicon_knows_slang_and_ranks_every_word() -> None:
    known = words()
    assert {"gtfo", "moron", "hello"} <= known.keys()
    assert known["cunt"] < known["cant"]
    assert sorted(known.values()) == list(range(len(known)))
