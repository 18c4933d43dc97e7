"""What Perspective's clients send and get.

See https://developers.perspectiveapi.com/s/about-the-api-methods. As in Google's JSON of Protocol
Buffers, a field may be written in camel case or in snake case, null is the same as leaving it out
and an unknown field is an error (https://protobuf.dev/programming-guides/json).
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel


class _Message(BaseModel):
    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )


def _as_list(value: Any) -> Any:
    """Return one value as a list of it, as Google reads it: R's client and n8n send no list."""
    return [value] if isinstance(value, str) else value


Languages = Annotated[list[str] | None, BeforeValidator(_as_list)]
Number = Annotated[float, Field(allow_inf_nan=False)]


class TextEntry(_Message):
    """A text."""

    text: str | None = None
    type: str | None = Field(default=None, description="PLAIN_TEXT.")


class ArticleAndParentComment(_Message):
    """What a comment is about."""

    article: TextEntry | None = None
    parent_comment: TextEntry | None = None


class Context(_Message):
    """What a comment answers; accepted and not looked at, as Perspective did."""

    entries: list[TextEntry] | None = None
    article_and_parent_comment: ArticleAndParentComment | None = None


class AttributeParameters(_Message):
    """How an attribute is asked for."""

    score_type: str | None = Field(default=None, description="PROBABILITY.")
    score_threshold: Number | None = Field(
        default=None, description="Scores below it are left out."
    )


class AnalyzeCommentRequest(_Message):
    """A comment to score."""

    comment: TextEntry | None = None
    requested_attributes: dict[str, AttributeParameters | None] | None = None
    span_annotations: bool | None = None
    languages: Languages = None
    do_not_store: bool | None = Field(default=None, description="Nothing is ever stored.")
    client_token: str | None = None
    session_id: str | None = None
    community_id: str | None = None
    context: Context | None = None
    drop_unsupported_attributes: bool | None = None


class Score(_Message):
    """A score."""

    value: Number
    type: str | None = "PROBABILITY"


class SpanScore(_Message):
    """The score of a part of a comment."""

    begin: int | None = None
    end: int | None = None
    score: Score | None = None


class AttributeScores(_Message):
    """The scores of an attribute."""

    span_scores: list[SpanScore] | None = None
    summary_score: Score | None = None


class AnalyzeCommentResponse(_Message):
    """The scores of a comment."""

    attribute_scores: dict[str, AttributeScores] | None = None
    languages: list[str] | None = None
    detected_languages: list[str] | None = None
    client_token: str | None = None


class SuggestCommentScoreRequest(_Message):
    """A score that a client would have expected."""

    comment: TextEntry | None = None
    attribute_scores: dict[str, AttributeScores | None] | None = None
    languages: Languages = None
    client_token: str | None = None
    session_id: str | None = None
    community_id: str | None = None
    context: Context | None = None


class SuggestCommentScoreResponse(_Message):
    """That the suggestion arrived."""

    client_token: str | None = None
    detected_languages: list[str] | None = None
    requested_languages: list[str] | None = None


def as_json(message: BaseModel) -> Any:
    """Return a response as JSON has it: in camel case, with nothing that is not set."""
    return message.model_dump(by_alias=True, exclude_none=True)
