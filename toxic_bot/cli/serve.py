"""``toxic-bot serve``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_address, add_device, add_model

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands

GPU_THREADS = 64
"""Texts read at a time for a GPU; those that meet there become a batch."""
DESCRIPTION = """\
Serve verdicts over HTTP until Ctrl-C: the service's own endpoint, those of Perspective's API,
OpenAI's moderation endpoint, and a page to try them on. On shutdown, the service finishes the
requests in progress."""
EXAMPLES = """\
examples:
  toxic-bot serve
      Serve this machine only, without keys. The page is at http://127.0.0.1:8000.
  toxic-bot serve --new-key forum >> keys.txt
      Make a key for the client 'forum'. The key appears on standard error, once; the file gets
      its hash, as a line 'NAME sha256:DIGEST [TEXTS A MINUTE]' (default: 600 texts a minute).
  toxic-bot serve --host 0.0.0.0 --keys keys.txt
      Serve the network. A client sends its key as 'Authorization: Bearer KEY', as OpenAI's do,
      or as '?key=KEY', as Perspective's do.

The endpoints are at /docs. No text is logged or kept."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "serve",
        help="serve verdicts over HTTP, in Perspective's and OpenAI's shapes too",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_address(parser, port=8000)
    access = parser.add_mutually_exclusive_group()
    access.add_argument(
        "--keys", type=Path, metavar="FILE", help="admit only clients with a key from this file"
    )
    access.add_argument(
        "--no-keys",
        action="store_true",
        help="admit everybody, from other machines too: for a service behind a gateway",
    )
    access.add_argument(
        "--new-key", metavar="NAME", help="print a new key and its line for the file, then exit"
    )
    parser.add_argument(
        "--workers",
        type=_count,
        default=1,
        metavar="N",
        help="number of server processes (default: %(default)s)",
    )
    parser.add_argument(
        "--threads",
        type=_count,
        metavar="N",
        help="texts each process judges at a time, one thread each (default: one per "
        f"CPU, divided among the processes; with --device cuda {GPU_THREADS})",
    )
    parser.add_argument(
        "--cors",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="let browsers call the service from pages of this origin, such as "
        "https://forum.example, or '*' for any; may be repeated",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="refuse requests in Perspective's shape with an unknown attribute or language, as "
        "Perspective did (default: answer the others, and name it in a header)",
    )
    parser.add_argument(
        "--raw-scores",
        action="store_true",
        help="answer Perspective's endpoints with the model's own scores (default: with scores on "
        "Perspective's scale, where a limit flags about as many texts as it did there)",
    )
    parser.add_argument(
        "--preload",
        action="store_true",
        help="load the multilingual model at the start (default: when a text first needs it)",
    )
    parser.add_argument(
        "--connections",
        type=_connections,
        default=256,
        metavar="N",
        help="connections each process takes from one address, for clients without a proxy in "
        "front (default: %(default)s)",
    )
    add_model(parser)
    add_device(parser)
    parser.add_argument(
        "--operating-point",
        choices=["cautious", "balanced", "sensitive"],
        default="balanced",
        help="the threshold to use: balanced (default) finds most with few false alarms, cautious "
        "raises the fewest, sensitive finds more",
    )
    parser.set_defaults(command=run, extra="service")


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C, or print a new key."""
    import toxic_bot.service.listener  # noqa: F401 - to see whether its dependencies are there

    if options.new_key is not None:
        return _print_new_key(options.new_key)
    return _serve(options)


def _print_new_key(name: str) -> int:
    import sys

    from toxic_bot.service.keys import new_key

    key, line = new_key(name)
    print(line, flush=True)
    print(f"The key, which is stored nowhere: {key}", file=sys.stderr)
    return 0


def _serve(options: argparse.Namespace) -> int:
    import os
    import signal
    import sys

    from toxic_bot.judge.config import OperatingPoint
    from toxic_bot.judge.device import Device
    from toxic_bot.service.listener import Listener
    from toxic_bot.service.settings import ServiceSettings
    from toxic_bot.service.workers import serve
    from toxic_bot.terminal.signals import wait_for_interrupt

    device = Device(options.device)
    cpus = max(1, len(os.sched_getaffinity(0)) // options.workers)
    threads = options.threads or (cpus if device is Device.CPU else GPU_THREADS)
    settings = ServiceSettings(
        model=options.model,
        operating_point=OperatingPoint(options.operating_point),
        host=options.host,
        port=options.port,
        keys=options.keys,
        open_to_all=options.no_keys,
        workers=options.workers,
        threads=threads,
        connections=options.connections,
        strict=options.strict,
        raw_scores=options.raw_scores,
        origins=tuple(options.cors),
        device=device,
        preload=options.preload,
    )
    if settings.workers > 1:
        ended_by = serve(settings, _print_address)
        return 0 if ended_by == signal.SIGINT else 128 + ended_by
    with Listener(settings) as listener:
        if sys.stdin is None or not sys.stdin.isatty():
            # From a terminal, it means that the terminal is gone.
            signal.signal(signal.SIGHUP, lambda *_: listener.read_keys_again())
        _print_address(listener.address)
        wait_for_interrupt()
    return 0


def _print_address(address: str) -> None:
    print(f"Serving verdicts at {address} until you press Ctrl-C.", flush=True)


def _count(text: str) -> int:
    return _number(text, 256)


def _connections(text: str) -> int:
    return _number(text, 100_000)


def _number(text: str, most: int) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"it is a number from 1 to {most}")
    return int(text)
