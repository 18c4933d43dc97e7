"""A check that loads a model folder as the worker does: a damaged model stops the image build."""

from __future__ import annotations

import sys
from pathlib import Path

from toxic_bot.judge.classifier import load
from toxic_bot.judge.errors import ToxicBotError


def main() -> int:
    """Return 0 if the folder named on the command line loads; else print one line and return 1."""
    try:
        load(Path(sys.argv[1])).preload()
    except ToxicBotError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
