"""OpenAI's moderation endpoint, with OpenAI's client."""

from __future__ import annotations

from typing import Any

import openai
import pytest

INSULT = "You are a pathetic idiot and everybody here hates you."
THANKS = "Thanks, that was a great help!"


@pytest.fixture
def client(address: str) -> openai.OpenAI:
    return openai.OpenAI(api_key="any key", base_url=f"{address}/v1", max_retries=0)


def test_one_text_and_several_get_a_result_each(client: openai.OpenAI) -> None:
    [insult] = client.moderations.create(input=INSULT).results
    assert insult.flagged
    assert insult.categories.harassment
    assert insult.category_scores.harassment > 0.5
    results = client.moderations.create(input=[THANKS, INSULT], model="omni-moderation-latest")
    assert [result.flagged for result in results.results] == [False, True]
    assert results.id.startswith("modr-")
    assert results.model


def test_text_parts_are_judged_together(client: openai.OpenAI) -> None:
    parts: Any = [{"type": "text", "text": THANKS}, {"type": "text", "text": INSULT}]
    [result] = client.moderations.create(input=parts).results
    assert result.flagged


def test_every_category_that_the_client_knows_is_there_and_those_not_judged_are_0(
    client: openai.OpenAI,
) -> None:
    [result] = client.moderations.create(input=INSULT).results
    fields = type(result.categories).model_fields
    names = {field.alias or name for name, field in fields.items()}
    for part in (result.categories, result.category_scores, result.category_applied_input_types):
        assert set(part.model_dump(by_alias=True)) == names
    assert result.category_scores.self_harm == 0
    assert result.categories.self_harm is False
    assert result.category_applied_input_types.self_harm == []
    assert result.category_applied_input_types.harassment == ["text"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("Ты жалкий идиот, и все тебя ненавидят", "language"), ("?!", "no_words")],
)
def test_a_text_that_is_not_judged_is_not_passed_off_as_harmless(
    client: openai.OpenAI, text: str, reason: str
) -> None:
    judged, unjudged = client.moderations.create(input=[THANKS, text]).results
    applied = unjudged.category_applied_input_types.model_dump()
    assert set(map(tuple, applied.values())) == {()}
    fields = unjudged.model_dump()
    assert (fields["judged"], fields["reason"]) == (False, reason)
    fields = judged.model_dump()
    assert (fields["judged"], fields["reason"]) == (True, None)


@pytest.mark.parametrize(
    ("text", "field"), [([], "input: "), (["a", 1], "input.1: "), (1, "input: ")]
)
def test_an_error_names_the_field_that_was_sent(
    client: openai.OpenAI, text: Any, field: str
) -> None:
    with pytest.raises(openai.BadRequestError) as raised:
        client.moderations.create(input=text)
    assert raised.value.body["message"].startswith(field)  # type: ignore[index] # an object here


def test_an_image_is_refused_in_openais_shape(client: openai.OpenAI) -> None:
    image: Any = {"type": "image_url", "image_url": {"url": "https://example.com/image.png"}}
    with pytest.raises(openai.BadRequestError) as raised:
        client.moderations.create(input=[image])
    assert raised.value.status_code == 400
    assert raised.value.type == "invalid_request_error"
    assert "input.0.type: " in str(raised.value)
