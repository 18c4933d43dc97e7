"""The application: every endpoint over one judge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from toxic_bot.judge import __version__
from toxic_bot.judge.classifier import Classifier
from toxic_bot.service import health, moderations, page, verdicts
from toxic_bot.service.access import Service
from toxic_bot.service.edge import Edge
from toxic_bot.service.inference import Inference
from toxic_bot.service.keys import Keys
from toxic_bot.service.metrics import Metrics
from toxic_bot.service.perspective import batch, comments, discovery
from toxic_bot.service.perspective.comments import ATTRIBUTES_LEFT_OUT, LANGUAGES_LEFT_OUT
from toxic_bot.service.perspective.scale import Scales
from toxic_bot.service.request_errors import (
    RequestError,
    on_http_error,
    on_invalid,
    on_request_error,
)
from toxic_bot.service.settings import ServiceSettings

DESCRIPTION = """Says whether texts are toxic: abusive, insulting, threatening, hateful or obscene
toward a person or a group. It reads English. No text is logged or kept."""


def create(classifier: Classifier, keys: Keys, settings: ServiceSettings) -> FastAPI:
    """Return the application.

    Parameters
    ----------
    classifier
        Loaded with one thread.
    keys
        Who may use it.
    settings
        How many threads, how long a queue and how much time.
    """
    metrics = Metrics()
    inference = Inference(
        classifier,
        threads=settings.threads,
        queue=settings.queue,
        deadline=settings.deadline,
        metrics=metrics,
    )
    scales = Scales(None) if settings.raw_scores else Scales.stored()
    service = Service(inference, keys, metrics, settings.strict, scales)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        first = asyncio.create_task(_give_first_verdict(service))
        yield
        first.cancel()
        inference.close()

    application = FastAPI(
        title="Toxic Bot",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        redoc_url=None,
    )
    application.state.service = service
    for module in (verdicts, comments, batch, discovery, moderations, health, page):
        application.include_router(module.router)
    application.add_exception_handler(RequestError, on_request_error)
    application.add_exception_handler(RequestValidationError, on_invalid)
    application.add_exception_handler(HTTPException, on_http_error)
    application.add_middleware(Edge, metrics=metrics, keys=keys)
    if settings.origins:
        application.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=("GET", "POST"),
            allow_headers=("*",),
            expose_headers=("Retry-After", ATTRIBUTES_LEFT_OUT, LANGUAGES_LEFT_OUT),
        )
    return application


async def _give_first_verdict(service: Service) -> None:
    await service.inference.classify(["ready"])
    service.ready = True
