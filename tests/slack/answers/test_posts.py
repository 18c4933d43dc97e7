from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.judge.explanation import Explanation
from toxic_bot.judge.verdict import Status, Verdict
from toxic_bot.slack.answers.assessment import Judgment, Outcome
from toxic_bot.slack.answers.posts import (
    MAX_QUOTE,
    describe_distance,
    describe_kinds,
    describe_score,
    nothing_to_judge_post,
    nudge_post,
    percent,
    verdict_post,
)
from toxic_bot.slack.answers.reasons import text_blocks
from toxic_bot.slack.i18n.english import ENGLISH
from toxic_bot.slack.i18n.translation import Language, choose, texts_in
from toxic_bot.slack.settings import Wording
from toxic_bot.slack.web_api.message import Post

PROBABILITY = st.floats(0, 1)
QUIET = Wording()
INSULT = Judgment(Outcome.TOXIC, 0.92, ("insult",))
FINE = Judgment(Outcome.FINE, 0.03)
UNEXPLAINED = Explanation(Verdict(Status.FINE), "", "", ())
CONDUCT = "https://example.org/conduct"


def shown(post: Post) -> str:
    return json.dumps(post.blocks, ensure_ascii=False)


@pytest.mark.parametrize(
    ("score", "threshold", "words"),
    [
        (0.99, 0.5, "Clearly above the threshold"),
        (0.71, 0.5, "Clearly above the threshold"),
        (0.51, 0.5, "Borderline, but above the threshold"),
        (0.49, 0.5, "Still below the threshold"),
        (0.01, 0.5, "Well below the threshold"),
        (0.79, 0.8, "Still below the threshold"),
        (0.3, 0.8, "Well below the threshold"),
        (1.0, 1.0, "Clearly above the threshold"),
        (0.0, 0.0, "Borderline, but above the threshold"),
    ],
)
def test_a_score_is_described_by_its_distance_from_the_limit(
    score: float, threshold: float, words: str
) -> None:
    assert describe_distance(score, threshold, ENGLISH) == words


@pytest.mark.parametrize(
    ("score", "words"), [(0.0, "under 1%"), (0.5, "50%"), (0.976, "98%"), (1.0, "over 99%")]
)
def test_a_percentage_never_claims_certainty(score: float, words: str) -> None:
    assert percent(score, ENGLISH) == words


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (0.92, "Toxicity score 92% (flagged from 50%)"),
        (0.4996, "Toxicity score 49.9% (flagged from 50%)"),
        (0.5, "Toxicity score 50% (flagged from 50%)"),
    ],
)
def test_a_score_is_told_with_the_limit_and_never_contradicts_the_verdict(
    score: float, words: str
) -> None:
    assert describe_score(score, 0.5, ENGLISH) == words


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ((), "toxic"),
        (("threat",), "toxic: a threat"),
        (("insult", "obscene", "threat"), "toxic: a threat and obscene words"),
        (
            ("putdown", "obscene", "sexual", "identity"),
            "toxic: sexual harassment and an attack on people for who they are",
        ),
        (("mystery", "putdown", "insult"), "toxic: an insult and a put-down"),
        (("mystery", "putdown"), "toxic: a put-down"),
    ],
)
def test_a_toxic_verdict_names_at_most_two_kinds_and_the_worst_first(
    kinds: tuple[str, ...], words: str
) -> None:
    assert describe_kinds(kinds, ENGLISH) == words
    post = verdict_post(Judgment(Outcome.TOXIC, 0.9, kinds), 0.5, QUIET, ENGLISH)
    assert post.text.startswith(f"This message reads as {words}. ")


@given(score=PROBABILITY, threshold=PROBABILITY, toxic=st.booleans())
def test_a_verdict_states_result_distance_score_limit_and_that_a_model_judged(
    score: float, threshold: float, toxic: bool
) -> None:
    judgment = Judgment(Outcome.TOXIC if toxic else Outcome.FINE, score)
    post = verdict_post(judgment, threshold, QUIET, ENGLISH)
    assert ("reads as toxic" in shown(post)) is toxic
    assert ("does not read as toxic" in post.text or "is borderline" in post.text) is not toxic
    assert describe_distance(score, threshold, ENGLISH) in shown(post)
    assert describe_distance(score, threshold, ENGLISH) in post.text
    assert describe_score(score, threshold, ENGLISH) in shown(post)
    assert describe_score(score, threshold, ENGLISH).partition(" ")[2] in post.text
    assert "language model, which can be wrong" in shown(post)
    assert "sure" not in shown(post) + post.text


YELLOW, GREEN, AMBER = ":large_yellow_circle:", ":white_check_mark:", ":large_orange_circle:"


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(
    ("score", "threshold", "sign"),
    [
        (0.48, 0.5, YELLOW),
        (0.89, 0.95, YELLOW),
        (0.89, 0.5, AMBER),
        (0.52, 0.5, YELLOW),
        (0.48, 0.95, GREEN),
        (0.05, 0.5, GREEN),
    ],
)
def test_what_is_close_to_the_channels_own_threshold_has_a_sign_and_words_of_its_own(
    score: float, threshold: float, sign: str, language: Language
) -> None:
    texts = texts_in(language)
    toxic = score >= threshold
    judgment = Judgment(Outcome.TOXIC if toxic else Outcome.FINE, score)
    post = verdict_post(judgment, threshold, QUIET, texts)
    text = text_blocks(judgment, UNEXPLAINED, threshold, texts)
    for first, what in ((post.blocks[0], "message"), (text[0], "text")):
        line = first["text"]["text"]
        assert line.startswith(f"{sign} *")
        assert (choose(texts["verdict"], f"{what}_borderline") in line) is (
            sign == YELLOW and not toxic
        )
        assert (choose(texts["verdict"], f"{what}_fine") in line) is (sign == GREEN)
        assert (texts["verdict"]["borderline_above"] in line) is (sign == YELLOW and toxic)


