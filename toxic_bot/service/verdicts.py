"""``POST /v1/verdicts``: the service's own endpoint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, Self

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.explanation import MAX_INFERENCES, MAX_LENGTH, Explanation, explain
from toxic_bot.judge.language import UNDETERMINED, detected_language
from toxic_bot.judge.verdict import Reason, Verdict
from toxic_bot.service.access import Authenticated
from toxic_bot.service.inference import Inference
from toxic_bot.service.metrics import STATUS_NAMES
from toxic_bot.service.request_errors import ErrorBody, documented, json_response
from toxic_bot.service.settings import MAX_TEXTS

MAX_EXPLAINED = 8
"""Texts of one request that are explained."""

router = APIRouter(tags=["verdicts"])


class VerdictsRequest(BaseModel):
    """One text, or up to 128."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    text: Annotated[str | None, Field(description="The text to judge.")] = None
    texts: Annotated[
        list[str] | None,
        Field(min_length=1, max_length=MAX_TEXTS, description="The texts to judge."),
    ] = None
    explain: Annotated[
        bool,
        Field(description=f"Also explain each verdict; for up to {MAX_EXPLAINED} texts."),
    ] = False

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.text is None) == (self.texts is None):
            raise ValueError("give either text or texts")
        if self.explain and len(self.all_texts) > MAX_EXPLAINED:
            raise ValueError(f"with explain, give at most {MAX_EXPLAINED} texts")
        return self

    @property
    def all_texts(self) -> list[str]:
        """The texts."""
        return self.texts if self.texts is not None else [self.text or ""]


class WordContent(BaseModel):
    """A word that drove a verdict, or neighboring words of a long text."""

    word: str
    begin: int = Field(description="Its first character in the text.")
    end: int
    effect: float = Field(
        description="How much it drove the score: how far the score drops without it, or in a "
        "toxic text the mean of that drop and of its score alone."
    )


class VerdictContent(BaseModel):
    """The verdict on one text."""

    verdict: Literal["toxic", "fine", "not judged"]
    score: float = Field(description="How likely the text is toxic, 0 to 1.")
    limit: float = Field(description="The threshold: the score from which a text is toxic.")
    kinds: list[str] = Field(description="The kinds a toxic text shows, the worst first.")
    probabilities: dict[str, float] = Field(description="Probability of each kind, by name.")
    windows: int = Field(description="Windows judged; 0 if there was nothing to judge.")
    legible: bool = Field(
        description="False if the text is in a language that the model does not read."
    )
    language: str | None = Field(
        description="ISO 639 code of the likeliest language; null if none is likely, as of a few "
        "words, or if there was nothing to judge."
    )
    words: list[WordContent] | None = Field(
        default=None,
        description="What drove the score; null if not asked for or too long to explain.",
    )
    reading: str | None = Field(
        default=None, description="The text as the model reads it; null if not asked for."
    )


class ModelContent(BaseModel):
    """The model that judged."""

    name: str
    version: str = Field(description="The first digits of the SHA-256 of its weights.")


class VerdictsResponse(BaseModel):
    """A verdict for each text, in their order."""

    verdicts: list[VerdictContent]
    model: ModelContent


@router.post(
    "/v1/verdicts",
    response_model=VerdictsResponse,
    responses=documented(ErrorBody, 400, 401, 408, 413, 422, 429, 500, 503),
    summary="Judge one text or up to 128",
)
async def judge_texts(asked: VerdictsRequest, access: Authenticated) -> Response:
    """Return the verdict on each text, in their order.

    A text is toxic if it is abusive, insulting, threatening, hateful or obscene toward a person
    or a group.
    """
    classifier = access.service.classifier
    judge = partial(_judge, classifier, explained=asked.explain)
    cost = partial(_explanation_cost, access.service.inference) if asked.explain else None
    judged = await access.each(judge, asked.all_texts, cost)
    for each in judged:
        access.service.metrics.count_verdict(each.verdict)
    contents = [
        _content(classifier, text, each) for text, each in zip(asked.all_texts, judged, strict=True)
    ]
    answer = VerdictsResponse(verdicts=contents, model=model_content(classifier))
    return json_response(answer.model_dump())


def model_content(classifier: Classifier) -> ModelContent:
    """Return a client's view of the model."""
    version = classifier.config.checksums.get("model.onnx", "")[:12]
    return ModelContent(name=classifier.config.name, version=version)


@dataclass(frozen=True, slots=True)
class _Judged:
    verdict: Verdict
    language: str | None
    explanation: Explanation | None


def _judge(
    classifier: Classifier, text: str, check: Callable[[], None], *, explained: bool
) -> _Judged:
    explanation = explain(classifier, text, check) if explained else None
    verdict = explanation.verdict if explanation else classifier.classify(text)
    is_known = verdict.judged and verdict.language != UNDETERMINED
    language = verdict.language if is_known else None
    if verdict.reason is Reason.LANGUAGE:
        language = detected_language(text)
    return _Judged(verdict, language, explanation)


def _explanation_cost(inference: Inference, text: str) -> int:
    """Return about how many windows it takes the model to explain a text."""
    windows = inference.cost(text)
    inferences = min(MAX_INFERENCES - 1, 2 * len(text.split()))
    return windows + inferences * (windows if len(text) <= MAX_LENGTH else 1)


def _content(classifier: Classifier, text: str, judged: _Judged) -> VerdictContent:
    verdict, explanation = judged.verdict, judged.explanation
    words = None
    # Of a longer text only a part is explained, as the model reads it: its places would not fit.
    if explanation is not None and explanation.text == text:
        words = [
            WordContent(
                word=text[run.begin : run.end],
                begin=run.begin,
                end=run.end,
                effect=round(run.effect, 6),
            )
            for run in explanation.runs
        ]
    return VerdictContent(
        verdict=STATUS_NAMES[verdict.status],
        score=round(verdict.score, 6),
        limit=classifier.threshold,
        kinds=list(verdict.kinds),
        probabilities={kind: round(p, 6) for kind, p in verdict.probabilities.items()},
        windows=verdict.windows,
        legible=verdict.reason is not Reason.LANGUAGE,
        language=judged.language,
        words=words,
        reading=explanation.reading if explanation is not None else None,
    )
