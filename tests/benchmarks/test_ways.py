"""The ways to a verdict at fixed lengths, tried on a CPU."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from benchmarks.__main__ import main
from benchmarks.serving.triton_server import environment
from benchmarks.serving.ways import FASTAPI, IO_BINDING, LENGTHS, TRITON, text_of
from toxic_bot.judge.errors import ToxicBotError


def has_triton() -> bool:
    try:
        environment()
    except ToxicBotError:
        return False
    return True


def test_texts_have_as_many_tokens_as_the_table_says(model_folder: Path) -> None:
    tokenizer = Tokenizer.from_file(str(model_folder / "tokenizer.json"))
    for tokens in LENGTHS:
        assert len(tokenizer.encode(text_of(tokenizer, tokens)).ids) == tokens


def test_without_a_gpu_one_line_says_so(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "gpu"
    assert main(["gpu", "--model", str(model_folder), "--output", str(output)]) == 1
    captured = capsys.readouterr()
    [line] = captured.err.splitlines()
    assert "no GPU" in line
    assert "--device cpu" in line
    assert captured.out == ""
    assert not output.exists()


@pytest.mark.slow
@pytest.mark.long
def test_every_way_that_is_there_gives_verdicts_at_every_length(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["gpu", "--device", "cpu", "--runs", "2", "--model", str(model_folder)]
    assert main([*arguments, "--output", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    content = json.loads((tmp_path / "ways.json").read_text("utf-8"))
    ways = content["columns"]
    assert ways == [FASTAPI, IO_BINDING, *[TRITON] * has_triton()]
    assert ("Triton is left out" in shown) == (TRITON not in ways)
    timed = [(one["way"], one["tokens"], one["latency"]["runs"]) for one in content["measured"]]
    assert timed == [(way, tokens, 2) for way in ways for tokens in LENGTHS]
    page = (tmp_path / "README.md").read_text("utf-8")
    for tokens in LENGTHS:
        assert f"| {tokens} tokens | " in page
        assert f"{tokens} tokens" in shown
    assert (tmp_path / "ways.png").stat().st_size > 0


def test_a_triton_that_is_not_there_is_named_in_one_line(
    model_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["gpu", "--device", "cpu", "--model", str(model_folder)]
    assert main([*arguments, "--triton", "127.0.0.1:9"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "127.0.0.1:9" in line
