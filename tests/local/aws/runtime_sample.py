"""A function that does as the event says, for the tests of the runtime."""

from __future__ import annotations

import os
import time
from typing import Any


def handler(event: dict[str, Any], context: Any) -> Any:
    """Sleep, raise, die or answer."""
    print(f"text={event.get('print', '')}")
    time.sleep(event.get("sleep", 0))
    if event.get("raise"):
        raise ValueError(event["raise"])
    if event.get("die"):
        os._exit(3)
    return {
        "pid": os.getpid(),
        "name": context.function_name,
        "left": context.get_remaining_time_in_millis(),
        "environment": dict(os.environ),
    }
