from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.classifier import Classifier, Verdict, load, softmax
from judge.errors import ModelError
from judge.normalization import normalize
from judge.session import has_vnni

MODEL = Path("model")
THREAT = "I know where you live and I am going to kill you, you worthless idiot."
WORK = "The build is green again, and the release notes are in the shared folder. "
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=400)


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return load(MODEL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MODEL, tmp_path / "model"))


def test_a_threat_is_toxic_and_thanks_are_not(classifier: Classifier) -> None:
    assert classifier.classify(THREAT).toxic
    assert not classifier.classify("Thanks a lot, that was quick!").toxic


def test_the_threshold_decides(classifier: Classifier) -> None:
    for text in (THREAT, WORK, "hm"):
        verdict = classifier.classify(text)
        assert verdict.toxic == (verdict.score >= classifier.config.threshold)
        assert 0 <= verdict.score <= 1


@pytest.mark.parametrize("where", ["start", "middle", "end"])
def test_a_threat_anywhere_in_a_long_message_is_found(classifier: Classifier, where: str) -> None:
    before, after = {"start": (0, 120), "middle": (60, 60), "end": (120, 0)}[where]
    text = WORK * before + THREAT + " " + WORK * after
    verdict = classifier.classify(text)
    assert verdict.windows > 1
    assert verdict.toxic
    assert not classifier.classify(WORK * 120).toxic


def test_the_longest_message_slack_allows_takes_a_bounded_number_of_windows(
    classifier: Classifier,
) -> None:
    for text in ("x " * 20_000, "爱" * 40_000, "word" * 10_000):
        assert classifier.classify(text).windows <= classifier.config.window.max_windows


@pytest.mark.parametrize("where", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_a_threat_anywhere_in_the_longest_message_is_found(
    classifier: Classifier, where: float
) -> None:
    room = 40_000 - len(THREAT) - 2
    around = (WORK * 1000)[:room]
    text = f"{around[: int(room * where)]} {THREAT} {around[int(room * where) :]}"
    assert len(text) == 40_000
    assert classifier.classify(text).toxic


@given(ANY_TEXT)
@settings(deadline=None)
def test_any_text_gets_a_verdict(text: str) -> None:
    verdict = load_once().classify(text)
    assert 0 <= verdict.score <= 1
    assert bool(verdict.windows) is bool(normalize(text))


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\ud800", "\x00"])
def test_a_text_with_nothing_visible_is_not_judged(classifier: Classifier, text: str) -> None:
    assert classifier.classify(text) == Verdict(toxic=False, score=0.0, windows=0)


@given(st.integers(1, 3000))
@settings(deadline=None, max_examples=20)
def test_windows_cover_every_token(words: int) -> None:
    classifier = load_once()
    # One token a word, so that the number of windows follows from the number of words.
    window = classifier.config.window
    windows = classifier.classify("word " * words).windows
    room = window.tokens - 2
    step = room - window.overlap
    assert windows == min(
        window.max_windows, 1 if words <= room else 1 + -(-(words - room) // step)
    )


_loaded: list[Classifier] = []


def load_once() -> Classifier:
    if not _loaded:
        _loaded.append(load(MODEL))
    return _loaded[0]


def test_a_verdict_does_not_depend_on_the_neighbours(classifier: Classifier) -> None:
    texts = [WORK * n for n in range(1, 12)] + [THREAT, "ok", "no"]
    alone = [classifier.classify(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(classifier.classify, texts)) == alone


def edit(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text())
    change(config)
    path.write_text(json.dumps(config))


def refuse(folder: Path, name: str) -> None:
    with pytest.raises(ModelError) as caught:
        load(folder)
    line = str(caught.value)
    assert name in line
    assert "python -m model_build build" in line
    assert "\n" not in line


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    refuse(tmp_path / "nowhere", "nowhere/config.json")


@pytest.mark.parametrize("name", ["config.json", "model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    refuse(folder, name)


@pytest.mark.parametrize("name", ["config.json", "model.onnx", "tokenizer.json"])
def test_a_cut_file_is_named(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    refuse(folder, name)


def test_a_flipped_bit_is_noticed(folder: Path) -> None:
    content = bytearray((folder / "model.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (folder / "model.onnx").write_bytes(content)
    refuse(folder, "model.onnx")


def test_a_file_of_another_kind_is_refused(folder: Path) -> None:
    content = b"not a model"
    (folder / "model.onnx").write_bytes(content)
    edit(folder, lambda config: config["files"]["model.onnx"].update(sha256=sha256(content)))
    refuse(folder, "cannot be loaded")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        lambda config: config.pop("threshold"),
        lambda config: config.update(threshold="high"),
        lambda config: config.update(format=99),
        lambda config: config.update(toxic_labels=["rude"]),
        lambda config: config.update(window={"tokens": 256}),
        lambda config: config.update(files=[]),
    ],
    ids=["no-threshold", "threshold", "format", "labels", "window", "files"],
)
def test_a_config_that_does_not_fit_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    edit(folder, change)
    refuse(folder, "config.json")


@given(st.lists(st.floats(-1e4, 1e4, width=32), min_size=2, max_size=5))
def test_softmax_is_a_probability(logits: list[float]) -> None:
    probabilities = softmax(np.array(logits, dtype=np.float32))
    assert probabilities.sum() == pytest.approx(1)
    assert (probabilities >= 0).all()


@pytest.mark.parametrize(
    ("features", "vnni"),
    [({"AVX512VNNI": True}, True), ({"AVX512VNNI": False, "AVX2": True}, False), ({}, False)],
)
def test_int8_kernels_are_trusted_only_where_the_cpu_has_vnni(
    monkeypatch: pytest.MonkeyPatch, features: dict[str, bool], vnni: bool
) -> None:
    monkeypatch.setattr("numpy._core._multiarray_umath.__cpu_features__", features)
    assert has_vnni() is vnni
