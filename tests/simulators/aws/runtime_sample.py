"""A Lambda function for the tests of the runtime: the event controls what it does."""

from __future__ import annotations

import os
import time
from typing import Any


def handler(event: dict[str, Any], context: Any) -> Any:
    """Sleep, then raise, exit or respond."""
    print(f"text={event.get('print', '')}")
    time.sleep(event.get("sleep", 0))
    if event.get("raise"):
        raise ValueError(event["raise"])
    if event.get("exit"):
        os._exit(3)
    return {
        "pid": os.getpid(),
        "name": context.function_name,
        "milliseconds_left": context.get_remaining_time_in_millis(),
        "environment": dict(os.environ),
    }
