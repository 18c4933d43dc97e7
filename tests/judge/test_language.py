"""Text in another language is recognized, and English in all its forms stays English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.judge.language import is_english
from toxic_bot.judge.normalization import normalize


def is_judged(text: str) -> bool:
    return is_english(text, normalize(text))


@pytest.mark.parametrize(
    "text",
    [
        "Danke für die schnelle Hilfe, das Deployment läuft wieder",
        "Du bist ein kompletter Idiot und keiner mag dich",
        "gracias por la revisión, lo arreglo mañana",
        "eres un inútil, nadie te quiere aquí",
        "Możesz to sprawdzić przed lunchem?",
        "obrigado pela ajuda, vou verificar agora",
        "tack så mycket för hjälpen idag",
        "köszönöm szépen a segítséget",
    ],
)
def test_another_language_is_not_english(text: str) -> None:
    assert not is_judged(text)


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
def test_slang_typos_code_and_foreign_names_are_english(text: str) -> None:
    assert is_judged(text)


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=200))
def test_any_text_can_be_asked_about(text: str) -> None:
    assert is_english(text, "zz yy xx ww vv") in (True, False)
