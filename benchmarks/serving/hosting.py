"""What the service holds and costs on a machine, from a measured rate of texts for each CPU.

Prices are AWS's list prices for us-east-1, and Azure's for its moderation API, written down from
memory in November 2026: check them before relying on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HOURS_PER_MONTH = 730.0
API_PER_TEXT = 0.75e-3
"""US dollars for a text at an API that charges for requests: Azure AI Content Safety, standard."""
UTILIZATION = 0.5
"""Share of its rate at which a machine is run, so that requests hardly wait for each other."""


@dataclass(frozen=True, slots=True)
class Host:
    """A way to run the service.

    Parameters
    ----------
    name
        What it is.
    cpus
        CPUs that judge.
    month
        US dollars for a month of it, always on.
    """

    name: str
    cpus: int
    month: float


HOSTS = (
    Host("a laptop: four CPUs that are free", 4, 0.0),
    Host("one server: c7i.large, two CPUs", 2, HOURS_PER_MONTH * (0.08925 + 0.005)),
    # 0.04048 dollars for a CPU, 0.004445 for a GB, and a load balancer.
    Host(
        "ECS on Fargate: two tasks of two CPUs and 4 GB, load balancer",
        4,
        HOURS_PER_MONTH * (2 * (2 * 0.04048 + 4 * 0.004445) + 0.0225),
    ),
    Host(
        "Kubernetes (EKS): three c7i.xlarge, twelve CPUs, load balancer",
        12,
        HOURS_PER_MONTH * (0.10 + 3 * 0.1785 + 0.0225),
    ),
)


def held(host: Host, rate_per_cpu: float) -> float:
    """Return the texts a second that a host holds.

    Parameters
    ----------
    host
        The host.
    rate_per_cpu
        Texts a second that one CPU judges flat out.
    """
    return host.cpus * rate_per_cpu * UTILIZATION


def million_cost(host: Host, rate_per_cpu: float) -> float:
    """Return US dollars for a million texts on a host that always has what it holds to do."""
    return host.month / (held(host, rate_per_cpu) * HOURS_PER_MONTH * 3600) * 1e6


def break_even(host: Host) -> float:
    """Return the texts a month from which a host costs less than the API."""
    return host.month / API_PER_TEXT


def hosting_table(rate_per_cpu: float, hosts: Sequence[Host] = HOSTS) -> str:
    """Return the hosts, what they hold and what they cost, as a Markdown table."""
    lines = [
        "| host | texts a second | USD a month | USD a million texts, fully used | "
        "cheaper than the API from, texts a month |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {host.name} | {held(host, rate_per_cpu):.0f} | {host.month:.0f} | "
        f"{million_cost(host, rate_per_cpu):.2f} | {break_even(host):,.0f} |"
        for host in hosts
    ]
    return "\n".join(lines)
