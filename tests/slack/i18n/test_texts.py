"""Every language says the same things, with the same placeholders."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter
from typing import Any

import pytest

from toxic_bot.slack.i18n.english import ENGLISH
from toxic_bot.slack.i18n.numbers import percent, whole
from toxic_bot.slack.i18n.translation import Language, language_of, texts_in

MAX_TITLE, MAX_CHOICE, MAX_BUTTON = 24, 75, 75
"""Characters that Slack takes for a modal's title and buttons, a choice, and a button.

Sources: https://docs.slack.dev/reference/views/modal-views and
https://docs.slack.dev/reference/block-kit/composition-objects/option-object
"""


def entries(texts: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(texts, str):
        yield path, texts
        return
    pairs = texts.items() if isinstance(texts, dict) else enumerate(texts)
    for name, value in pairs:
        yield from entries(value, f"{path}/{name}")


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", Language)
def test_a_language_has_every_text_with_its_placeholders(language: Language) -> None:
    theirs, english = dict(entries(texts_in(language))), dict(entries(ENGLISH))
    assert theirs.keys() == english.keys()
    assert {name: placeholders(text) for name, text in theirs.items()} == {
        name: placeholders(text) for name, text in english.items()
    }
    assert all(text.strip() for text in theirs.values())


def test_german_is_another_language() -> None:
    theirs, english = dict(entries(texts_in(Language.GERMAN))), dict(entries(ENGLISH))
    same = {name for name, text in theirs.items() if text == english[name]}
    # Only what has no words of its own.
    assert not {name for name in same if len(english[name]) > 40}
    assert len(same) < len(english) / 5


@pytest.mark.parametrize("language", Language)
def test_slack_takes_the_labels_of_a_language(language: Language) -> None:
    texts = texts_in(language)
    form = texts["form"]
    assert max(map(len, (form["title"], form["save"], form["cancel"]))) <= MAX_TITLE
    groups = (form["modes"], form["default_modes"], form["points"], form["default_points"])
    assert max(len(text) for group in groups for _, text in entries(group)) <= MAX_CHOICE
    labels = [text for _, text in entries(texts["verdict"]["buttons"])]
    labels += [
        texts["verdict"]["not_hurtful"],
        texts["channel"]["open"],
        texts["home"]["try_button"],
    ]
    assert max(map(len, labels)) <= MAX_BUTTON


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("en-US", Language.ENGLISH),
        ("en-GB", Language.ENGLISH),
        ("de-DE", Language.GERMAN),
        ("de", Language.GERMAN),
        ("fr-FR", None),
        ("", None),
        ("den-XX", None),
    ],
)
def test_a_locale_of_slacks_names_a_language(locale: str, language: Language | None) -> None:
    assert language_of(locale) is language


def test_each_language_writes_numbers_its_own_way() -> None:
    german = texts_in(Language.GERMAN)
    assert whole(10_000, ENGLISH) == "10,000"
    assert whole(10_000, german) == "10.000"
    assert percent(0.499, ENGLISH, digits=1) == "49.9%"
    assert percent(0.499, german, digits=1) == "49,9\u00a0%"
