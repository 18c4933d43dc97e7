"""The standalone bot's log: a JSON object a line on standard output, as on AWS."""

from __future__ import annotations

import json
import logging
import sys
from datetime import datetime
from typing import Any

from toxic_bot.judge import __version__
from toxic_bot.slack.telemetry import LOGGER

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
"""What every record has; the rest are a line's keys."""


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "level": record.levelname,
            "location": f"{record.funcName}:{record.lineno}",
            "message": record.getMessage(),
            "timestamp": datetime.fromtimestamp(record.created).astimezone().isoformat(),
            "service": "standalone",
            "version": __version__,
        }
        line |= {key: value for key, value in vars(record).items() if key not in _OWN}
        return json.dumps(line, default=str)


def start(level: str) -> None:
    """Write what the bot logs to standard output from now on.

    Parameters
    ----------
    level
        The lowest level that is written, such as ``INFO``.
    """
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter())
    bot = logging.getLogger(LOGGER)
    bot.handlers = [handler]
    bot.setLevel(level)
    bot.propagate = False
