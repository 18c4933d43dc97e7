"""``comments:analyze`` and ``comments:suggestscore``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Response

from toxic_bot.judge.language import UNDETERMINED
from toxic_bot.judge.verdict import Reason, Verdict
from toxic_bot.service.access import Authenticated, Service
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
_DEFAULT_LANGUAGE = "en"
ATTRIBUTES_LEFT_OUT = "X-Unknown-Attributes"
"""Header that names the requested attributes without a score; no client trips over it."""
LANGUAGES_LEFT_OUT = "X-Unsupported-Languages"
_TEXT_TYPES = ("PLAIN_TEXT", "TEXT_TYPE_UNSPECIFIED")
_SCORE_TYPES = ("PROBABILITY", "SCORE_TYPE_UNSPECIFIED")
_NAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {
            name: {
                "schema": {"type": "string"},
                "description": f"Requested {what} without a score.",
            }
            for name, what in (
                (ATTRIBUTES_LEFT_OUT, "attributes"),
                (LANGUAGES_LEFT_OUT, "languages"),
            )
        }
    }
}
_ERRORS = documented(GoogleErrorBody, 400, 403, 408, 413, 429, 500, 503)

Scorer = Callable[[str, Verdict], float]
"""The score of an attribute, from its name and a verdict."""

router = APIRouter(prefix="/v1alpha1", tags=["Perspective"])


@router.post(
    "/comments:analyze",
    response_model=AnalyzeCommentResponse,
    responses={**_NAMED, **_ERRORS},
    summary="Score a comment, as Perspective did",
)
async def analyze(asked: AnalyzeCommentRequest, access: Authenticated) -> Response:
    """Return the scores of the attributes that were asked for."""
    strict = access.service.strict
    text = comment_text(asked.comment)
    requested, unknown = requested_attributes(asked.requested_attributes, strict=strict)
    languages = asked.languages or [_DEFAULT_LANGUAGE]
    classifier = access.service.classifier
    unsupported = _unsupported_languages(languages, classifier.languages)
    readable = not unsupported or (not strict and len(unsupported) < len(languages))
    if not (readable or asked.drop_unsupported_attributes):
        raise _language_error(next(iter(requested)), unsupported)
    scores, detected = {}, UNDETERMINED
    if readable:
        spans = sentence_spans(text) if asked.span_annotations else []
        texts = [text, *(text[begin:end] for begin, end in spans)]
        verdicts = await access.classify(texts)
        if verdicts[0].reason is Reason.LANGUAGE:
            known = ", ".join(sorted(classifier.languages))
            message = f"Unable to detect language: the comment is in none of {known}."
            raise _error(message, "LANGUAGE_DETECTION_FAILED")
        # Without annotations, Perspective returns one span, which is the whole comment.
        parts = list(zip(spans, verdicts[1:], strict=True)) or [((0, len(text)), verdicts[0])]
        scores = attribute_scores(requested, verdicts[0], parts, _scorer(access.service))
        detected = verdicts[0].language
    answer = AnalyzeCommentResponse(
        attribute_scores=scores,
        languages=languages,
        detected_languages=None if detected == UNDETERMINED else [detected],
        client_token=asked.client_token,
    )
    left_out = {ATTRIBUTES_LEFT_OUT: unknown, LANGUAGES_LEFT_OUT: unsupported}
    headers = {name: _shown(values) for name, values in left_out.items() if values}
    return json_response(as_json(answer), headers=headers)


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
    if access.service.strict:
        _check_known(asked.attribute_scores)
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
    requested: Mapping[str, AttributeParameters | None] | None, *, strict: bool
) -> tuple[dict[str, float | None], list[str]]:
    """Return the threshold of each requested attribute, and the names of those that are unknown.

    Parameters
    ----------
    requested
        The attributes that were asked for.
    strict
        Whether an unknown one is an error even if others are known.

    Raises
    ------
    RequestError
        When there is none, none is known or the score type of one is unknown.
    """
    if not requested:
        raise _error("Missing requested_attributes", "NO_REQUESTED_ATTRIBUTES")
    known = {name: parameters for name, parameters in requested.items() if name in ATTRIBUTES}
    if strict or not known:
        _check_known(requested)
    for name, parameters in known.items():
        score_type = parameters.score_type if parameters else None
        if score_type is not None and score_type.upper() not in _SCORE_TYPES:
            message = f"Requested score type is not supported by attribute {name}: use PROBABILITY"
            raise _error(message, "INVALID_REQUEST")
    thresholds = {name: p.score_threshold if p else None for name, p in known.items()}
    return thresholds, [name for name in requested if name not in known]


def attribute_scores(
    requested: Mapping[str, float | None],
    whole: Verdict,
    parts: Sequence[tuple[tuple[int, int], Verdict]],
    score: Scorer,
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
    score
        Gives each verdict's score.
    """
    scores = {}
    for name, threshold in requested.items():
        least = 0.0 if threshold is None else threshold
        spans = [
            SpanScore(begin=begin, end=end, score=Score(value=value))
            for (begin, end), verdict in parts
            if (value := score(name, verdict)) >= least
        ]
        value = score(name, whole)
        if value >= least or spans:
            summary = Score(value=value) if value >= least else None
            scores[name] = AttributeScores(span_scores=spans or None, summary_score=summary)
    return scores


def _scorer(service: Service) -> Scorer:
    def score(name: str, verdict: Verdict) -> float:
        model = service.classifier.config_of(verdict)
        return ATTRIBUTES[name](verdict, model.kinds, service.scales.of(model))

    return score


def _unsupported_languages(languages: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the languages that are not known; a region may follow, as in ``en-GB``."""
    return [
        language
        for language in languages
        if language.replace("_", "-").partition("-")[0].lower() not in known
    ]


def _check_known(attributes: Iterable[str]) -> None:
    unknown = [name for name in attributes if name not in ATTRIBUTES]
    if unknown:
        raise _error(f"Unknown requested attribute: {_shown(unknown[:1])}", "INVALID_REQUEST")


def _shown(names: Sequence[str]) -> str:
    """Return what a client sent as names, in one line of ASCII, and not all of a long list."""
    line = ", ".join(names[:20]).encode("ascii", "backslashreplace").decode()
    return "".join(c if c.isprintable() else "?" for c in line)[:200]


def _error(message: str, error_type: str) -> RequestError:
    return RequestError(400, message, detail={"errorType": error_type})


def _language_error(attribute: str, languages: Sequence[str]) -> RequestError:
    error_type = "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"
    return RequestError(
        400,
        f"Attribute {attribute} does not support request languages: {_shown(languages)}",
        detail={
            "errorType": error_type,
            "languageNotSupportedByAttributeError": {
                "attribute": attribute,
                "requestedLanguages": list(languages),
            },
        },
    )
