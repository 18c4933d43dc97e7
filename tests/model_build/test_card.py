"""What the card of a model shows of its scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import pandas as pd

from model_build.package.card import (
    _by_language,
    _earlier_training,
    _pruned,
    _score_bars,
    _sure_kinds,
)
from model_build.package.folder import _earlier_records, toxic_by_score
from model_build.package.folder import _pruned as kept_of


def test_a_bar_is_as_full_as_the_rows_of_its_scores_are_toxic() -> None:
    card = _score_bars(
        [{"from": 0.0, "rows": 1200, "toxic": 36}, {"from": 0.9, "rows": 40, "toxic": 39}]
    )
    lines = card.splitlines()
    assert lines[2] == "| 0.0 to 0.1 | 1,200 | 3% | `█░░░░░░░░░░░░░░░░░░░` |"
    assert lines[3].startswith("| 0.9 to 1.0 | 40 | 98% | `████████████████████` |")


def test_only_rows_that_were_read_tell_what_a_score_means() -> None:
    rows = pd.DataFrame({"read": [True, True, True, False], "strict": [1, 0, 1, 0]})
    assert toxic_by_score(rows, np.array([1.0, 0.95, 0.05, 0.5])) == [
        {"from": 0.0, "rows": 1, "toxic": 1},
        {"from": 0.9, "rows": 2, "toxic": 1},
    ]


def test_without_rows_that_were_read_the_card_says_so() -> None:
    assert "no test rows" in _score_bars([])


def test_the_card_of_a_model_names_the_kinds_that_outweigh_its_score() -> None:
    config = {"kinds": [{"name": "threat"}, {"name": "insult"}], "thresholds": {"balanced": 0.5}}
    assert _sure_kinds(config) == "a text that shows one scores 0.5 at least: threat with 97%"
    assert _sure_kinds(config | {"kinds": []}) == "none"


def test_the_card_of_an_average_counts_it_and_names_no_single_parent() -> None:
    runs = [{"step": "distill", "steps": 1684}, {"step": "distill", "steps": 1766}]
    provenance = {"earlier_training": runs, "made_from": "average", "continued_from": None}
    told = _earlier_training(provenance)
    assert told == "; earlier training runs: 1684, 1766 steps; weight averages: 1"


def test_the_card_of_a_pruned_model_says_what_is_left(tmp_path: Path) -> None:
    sizes: dict[str, object] = {
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 1024,
    }
    (tmp_path / "config.json").write_text(json.dumps(sizes))
    assert _pruned(kept_of(tmp_path).get("pruned", {})) == ""
    sizes |= {"heads_per_layer": [4, 1], "neurons_per_layer": [1024, 256]}
    (tmp_path / "config.json").write_text(json.dumps(sizes))
    kept = kept_of(tmp_path)["pruned"]
    assert _pruned(kept) == ("; pruned: 5 of 8 attention heads and 1,280 of 2,048 neurons are left")


def test_a_training_from_which_several_others_descend_counts_once() -> None:
    def record(seed: int, base: str, earlier: list[dict[str, Any]]) -> dict[str, Any]:
        results = {"steps": 9, "checkpoint": base, "earlier": earlier}
        return {"step": "train", "settings": {"seed": seed}, "results": results}

    # The same training, as two models that descend from it tell of it.
    parents = [record(seed, base, [record(1, base, [])]) for seed, base in ((2, "A"), (3, "B"))]
    earlier = _earlier_records(record(4, "C", parents))
    assert [training["settings"]["seed"] for training in earlier] == [1, 2, 3]


def test_the_card_of_a_model_of_several_languages_has_a_line_for_each() -> None:
    metrics = {"rows": 10, "toxic": 5, "macro-F1": 0.8}
    table = _by_language({"de": metrics, "fr": metrics})
    assert [line[:10] for line in table.splitlines() if line][2:] == ["| de | 10 ", "| fr | 10 "]
    assert not _by_language({"en": metrics})
    assert not _by_language({})
