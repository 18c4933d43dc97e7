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
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toxic_bot.judge.classifier import Classifier, load, softmax
from toxic_bot.judge.config import EMBEDDED_MODEL, OperatingPoint
from toxic_bot.judge.errors import ModelError
from toxic_bot.judge.language import ENGLISH, OTHER, language_of
from toxic_bot.judge.normalization import read
from toxic_bot.judge.session import has_vnni
from toxic_bot.judge.verdict import Reason, Verdict

MODEL = EMBEDDED_MODEL
THREAT = "I know where you live and I am going to kill you, you worthless idiot."
HARMLESS = "The build is green again, and the release notes are in the shared folder. "
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


def test_the_threshold_decides_whether_a_text_is_toxic(classifier: Classifier) -> None:
    for text in (THREAT, HARMLESS, "hm"):
        verdict = classifier.classify(text)
        assert verdict.toxic == (verdict.score >= classifier.threshold)
        assert 0 <= verdict.score <= 1


@pytest.mark.slow
@pytest.mark.parametrize("where", ["start", "middle", "end"])
def test_a_threat_anywhere_in_a_long_message_is_found(classifier: Classifier, where: str) -> None:
    before, after = {"start": (0, 120), "middle": (60, 60), "end": (120, 0)}[where]
    text = HARMLESS * before + THREAT + " " + HARMLESS * after
    verdict = classifier.classify(text)
    assert verdict.windows > 1
    assert verdict.toxic
    assert not classifier.classify(HARMLESS * 120).toxic


@pytest.mark.long
@pytest.mark.slow
def test_the_longest_slack_message_needs_a_bounded_number_of_windows(
    classifier: Classifier,
) -> None:
    for text in ("x " * 20_000, "爱" * 40_000, "word" * 10_000):
        assert classifier.classify(text).windows <= classifier.config.window.max_windows


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    "where", [1.0, *(pytest.param(at, marks=pytest.mark.long) for at in (0.0, 0.3, 0.5, 0.8))]
)
def test_a_threat_anywhere_in_the_longest_slack_message_is_found(
    classifier: Classifier, where: float
) -> None:
    padding = (HARMLESS * 1000)[: 40_000 - len(THREAT) - 2]
    split = int(len(padding) * where)
    text = f"{padding[:split]} {THREAT} {padding[split:]}"
    assert len(text) == 40_000
    assert classifier.classify(text).toxic


@pytest.mark.slow
@given(ANY_TEXT)
@example("\u014a")
@settings(deadline=None)
def test_any_text_gets_a_verdict(text: str) -> None:
    verdict = load_once().classify(text)
    assert 0 <= verdict.score <= 1
    reading = read(text)
    language = language_of(text, reading.text)
    is_legible = reading.legible and language != OTHER
    if language != ENGLISH:
        # The other model reads letters with their marks, and has fewer of them than Unicode.
        is_legible = is_legible and read(text, marks=True).legible
    assert (verdict.reason is not Reason.LANGUAGE) is is_legible
    if any(map(str.isalnum, text)) and any(map(str.isalnum, reading.text)):
        assert verdict.judged is is_legible
    assert verdict.judged is (verdict.reason is None) is (verdict.windows > 0)
    if not reading.text:
        assert not verdict.windows


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\ud800", "\x00"])
def test_a_text_without_visible_characters_is_not_judged(classifier: Classifier, text: str) -> None:
    assert classifier.classify(text) == Verdict.not_judged(Reason.NO_WORDS)


