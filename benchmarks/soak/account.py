"""What became of the reactions of a soak, and the tables that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from rich.table import Table

from simulators.slack.delivery import Attempt
from simulators.slack.workspace import Message


@dataclass(frozen=True, slots=True)
class Asked:
    """A reaction of the soak.

    Parameters
    ----------
    event_id
        Slack's ID of its event.
    message
        The message that it is about.
    user
        Who reacted.
    changed
        Whether the message was edited or deleted afterward.
    deliveries
        Slack's attempts to deliver it.
    """

    event_id: str
    message: Message
    user: str
    changed: bool
    deliveries: Future[list[Attempt]]

    @property
    def was_taken(self) -> bool:
        """Whether Slack was told that the event is safe."""
        return any(attempt.status == 200 for attempt in self.deliveries.result())


@dataclass(slots=True)
class Account:
    """What became of the reactions, or of the watched messages' versions."""

    asked: int = 0
    answered: int = 0
    dead: list[str] = field(default_factory=list)
    refused: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    repeated: int = 0
    forged: int = 0
    unexplained: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    planned: Counter[tuple[str, str]] = field(default_factory=Counter)
    played: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: float = 0.0
    evidence: Path | None = None

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost, doubled, dead, unexplained or leaked."""
        return not (self.lost or self.doubled or self.dead or self.unexplained or self.leaked)


def soak_table(accounts: Mapping[str, Account], seed: int) -> Table:
    """Return what became of the reactions, or of the watched messages' versions, as a table."""
    table = Table(title=f"The soak, seed {seed}", title_justify="left")
    table.add_column("")
    for name in accounts:
        table.add_column(str(name), justify="right")
    rows: dict[str, Callable[[Account], object]] = {
        "reactions, or versions of messages": lambda one: f"{one.asked:,}",
        "answered, or judged": lambda one: f"{one.answered:,}",
        "refused, and so not taken": lambda one: one.refused,
        "answers forged by somebody else": lambda one: one.forged,
        "lost": lambda one: len(one.lost),
        "doubled": lambda one: len(one.doubled),
        "dead without need": lambda one: len(one.dead),
        "dead and unexplained": lambda one: len(one.unexplained),
        "leaked into a log or file": lambda one: ", ".join(one.leaked) or 0,
        "private posts repeated, outcome unknown": lambda one: one.repeated,
        "seconds": lambda one: round(one.seconds),
    }
    for name, value in rows.items():
        table.add_row(name, *(str(value(one)) for one in accounts.values()))
    return table


def faults_table(accounts: Mapping[str, Account]) -> Table:
    """Return how often each fault was played, of how often it was planned."""
    table = Table(title="Faults: played of planned", title_justify="left")
    table.add_column("step")
    table.add_column("fault")
    for name in accounts:
        table.add_column(str(name), justify="right")
    for step, fault in sorted({key for one in accounts.values() for key in one.planned}):
        played = (
            f"{one.played[step, fault]} of {one.planned[step, fault]}" for one in accounts.values()
        )
        table.add_row(step, fault, *played)
    return table
