"""The bot without AWS, as a process that runs until Ctrl-C."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toxic_bot.standalone.bot import Bot
    from toxic_bot.standalone.ready_file import ReadyFile
    from toxic_bot.standalone.transport import TransportMaker

POLL_INTERVAL = 0.2
"""Seconds between two looks at whether the bot still runs."""


def run(transport: TransportMaker, *, model: Path, database: Path, greeting: str) -> int:
    """Answer until Ctrl-C, or until the bot cannot go on.

    Parameters
    ----------
    transport
        Makes the transport through which events come in.
    model
        The model folder.
    database
        The SQLite file.
    greeting
        Printed once the transport is open.

    Raises
    ------
    ToxicBotError
        When the bot does not start, or a part of it that must live has ended.
    """
    from toxic_bot.standalone import log
    from toxic_bot.standalone.bot import Bot
    from toxic_bot.standalone.ready_file import ReadyFile
    from toxic_bot.standalone.settings import StandaloneSettings

    settings = StandaloneSettings.from_environment(os.environ)
    log.start(settings.log_level)
    ready_file = ReadyFile(settings.ready_file)
    with Bot(settings, model, database, transport).start() as bot:
        print(f"{greeting} until you press Ctrl-C.", flush=True)
        _watch(bot, ready_file)
    return 0


def _watch(bot: Bot, ready_file: ReadyFile) -> None:
    from toxic_bot.terminal.signals import Interrupt

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
