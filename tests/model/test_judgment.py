"""The embedded model judges messages as a workplace would want it to."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache

import pytest

from model_build.rows.sentences import sentences
from simulators import ROOT
from tests.model.suite import (
    Sample,
    african_american_english,
    banter,
    benign,
    disguises,
    multilingual,
    obfuscated,
    toxic,
    unreadable,
    workplace,
)
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL, MULTILINGUAL_FOLDER
from toxic_bot.judge.language import MULTILINGUAL
from toxic_bot.judge.normalization import normalize

MODEL = EMBEDDED_MODEL


def without_marks(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    classifier = load(MODEL)
    # Several tests ask about the same rows.
    classifier.classify = cache(classifier.classify)  # type: ignore[method-assign] # on purpose
    return classifier


def find_mistakes(classifier: Classifier, samples: list[Sample]) -> list[Sample]:
    return [s for s in samples if classifier.classify(s.text).toxic is not s.toxic]


def describe(mistakes: list[Sample], samples: list[Sample]) -> str:
    kinds = Counter(sample.kind for sample in mistakes)
    return f"{len(mistakes)} of {len(samples)} wrong: {dict(kinds)}"


@pytest.mark.parametrize(
    "text",
    [
        "Thanks for the quick review!",
        "kill the process",
        "Could you please kill the process that hangs on the build server?",
        "damn, good catch",
        "LGTM, merging now",
        "nit: rename this variable, please",
        "this function is a mess, let's rewrite it",
        "shit, I forgot the migration",
        "I'm gay and I love working here",
    ],
)
def test_everyday_work_talk_is_fine(classifier: Classifier, text: str) -> None:
    assert not classifier.classify(text).toxic


@pytest.mark.parametrize(
    "text",
    [
        "you are a fucking idiot",
        "Shut up, you worthless piece of shit",
        "I will kill you",
        "go kill yourself",
        "women are too stupid to write code",
        "all immigrants are criminals and should be shot",
        "faggot",
    ],
)
def test_plain_abuse_is_toxic(classifier: Classifier, text: str) -> None:
    assert classifier.classify(text).toxic


def test_the_suites_are_large_and_free_of_duplicates() -> None:
    for samples, minimum in ((benign(), 300), (obfuscated(), 200), (workplace(), 400)):
        assert len({sample.text for sample in samples}) == len(samples) >= minimum


@pytest.mark.slow
def test_the_model_was_not_trained_on_the_suites() -> None:
    templates = sentences(20261121) + sentences(20261123)
    trained = {normalize(s.text).lower().strip(" .!") for s in templates}
    judged = {normalize(s.text).lower().strip(" .!") for s in benign() + toxic()}
    assert not {text for text in trained & judged if len(text.split()) > 3}


@pytest.mark.slow
def test_most_sentences_that_only_look_toxic_are_fine(classifier: Classifier) -> None:
    samples = benign()
    mistakes = find_mistakes(classifier, samples)
    assert len(mistakes) <= 0.10 * len(samples), describe(mistakes, samples)


def test_most_abuse_is_found(classifier: Classifier) -> None:
    samples = toxic()
    mistakes = find_mistakes(classifier, samples)
    assert len(mistakes) <= 0.15 * len(samples), describe(mistakes, samples)


@pytest.mark.slow
def test_most_obfuscated_abuse_is_found(classifier: Classifier) -> None:
    samples = obfuscated()
    mistakes = find_mistakes(classifier, samples)
    assert len(mistakes) <= 0.20 * len(samples), describe(mistakes, samples)


@pytest.mark.slow
def test_most_of_what_hurts_at_work_is_found(classifier: Classifier) -> None:
    samples = [sample for sample in workplace() if sample.toxic]
    mistakes = find_mistakes(classifier, samples)
    assert len(mistakes) <= 0.23 * len(samples), describe(mistakes, samples)


@pytest.mark.slow
def test_most_of_what_is_said_at_work_is_fine(classifier: Classifier) -> None:
    samples = [sample for sample in workplace() if not sample.toxic]
    mistakes = find_mistakes(classifier, samples)
    assert len(mistakes) <= 0.05 * len(samples), describe(mistakes, samples)


@pytest.mark.slow
def test_the_readme_promises_what_the_model_finds(classifier: Classifier) -> None:
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    promised = re.search(
        r"Of (\d+) abusive workplace messages in English that it had never seen, it finds (\d+); "
        r"of (\d+) harmless ones that look like them, it flags (\d+)",
        readme,
    )
    assert promised
    assert "misses a third of the veiled threats and sexual remarks" in readme
    abusive = [sample for sample in workplace() if sample.toxic]
    harmless = [sample for sample in workplace() if not sample.toxic]
    found = len(abusive) - len(find_mistakes(classifier, abusive))
    flagged = len(find_mistakes(classifier, harmless))
    # A CPU rounds some scores differently.
    assert [
        abs(int(told) - counted) <= 2
        for told, counted in zip(
            promised.groups(), (len(abusive), found, len(harmless), flagged), strict=True
        )
    ] == [True] * 4
    veiled = [sample for sample in abusive if sample.kind in ("threat", "sexual")]
    assert len(find_mistakes(classifier, veiled)) / len(veiled) == pytest.approx(1 / 3, abs=0.04)


@pytest.mark.slow
def test_the_readme_promises_what_the_model_finds_in_other_languages(
    classifier: Classifier,
) -> None:
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    promised = re.search(
        r"In the other languages it finds (\d+) to (\d+)% and flags (\d+)% of look-alikes", readme
    )
    assert promised
    shares: dict[bool, list[float]] = {True: [], False: []}
    for language in sorted(MULTILINGUAL):
        for is_toxic in (True, False):
            samples = [one for one in multilingual(language) if one.toxic is is_toxic]
            mistakes = len(find_mistakes(classifier, samples))
            count = len(samples) - mistakes if is_toxic else mistakes
            shares[is_toxic].append(100 * count / len(samples))
    least, most, flagged = map(int, promised.groups())
    counted = (min(shares[True]), max(shares[True]), min(shares[False]), max(shares[False]))
    # A CPU rounds some scores differently; one message of 75 is 1.3%.
    assert (least, most, flagged, flagged) == pytest.approx(counted, abs=2)


@pytest.mark.slow
def test_most_banter_and_swearing_at_nobody_is_fine(classifier: Classifier) -> None:
    samples = banter()
    mistakes = find_mistakes(classifier, samples)
    assert len(mistakes) <= 0.13 * len(samples), describe(mistakes, samples)


@pytest.mark.slow
@pytest.mark.parametrize(("is_toxic", "most"), [(True, 0.18), (False, 0.03)])
def test_most_emoji_and_keycap_disguises_are_told_from_look_alikes(
    classifier: Classifier, is_toxic: bool, most: float
) -> None:
    samples = [sample for sample in disguises() if sample.toxic is is_toxic]
    mistakes = find_mistakes(classifier, samples)
    assert len(mistakes) <= most * len(samples), describe(mistakes, samples)


def test_no_other_script_is_judged(classifier: Classifier) -> None:
    texts = unreadable()["other_scripts"]
    assert len(texts) >= 170
    assert not [text for text in texts if classifier.classify(text).windows]


def test_no_sign_is_toxic(classifier: Classifier) -> None:
    texts = unreadable()["signs"]
    assert len(texts) >= 60
    assert not [text for text in texts if classifier.classify(text).toxic]


def test_no_mark_on_a_letter_makes_a_text_toxic(classifier: Classifier) -> None:
    texts = unreadable()["marks"]
    assert len(texts) >= 60
    toxic = [text for text in texts if classifier.classify(text).toxic]
    assert len(toxic) <= 1
    assert all(classifier.classify(without_marks(text)).toxic for text in toxic)


@pytest.mark.parametrize(
    "text", ["could I see your résumé again", "coöperate, with the dots, as in the New Yorker"]
)
def test_the_marks_of_an_english_text_change_no_score(classifier: Classifier, text: str) -> None:
    marked, plain = classifier.classify(text), classifier.classify(without_marks(text))
    assert marked.language == plain.language == "en"
    assert marked.score == plain.score


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["insult", "identity"])
def test_many_toxic_messages_name_their_kind(classifier: Classifier, kind: str) -> None:
    samples = [sample for sample in workplace() if sample.toxic and sample.kind == kind]
    found = [v for v in (classifier.classify(s.text) for s in samples) if v.toxic]
    named = [verdict for verdict in found if kind in verdict.kinds]
    assert len(named) >= 0.4 * len(found), f"{len(named)} of {len(found)}"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("you are an idiot", ("insult",)),
        ("I know where you live and I am going to kill you", ("threat",)),
        ("all muslims are terrorists", ("identity",)),
        ("du bist ein Vollidiot", ("insult",)),
    ],
)
def test_a_plain_message_names_its_kind_and_no_other(
    classifier: Classifier, text: str, kinds: tuple[str, ...]
) -> None:
    assert classifier.classify(text).kinds == kinds


@pytest.mark.slow
def test_the_worst_messages_score_high(classifier: Classifier) -> None:
    scores = [classifier.classify(one.text).score for one in workplace() if one.toxic]
    assert max(scores) > 0.95
    assert sum(score >= 0.9 for score in scores) >= 0.4 * len(scores)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "pt"])
def test_abuse_is_found_in_each_language_and_its_look_alikes_are_left_alone(
    classifier: Classifier, language: str
) -> None:
    samples = multilingual(language)
    assert len(samples) >= 150
    toxic_ones = [sample for sample in samples if sample.toxic]
    fine = [sample for sample in samples if not sample.toxic]
    missed, flagged = (find_mistakes(classifier, part) for part in (toxic_ones, fine))
    assert len(missed) <= 0.5 * len(toxic_ones), describe(missed, toxic_ones)
    assert len(flagged) <= 0.1 * len(fine), describe(flagged, fine)


@pytest.mark.parametrize(
    "text",
    [
        "LGTM, du Vollidiot",
        "hijo de puta",
        "a r s c h l o c h",
        "ferme ta gueule, espèce de connard",
        "sei un coglione e lo sanno tutti",
        "você é um lixo, ninguém te aguenta",
    ],
)
def test_plain_abuse_in_another_language_is_toxic(classifier: Classifier, text: str) -> None:
    assert classifier.classify(text).toxic


@pytest.mark.parametrize(
    "text",
    [
        "Prozess abschießen bitte, der hängt",
        "tue le process et relance le worker",
        "mata o processo e sobe de novo",
        "gracias por la revisión, lo arreglo mañana",
        "grazie mille, a domani",
    ],
)
def test_work_talk_in_another_language_is_fine(classifier: Classifier, text: str) -> None:
    verdict = classifier.classify(text)
    assert verdict.judged
    assert not verdict.toxic


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "most"), [("threat", 0.25), ("sexual", 0.15)])
def test_rare_kinds_are_not_named_at_random(classifier: Classifier, kind: str, most: float) -> None:
    samples = [sample for sample in workplace() if sample.toxic and sample.kind != kind]
    found = [v for v in (classifier.classify(s.text) for s in samples) if v.toxic]
    named = [verdict for verdict in found if kind in verdict.kinds]
    assert len(named) <= most * len(found), f"{len(named)} of {len(found)}"


def test_the_model_file_is_small() -> None:
    assert (MODEL / "model.onnx").stat().st_size < 25_000_000
    assert (MODEL / MULTILINGUAL_FOLDER / "model.onnx").stat().st_size < 36_000_000


@pytest.mark.slow
def test_a_dialect_is_flagged_no_more_often_than_other_talk(classifier: Classifier) -> None:
    samples = african_american_english()
    assert len(samples) == 300
    flagged = [one.text for one in samples if classifier.classify(one.text).toxic]
    others = [one.text for one in benign() if classifier.classify(one.text).toxic]
    rate, other = len(flagged) / len(samples), len(others) / len(benign())
    assert rate <= 0.035
    # A difference of less than two standard errors can be chance.
    variance = rate * (1 - rate) / len(samples) + other * (1 - other) / len(benign())
    assert rate - other <= 2 * variance**0.5
