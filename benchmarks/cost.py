"""What the bot costs: ``python -m benchmarks cost``.

The prices are AWS's list prices for us-east-1 without the free tier, written down from
memory in November 2026 and to be checked against https://aws.amazon.com/pricing/ before
anybody relies on them; each is one line of ``Prices``. The milliseconds are measured, and
can be given anew on the command line.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from handler.aws_settings import WHOLE_CPU

MEMORY = (512, 1024, 1769, 2048, 3008)
HOURS = 730.0
"""Of a month."""


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars in us-east-1."""

    gb_second: float = 16.6667e-6
    invocation: float = 0.20e-6
    warm_gb_second: float = 4.1667e-6
    http_request: float = 1.00e-6
    queue_request: float = 0.40e-6
    table_write: float = 0.625e-6
    log_gb: float = 0.50
    secret_month: float = 0.40
    secret_call: float = 5e-6
    metric_month: float = 0.30
    alarm_metric_month: float = 0.10
    image_gb_month: float = 0.10
    server_hour: float = 0.0168
    server_disk_month: float = 0.64
    address_hour: float = 0.005


@dataclass(frozen=True, slots=True)
class Work:
    """What one verdict takes.

    Parameters
    ----------
    receiver_cpu, worker_cpu
        Milliseconds of a whole CPU, warm.
    receiver_wait, worker_wait
        Milliseconds spent waiting for AWS and Slack, which no memory makes shorter.
    receiver_cold, worker_cold
        Milliseconds of a whole CPU that a cold start adds.
    receiver_memory
        MB.
    queue_requests, table_writes
        How many of each.
    log_bytes
        Written by both functions, by Lambda itself and by the API.
    """

    receiver_cpu: float = 4.0
    worker_cpu: float = 18.0
    receiver_wait: float = 15.0
    worker_wait: float = 400.0
    receiver_cold: float = 250.0
    worker_cold: float = 540.0
    receiver_memory: int = 512
    queue_requests: float = 3.0
    table_writes: float = 4.0
    log_bytes: float = 3400.0


FIXED_METRICS = 22
"""Custom metrics that a bot in use reports: each combination of name and dimensions is one."""
ALARM_METRICS = 13
IDLE_POLLS = 15 * 60 * HOURS
"""Receives a month of an empty queue: Lambda keeps five of 20 s open."""
IMAGE_GB = 0.22


def duration(cpu: float, wait: float, memory: int) -> float:
    """Return the milliseconds billed for CPU work and waiting at a memory size."""
    return wait + cpu * max(1.0, WHOLE_CPU / memory)


def verdict(work: Work, memory: int, prices: Prices, cold: float = 0.0) -> float:
    """Return what one verdict costs, in dollars.

    Parameters
    ----------
    work
        What it takes.
    memory
        MB of the worker.
    prices
        AWS's.
    cold
        Share of invocations that start cold.
    """
    receiver = duration(
        work.receiver_cpu + cold * work.receiver_cold, work.receiver_wait, work.receiver_memory
    )
    worker = duration(work.worker_cpu + cold * work.worker_cold, work.worker_wait, memory)
    gb_seconds = (receiver * work.receiver_memory + worker * memory) / 1000 / 1024
    return (
        gb_seconds * prices.gb_second
        + 2 * prices.invocation
        + prices.http_request
        + work.queue_requests * prices.queue_request
        + work.table_writes * prices.table_write
        + work.log_bytes / 1e9 * prices.log_gb
    )


def standing(prices: Prices) -> float:
    """Return what a deployment costs a month with no reaction at all, in dollars."""
    return (
        2 * prices.secret_month
        + FIXED_METRICS * prices.metric_month
        + ALARM_METRICS * prices.alarm_metric_month
        + IMAGE_GB * prices.image_gb_month
        + IDLE_POLLS * prices.queue_request
    )


def server(prices: Prices) -> float:
    """Return what a small server that is always on costs a month, in dollars."""
    return HOURS * (prices.server_hour + prices.address_hour) + prices.server_disk_month


def kept_warm(memory: int, prices: Prices) -> float:
    """Return what one function kept warm costs a month, in dollars, its use not counted."""
    return HOURS * 3600 * memory / 1024 * prices.warm_gb_second


def sizes(work: Work, prices: Prices) -> Table:
    """Return the table of memory sizes."""
    table = Table(
        "worker, MB",
        "ms billed",
        "USD per million verdicts",
        "of it Lambda",
        "kept warm, USD/month",
    )
    for memory in MEMORY:
        whole = verdict(work, memory, prices)
        free = Prices(gb_second=0.0, invocation=0.0)
        table.add_row(
            str(memory),
            f"{duration(work.worker_cpu, work.worker_wait, memory):.0f}",
            f"{whole * 1e6:.2f}",
            f"{(whole - verdict(work, memory, free)) * 1e6:.2f}",
            f"{kept_warm(memory, prices):.2f}",
        )
    return table


def volumes(work: Work, memory: int, prices: Prices) -> Table:
    """Return the table of reactions a day."""
    table = Table("reactions a day", "start cold", "USD/month by use", "with what stands", "server")
    for day, cold in ((10, 1.0), (1_000, 0.1), (100_000, 0.001)):
        use = 30 * day * verdict(work, memory, prices, cold)
        table.add_row(
            f"{day:,}",
            f"{cold:.1%}",
            f"{use:.2f}",
            f"{use + standing(prices):.2f}",
            f"{server(prices):.2f}",
        )
    return table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``print_tables`` reads to a command's parser."""
    usual = Work()
    for name, what in (
        ("worker-cpu", "milliseconds of CPU for one verdict, warm"),
        ("worker-wait", "milliseconds that Slack and AWS take for one verdict"),
        ("receiver-cpu", "milliseconds of CPU for one reaction, warm"),
    ):
        default = getattr(usual, name.replace("-", "_"))
        parser.add_argument(f"--{name}", type=float, default=default, help=f"{what} ({default})")
    parser.add_argument("--memory", type=int, default=1024, choices=MEMORY, help="MB (1024)")


def print_tables(given: argparse.Namespace) -> None:
    """Print what the bot costs by memory size and by reactions a day."""
    work = Work(
        worker_cpu=given.worker_cpu, worker_wait=given.worker_wait, receiver_cpu=given.receiver_cpu
    )
    console = Console()
    console.print(sizes(work, Prices()), volumes(work, given.memory, Prices()))
    console.print(f"standing: {standing(Prices()):.2f} USD/month")
