"""The bot's log lines and metrics in CloudWatch, by Powertools."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import MetricUnit, single_metric

from toxic_bot.judge import __version__
from toxic_bot.slack.telemetry import LOGGER, Metric, count, export_metrics

NAMESPACE = os.environ.get("POWERTOOLS_METRICS_NAMESPACE", "ToxicBot")

FUNCTION_VERSION = os.environ.get("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
"""The version of the function that Lambda runs; a deployment publishes one."""

powertools = Logger()
powertools.append_keys(version=__version__)


def start_telemetry() -> None:
    """Let Powertools write what the bot logs and counts from now on."""
    bot = logging.getLogger(LOGGER)
    bot.handlers = [powertools.registered_handler]
    bot.setLevel(powertools.log_level)
    bot.propagate = False
    export_metrics(write)


def count_failure_of_version() -> None:
    """Count a failure that Lambda does not see, for the alarm that takes a deployment back."""
    count("VersionFailed", version=FUNCTION_VERSION)


def write(metrics: Iterable[Metric]) -> None:
    """Write metrics, each as one line of CloudWatch's embedded metric format."""
    handler = powertools.registered_handler
    # Printing ends a line in a second step, before which another thread might log.
    handler.acquire()
    try:
        for metric in metrics:
            _write(metric)
    finally:
        handler.release()


def _write(metric: Metric) -> None:
    with single_metric(
        name=metric.name,
        unit=MetricUnit(metric.unit.value),
        value=metric.value,
        namespace=NAMESPACE,
        default_dimensions={"service": str(powertools.service)},
    ) as line:
        for dimension, label in metric.dimensions.items():
            line.add_dimension(dimension, label)
