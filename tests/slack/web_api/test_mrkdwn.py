from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.slack.web_api.mrkdwn import plain_text

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=300)


@pytest.mark.parametrize(
    ("mrkdwn", "plain"),
    [
        ("thanks, that helped", "thanks, that helped"),
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("&amp;lt; is how Slack writes it", "&lt; is how Slack writes it"),
        ("<@U012AB> can you look?", "@user can you look?"),
        ("<@U012AB|maria> can you look?", "@maria can you look?"),
        ("see <#C012AB|releases>", "see #releases"),
        ("see <#C012AB>", "see #channel"),
        ("<!here> lunch", "@here lunch"),
        ("<!subteam^S012AB|@oncall> ping", "@oncall ping"),
        ("due <!date^1392734382^{date}|18 February>", "due 18 February"),
        ("read <https://example.com/a|the *docs*>", "read the docs"),
        ("read <https://example.com/a?b=1&amp;c=2>", "read https://example.com/a?b=1&c=2"),
        ("<mailto:a@example.com|a@example.com>", "a@example.com"),
        ("nice :tada:", "nice tada"),
        (":middle_finger: you", "middle finger you"),
        (":thumbsup::skin-tone-3: ok", "thumbsup ok"),
        (":+1:", "+1"),
        ("done :tada::rocket:!", "done tada rocket!"),
        ("*bold* _it_ ~no~ *_both_*", "bold it no both"),
        ("*one* and *two*", "one and two"),
        ("**twice** and ~_*thrice*_~", "twice and thrice"),
        ("(*inside*), _a *b_ c*", "(inside), a b c"),
        ("*not\nbold*", "*not\nbold*"),
        ("a * b * c, fill in ____, ***", "a * b * c, fill in ____, ***"),
        ("char *p, *q;", "char *p, *q;"),
        ("snake_case_name and 2*3*4", "snake_case_name and 2*3*4"),
        ("&gt; they said this\nand I reject it", "they said this\nand I reject it"),
        ("run `kill -9 *pid*` now", "run kill -9 *pid* now"),
        ("```\nif (a &lt; b) { *p = :x: }\n```", "if (a < b) { *p = :x: }"),
        ("", ""),
    ],
)
def test_mrkdwn_becomes_the_text_that_a_person_sees(mrkdwn: str, plain: str) -> None:
    assert plain_text(mrkdwn) == plain


@pytest.mark.parametrize("text", ["at 10:30:45", "std::vector::size", "a:b", "http://x:80/y:z"])
def test_colons_outside_emoji_are_kept(text: str) -> None:
    assert plain_text(text) == text


def test_text_typed_like_a_slack_reference_is_kept() -> None:
    assert plain_text("&lt;@U012AB&gt; is the syntax") == "<@U012AB> is the syntax"


@given(ANY_TEXT)
def test_any_text_is_converted_without_an_error(text: str) -> None:
    plain_text(text)


@given(st.text(st.characters(categories=("L", "N", "Zs")), max_size=200))
def test_text_without_formatting_is_unchanged(text: str) -> None:
    assert plain_text(text) == text.strip()
