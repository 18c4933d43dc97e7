"""Two forms of a graph are compared as the bot serves them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="the pipeline needs the 'build' dependencies")

from model_build.evaluation.comparison import copy_with_graph
from model_build.evaluation.scores import judge_texts, scores_of
from model_build.work import GRAPH
from toxic_bot.judge.config import EMBEDDED_MODEL


@pytest.mark.slow
def test_another_form_of_the_graph_gets_the_same_second_opinion(tmp_path: Path) -> None:
    texts = ["you are a worthless idiot", "nobody asked for your opinion", "thanks for the review"]
    copy = copy_with_graph(EMBEDDED_MODEL, EMBEDDED_MODEL / GRAPH, tmp_path / "copy")
    expected = scores_of(judge_texts(EMBEDDED_MODEL, texts, ["en"] * 3))
    assert scores_of(judge_texts(copy, texts, ["en"] * 3)) == pytest.approx(expected, abs=1e-6)
