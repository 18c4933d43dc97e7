"""What the bot costs on AWS.

Prices are AWS's list prices for us-east-1 without the free tier, written down from memory
in November 2026: check them at https://aws.amazon.com/pricing/ before relying on them. Each
is one line of Prices in benchmarks/cost.py. Milliseconds are measured; the options
replace them with measurements of your own.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from toxic_bot.deployment.settings import WHOLE_CPU

MEMORY_SIZES = (512, 1024, 1769, 2048, 3008)
"""MB, as offered by template.yaml."""
VOLUMES = ((10, 1.0), (1_000, 0.1), (100_000, 0.001))
"""Reactions a day, each with the share of cold starts that is assumed."""
HOURS_PER_MONTH = 730.0


@dataclass(frozen=True, slots=True)
class Prices:
    """AWS's list prices in US dollars, for us-east-1."""

    gb_second: float = 16.6667e-6
    invocation: float = 0.20e-6
    provisioned_gb_second: float = 4.1667e-6
    http_request: float = 1.00e-6
    queue_request: float = 0.40e-6
    table_write: float = 0.625e-6
    log_gb: float = 0.50
    secret_month: float = 0.40
    secret_call: float = 5e-6
    metric_month: float = 0.30
    alarm_metric_month: float = 0.10
    dashboard_month: float = 3.00
    image_gb_month: float = 0.10
    server_hour: float = 0.0168
    server_disk_month: float = 0.64
    address_hour: float = 0.005


@dataclass(frozen=True, slots=True)
class Workload:
    """The resources that one verdict uses.

    Parameters
    ----------
    receiver_cpu, worker_cpu
        Milliseconds of a full CPU, warm.
    receiver_wait, worker_wait
        Milliseconds spent waiting for AWS and Slack, which more memory does not shorten.
    receiver_cold, worker_cold
        Milliseconds of a full CPU that a cold start adds.
    receiver_memory
        MB.
    queue_requests, table_writes
        Number of SQS requests and DynamoDB writes.
    log_bytes
        Logs of both functions, of Lambda itself and of the API.
    """

    receiver_cpu: float = 4.0
    worker_cpu: float = 18.0
    receiver_wait: float = 15.0
    worker_wait: float = 400.0
    receiver_cold: float = 250.0
    worker_cold: float = 540.0
    receiver_memory: int = 512
    queue_requests: float = 3.0
    table_writes: float = 5.0
    log_bytes: float = 3400.0


FIXED_METRICS = 27
"""Custom metrics of an active bot; each combination of name and dimensions counts as one, for each
hour in which it has data. Five of them are other gestures than reactions, and votes."""
ALARM_METRICS = 20
"""Metrics that the alarms watch; CloudWatch bills each of them. ``Moderators`` adds one."""
FULL_ALARM_METRICS = 30
"""The same with ``Observability=full``, which has the dashboard, too."""
PROBES = 60 * HOURS_PER_MONTH
"""Signed challenges a month."""
PROBE_MEMORY = 256
PROBE_CPU, PROBE_WAIT = 10.0, 60.0
"""Milliseconds of a challenge in the probe, warm; assumed."""
PROBE_LOG_BYTES = 1400.0
"""Logs of the probe, the receiver and the API for one challenge; assumed."""
SECRET_CALLS = 2 * 12 * HOURS_PER_MONTH
"""Reads of the signing secret a month. The probe and the receiver, which the probe keeps warm, both
cache it for five minutes."""
IDLE_POLLS = 2 * 15 * 60 * HOURS_PER_MONTH
"""SQS requests a month for two empty queues: Lambda keeps five long polls of 20 s open for each."""
IMAGE_GB = 0.20
"""The image of the latest release: 0.05 GB of the bot's, measured with gzip, and 0.15 of AWS's base
image, assumed. The functions share a repository, which stores each layer once."""


def billed_milliseconds(cpu: float, wait: float, memory: int) -> float:
    """Return the milliseconds that Lambda bills for CPU time and waiting at a memory size."""
    return wait + cpu * max(1.0, WHOLE_CPU / memory)


def verdict_cost(workload: Workload, memory: int, prices: Prices, cold: float = 0.0) -> float:
    """Return the cost of one verdict, in dollars.

    Parameters
    ----------
    workload
        The resources that it uses.
    memory
        The worker's memory, in MB.
    prices
        AWS's prices.
    cold
        Fraction of invocations that are cold starts.
    """
    receiver = billed_milliseconds(
        workload.receiver_cpu + cold * workload.receiver_cold,
        workload.receiver_wait,
        workload.receiver_memory,
    )
    worker = billed_milliseconds(
        workload.worker_cpu + cold * workload.worker_cold, workload.worker_wait, memory
    )
    gb_seconds = (receiver * workload.receiver_memory + worker * memory) / 1000 / 1024
    return (
        gb_seconds * prices.gb_second
        + 2 * prices.invocation
        + prices.http_request
        + workload.queue_requests * prices.queue_request
        + workload.table_writes * prices.table_write
        + workload.log_bytes / 1e9 * prices.log_gb
    )