def test_a_verdict_in_a_thread_has_an_amber_mark_and_no_sign_of_prohibition() -> None:
    marks = shown(verdict_post(INSULT, 0.5, QUIET, ENGLISH))
    assert ":large_orange_circle:" in marks
    assert "no_entry" not in marks


def test_the_asker_is_named_only_in_a_thread_and_only_if_a_setting_says_so() -> None:
    loud = Wording(show_asker=True)
    assert "<@" not in shown(verdict_post(INSULT, 0.5, QUIET, ENGLISH, asked_by="U0ASKS"))
    assert "Asked by <@U0ASKS>" in shown(
        verdict_post(INSULT, 0.5, loud, ENGLISH, asked_by="U0ASKS")
    )
    private = verdict_post(INSULT, 0.5, loud, ENGLISH, asked_by="U0ASKS", private=True)
    assert "<@" not in shown(private)
    assert "<@" not in shown(nothing_to_judge_post(Outcome.EMPTY, QUIET, ENGLISH, "U0ASKS"))
    assert "<@U0ASKS>" in shown(nothing_to_judge_post(Outcome.EMPTY, loud, ENGLISH, "U0ASKS"))


def test_a_toxic_verdict_says_what_can_be_done_next() -> None:
    conduct = Wording(code_of_conduct=CONDUCT)
    everyone = shown(verdict_post(INSULT, 0.5, conduct, ENGLISH))
    assert "You can edit it" in everyone
    assert f"<{CONDUCT}|Here's where to turn>" in everyone
    author = shown(verdict_post(INSULT, 0.5, conduct, ENGLISH, private=True, to_author=True))
    assert "edit or delete it" in author
    assert CONDUCT not in author
    reader = shown(verdict_post(INSULT, 0.5, conduct, ENGLISH, private=True))
    assert CONDUCT in reader
    assert "edit" not in reader
    assert "edit" not in shown(verdict_post(FINE, 0.5, conduct, ENGLISH))


def test_a_verdict_names_the_reply_and_the_version_that_it_is_about() -> None:
    post = verdict_post(
        INSULT, 0.5, QUIET, ENGLISH, reply="1766000000.000100", edited="1766000001.000200"
    )
    assert "About the reply from <!date^1766000000^{time_secs}|19:33:20 UTC>" in shown(post)
    assert "As edited at <!date^1766000001^{time_secs}|19:33:21 UTC>" in shown(post)
    assert "<@" not in shown(post)


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome.ONLY_FILES,
        Outcome.EMPTY,
        Outcome.NOT_LEGIBLE,
        Outcome.DELETED,
        Outcome.OWN_ANSWER,
    ],
)
def test_an_answer_without_a_verdict_says_why(outcome: Outcome) -> None:
    post = nothing_to_judge_post(outcome, QUIET, ENGLISH)
    assert "nothing to judge" in post.text
    assert post.text in shown(post)


def test_a_nudge_names_its_message_but_not_who_asked() -> None:
    post = nudge_post(INSULT, 0.5, QUIET, "1766000000.000100", ENGLISH)
    assert "<!date^1766000000^{time_secs}" in shown(post)
    assert "edit or delete it" in shown(post)
    assert "<@" not in shown(post) + post.text


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        ((), "may come across as hurtful."),
        (("insult",), "may come across as an insult."),
        (("insult", "threat", "obscene"), "may come across as a threat and obscene words."),
    ],
)
def test_a_nudge_is_one_sentence_and_no_template_of_a_better_one(
    kinds: tuple[str, ...], sentence: str
) -> None:
    judgment = Judgment(Outcome.TOXIC, 0.92, kinds)
    [line, hint] = [
        block["text"]["text"]
        for block in nudge_post(judgment, 0.5, QUIET, "1766000000.000100", ENGLISH).blocks
        if block["type"] == "section"
    ]
    assert line.endswith(f"> {sentence}")
    assert hint == "You can still edit or delete it."


@given(quote=st.text(max_size=400))
@pytest.mark.slow
def test_a_nudge_quotes_the_beginning_of_its_message_as_it_is(quote: str) -> None:
    post = nudge_post(INSULT, 0.5, QUIET, "1766000000.000100", ENGLISH, quote=quote)
    quotes = [one["text"] for one in post.blocks if one.get("text", {}).get("type") == "plain_text"]
    words = " ".join(quote.split())
    assert len(quotes) == bool(words)
    for text in quotes:
        begin = text["text"].removeprefix("“").removesuffix("”")
        assert words.startswith(begin.removesuffix("…")) or begin == words
        assert len(begin) <= MAX_QUOTE
    assert post.text == nudge_post(INSULT, 0.5, QUIET, "1766000000.000100", ENGLISH).text


@pytest.mark.parametrize("language", Language)
def test_the_hint_to_edit_can_be_switched_off(language: Language) -> None:
    texts = texts_in(language)
    silent = Wording(edit_hint=False)
    edit_it = texts["verdict"]["edit_or_delete"]
    for wording, is_hinted in ((QUIET, True), (silent, False)):
        nudge = nudge_post(INSULT, 0.5, wording, "1766000000.000100", texts)
        quiet = verdict_post(INSULT, 0.5, wording, texts, private=True, to_author=True)
        assert (edit_it in shown(nudge)) is is_hinted
        assert (edit_it in shown(quiet)) is is_hinted
        assert (nudge.text == texts["verdict"]["nudge_summary"]) is is_hinted
    public = verdict_post(INSULT, 0.5, QUIET, texts)
    assert verdict_post(INSULT, 0.5, silent, texts) == public
