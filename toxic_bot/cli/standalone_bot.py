"""The bot without AWS, as a process that runs until Ctrl-C."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toxic_bot.standalone.door import DoorMaker


def run(door: DoorMaker, *, model: Path, database: Path, greeting: str) -> int:
    """Answer until Ctrl-C.

    Parameters
    ----------
    door
        Makes the door through which events come in.
    model
        The model folder.
    database
        The SQLite file.
    greeting
        Printed once the door is open.
    """
    from toxic_bot.standalone import log
    from toxic_bot.standalone.bot import Bot
    from toxic_bot.standalone.settings import StandaloneSettings
    from toxic_bot.terminal.signals import wait_for_interrupt

    settings = StandaloneSettings.from_environment(os.environ)
    log.start(settings.log_level)
    with Bot(settings, model, database, door).start():
        print(f"{greeting} until you press Ctrl-C.", flush=True)
        wait_for_interrupt()
    return 0