def fixed_cost(prices: Prices, day: int = 0, *, full: bool = False) -> float:
    """Return the monthly cost of a deployment apart from its verdicts, in dollars.

    Parameters
    ----------
    prices
        AWS's prices.
    day
        Reactions a day, at any hour: metrics are billed by the hours in which they have data.
    full
        Whether it has the dashboard and all alarms.
    """
    active_hours = 1 - (23 / 24) ** day
    alarm_metrics = FULL_ALARM_METRICS if full else ALARM_METRICS
    return (
        2 * prices.secret_month
        + FIXED_METRICS * prices.metric_month * active_hours
        + (prices.dashboard_month if full else 0.0)
        + alarm_metrics * prices.alarm_metric_month
        + IMAGE_GB * prices.image_gb_month
        + IDLE_POLLS * prices.queue_request
        + probe_cost(prices)
    )


def probe_cost(prices: Prices) -> float:
    """Return the monthly cost of the probe's challenges, in dollars."""
    workload = Workload()
    probe = billed_milliseconds(PROBE_CPU, PROBE_WAIT, PROBE_MEMORY)
    receiver = billed_milliseconds(workload.receiver_cpu, 0, workload.receiver_memory)
    gb_seconds = (probe * PROBE_MEMORY + receiver * workload.receiver_memory) / 1000 / 1024
    challenge = (
        gb_seconds * prices.gb_second
        + 2 * prices.invocation
        + prices.http_request
        + PROBE_LOG_BYTES / 1e9 * prices.log_gb
    )
    return PROBES * challenge + SECRET_CALLS * prices.secret_call


def break_even(workload: Workload, memory: int, prices: Prices, *, fixed: bool) -> float:
    """Return the reactions a day from which a small server is cheaper.

    Parameters
    ----------
    workload
        The resources that one verdict uses.
    memory
        The worker's memory, in MB.
    prices
        AWS's prices.
    fixed
        Whether the deployment has fixed costs that the server has not.
    """
    left = server_cost(prices) - (fixed_cost(prices, 1000) if fixed else 0.0)
    return left / 30 / verdict_cost(workload, memory, prices, VOLUMES[-1][1])


def server_cost(prices: Prices) -> float:
    """Return the monthly cost of a small server that is always on, in dollars."""
    return HOURS_PER_MONTH * (prices.server_hour + prices.address_hour) + prices.server_disk_month


def provisioned_cost(memory: int, prices: Prices) -> float:
    """Return the monthly cost of one provisioned instance without its use, in dollars."""
    return HOURS_PER_MONTH * 3600 * memory / 1024 * prices.provisioned_gb_second


def memory_table(workload: Workload, prices: Prices) -> Table:
    """Return the table of costs by memory size."""
    table = Table(
        "worker MB",
        "billed ms",
        "USD per million verdicts",
        "Lambda only",
        "cold start",
        "provisioned, USD/month",
    )
    for memory in MEMORY_SIZES:
        total = verdict_cost(workload, memory, prices)
        without_lambda = verdict_cost(workload, memory, Prices(gb_second=0.0, invocation=0.0))
        table.add_row(
            f"{memory:,}",
            f"{billed_milliseconds(workload.worker_cpu, workload.worker_wait, memory):.0f}",
            f"{total * 1e6:.2f}",
            f"{(total - without_lambda) * 1e6:.2f}",
            f"{billed_milliseconds(workload.worker_cold, 0, memory) / 1000:.1f} s",
            f"{provisioned_cost(memory, prices):.2f}",
        )
    return table


def volume_table(workload: Workload, memory: int, prices: Prices) -> Table:
    """Return the table of monthly costs by reactions per day."""
    table = Table(
        "reactions per day", "cold starts", "usage, USD/month", "with fixed costs", "server"
    )
    for day, cold in VOLUMES:
        usage = 30 * day * verdict_cost(workload, memory, prices, cold)
        table.add_row(
            f"{day:,}",
            f"{cold:.1%}",
            f"{usage:.2f}",
            f"{usage + fixed_cost(prices, day):.2f}",
            f"{server_cost(prices):.2f}",
        )
    return table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that ``print_tables`` reads to a command's parser."""
    defaults = Workload()
    for name, meaning in (
        ("worker-cpu", "milliseconds of CPU time per verdict, warm"),
        ("worker-wait", "milliseconds spent waiting for Slack and AWS per verdict"),
        ("receiver-cpu", "milliseconds of CPU time per reaction, warm"),
    ):
        default = getattr(defaults, name.replace("-", "_"))
        parser.add_argument(f"--{name}", type=float, default=default, help=f"{meaning} ({default})")
    parser.add_argument(
        "--memory",
        type=int,
        default=1024,
        choices=MEMORY_SIZES,
        help="the worker's MB in the table by volume (1024)",
    )


def print_tables(options: argparse.Namespace) -> None:
    """Print the costs by memory size and by reactions per day."""
    workload = Workload(
        worker_cpu=options.worker_cpu,
        worker_wait=options.worker_wait,
        receiver_cpu=options.receiver_cpu,
    )
    console = Console()
    prices = Prices()
    console.print(memory_table(workload, prices), volume_table(workload, options.memory, prices))
    console.print(
        f"fixed costs: {fixed_cost(prices):.2f} USD/month unused, "
        f"{fixed_cost(prices, 1000):.2f} with reactions in every hour"
    )
    with_fixed, without = (
        break_even(workload, options.memory, prices, fixed=fixed) for fixed in (True, False)
    )
    console.print(
        f"a server is cheaper from {with_fixed:,.0f} reactions a day, or from {without:,.0f} if "
        "running it has the same fixed costs"
    )
