"""X-Ray traces, when a deployment asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from toxic_bot.deployment.settings import Tracing

_Handler = TypeVar("_Handler", bound=Callable[..., Any])


def traced(tracing: Tracing) -> Callable[[_Handler], _Handler]:
    """Return a decorator that traces a Lambda handler if tracing is on.

    The tracer's SDK is imported only then. Traces contain times, but neither responses nor
    exception messages.
    """
    if tracing is Tracing.OFF:
        return lambda handler: handler
    from aws_lambda_powertools import Tracer

    return cast(
        "Callable[[_Handler], _Handler]",
        Tracer().capture_lambda_handler(capture_response=False, capture_error=False),
    )
