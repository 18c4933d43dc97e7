"""Budgets: how much one person, and one channel, can ask for in an hour.

A budget is the set of an hour's requests, each as a short hash. Adding one that is in it
already changes nothing, so what is delivered or tried twice is counted once. What asks for no
verdict has a budget of its own for each person and kind.

How often one person asks about one message is counted in each process and stored nowhere: the
budgets bound it in all, and somebody who toggles a reaction should cost no writes.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Set
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Protocol

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.gestures.clicks import Action, Click
from toxic_bot.slack.gestures.event_gestures import Edit, HomeVisit, Reaction
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.private_requests import Command, Shortcut, Trial
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import KeyedExecutor, logger

PERIOD = 3600
"""Seconds after which a budget resets, on the hour (UTC)."""

MAX_REPEATS = 10
"""How often one person may ask about one message in an hour, by their reactions."""

MAX_COUNTED = 10_000
"""People and messages whose repetitions are counted at a time."""

BUDGET_LIFETIME = 4 * 3600
"""Seconds for which a budget is kept; longer than a request of its hour waits."""


class Scope(StrEnum):
    """Whose budget it is."""

    USER = "user"
    CHANNEL = "channel"
    SETTINGS = "settings"
    HOME = "home"
    CLICK = "click"
    MESSAGE = "message"


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
        super().__init__(f"the budget '{scope}' is spent")
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
        # Person and message to the end of the hour and the requests.
        self._repeats: dict[str, tuple[int, set[str]]] = {}
        self._lock = threading.Lock()

    def admit(self, gesture: Gesture) -> Admission:
        """Prepare to ask for a gesture.

        Raises
        ------
        BudgetSpentError
            When it is known without asking that nothing is left.
        """
        if isinstance(gesture, Reaction) and self._user_budget:
            self._count_repeat(gesture)
        shares = tuple(self._shares(gesture))
        for share in shares:
            if share.budget in self._spent:
                share.check(self._spent[share.budget][1])
        return Admission(partial(self._spend, shares), self._executor)

    def _shares(self, gesture: Gesture) -> Iterator[_Share]:
        hour = _hour(gesture)
        channel = getattr(gesture, "channel", None)
        owners = [
            (Scope.USER, gesture.user, self._user_budget),
            (Scope.CHANNEL, channel, self._channel_budget),
        ]
        scope = _scope(gesture)
        if scope is not Scope.USER:
            owners = [(scope, f"{gesture.user}#{scope}", self._user_budget)] if scope else []
        for scope, owner, limit in owners:
            if owner and limit:
                budget = f"budget#{owner}#{hour}"
                yield _Share(scope, budget, _request(gesture), limit, (hour + 1) * PERIOD)

    def _count_repeat(self, reaction: Reaction) -> None:
        until = (_hour(reaction) + 1) * PERIOD
        asked = f"{reaction.user}#{reaction.channel}#{reaction.ts}#{until}"
        with self._lock:
            if len(self._repeats) >= MAX_COUNTED:
                now = self._clock()
                self._repeats = {k: one for k, one in self._repeats.items() if one[0] > now}
            if len(self._repeats) >= MAX_COUNTED:
                self._repeats.clear()
            _, requests = self._repeats.setdefault(asked, (until, set()))
            if len(requests) < MAX_REPEATS:
                requests.add(_request(reaction))
            known = frozenset(requests)
        _Share(Scope.MESSAGE, asked, _request(reaction), MAX_REPEATS, until).check(known)

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


def _scope(gesture: Gesture) -> Scope | None:
    """Return the person's budget that a gesture spends from; None for what nobody asks for."""
    match gesture:
        case Click() if gesture.action is not Action.WHY:
            return Scope.CLICK
        case Reaction() | Edit() | Shortcut() | Command() | Trial() | Click():
            return Scope.USER
        case SettingsRequest() | SettingsChange():
            return Scope.SETTINGS
        case HomeVisit():
            return Scope.HOME
    return None


def _hour(gesture: Gesture) -> int:
    # By the time of the gesture: one that waits belongs to the hour in which it was made.
    return int(float(gesture.event_ts)) // PERIOD


def _request(gesture: Gesture) -> str:
    # Not the event ID of a reaction: a shared channel's events come from several workspaces.
    is_reaction = isinstance(gesture, Reaction)
    name = f"{gesture.user}#{gesture.event_ts}" if is_reaction else gesture.event_id
    return hashlib.blake2b(name.encode(), digest_size=5).hexdigest()