@pytest.mark.slow
@given(st.integers(1, 3000))
@settings(deadline=None, max_examples=20)
def test_windows_cover_every_token(words: int) -> None:
    classifier = load_once()
    # Each word is one token, so the number of words determines the number of windows.
    window = classifier.config.window
    windows = classifier.classify("word " * words).windows
    size = window.tokens - 2
    step = size - window.overlap
    assert windows == min(
        window.max_windows, 1 if words <= size else 1 + -(-(words - size) // step)
    )


_loaded: list[Classifier] = []


def load_once() -> Classifier:
    if not _loaded:
        _loaded.append(load(MODEL))
    return _loaded[0]


def test_a_verdict_does_not_depend_on_texts_judged_at_the_same_time(classifier: Classifier) -> None:
    texts = [HARMLESS * n for n in range(1, 12)] + [THREAT, "ok", "no"]
    alone = [classifier.classify(text) for text in texts]
    with ThreadPoolExecutor(4) as executor:
        assert list(executor.map(classifier.classify, texts)) == alone


def edit_config(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text())
    change(config)
    path.write_text(json.dumps(config))


def assert_load_error_mentions(part: str, folder: Path) -> None:
    with pytest.raises(ModelError) as caught:
        load(folder)
    message = str(caught.value)
    assert part in message
    assert "python -m model_build build" in message
    assert "\n" not in message


def test_a_missing_folder_is_named_in_the_error(tmp_path: Path) -> None:
    assert_load_error_mentions("nowhere/config.json", tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["config.json", "model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named_in_the_error(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert_load_error_mentions(name, folder)


@pytest.mark.parametrize("name", ["config.json", "model.onnx", "tokenizer.json"])
def test_a_truncated_file_is_named_in_the_error(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    assert_load_error_mentions(name, folder)


def test_a_flipped_bit_is_detected(folder: Path) -> None:
    content = bytearray((folder / "model.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (folder / "model.onnx").write_bytes(content)
    assert_load_error_mentions("model.onnx", folder)


def test_a_file_that_is_not_a_model_is_refused(folder: Path) -> None:
    content = b"not a model"
    (folder / "model.onnx").write_bytes(content)
    edit_config(folder, lambda config: config["files"]["model.onnx"].update(sha256=sha256(content)))
    assert_load_error_mentions("cannot be loaded", folder)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        lambda config: config.pop("thresholds"),
        lambda config: config.update(thresholds="high"),
        lambda config: config.update(format=99),
        lambda config: config.update(toxic_labels=["rude"]),
        lambda config: config.update(window={"tokens": 256}),
        lambda config: config.update(files=[]),
    ],
    ids=["no-thresholds", "thresholds", "format", "labels", "window", "files"],
)
def test_an_invalid_config_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    edit_config(folder, change)
    assert_load_error_mentions("config.json", folder)


@given(st.lists(st.floats(-1e4, 1e4, width=32), min_size=2, max_size=5))
def test_softmax_returns_probabilities(logits: list[float]) -> None:
    probabilities = softmax(np.array(logits, dtype=np.float32))
    assert probabilities.sum() == pytest.approx(1)
    assert (probabilities >= 0).all()


@pytest.mark.parametrize(
    ("features", "vnni"),
    [({"AVX512VNNI": True}, True), ({"AVX512VNNI": False, "AVX2": True}, False), ({}, False)],
)
def test_vnni_support_is_read_from_the_cpu_features(
    monkeypatch: pytest.MonkeyPatch, features: dict[str, bool], vnni: bool
) -> None:
    monkeypatch.setattr("numpy._core._multiarray_umath.__cpu_features__", features)
    assert has_vnni() is vnni


@pytest.mark.parametrize(
    "text", ["안녕하세요", "Спасибо за помощь", "شكرا جزيلا", "Możesz to sprawdzić przed lunchem?"]
)
def test_text_in_another_language_is_not_judged(classifier: Classifier, text: str) -> None:
    assert classifier.classify(text) == Verdict.not_judged(Reason.LANGUAGE, OTHER)


@pytest.mark.parametrize("text", ["→", "?!", "...", "§", "« »", "■ □"])
def test_signs_alone_are_nothing_to_judge(classifier: Classifier, text: str) -> None:
    verdict = classifier.classify(text)
    assert verdict == Verdict.not_judged(Reason.NO_WORDS)


def test_each_operating_point_flags_all_that_a_stricter_one_does() -> None:
    cautious, balanced, sensitive = (load(MODEL, 1, point) for point in OperatingPoint)
    assert cautious.threshold > balanced.threshold > sensitive.threshold
    scores = {one.classify("x").score for one in (cautious, balanced, sensitive)}
    assert len(scores) == 1
