"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.judge.config import EMBEDDED_MODEL

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add ``--model``."""
    parser.add_argument(
        "--model",
        type=Path,
        default=EMBEDDED_MODEL,
        metavar="FOLDER",
        help="the model folder (default: the embedded model)",
    )


def add_database(parser: argparse.ArgumentParser) -> None:
    """Add ``--database``."""
    parser.add_argument(
        "--database",
        type=Path,
        default=Path("toxic-bot.sqlite"),
        metavar="FILE",
        help="SQLite file for queued reactions and claims (default: %(default)s)",
    )


def add_store(
    parser: argparse.ArgumentParser,
) -> argparse._MutuallyExclusiveGroup:
    """Add ``--table`` and ``--database``, one of which says where the bot keeps what is asked for.

    Returns
    -------
    argparse._MutuallyExclusiveGroup
        The group of both, for further places.
    """
    store = parser.add_mutually_exclusive_group(required=True)
    store.add_argument("--table", metavar="NAME", help="the deployment's output ClaimTableName")
    store.add_argument(
        "--database", type=Path, metavar="FILE", help="the file of 'toxic-bot socket'"
    )
    return store


def add_address(parser: argparse.ArgumentParser, port: int) -> None:
    """Add ``--host`` and ``--port``, for a server."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: %(default)s)"
    )
    parser.add_argument(
        "--port",
        type=port_number,
        default=port,
        metavar="N",
        help="port to listen on, 0 for any free one (default: %(default)s)",
    )


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add ``--device``."""
    parser.add_argument(
        "--device",
        choices=["cpu", "cuda"],
        default="cpu",
        help="where the model runs: on the CPU in int8 (default), or on a GPU in fp16, which "
        "requires a graph from 'python -m model_build fp16' in the model folder",
    )


def add_port(parser: argparse.ArgumentParser) -> None:
    """Add ``--port``."""
    parser.add_argument(
        "--port",
        type=port_number,
        default=0,
        metavar="N",
        help="port of the workspace page (default: any free port)",
    )


def port_number(text: str) -> int:
    """Parse a port."""
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)
