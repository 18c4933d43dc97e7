"""``GET /$discovery/rest``: how Google's clients learn the API.

Google's discovery format: https://developers.google.com/discovery/v1/reference/apis. Its schemas
are those of the models, so that both always agree.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from toxic_bot.judge import __version__
from toxic_bot.service.perspective.models import (
    AnalyzeCommentRequest,
    AnalyzeCommentResponse,
    SuggestCommentScoreRequest,
    SuggestCommentScoreResponse,
)
from toxic_bot.service.request_errors import GoogleErrorBody, documented, json_response

_METHODS: dict[str, tuple[type[BaseModel], type[BaseModel]]] = {
    "analyze": (AnalyzeCommentRequest, AnalyzeCommentResponse),
    "suggestscore": (SuggestCommentScoreRequest, SuggestCommentScoreResponse),
}
_PARAMETERS: dict[str, tuple[str, dict[str, Any]]] = {
    "alt": ("Data format for the response.", {"default": "json", "enum": ["json"]}),
    "fields": ("Accepted and ignored.", {}),
    "key": ("A key of this service.", {}),
    "prettyPrint": ("Accepted and ignored.", {"type": "boolean", "default": "true"}),
    "quotaUser": ("Accepted and ignored.", {}),
}
_KEPT = ("type", "description", "format")

router = APIRouter(tags=["Perspective"])


@router.get(
    "/$discovery/rest",
    responses=documented(GoogleErrorBody, 500),
    summary="The API in Google's discovery format",
)
async def discover(request: Request) -> Response:
    """Return the document that Google's clients build themselves from."""
    return json_response(document(str(request.base_url)))


def document(root: str) -> dict[str, Any]:
    """Return the discovery document.

    Parameters
    ----------
    root
        The service's address as its client sees it, with a slash at the end.
    """
    return {
        "kind": "discovery#restDescription",
        "discoveryVersion": "v1",
        "id": "commentanalyzer:v1alpha1",
        "name": "commentanalyzer",
        "version": "v1alpha1",
        "revision": __version__,
        "title": "Toxic Bot in the shape of the Perspective Comment Analyzer API",
        "description": "Scores comments.",
        "protocol": "rest",
        "rootUrl": root,
        "servicePath": "",
        "baseUrl": root,
        "basePath": "",
        "batchPath": "batch",
        "fullyEncodeReservedExpansion": True,
        "parameters": {
            name: {"type": "string", "location": "query", "description": description} | more
            for name, (description, more) in _PARAMETERS.items()
        },
        "schemas": _schemas(),
        "resources": {"comments": {"methods": {name: _method(name) for name in _METHODS}}},
    }


def _method(name: str) -> dict[str, Any]:
    request, response = _METHODS[name]
    return {
        "id": f"commentanalyzer.comments.{name}",
        "path": f"v1alpha1/comments:{name}",
        "flatPath": f"v1alpha1/comments:{name}",
        "httpMethod": "POST",
        "description": request.__doc__,
        "parameters": {},
        "parameterOrder": [],
        "request": {"$ref": request.__name__},
        "response": {"$ref": response.__name__},
    }


def _schemas() -> dict[str, Any]:
    models = [(model, "validation") for pair in _METHODS.values() for model in pair]
    _, schema = models_json_schema(models, by_alias=True, ref_template="{model}")  # type: ignore[arg-type]
    return {name: {"id": name, **_converted(part)} for name, part in schema["$defs"].items()}


def _converted(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON schema as the discovery format has it: without null, with plain references."""
    if "anyOf" in schema:
        [used] = [option for option in schema["anyOf"] if option.get("type") != "null"]
        schema = {**used, **{key: schema[key] for key in _KEPT if key in schema}}
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    converted = {key: schema[key] for key in _KEPT if key in schema}
    if "properties" in schema:
        converted["properties"] = {
            name: _converted(part) for name, part in schema["properties"].items()
        }
    if "items" in schema:
        converted["items"] = _converted(schema["items"])
    if isinstance(schema.get("additionalProperties"), dict):
        converted["additionalProperties"] = _converted(schema["additionalProperties"])
    return converted
