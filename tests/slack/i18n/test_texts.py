"""Every language says the same things, with the same placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from string import Formatter
from typing import Any

import pytest

from toxic_bot.slack.answers.posts import describe_kinds
from toxic_bot.slack.i18n.english import ENGLISH
from toxic_bot.slack.i18n.french import FRENCH
from toxic_bot.slack.i18n.german import GERMAN
from toxic_bot.slack.i18n.italian import ITALIAN
from toxic_bot.slack.i18n.numbers import percent, whole
from toxic_bot.slack.i18n.portuguese import PORTUGUESE
from toxic_bot.slack.i18n.spanish import SPANISH
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.i18n.translation import Language, language_of, texts_in
from toxic_bot.slack.moderators.digest_post import MAX_CHANNELS, digest_sections
from toxic_bot.slack.moderators.figures import Figures, Share

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
    blank = {name for name, text in theirs.items() if not text.strip()}
    assert blank <= {"/numbers/thousands"}
    assert all(theirs.values())


@pytest.mark.parametrize("language", sorted(set(Language) - {Language.ENGLISH}))
def test_a_language_leaves_nothing_in_another(language: Language) -> None:
    theirs = dict(entries(texts_in(language)))
    for other in set(Language) - {language}:
        texts = dict(entries(texts_in(other)))
        same = {name for name, text in theirs.items() if text == texts[name]}
        # Only what has no words of its own.
        assert not {name for name in same if len(texts[name]) > 40}
        assert len(same) < len(texts) / 5


@pytest.mark.parametrize("language", Language)
def test_slack_takes_the_labels_of_a_language(language: Language) -> None:
    texts = texts_in(language)
    form = texts["form"]
    assert max(map(len, (form["title"], form["save"], form["cancel"]))) <= MAX_TITLE
    case = texts["case"]
    # They are the titles of forms, too.
    assert max(len(text) for _, text in entries(case["buttons"])) <= MAX_TITLE
    groups = (
        form["modes"],
        form["default_modes"],
        form["points"],
        form["default_points"],
        form["watch_choices"],
        case["outcomes"],
    )
    assert max(len(text) for group in groups for _, text in entries(group)) <= MAX_CHOICE
    labels = [text for _, text in entries(texts["verdict"]["buttons"])]
    labels += [
        texts["verdict"]["not_hurtful"],
        texts["channel"]["open"],
        texts["home"]["try_button"],
    ]
    assert max(map(len, labels)) <= MAX_BUTTON


@pytest.mark.parametrize(
    ("locale", "texts"),
    [
        ("en-US", ENGLISH),
        ("en-GB", ENGLISH),
        ("de-DE", GERMAN),
        ("de", GERMAN),
        ("fr-FR", FRENCH),
        ("fr-CA", FRENCH),
        ("es-ES", SPANISH),
        ("es-LA", SPANISH),
        ("pt-BR", PORTUGUESE),
        ("it-IT", ITALIAN),
    ],
)
def test_a_locale_of_slacks_chooses_a_language(locale: str, texts: Texts) -> None:
    language = language_of(locale)
    assert language is not None
    assert texts_in(language) is texts


@pytest.mark.parametrize("locale", ["pl-PL", "ja-JP", "", "den-XX", "esp"])
def test_a_locale_in_another_language_chooses_none(locale: str) -> None:
    assert language_of(locale) is None


@pytest.mark.parametrize(
    ("texts", "number", "share"),
    [
        (ENGLISH, "10,000", "49.9%"),
        (GERMAN, "10.000", "49,9\u00a0%"),
        (FRENCH, "10\u202f000", "49,9\u202f%"),
        (SPANISH, "10\u202f000", "49,9\u00a0%"),
        (PORTUGUESE, "10.000", "49,9%"),
        (ITALIAN, "10.000", "49,9%"),
    ],
)
def test_each_language_writes_numbers_its_own_way(texts: Texts, number: str, share: str) -> None:
    assert whole(10_000, texts) == number
    assert percent(0.499, texts, digits=1) == share


@pytest.mark.parametrize(
    ("texts", "period", "one", "two"),
    [
        (
            ENGLISH,
            "2 March to 8 March",
            "1 message judged, 1 of them toxic, ▲ 1 more than the week before",
            "2 messages judged, 0 of them toxic, as many as the week before",
        ),
        (
            GERMAN,
            "2. März bis 8. März",
            "1 Nachricht eingeschätzt, davon 1 toxisch, ▲ 1 mehr als in der Woche davor",
            "2 Nachrichten eingeschätzt, davon 0 toxisch, so viele wie in der Woche davor",
        ),
        (
            FRENCH,
            "Du 2 mars au 8 mars",
            "1 message évalué, dont 1 au ton toxique, ▲ 1 de plus que la semaine précédente",
            "2 messages évalués, dont 0 au ton toxique, autant que la semaine précédente",
        ),
        (
            SPANISH,
            "Del 2 de marzo al 8 de marzo",
            "1 mensaje valorado, 1 con tono tóxico, ▲ 1 más que la semana anterior",
            "2 mensajes valorados, 0 con tono tóxico, igual que la semana anterior",
        ),
        (
            PORTUGUESE,
            "De 2 de março a 8 de março",
            "1 mensagem avaliada, 1 com tom tóxico, ▲ 1 a mais que na semana anterior",
            "2 mensagens avaliadas, 0 com tom tóxico, igual à semana anterior",
        ),
        (
            ITALIAN,
            "2 marzo – 8 marzo",
            "1 messaggio valutato, di cui 1 dal tono tossico, ▲ 1 in più rispetto alla settimana "
            "precedente",
            "2 messaggi valutati, di cui 0 dal tono tossico, come la settimana precedente",
        ),
    ],
)
def test_the_digest_counts_one_and_several_as_its_language_does(
    texts: Texts, period: str, one: str, two: str
) -> None:
    assert week(texts, Share(1, 1)) == f"*{period}*\n{one}."
    assert week(texts, Share(0, 2)) == f"*{period}*\n{two}."


@pytest.mark.parametrize(
    ("texts", "period"),
    [
        (ENGLISH, "1 March to 7 March"),
        (GERMAN, "1. März bis 7. März"),
        (FRENCH, "Du 1er mars au 7 mars"),
        (SPANISH, "Del 1 de marzo al 7 de marzo"),
        (PORTUGUESE, "De 1º de março a 7 de março"),
        (ITALIAN, "1º marzo – 7 marzo"),
    ],
)
def test_the_first_of_a_month_is_written_as_its_language_does(texts: Texts, period: str) -> None:
    assert week(texts, Share(0, 2), date(2026, 3, 1)).startswith(f"*{period}*\n")


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (ENGLISH, "and {} more"),
        (GERMAN, "weitere Channels: {}"),
        (FRENCH, "autres canaux\u00a0: {}"),
        (SPANISH, "otros canales: {}"),
        (PORTUGUESE, "outros canais: {}"),
        (ITALIAN, "altri canali: {}"),
    ],
)
@pytest.mark.parametrize("more", [1, 2])
def test_the_channels_that_are_left_out_are_counted_in_words_that_fit_one_and_several(
    texts: Texts, line: str, more: int
) -> None:
    channels = {f"C{number}": (Share(1, 2), 1) for number in range(MAX_CHANNELS + more)}
    sections = digest_sections(figures(Share(1, 2), channels=channels), {}, texts)
    [by_channel] = [one for one in sections if texts["moderators"]["by_channel"] in one]
    assert by_channel.splitlines()[-1].removeprefix("• ") == line.format(more)


def week(texts: Texts, total: Share, first: date = date(2026, 3, 2)) -> str:
    [section] = digest_sections(figures(total, first), {}, texts)
    return section


def figures(
    total: Share,
    first: date = date(2026, 3, 2),
    channels: dict[str, tuple[Share, int]] | None = None,
) -> Figures:
    return Figures(
        first=first,
        last=first + timedelta(days=6),
        total=total,
        total_before=Share(0, 4),
        days=(0,) * 7,
        channels=channels or {},
        kinds={},
        disputed=(),
    )


@pytest.mark.parametrize(
    ("texts", "message", "note"),
    [
        (
            ENGLISH,
            "This message reads as toxic: a threat and an insult",
            "A message in <#C1> reads as toxic: a threat and an insult.",
        ),
        (
            GERMAN,
            "Diese Nachricht wirkt toxisch: eine Drohung und eine Beleidigung",
            "Eine Nachricht in <#C1> wirkt toxisch: eine Drohung und eine Beleidigung.",
        ),
        (
            FRENCH,
            "Ce message semble toxique\u00a0: une menace et une insulte",
            "Un message dans <#C1> semble toxique\u00a0: une menace et une insulte.",
        ),
        (
            SPANISH,
            "Este mensaje parece tóxico: una amenaza y un insulto",
            "Un mensaje en <#C1> parece tóxico: una amenaza y un insulto.",
        ),
        (
            PORTUGUESE,
            "Esta mensagem tem um tom tóxico: uma ameaça e um insulto",
            "Uma mensagem em <#C1> tem um tom tóxico: uma ameaça e um insulto.",
        ),
        (
            ITALIAN,
            "Questo messaggio sembra tossico: una minaccia e un insulto",
            "Un messaggio in <#C1> sembra tossico: una minaccia e un insulto.",
        ),
    ],
)
def test_the_kinds_fit_into_the_sentences_of_a_language(
    texts: Texts, message: str, note: str
) -> None:
    toxic = describe_kinds(("insult", "threat"), texts)
    assert texts["verdict"]["message_toxic"].format(toxic=toxic) == message
    assert texts["moderators"]["note"].format(channel="C1", toxic=toxic) == note


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (ENGLISH, "English, German, French, Spanish, Portuguese and Italian"),
        (GERMAN, "Englisch, Deutsch, Französisch, Spanisch, Portugiesisch und Italienisch"),
        (FRENCH, "l’anglais, l’allemand, le français, l’espagnol, le portugais et l’italien"),
        (SPANISH, "inglés, alemán, francés, español, portugués e italiano"),
        (PORTUGUESE, "inglês, alemão, francês, espanhol, português e italiano"),
        (ITALIAN, "inglese, tedesco, francese, spagnolo, portoghese e italiano"),
    ],
)
def test_the_bot_names_the_languages_that_it_reads(texts: Texts, names: str) -> None:
    assert names in texts["verdict"]["nothing"]["not_legible"]
    assert names in texts["reasons"]["unreadable_language"]
    assert names in texts["home"]["method_text"]


def test_no_line_breaks_before_a_sign_in_french() -> None:
    signs = re.compile(r" [:;?!%»]|« |[^\W\d_][;?!»]")
    texts = {name: text.replace("Is this toxic?", "") for name, text in entries(FRENCH)}
    assert not {name for name, text in texts.items() if signs.search(text)}


@pytest.mark.parametrize("texts", [FRENCH, ITALIAN])
def test_apostrophes_are_curved(texts: Texts) -> None:
    assert not {name for name, text in entries(texts) if "'" in text}
