"""What every endpoint uses: the judge, the keys and the counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.verdict import Verdict
from toxic_bot.service.inference import Inference
from toxic_bot.service.keys import Client, Keys
from toxic_bot.service.metrics import Metrics
from toxic_bot.service.perspective.scale import Scales
from toxic_bot.service.request_errors import RequestError

T = TypeVar("T")


@dataclass
class Service:
    """One running service.

    Attributes
    ----------
    strict
        See `ServiceSettings`.
    scales
        From scores to Perspective's.
    ready
        Whether the first verdict has been given.
    """

    inference: Inference
    keys: Keys
    metrics: Metrics
    strict: bool = False
    scales: Scales = field(default_factory=lambda: Scales(None))
    ready: bool = False

    @property
    def classifier(self) -> Classifier:
        """What judges."""
        return self.inference.classifier


@dataclass(frozen=True)
class Access:
    """A client's way to the judge, within its rate.

    Parameters
    ----------
    service
        The service.
    client
        Whose key the request carries.
    turn
        In whose name its texts wait: the client's or, if everybody is let in, its address's.
    """

    service: Service
    client: Client
    turn: str

    async def classify(self, texts: Sequence[str]) -> list[Verdict]:
        """Judge texts; see `Inference.classify`."""
        self._charge_texts(texts)
        return await self.service.inference.classify(texts, self.turn)

    async def each(
        self,
        work: Callable[[str, Callable[[], None]], T],
        texts: Sequence[str],
        cost: Callable[[str], int] | None = None,
    ) -> list[T]:
        """Do some work for each text; see `Inference.each`."""
        self._charge_texts(texts)
        return await self.service.inference.each(work, texts, self.turn, cost)

    def charge(self, count: int) -> None:
        """Count texts toward the client's rate.

        Raises
        ------
        RequestError
            When they are more than it may have judged now.
        """
        if self.client.bucket is None:
            return
        try:
            self.client.bucket.take(count)
        except RequestError:
            self.service.metrics.refused.labels("rate").inc()
            raise

    def _charge_texts(self, texts: Sequence[str]) -> None:
        if self.client.bucket is not None:
            self.charge(sum(map(self.service.inference.cost, texts)))


# FastAPI would run these on a thread of its own if they were not coroutines, which costs a request
# more than all else but the model.
async def running_service(request: Request) -> Service:
    """Return the service that a request came to."""
    service: Service = request.app.state.service
    return service


async def authenticated(request: Request) -> Access:
    """Return the access of the client whose key the request carries."""
    service = await running_service(request)
    try:
        client = service.keys.identify(request)
    except RequestError:
        service.metrics.refused.labels("key").inc()
        raise
    return Access(service, client, service.keys.turn(client, request))


RunningService = Annotated[Service, Depends(running_service)]
Authenticated = Annotated[Access, Depends(authenticated)]
