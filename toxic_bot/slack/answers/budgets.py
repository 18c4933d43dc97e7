"""Budgets: how much one person, and one channel, can ask for in an hour.

A budget is the set of an hour's requests, each as a short hash. Adding one that is in it
already changes nothing, so what is delivered or tried twice is counted once.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Set
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Protocol

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.gestures import Action, Click, Command, Gesture, Reaction, Shortcut, Trial
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import KeyedExecutor, logger

PERIOD = 3600
"""Seconds after which a budget resets, on the hour (UTC)."""

BUDGET_LIFETIME = 4 * 3600
"""Seconds for which a budget is kept; longer than a request of its hour waits."""


class Scope(StrEnum):
    """Whose budget it is."""

    USER = "user"
    CHANNEL = "channel"


class BudgetSpentError(ToxicBotError):
    """A budget has nothing left for a request.

    Parameters
    ----------
    scope
        Whose budget.
    limit
        Requests that it has for an hour.
    until
        Unix seconds of the end of that hour.
    """

    def __init__(self, scope: Scope, limit: int, until: int) -> None:
        super().__init__(f"the {scope}'s budget is spent")
        self.scope = scope
        self.limit = limit
        self.until = until


class BudgetStore(Protocol):
    """Where budgets are stored. May raise StoreUnavailableError."""

    def spend(self, budget: str, request: str, limit: int, expires_at: int) -> Set[str]:
        """Add a request to a budget unless ``limit`` are in it; return all that are in it then."""


@dataclass(frozen=True, slots=True)
class _Share:
    """What one request takes from one budget."""

    scope: Scope
    budget: str
    request: str
    limit: int
    until: int

    def check(self, requests: Set[str]) -> None:
        if self.request not in requests:
            raise BudgetSpentError(self.scope, self.limit, self.until)


class Admission:
    """Whether the budgets have something left for a request: asked beside other work.

    Parameters
    ----------
    spend
        Asks, and raises BudgetSpentError.
    executor
        Where.
    """

    def __init__(self, spend: Callable[[], None], executor: Executor) -> None:
        self._spend = spend
        self._executor = executor
        self._spending: Future[None] | None = None

    def begin(self) -> None:
        """Ask, without waiting for the response."""
        self._spending = self._executor.submit(self._spend)

    def confirm(self) -> None:
        """Wait for the response.

        Raises
        ------
        BudgetSpentError
            When nothing is left.
        """
        if self._spending is None:
            self.begin()
        assert self._spending is not None
        self._spending.result()


class Budgets:
    """Keeps the budgets.

    Parameters
    ----------
    store
        Where.
    settings
        How much there is; 0 for no limit.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self, store: BudgetStore, settings: BotSettings, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._user_budget = settings.user_budget
        self._channel_budget = settings.channel_budget
        self._clock = clock
        self._executor = KeyedExecutor(thread_name_prefix="budget")
        # Budgets that are spent do not change any more: budget to its end and its requests.
        self._spent: dict[str, tuple[int, Set[str]]] = {}

    def admit(self, gesture: Gesture) -> Admission:
        """Prepare to ask for a gesture.

        Raises
        ------
        BudgetSpentError
            When it is known without asking that nothing is left.
        """
        shares = tuple(self._shares(gesture)) if _is_request(gesture) else ()
        for share in shares:
            if share.budget in self._spent:
                share.check(self._spent[share.budget][1])
        return Admission(partial(self._spend, shares), self._executor)

    def _shares(self, gesture: Gesture) -> Iterator[_Share]:
        # By the time of the gesture: one that waits belongs to the hour in which it was made.
        hour = int(float(gesture.event_ts)) // PERIOD
        # Not the event ID: a shared channel's events come from several workspaces.
        name = f"{gesture.user}#{gesture.event_ts}"
        if not isinstance(gesture, Reaction):
            name = gesture.event_id
        request = hashlib.blake2b(name.encode(), digest_size=5).hexdigest()
        channel = getattr(gesture, "channel", None)
        for scope, owner, limit in (
            (Scope.USER, gesture.user, self._user_budget),
            (Scope.CHANNEL, channel, self._channel_budget),
        ):
            if owner and limit:
                budget = f"budget#{owner}#{hour}"
                yield _Share(scope, budget, request, limit, (hour + 1) * PERIOD)

    def _spend(self, shares: tuple[_Share, ...]) -> None:
        # One after the other: who has nothing left takes nothing from the channel.
        for share in shares:
            expires_at = share.until + BUDGET_LIFETIME
            try:
                requests = self._store.spend(share.budget, share.request, share.limit, expires_at)
            except StoreUnavailableError:
                logger.warning("a budget could not be checked: the request proceeds")
                continue
            if len(requests) >= share.limit:
                self._remember(share, requests)
            share.check(requests)

    def _remember(self, share: _Share, requests: Set[str]) -> None:
        now = self._clock()
        current = {key: one for key, one in self._spent.items() if one[0] > now}
        self._spent = current | {share.budget: (share.until, requests)}


def _is_request(gesture: Gesture) -> bool:
    """Report whether somebody wants something judged; votes and visits are free."""
    if isinstance(gesture, Click):
        return gesture.action is Action.WHY
    return isinstance(gesture, (Reaction, Shortcut, Command, Trial))
