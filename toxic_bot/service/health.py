"""Liveness, readiness and metrics."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from toxic_bot.service.access import Authenticated, RunningService
from toxic_bot.service.request_errors import ErrorBody, RequestError, documented, json_response

router = APIRouter(tags=["operation"])


class Health(BaseModel):
    """That all is well."""

    status: Literal["ok"] = "ok"


@router.get(
    "/healthz",
    response_model=Health,
    responses=documented(ErrorBody, 500),
    summary="Whether the process answers",
)
async def healthz() -> Response:
    """Return 200 as long as the process answers."""
    return json_response(Health().model_dump())


@router.get(
    "/readyz",
    response_model=Health,
    responses=documented(ErrorBody, 500, 503),
    summary="Whether the first verdict has been given",
)
async def readyz(service: RunningService) -> Response:
    """Return 200 once the model has given its first verdict."""
    if not service.ready:
        raise RequestError(503, "the first verdict has not been given yet", "not_ready", 1)
    return json_response(Health().model_dump())


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {}}, "description": "Prometheus's text format"},
        **documented(ErrorBody, 401, 500),
    },
    summary="Counts and times for Prometheus",
)
async def metrics(access: Authenticated) -> Response:
    """Return counts and times; no text and no key is among them."""
    content = access.service.metrics.page()
    return Response(content, headers={"Content-Type": CONTENT_TYPE_LATEST})
