"""Which of several training processes this one is, as ``torchrun`` says."""

from __future__ import annotations

import os

RANK = int(os.environ.get("RANK", "0"))
COUNT = int(os.environ.get("WORLD_SIZE", "1"))
IS_FIRST = RANK == 0
"""The first process writes, logs and validates for all."""
