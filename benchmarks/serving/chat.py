"""Messages as long as those of real chat, made of sentences written for this project.

Utterances of the Ubuntu Dialogue Corpus, help in a public chat, have 10.34 words on average (Lowe
et al. 2015, https://arxiv.org/abs/1506.08909). Numbers of words are drawn from a log-normal
distribution with this mean. Its spread is assumed: half of the messages have six words or fewer,
one in a hundred more than 60.
"""

from __future__ import annotations

import json
import math
import random
from functools import cache
from pathlib import Path

from judge.errors import ToxicBotError

MEAN_WORDS = 10.34
SIGMA = 1.0
MOST_WORDS = 300
_WRITTEN = Path(__file__).parents[2] / "model_build" / "rows" / "written"


def chat_messages(count: int, seed: int = 0) -> list[str]:
    """Return messages whose lengths are distributed as in chat.

    Parameters
    ----------
    count
        How many.
    seed
        The same seed gives the same messages.
    """
    generator = random.Random(seed)
    return [_message(generator, word_count(generator)) for _ in range(count)]


def word_count(generator: random.Random) -> int:
    """Draw a message's number of words."""
    # The mean of a log-normal distribution is exp(mu + sigma^2 / 2).
    drawn = generator.lognormvariate(math.log(MEAN_WORDS) - SIGMA**2 / 2, SIGMA)
    return min(max(1, round(drawn)), MOST_WORDS)


def _message(generator: random.Random, count: int) -> str:
    words: list[str] = []
    while len(words) < count:
        words += generator.choice(_sentences()).split()
    return " ".join(words[:count])


@cache
def _sentences() -> list[str]:
    files = sorted(_WRITTEN.glob("*.jsonl"))
    if not files:
        raise ToxicBotError(f"{_WRITTEN} has no messages: run this from a clone of the project")
    return [
        json.loads(line)["text"] for file in files for line in file.read_text("utf-8").splitlines()
    ]
