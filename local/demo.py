"""The demo: sample messages, reactions to them, and the bot's verdicts in a table."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from handler.text import plain_text
from local.console import is_interactive, progress
from local.delivery import Reason
from local.samples import SAMPLES, VIEWER, Expected, Sample, company, say
from local.stack import Options, Stack
from local.workspace import Message

MOST_SHOWN = 60
"""Characters of a message in the table."""
OTHER_COLUMNS = 54
"""Characters of the table beside the message."""
PATIENCE = 30.0
"""Seconds that a verdict may take before the demo gives it up."""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one sample.

    Parameters
    ----------
    sample
        The sample.
    verdict
        What the worker says it answered; empty if it did not.
    score
        Probability of toxic; None where nothing was judged.
    milliseconds
        From the reaction to the post; None without an answer.
    answers
        How many answers there are.
    """

    sample: Sample
    verdict: str
    score: float | None
    milliseconds: float | None
    answers: int

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one and came exactly once."""
        return self.answers == 1 and self.verdict == self.sample.expected


def run(options: Options) -> bool:
    """Run the demo, keep it running on a terminal, and return whether all went well."""
    workspace = company()
    messages = say(workspace)
    console = Console()
    if not console.is_terminal:
        console.width = MOST_SHOWN + OTHER_COLUMNS
    with progress() as show:
        stack = Stack(workspace, VIEWER, options, show).start()
    with stack:
        rows = ask(stack, messages)
        console.print(table(rows, room=max(24, min(MOST_SHOWN, console.width - OTHER_COLUMNS))))
        well = sum(row.as_expected for row in rows)
        console.print(f"{well} of {len(rows)} messages got the expected verdict, once each.")
        if is_interactive():
            console.print(f"\nThe workspace is at [link]{stack.slack.address}[/link]")
            console.print("Write and react there; stop with Ctrl+C.")
            wait_for_interrupt()
        else:
            console.print(f"The workspace was at {stack.slack.address}", highlight=False)
    return well == len(rows)


def ask(stack: Stack, messages: list[Message]) -> list[Row]:
    """React to every message, one after the other, and wait for its verdict."""
    for sample, message in zip(SAMPLES, messages, strict=True):
        reacted = stack.workspace.react(message.channel, message.ts, VIEWER, "biohazard_sign")
        envelope = stack.events.envelope_of(reacted)
        for retry in range(1, sample.deliveries):
            stack.events.repeat(envelope, retry, Reason.TIMEOUT)
        if not stack.wait_for(partial(stack.is_answered, message), PATIENCE):
            break
    # A second answer to a retry would come now.
    stack.settle()
    told = {
        (record.get("channel"), record.get("ts")): record
        for record in stack.records("worker")
        if record.get("message") == "answered"
    }
    rows: list[Row] = []
    for sample, message in zip(SAMPLES, messages, strict=True):
        record = told.get((message.channel, message.ts), {})
        verdict = str(record.get("verdict", ""))
        judged = verdict in (Expected.TOXIC, Expected.FINE)
        answers = stack.answers(message)
        rows.append(
            Row(
                sample,
                verdict if judged or not verdict else Expected.NOTHING,
                float(record["score"]) if judged else None,
                answers[0].answer_ms if answers else None,
                len(answers),
            )
        )
    return rows


def table(rows: list[Row], room: int) -> Table:
    """Return the verdicts as a table, with so many characters for each message."""
    shown = Table(title="What the bot answered", title_justify="left", box=box.SIMPLE_HEAD)
    shown.add_column("message", width=room, no_wrap=True)
    shown.add_column("verdict", no_wrap=True)
    for heading in ("score", "ms", "sent", "answers"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        colour = {Expected.TOXIC.value: "red", Expected.FINE.value: "green"}.get(row.verdict, "dim")
        verdict = row.verdict or "none"
        expected = "" if row.verdict == row.sample.expected else f" (not {row.sample.expected})"
        shown.add_row(
            _shortened(row.sample, room),
            f"[{colour}]{verdict}[/]{expected}",
            "" if row.score is None else f"{row.score:.3f}",
            "" if row.milliseconds is None else f"{row.milliseconds:.0f}",
            f"{row.sample.deliveries}x",
            str(row.answers),
        )
    return shown


def _shortened(sample: Sample, room: int) -> Text:
    """Return the beginning and the end of a message: a threat may come last."""
    mark = "↳ " if sample.in_thread else ""
    text = mark + (plain_text(sample.text) or f"(only a file: {', '.join(sample.file_names)})")
    if len(text) > room:
        half = (room - 3) // 2
        text = f"{text[:half].rstrip()} … {text[-half:].lstrip()}"
    return Text(text)


def wait_for_interrupt() -> None:
    """Return when somebody presses Ctrl+C."""
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return
