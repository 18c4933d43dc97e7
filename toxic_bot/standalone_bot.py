"""The bot without AWS, as a process that runs until Ctrl-C."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.packages import required

if TYPE_CHECKING:
    from standalone.door import DoorMaker


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
    from standalone.bot import Bot
    from standalone.settings import StandaloneSettings
    from toxic_bot.signals import wait_for_interrupt

    settings = StandaloneSettings.from_environment(os.environ)
    with Bot(settings, model, database, door).start():
        print(f"{greeting} until you press Ctrl-C.", flush=True)
        wait_for_interrupt()
    return 0
