"""``POST /v1/moderations``: the shape of OpenAI's endpoint.

See https://platform.openai.com/docs/api-reference/moderations.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.verdict import Reason, Verdict
from toxic_bot.service.access import Authenticated
from toxic_bot.service.kind_scores import kind_score
from toxic_bot.service.request_errors import SHAPE, OpenAIErrorBody, documented, json_response
from toxic_bot.service.settings import MAX_TEXTS

# The kinds that each category needs; all of them must be evident.
CATEGORIES: dict[str, tuple[str, ...]] = {
    "harassment": (),
    "harassment/threatening": ("threat",),
    "hate": ("identity",),
    "hate/threatening": ("identity", "threat"),
    "sexual": ("sexual",),
    "violence": ("threat",),
}
NOT_JUDGED = (
    "illicit",
    "illicit/violent",
    "self-harm",
    "self-harm/instructions",
    "self-harm/intent",
    "sexual/minors",
    "violence/graphic",
)
_REASONS: dict[Reason, Literal["language", "no_words"]] = {
    Reason.LANGUAGE: "language",
    Reason.NO_WORDS: "no_words",
}
_SHOWN = 0.5
_TEXT, _TEXTS, _PARTS = f"{SHAPE}text>", f"{SHAPE}texts>", f"{SHAPE}parts>"
_STRICT = ConfigDict(strict=True, extra="forbid", frozen=True)

router = APIRouter(tags=["OpenAI's moderation"])


class TextPart(BaseModel):
    """A part of the input; images are not judged."""

    model_config = _STRICT

    type: Literal["text"]
    text: str


def _shape(value: Any) -> str:
    """Return which of its shapes an input has, so that an error is about that one."""
    if isinstance(value, list):
        return _PARTS if value and isinstance(value[0], dict | TextPart) else _TEXTS
    return _TEXT


class ModerationRequest(BaseModel):
    """What OpenAI's clients send."""

    model_config = _STRICT

    input: Annotated[
        Annotated[str, Tag(_TEXT)]
        | Annotated[list[str], Field(min_length=1, max_length=MAX_TEXTS), Tag(_TEXTS)]
        | Annotated[list[TextPart], Field(min_length=1, max_length=MAX_TEXTS), Tag(_PARTS)],
        Discriminator(_shape),
    ]
    model: Annotated[str | None, Field(description="Accepted and ignored: there is one model.")] = (
        None
    )


class ModerationContent(BaseModel):
    """The result for one text."""

    flagged: bool
    categories: dict[str, bool]
    category_scores: dict[str, float]
    category_applied_input_types: dict[str, list[str]] = Field(
        description="For each category, 'text' if the text was judged in it, or nothing."
    )
    judged: bool = Field(
        description="False if the text was not judged: its scores then say nothing. Not a field "
        "of OpenAI's."
    )
    reason: Literal["language", "no_words"] | None = Field(
        description="Why it was not judged: it is in a language that the model does not read, or "
        "has no words. Not a field of OpenAI's."
    )


class ModerationResponse(BaseModel):
    """A result for each text; for parts, one for all of them."""

    id: str
    model: str
    results: list[ModerationContent]


@router.post(
    "/v1/moderations",
    response_model=ModerationResponse,
    responses=documented(OpenAIErrorBody, 400, 401, 408, 413, 429, 500, 503),
    summary="Judge texts in the shape of OpenAI's endpoint",
)
async def moderate(asked: ModerationRequest, access: Authenticated) -> Response:
    """Return a result for each text, with every category that OpenAI's clients expect.

    Categories that the model does not judge have the score 0.
    """
    verdicts = await access.classify(_texts(asked))
    classifier = access.service.classifier
    answer = ModerationResponse(
        id=f"modr-{secrets.token_hex(12)}",
        model=classifier.config.name,
        results=[result(classifier, verdict) for verdict in verdicts],
    )
    return json_response(answer.model_dump())


def result(classifier: Classifier, verdict: Verdict) -> ModerationContent:
    """Return a verdict in OpenAI's categories.

    Harassment is what the model calls toxic, so its score is the text's. The other categories
    have the score of the least evident kind that they need, and 0 if the model tells no kinds.
    A text that was not judged is not flagged, but no category has an applied input type.
    """
    scores = {
        category: _score(classifier, verdict, kinds) for category, kinds in CATEGORIES.items()
    }
    shown = {name: verdict.toxic and score >= _SHOWN for name, score in scores.items()}
    shown["harassment"] = verdict.toxic
    rest = dict.fromkeys(NOT_JUDGED, 0.0)
    return ModerationContent(
        flagged=verdict.toxic,
        categories={**shown, **dict.fromkeys(rest, False)},
        category_scores={name: round(score, 6) for name, score in {**scores, **rest}.items()},
        category_applied_input_types={
            **{name: ["text"] if verdict.judged else [] for name in scores},
            **{name: [] for name in rest},
        },
        judged=verdict.judged,
        reason=_REASONS[verdict.reason] if verdict.reason else None,
    )


def _score(classifier: Classifier, verdict: Verdict, kinds: tuple[str, ...]) -> float:
    scores = [kind_score(verdict, classifier.kinds_of(verdict), kind) or 0.0 for kind in kinds]
    return min(scores, default=verdict.score)


def _texts(asked: ModerationRequest) -> list[str]:
    if isinstance(asked.input, str):
        return [asked.input]
    texts = [part for part in asked.input if isinstance(part, str)]
    # OpenAI judges the parts of an input together.
    parts = [part.text for part in asked.input if isinstance(part, TextPart)]
    return texts or ["\n".join(parts)]
