"""Text in another language is recognized, and English in all its forms stays English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.judge.language import (
    ENGLISH,
    MULTILINGUAL,
    OTHER,
    UNDETERMINED,
    language_of,
)
from toxic_bot.judge.normalization import normalize, read


def language(text: str) -> str:
    return language_of(text, normalize(text))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Danke für die schnelle Hilfe, das Deployment läuft wieder", "de"),
        ("Du bist ein kompletter Idiot und keiner mag dich", "de"),
        ("gracias por la revisión, lo arreglo mañana", "es"),
        ("eres un inútil, nadie te quiere aquí", "es"),
        ("vous êtes un incapable et tout le monde le sait ici", "fr"),
        ("obrigado pela ajuda, vou verificar agora", "pt"),
        ("grazie mille per l'aiuto, controllo subito", "it"),
        ("Możesz to sprawdzić przed lunchem?", OTHER),
        ("tack så mycket för hjälpen idag", OTHER),
        ("köszönöm szépen a segítséget", OTHER),
    ],
)
def test_a_sentence_in_another_language_is_recognized(text: str, code: str) -> None:
    assert language(text) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("s3i un c r e t i n o c0smico, e pure scars0 al calcetto", "it"),
        ("v a g a b u n d @ e l4dr@, essa tesoureira devolve o d1nh3iro", "pt"),
        ("j3steś k0mpletnym 1diotą i nikt c1ę tu nie lub1", OTHER),
    ],
)
def test_a_disguised_sentence_is_recognized_once_it_is_read(text: str, code: str) -> None:
    assert language_of(text, read(text).text) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("on est bien emmerdés à l'étage, plus d'eau chaude", "fr"),
        ("o candidato é fraco em SQL e forte em ouvir, eu contratava", "pt"),
        ("could you forward me the résumé of the façade team", ENGLISH),
    ],
)
def test_letters_with_marks_tell_a_sentence_of_words_that_english_has_too(
    text: str, code: str
) -> None:
    assert language(text) == code


@pytest.mark.parametrize(
    "text", ["Vollidiot", "hijo de puta", "ta gueule", "je vais te tuer ce soir"]
)
def test_what_is_not_clearly_english_is_not_called_english(text: str) -> None:
    assert language(text) in MULTILINGUAL | {UNDETERMINED}


@pytest.mark.parametrize(
    "text",
    [
        "thx m8, gonna fix it asap lol",
        "stfu u noob, gtfo",
        "kubectl rollout restart deploy/api -n prod",
        "NullPointerException in getUserName()",
        "Łukasz and Søren are on call, ping Đorđe",
        "ur such a mroon tbh",
        "wdym",
        "",
    ],
)
def test_slang_typos_code_and_foreign_names_are_no_other_language(text: str) -> None:
    assert language(text) in (ENGLISH, UNDETERMINED)


@pytest.mark.parametrize(
    "text",
    [
        "Der Stadionsprecher is a Wappler, a gscherter",  # by CLD3 Luxembourgish
        "mañana no me despiertes, que entro a las doce",  # Galician
        "negro di merda torna in africa a raccogliere banane",  # Corsican
    ],
)
def test_what_is_taken_for_a_small_relative_of_a_language_is_judged(text: str) -> None:
    assert language(text) == UNDETERMINED


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=200))
def test_any_text_can_be_asked_about(text: str) -> None:
    known = {ENGLISH, UNDETERMINED, OTHER} | MULTILINGUAL
    assert language_of(text, "zz yy xx ww vv") in known
