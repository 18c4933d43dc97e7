"""The languages that the bot speaks; a language is imported when it is first needed."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toxic_bot.slack.i18n.texts import Texts


class Language(StrEnum):
    """A language, by its ISO 639 code."""

    ENGLISH = "en"
    GERMAN = "de"
    FRENCH = "fr"
    SPANISH = "es"
    PORTUGUESE = "pt"
    ITALIAN = "it"


def texts_in(language: Language) -> Texts:
    """Return what the bot says in a language."""
    match language:
        case Language.GERMAN:
            from toxic_bot.slack.i18n.german import GERMAN

            return GERMAN
        case Language.FRENCH:
            from toxic_bot.slack.i18n.french import FRENCH

            return FRENCH
        case Language.SPANISH:
            from toxic_bot.slack.i18n.spanish import SPANISH

            return SPANISH
        case Language.PORTUGUESE:
            from toxic_bot.slack.i18n.portuguese import PORTUGUESE

            return PORTUGUESE
        case Language.ITALIAN:
            from toxic_bot.slack.i18n.italian import ITALIAN

            return ITALIAN
        case Language.ENGLISH:
            from toxic_bot.slack.i18n.english import ENGLISH

            return ENGLISH


def language_of(locale: str) -> Language | None:
    """Return the language of one of Slack's locales, such as ``de-DE``; None if it is no other.

    Source: https://docs.slack.dev/reference/methods/users.info
    """
    code = locale.partition("-")[0].lower()
    return Language(code) if code in set(Language) else None


def choose(texts: Mapping[str, object], name: str) -> str:
    """Return one of several texts by a name that is known only when it is asked for.

    Raises
    ------
    KeyError
        When there is none of this name.
    """
    return str(texts[name])
