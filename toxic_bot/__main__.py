"""``python -m toxic_bot`` does what ``toxic-bot`` does."""

import sys

from toxic_bot.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
