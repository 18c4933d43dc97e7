"""``comments:analyze`` and ``comments:suggestscore``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fastapi import APIRouter, Response

from toxic_bot.judge.config import Kind
from toxic_bot.judge.verdict import Reason, Verdict
from toxic_bot.service.access import Authenticated
from toxic_bot.service.perspective.attributes import ATTRIBUTES
from toxic_bot.service.perspective.comment_spans import sentence_spans
from toxic_bot.service.perspective.models import (
    AnalyzeCommentRequest,
    AnalyzeCommentResponse,
    AttributeParameters,
    AttributeScores,
    Score,
    SpanScore,
    SuggestCommentScoreRequest,
    SuggestCommentScoreResponse,
    TextEntry,
    as_json,
)
from toxic_bot.service.request_errors import (
    GoogleErrorBody,
    RequestError,
    documented,
    json_response,
)

MAX_BYTES = 20_480
"""Bytes of a comment in UTF-8."""
LANGUAGE = "en"
_TEXT_TYPES = ("PLAIN_TEXT", "TEXT_TYPE_UNSPECIFIED")
_SCORE_TYPES = ("PROBABILITY", "SCORE_TYPE_UNSPECIFIED")
_ERRORS = documented(GoogleErrorBody, 400, 403, 408, 413, 429, 500, 503)

router = APIRouter(prefix="/v1alpha1", tags=["Perspective"])


@router.post(
    "/comments:analyze",
    response_model=AnalyzeCommentResponse,
    responses=_ERRORS,
    summary="Score a comment, as Perspective did",
)
async def analyze(asked: AnalyzeCommentRequest, access: Authenticated) -> Response:
    """Return the scores of the attributes that were asked for."""
    text = comment_text(asked.comment)
    requested = requested_attributes(asked.requested_attributes)
    unsupported = _unsupported_languages(asked.languages)
    if unsupported and not asked.drop_unsupported_attributes:
        raise _language_error(next(iter(requested)), unsupported)
    scores = {}
    if not unsupported:
        spans = sentence_spans(text) if asked.span_annotations else []
        texts = [text, *(text[begin:end] for begin, end in spans)]
        verdicts = await access.classify(texts)
        if verdicts[0].reason is Reason.LANGUAGE:
            message = "Unable to detect language: the comment is not in English."
            raise _error(message, "LANGUAGE_DETECTION_FAILED")
        # Without annotations, Perspective returns one span, which is the whole comment.
        parts = list(zip(spans, verdicts[1:], strict=True)) or [((0, len(text)), verdicts[0])]
        kinds = access.service.classifier.config.kinds
        scores = attribute_scores(requested, verdicts[0], parts, kinds)
    answer = AnalyzeCommentResponse(
        attribute_scores=scores,
        languages=asked.languages or [LANGUAGE],
        detected_languages=None if unsupported else [LANGUAGE],
        client_token=asked.client_token,
    )
    return json_response(as_json(answer))


@router.post(
    "/comments:suggestscore",
    response_model=SuggestCommentScoreResponse,
    responses=_ERRORS,
    summary="Accept a suggested score, and forget it",
)
async def suggest_score(asked: SuggestCommentScoreRequest, access: Authenticated) -> Response:
    """Check a suggestion and return its token; nothing is stored."""
    access.charge(1)
    comment_text(asked.comment)
    if not asked.attribute_scores:
        raise _error("Missing attribute_scores", "INVALID_REQUEST")
    for name in asked.attribute_scores:
        _check_known(name)
    answer = SuggestCommentScoreResponse(
        client_token=asked.client_token, requested_languages=asked.languages
    )
    return json_response(as_json(answer))


def comment_text(comment: TextEntry | None) -> str:
    """Return the text of a comment.

    Raises
    ------
    RequestError
        When it is empty, too long or not plain.
    """
    text = (comment.text if comment else None) or ""
    if not text.strip():
        raise _error("Comment must be non-empty.", "COMMENT_EMPTY")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise _error("Comment text too long.", "COMMENT_TOO_LONG")
    kind = comment.type if comment else None
    if kind == "HTML":
        raise _error("Currently, only 'PLAIN_TEXT' comments are supported", "INVALID_REQUEST")
    if kind is not None and kind not in _TEXT_TYPES:
        raise _error("Unknown text type", "INVALID_REQUEST")
    return text


def requested_attributes(
    requested: Mapping[str, AttributeParameters | None] | None,
) -> dict[str, float | None]:
    """Return the threshold of each requested attribute.

    Raises
    ------
    RequestError
        When there is none, one is unknown or its score type is.
    """
    if not requested:
        raise _error("Missing requested_attributes", "NO_REQUESTED_ATTRIBUTES")
    for name, parameters in requested.items():
        _check_known(name)
        score_type = parameters.score_type if parameters else None
        if score_type is not None and score_type not in _SCORE_TYPES:
            message = f"Requested score type is not supported by attribute {name}: use PROBABILITY"
            raise _error(message, "INVALID_REQUEST")
    return {name: p.score_threshold if p else None for name, p in requested.items()}


def attribute_scores(
    requested: Mapping[str, float | None],
    whole: Verdict,
    parts: Sequence[tuple[tuple[int, int], Verdict]],
    kinds: Sequence[Kind],
) -> dict[str, AttributeScores]:
    """Return the scores of a comment and of its parts that reach their thresholds.

    Parameters
    ----------
    requested
        The threshold of each attribute.
    whole
        The verdict on the comment.
    parts
        The spans of the comment, each with its verdict.
    kinds
        The kinds that the model tells.
    """
    scores = {}
    for name, threshold in requested.items():
        attribute = ATTRIBUTES[name]
        least = 0.0 if threshold is None else threshold
        spans = [
            SpanScore(begin=begin, end=end, score=Score(value=value))
            for (begin, end), verdict in parts
            if (value := attribute(verdict, kinds)) >= least
        ]
        value = attribute(whole, kinds)
        if value >= least or spans:
            summary = Score(value=value) if value >= least else None
            scores[name] = AttributeScores(span_scores=spans or None, summary_score=summary)
    return scores


def _unsupported_languages(languages: Sequence[str] | None) -> list[str]:
    """Return the languages that are not English; a region may follow, as in ``en-GB``."""
    return [
        language
        for language in languages or []
        if language.replace("_", "-").partition("-")[0].lower() != LANGUAGE
    ]


def _check_known(attribute: str) -> None:
    if attribute not in ATTRIBUTES:
        shown = attribute.encode("ascii", "backslashreplace").decode()[:80]
        raise _error(f"Unknown requested attribute: {shown}", "INVALID_REQUEST")


def _error(message: str, error_type: str) -> RequestError:
    return RequestError(400, message, detail={"errorType": error_type})


def _language_error(attribute: str, languages: Sequence[str]) -> RequestError:
    error_type = "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"
    named = ", ".join(languages).encode("ascii", "backslashreplace").decode()[:80]
    return RequestError(
        400,
        f"Attribute {attribute} does not support request languages: {named}",
        detail={
            "errorType": error_type,
            "languageNotSupportedByAttributeError": {
                "attribute": attribute,
                "requestedLanguages": list(languages),
            },
        },
    )
