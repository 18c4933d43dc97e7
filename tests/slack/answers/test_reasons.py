"""What a private answer says about the reasons for a verdict."""

from __future__ import annotations

import json

import pytest

from simulators.readings import reading
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.explanation import Explanation, Run
from toxic_bot.judge.verdict import Status, Verdict
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.reasons import why_post
from toxic_bot.slack.i18n.translation import Language, texts_in
from toxic_bot.slack.word_lists import ListReading

TEXT = "How sweet that you tried. Next time leave it to somebody who understands it."
PART = (26, len(TEXT))
TOXIC = Verdict(Status.TOXIC, 0.7, ("insult", "putdown", "threat"), windows=1)


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return load()


def said(explanation: Explanation, language: Language = Language.ENGLISH) -> list[str]:
    on_lists = ListReading(explanation.text)
    post = why_post(explanation, on_lists, texts_in(language), edited_since=False)
    return [block["text"]["text"] for block in post.blocks if "text" in block]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "You are an idiot and a liar.",
        f"{'The lights were still on when we came back from lunch. ' * 12}You pathetic idiot.",
        "Thanks, that was a great help!",
    ],
)
@pytest.mark.parametrize("threshold", [0.5, 0.95])
def test_why_names_what_the_page_shows_under_how_i_read_this(
    classifier: Classifier, text: str, threshold: float
) -> None:
    own = classifier.at(threshold)
    shown = json.dumps(said(Judge(own).explain(text)), ensure_ascii=False)
    page = reading(own, text, None, is_own_limit=True)
    for word in page["words"]:
        assert f"“{word['text']}”" in shown
    assert shown.count("“") == (len(page["words"]) or bool(page["part"]))


@pytest.mark.parametrize("language", Language)
def test_where_no_word_stands_out_the_part_and_its_kinds_are_told(language: Language) -> None:
    words = texts_in(language)["verdict"]["kinds"]
    explanation = Explanation(TOXIC, TEXT.lower(), TEXT, (), PART)
    line = said(explanation, language)[1]
    assert TEXT[slice(*PART)] in line
    assert "sweet" not in line
    assert words["threat"] in line
    assert words["insult"] in line
    fine = Explanation(Verdict(Status.FINE, 0.4, windows=1), TEXT.lower(), TEXT, (), PART)
    line = said(fine, language)[1]
    assert TEXT[slice(*PART)] in line
    assert words["threat"] not in line


def test_of_a_longer_text_only_the_sentence_that_decided_is_shown_as_it_was_read() -> None:
    explanation = Explanation(TOXIC, TEXT.lower(), TEXT, (Run(31, 35, 0.4),), PART)
    _, words, title, read = said(explanation)
    assert words == "“time” – strongly"
    assert "part that decided" in title
    assert read.startswith("Next time leave it")


@pytest.mark.parametrize("language", Language)
def test_a_harmless_text_is_not_said_to_hurt_as_a_whole(language: Language) -> None:
    reasons = texts_in(language)["reasons"]
    fine = Explanation(Verdict(Status.FINE, 0.02, windows=1), "thanks", "Thanks", ())
    assert said(fine, language)[1] == reasons["nothing_stands_out"]
    toxic = Explanation(TOXIC, "so so so", "So so so", ())
    assert said(toxic, language)[1] == reasons["no_word"]
