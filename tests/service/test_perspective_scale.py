"""Scores on Perspective's scale."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from benchmarks import perspective_scale
from benchmarks.perspective_scale import Scored, agreement_table, fit, spearman
from tests.service.conftest import serving
from toxic_bot.judge.config import EMBEDDED_MODEL, MULTILINGUAL_FOLDER, ModelConfig
from toxic_bot.service.kind_scores import SEVERE, shift
from toxic_bot.service.perspective.scale import COMMAND, RAW, STORED, Scales, fingerprint

NAMES = {"english": EMBEDDED_MODEL, "multilingual": EMBEDDED_MODEL / MULTILINGUAL_FOLDER}
INSULT = "You are a pathetic idiot and everybody here hates you."
COMMENT = {
    "comment": {"text": INSULT},
    "requestedAttributes": {name: {} for name in ("TOXICITY", "SEVERE_TOXICITY", "INSULT")},
}


def config(folder: Path) -> ModelConfig:
    return ModelConfig.read(folder / "config.json")


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_map_belongs_to_the_embedded_model(name: str) -> None:
    stored = json.loads(STORED.read_bytes())["scales"].get(name, {}).get("model")
    assert stored == fingerprint(config(NAMES[name])), (
        f"the {name} model has changed since its map to Perspective's scale was fitted: run "
        f"'{COMMAND}'"
    )


def test_the_stored_maps_rise_from_0_to_1_and_leave_no_score_out() -> None:
    for one in json.loads(STORED.read_bytes())["scales"].values():
        here, there = zip(*one["knots"], strict=True)
        assert (here[0], there[0], here[-1], there[-1]) == (0, 0, 1, 1)
        assert all(np.diff(here) > 0)
        assert all(np.diff(there) > 0)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_map_keeps_the_order_and_stays_within_0_and_1(first: float, second: float) -> None:
    scale = Scales.stored().of(config(EMBEDDED_MODEL))
    low, high = scale(min(first, second)), scale(max(first, second))
    assert 0 <= low <= high <= 1
    assert RAW(first) == pytest.approx(first)


def test_a_limit_flags_as_many_as_there_under_the_fitted_map() -> None:
    generator = np.random.default_rng(29)
    there = generator.beta(1, 3, 20_000)
    here = there**3 * 0.95
    scale = fit(Scored(here, there))
    mapped = np.array([scale(score) for score in here])
    for limit in (0.3, 0.5, 0.8):
        assert (mapped >= limit).mean() == pytest.approx((there >= limit).mean(), abs=0.005)
    assert spearman(mapped, there) == pytest.approx(1)
    assert agreement_table(Scored(here, there), scale).count("\n| 0.") == 5


def test_equal_scores_share_a_rank() -> None:
    assert spearman(np.array([1.0, 1, 2, 3]), np.array([5.0, 5, 6, 7])) == pytest.approx(1)
    assert spearman(np.array([1.0, 2, 3]), np.array([3.0, 2, 1])) == pytest.approx(-1)


def test_a_model_without_a_map_keeps_its_scores_and_the_log_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    other = replace(config(EMBEDDED_MODEL), offset=3.0)
    scales = Scales.stored()
    with caplog.at_level(logging.WARNING):
        assert [scales.of(other), scales.of(other)] == [RAW, RAW]
    [record] = caplog.records
    assert COMMAND in record.message


def scores(response: httpx.Response) -> dict[str, float]:
    assert response.status_code == 200, response.text
    attributes = response.json()["attributeScores"]
    return {name: one["summaryScore"]["value"] for name, one in attributes.items()}


@pytest.mark.slow
def test_the_scores_are_mapped_by_default_in_every_attribute_and_raw_by_a_setting(
    address: str, model_folder: Path
) -> None:
    path = "/v1alpha1/comments:analyze"
    [verdict] = httpx.post(f"{address}/v1/verdicts", json={"text": INSULT}).json()["verdicts"]
    mapped = scores(httpx.post(address + path, json=COMMENT))
    with serving("--model", str(model_folder), "--raw-scores") as (raw_address, _):
        raw = scores(httpx.post(raw_address + path, json=COMMENT))
    assert raw["TOXICITY"] == pytest.approx(verdict["score"], abs=1e-6)
    scale = Scales.stored().of(config(model_folder))
    expected = {name: scale(score) for name, score in raw.items()}
    expected["SEVERE_TOXICITY"] = shift(expected["TOXICITY"], SEVERE)
    assert mapped == pytest.approx(expected, abs=1e-6)
    assert mapped["TOXICITY"] >= max(mapped.values())
    # The limit that Coral ships with.
    assert mapped["TOXICITY"] >= 0.8


@pytest.mark.long
@pytest.mark.slow
def test_the_command_fits_stores_and_describes_the_map_of_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ("you idiot number", "thanks, number", "what a stupid plan, number", "see you at")
    rows = [
        {
            "text": f"{text} {number}",
            "raw_label": f"edit=0|persp={0.1 + 0.2 * kind + 0.001 * number:.3f}|kinds=none",
            "split": "test" if number % 3 == 0 else "train",
        }
        for number in range(30)
        for kind, text in enumerate(texts)
    ]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "cmsb_sexism.parquet")
    labeled = [
        {"text": "you idiot", "raw_label": "toxic+insult", "split": "test"},
        {"text": "see you at lunch", "raw_label": "none", "split": "test"},
        {"text": "seen in training", "raw_label": "toxic", "split": "train"},
    ]
    parquet.write_table(pa.Table.from_pylist(labeled), tmp_path / "jigsaw_wiki_slices.parquet")
    page = tmp_path / "page.md"
    page.write_text(f"by hand\n{perspective_scale.BEGIN}\n{perspective_scale.END}\n")
    arguments = ["--output", str(tmp_path / "scales.json"), "--page", str(page)]
    from benchmarks.__main__ import main

    model = EMBEDDED_MODEL / MULTILINGUAL_FOLDER
    assert (
        main(["perspective-scale", "--data", str(tmp_path), "--model", str(model), *arguments]) == 0
    ), capsys.readouterr().err
    stored = json.loads((tmp_path / "scales.json").read_text())
    assert stored["scales"]["english"]["model"] == fingerprint(config(model))
    assert "idiot" not in (tmp_path / "scales.json").read_text()
    assert "Spearman's rank correlation" in page.read_text()
    assert "Attributes, on 2 Wikipedia comments" in page.read_text()
    assert "| `INSULT` | 50.0% |" in page.read_text()
    assert main(["perspective-scale", "--data", str(tmp_path / "nowhere")]) == 1
    assert "cmsb_sexism.parquet is missing: give a folder" in capsys.readouterr().err
