"""The bot without AWS, as a process that runs until Ctrl-C."""

from __future__ import annotations

import os
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.packages import required

if TYPE_CHECKING:
    from standalone.bot import Bot
    from standalone.door import DoorMaker
    from standalone.ready_file import ReadyFile

POLL_INTERVAL = 0.2
"""Seconds between two looks at whether the bot still runs."""


def prepare(door: str) -> None:
    """Import what a standalone bot needs, before anything else does.

    Parameters
    ----------
    door
        The module of its door.

    Raises
    ------
    MissingPackageError
        When a package is missing.
    """
    # Nobody collects CloudWatch's metric lines here.
    os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")
    os.environ.setdefault("POWERTOOLS_SERVICE_NAME", "standalone")
    with required("pip install -r requirements/standalone.txt"):
        import_module(door)


def run(door: DoorMaker, *, model: Path, database: Path, greeting: str) -> int:
    """Answer until Ctrl-C, or until the bot cannot go on.

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

    Raises
    ------
    ToxicBotError
        When the bot does not start, or a part of it that must live has ended.
    """
    from standalone.bot import Bot
    from standalone.ready_file import ReadyFile
    from standalone.settings import StandaloneSettings

    settings = StandaloneSettings.from_environment(os.environ)
    ready_file = ReadyFile(settings.ready_file)
    with Bot(settings, model, database, door).start() as bot:
        print(f"{greeting} until you press Ctrl-C.", flush=True)
        _watch(bot, ready_file)
    return 0


def _watch(bot: Bot, ready_file: ReadyFile) -> None:
    from toxic_bot.signals import Interrupt

    try:
        while True:
            bot.check()
            ready_file.tell(is_ready=bot.is_ready)
            # A signal's exception is raised here, too.
            time.sleep(POLL_INTERVAL)
    except Interrupt:
        return
    finally:
        ready_file.tell(is_ready=False)
