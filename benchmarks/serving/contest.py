"""The service and the peer under the same loads, in turns."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tokenizers import Tokenizer

from benchmarks.chat import Chat
from benchmarks.report import Report
from benchmarks.serving.driver import Load, Outcome, drive, environment
from benchmarks.serving.servers import StartServer, has_pytorch, peer, service
from toxic_bot.judge.errors import ToxicBotError

MESSAGES = 1024
BATCH = 64
CLIENTS = 16
"""Clients that send flat out with one text each."""
SERVICE, PEER = "toxic-bot serve", "the peer"


@dataclass(frozen=True, slots=True)
class Measured:
    """One server under one load.

    Parameters
    ----------
    server, load
        Their names.
    texts
        Texts of a request.
    outcome
        What came back.
    """

    server: str
    load: str
    texts: int
    outcome: Outcome

    @property
    def cpu_per_text(self) -> float:
        """Milliseconds of the server's CPU time for an answered text."""
        return self.outcome.server_cpu * 1e3 / max(1, self.outcome.answered * self.texts)


def compare(
    model: Path, checkpoint: Path, *, rate: float, seconds: float, flat_out: float
) -> Iterator[Measured]:
    """Put each load on the service and then on the peer; without PyTorch, on the service only.

    Parameters
    ----------
    model
        The service's model folder.
    checkpoint
        The peer's; a DistilRoBERTa with random weights is written if there is none.
    rate, seconds
        Requests a second of the open-loop load, and its duration.
    flat_out
        Seconds of each load that is sent flat out.

    Raises
    ------
    ToxicBotError
        When Locust is missing, or a server does not start.
    """
    environment()
    servers: dict[str, StartServer] = {SERVICE: partial(service, model)}
    if has_pytorch():
        _write_checkpoint(checkpoint)
        servers[PEER] = partial(peer, checkpoint)
    chat = Chat(Tokenizer.from_file(str(model / "tokenizer.json")))
    for name, (texts, load) in loads(chat, rate, seconds, flat_out).items():
        for server_name, start in servers.items():
            with start() as server:
                yield Measured(server_name, name, texts, drive(server, load))


def loads(
    chat: Chat, rate: float, seconds: float, flat_out: float
) -> Mapping[str, tuple[int, Load]]:
    """Return the loads by name, each with the number of texts in a request."""
    texts = [chat.text() for _ in range(MESSAGES)]
    alone = [{"text": text} for text in texts]
    batches = [{"texts": texts[start : start + BATCH]} for start in range(0, MESSAGES, BATCH)]
    return {
        f"{rate:g} a second, open loop": (1, Load.open_loop(texts, rate, seconds)),
        f"flat out, {CLIENTS} clients": (1, Load(alone, clients=CLIENTS, seconds=flat_out)),
        "flat out, 1 client": (1, Load(alone, clients=1, seconds=flat_out)),
        f"flat out, 1 client, {BATCH} texts each": (
            BATCH,
            Load(batches, clients=1, seconds=flat_out),
        ),
    }


def markdown(measured: Sequence[Measured]) -> str:
    """Return a table: latencies in milliseconds, from when a request was due."""
    report = Report.for_this_machine("", ())
    lines = [
        f"{report.cpus} CPUs ({report.machine}), Python {report.python}, {report.date}",
        "",
        "| load | server | requests | answered | in the server: p50 / p99 ms | "
        "at the client: p50 / p99 ms | texts a second | CPU ms a text | sent late, p99 ms | "
        "client's CPUs |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in measured:
        outcome = one.outcome
        inside = _pair(outcome.server_percentile(0.5), outcome.server_percentile(0.99))
        lines.append(
            f"| {one.load} | {one.server} | {len(outcome.latencies)} | {outcome.answered} | "
            f"{inside} | {_pair(outcome.percentile(0.5), outcome.percentile(0.99))} | "
            f"{outcome.rate * one.texts:.0f} | {one.cpu_per_text:.2f} | {outcome.lag:.1f} | "
            f"{outcome.client_cpu / outcome.seconds:.2f} |"
        )
    return "\n".join(lines) + "\n"


def write(measured: Sequence[Measured], folder: Path) -> None:
    """Write the table, the figures as JSON, and a plot if matplotlib is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "load.md").write_text(markdown(measured), "utf-8")
        content = [_record(one) for one in measured]
        (folder / "load.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise ToxicBotError(f"{folder} cannot be written ({error.strerror})") from error
    try:
        _plot(measured, folder / "load.png")
    except ModuleNotFoundError as error:
        print(f"no plot: {error.name} is not installed")


def _record(one: Measured) -> dict[str, object]:
    outcome = one.outcome
    return {
        "server": one.server,
        "load": one.load,
        "requests": len(outcome.latencies),
        "answered": outcome.answered,
        "texts a second": outcome.rate * one.texts,
        "server CPU ms a text": one.cpu_per_text,
        "client CPUs": outcome.client_cpu / outcome.seconds,
        "sent late, p99 ms": outcome.lag,
        "in the server, p50 ms": outcome.server_percentile(0.5),
        "in the server, p99 ms": outcome.server_percentile(0.99),
        # JSON has no infinity: null was not answered.
        "latencies, ms": [round(ms, 3) if math.isfinite(ms) else None for ms in outcome.latencies],
    }


def _plot(measured: Sequence[Measured], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(one.load for one in measured))
    figure, axes = pyplot.subplots(
        1, len(names), figsize=(4.5 * len(names), 4), sharex=True, sharey=True, squeeze=False
    )
    for name, plot in zip(names, axes[0], strict=True):
        for one in measured:
            if one.load == name:
                answered = sorted(filter(math.isfinite, one.outcome.latencies))
                shares = [(n + 1) / len(one.outcome.latencies) for n in range(len(answered))]
                plot.plot(answered, shares, label=one.server)
        plot.set(title=name, xlabel="ms from when it was due to the answer", xscale="log")
        plot.grid(visible=True, alpha=0.3)
    axes[0][0].set(ylabel="share of the requests", ylim=(0, 1))
    axes[0][0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _write_checkpoint(folder: Path) -> None:
    if not (folder / "config.json").exists():
        command = ["-m", "model_build", "random-checkpoint", "--output", str(folder)]
        subprocess.run([sys.executable, *command], check=True, stderr=subprocess.DEVNULL)


def _pair(p50: float | None, p99: float | None) -> str:
    return f"{_milliseconds(p50)} / {_milliseconds(p99)}"


def _milliseconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if math.isfinite(value) else "no answer"
