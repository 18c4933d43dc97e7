"""The demo: sample messages, a reaction to each, and the bot's verdicts in a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from rich import box
from rich.console import Console
from rich.emoji import Emoji
from rich.table import Table
from rich.text import Text

from simulators.process import no_children_left
from simulators.progress import show_progress
from simulators.samples import SAMPLES, VIEWER, Expected, Sample, create_workspace, post_samples
from simulators.slack.delivery import RetryReason
from simulators.slack.workspace import Message
from simulators.stack import Options, Stack
from toxic_bot.judge.verdict import MAX_NAMED
from toxic_bot.slack.web_api.mrkdwn import plain_text
from toxic_bot.terminal.console import is_interactive, shorten
from toxic_bot.terminal.signals import wait_for_interrupt

WIDTH_ELSEWHERE = 120
"""Columns of the table when the output is not a terminal."""
MIN_MESSAGE, MAX_MESSAGE = 12, 66
"""Characters of a message in the table."""
OTHER_COLUMNS = 33
"""Characters of the columns besides message, verdict and kinds, padding included."""
WIDTH_WITH_KINDS = 80
"""Columns from which on there is room for the kinds."""
TIMEOUT = 30.0
"""Seconds that a verdict may take before the demo gives up."""


@dataclass(frozen=True, slots=True)
class Row:
    """The result of one sample.

    Parameters
    ----------
    sample
        The sample.
    verdict
        The verdict that the worker logged; empty if there is none.
    kinds
        The kinds of toxicity that it named, the worst first.
    score
        Probability of toxic; None if nothing was judged.
    milliseconds
        From the reaction to the post; None without an answer.
    answers
        Number of answers.
    """

    sample: Sample
    verdict: str
    kinds: tuple[str, ...]
    score: float | None
    milliseconds: float | None
    answers: int

    @property
    def as_expected(self) -> bool:
        """Whether the verdict and the kind are the expected ones and came exactly once."""
        return self.answers == 1 and self.verdict == self.sample.expected and self.names_kind

    @property
    def names_kind(self) -> bool:
        """Whether the kind that has to be named first is."""
        return self.sample.kind in ("", *self.kinds[:1])


def run_demo(options: Options) -> bool:
    """Run the demo; in a terminal, keep it running until Ctrl-C.

    Returns
    -------
    bool
        Whether every expected verdict came exactly once.
    """
    workspace = create_workspace()
    messages = post_samples(workspace)
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH_ELSEWHERE
    with no_children_left():
        with show_progress() as progress:
            stack = Stack(workspace, VIEWER, options, progress).start()
        with stack:
            with show_progress() as progress:
                rows = ask(stack, messages, progress)
            console.print(verdict_table(rows, console.width))
            passed = sum(row.as_expected for row in rows)
            console.print(f"{passed} of {len(rows)} messages got the expected verdict, once each.")
            if is_interactive():
                console.print(f"\nThe workspace is at [link]{stack.slack.address}[/link]")
                console.print("Write messages and react to them there. Press Ctrl-C to stop.")
                wait_for_interrupt()
            else:
                console.print(f"The workspace was at {stack.slack.address}", highlight=False)
    return passed == len(rows)


def ask(
    stack: Stack, messages: list[Message], progress: Callable[[str], None] = lambda _: None
) -> list[Row]:
    """React to one message after another, and wait for each verdict."""
    for number, (sample, message) in enumerate(zip(SAMPLES, messages, strict=True), start=1):
        progress(f"Reacted to message {number} of {len(messages)}, waiting for the verdict")
        reacted = stack.workspace.react(message.channel, message.ts, VIEWER, "biohazard_sign")
        envelope = stack.events.delivered_envelope(reacted)
        for retry in range(1, sample.deliveries):
            stack.events.redeliver(envelope, retry, RetryReason.TIMEOUT)
        if not stack.wait_for(partial(stack.is_answered, message), TIMEOUT):
            break
    progress("Making sure that no message gets a second answer")
    stack.settle()
    logged = {
        (record.get("channel"), record.get("ts")): record
        for record in stack.records("worker")
        if record.get("message") == "answered"
    }
    rows: list[Row] = []
    for sample, message in zip(SAMPLES, messages, strict=True):
        record = logged.get((message.channel, message.ts), {})
        verdict = str(record.get("verdict", ""))
        judged = verdict in (Expected.TOXIC, Expected.FINE)
        answers = stack.answers(message)
        rows.append(
            Row(
                sample,
                verdict if judged or not verdict else Expected.NOTHING,
                tuple(record.get("kinds", ())),
                float(record["score"]) if judged else None,
                answers[0].answer_ms if answers else None,
                len(answers),
            )
        )
    return rows


def verdict_table(rows: list[Row], width: int) -> Table:
    """Return the verdicts as a table that fits ``width`` columns."""
    verdicts = [_verdict(row) for row in rows]
    lines = [line for verdict in verdicts for line in verdict.plain.splitlines()]
    kinds = [", ".join(row.kinds[:MAX_NAMED]) for row in rows]
    with_kinds = width >= WIDTH_WITH_KINDS
    others = max(map(len, lines)) + OTHER_COLUMNS
    if with_kinds:
        others += max(len("kinds"), *map(len, kinds)) + 2
    room = max(MIN_MESSAGE, min(MAX_MESSAGE, width - others))
    table = Table(
        title="What the bot answered",
        title_justify="left",
        caption="sent: how often Slack delivered the reaction",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("message", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    if with_kinds:
        table.add_column("kinds", no_wrap=True)
    for heading in ("score", "ms", "sent", "answers"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row, verdict, named in zip(rows, verdicts, kinds, strict=True):
        table.add_row(
            Text(shorten(_shown(row.sample), room)),
            verdict,
            *([named] if with_kinds else []),
            "" if row.score is None else f"{row.score:.3f}",
            "" if row.milliseconds is None else f"{row.milliseconds:.0f}",
            f"{row.sample.deliveries}x",
            str(row.answers),
        )
    return table


def _verdict(row: Row) -> Text:
    color = {Expected.TOXIC.value: "red", Expected.FINE.value: "green"}.get(row.verdict, "dim")
    expected = ""
    if row.verdict != row.sample.expected:
        expected = f"\n(not {row.sample.expected})"
    elif not row.names_kind:
        expected = f"\n(no {row.sample.kind})"
    return Text.assemble((row.verdict or "none", color), expected)


def _shown(sample: Sample) -> str:
    files = f"(only a file: {', '.join(sample.file_names)})"
    text = plain_text(Emoji.replace(sample.text)) or files
    return f"↳ {text}" if sample.in_thread else text
