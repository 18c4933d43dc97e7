"""Texts as long as what people write at work."""

from __future__ import annotations

import bisect
import random

from tokenizers import Tokenizer

TOKENS_BY_SHARE = (
    (0.0, 3),
    (0.01, 5),
    (0.05, 8),
    (0.1, 10),
    (0.2, 13),
    (0.3, 16),
    (0.4, 19),
    (0.5, 23),
    (0.6, 28),
    (0.7, 34),
    (0.8, 44),
    (0.9, 62),
    (0.95, 81),
    (0.98, 123),
    (0.99, 182),
    (0.995, 270),
    (0.999, 769),
    (1.0, 1510),
)
"""Tokens that a share of messages has at most, by this model's tokenizer.

Measured on 12,000 messages in equal parts from public collections of developers' chat, of code
review and of discussions of issues. Their mean is 33 tokens.
"""

SENTENCES = (
    "Thanks!",
    "Looks good to me.",
    "Could you have another look at the build, please?",
    "It broke again this morning, right after the deployment.",
    "I think that the timeout is too short for the import of the larger files.",
    "Who is on call tonight?",
    "If it hangs again, just kill the process and restart the worker.",
    "The second test fails on my machine, but only when the first one ran before it.",
    "That was a stupid mistake of mine, sorry about the noise.",
    "Let us move the meeting to Thursday, so that Noor can join.",
    "You never listen, and everybody here is tired of it.",
    "What a mess, but a clever one: `retry(3)` inside `retry(5)`.",
    "Please split this into two functions and give each of them a test.",
    "The customer wrote back, and for once they are happy with what we sent!",
    "Did anybody see where the connection is closed?",
    "See the thread above for the numbers of last week.",
)
"""What the texts are made of."""


class Chat:
    """Makes texts whose lengths are spread like those of real messages.

    Parameters
    ----------
    tokenizer
        The model's own.
    seed
        Determines the texts.
    """

    def __init__(self, tokenizer: Tokenizer, seed: int = 0) -> None:
        self._chance = random.Random(seed)
        self._sentences = [
            (sentence, len(tokenizer.encode(sentence, add_special_tokens=False).ids))
            for sentence in SENTENCES
        ]

    def text(self) -> str:
        """Return one text."""
        wanted = tokens_at(self._chance.random())
        words: list[str] = []
        tokens = 2
        while tokens < wanted:
            sentence, length = self._chance.choice(self._sentences)
            left = wanted - tokens
            # A word is about a token and a quarter.
            words += sentence.split()[: max(1, left * 4 // 5)] if length > left else [sentence]
            tokens += min(length, left)
        return " ".join(words) or "ok"


def tokens_at(share: float) -> int:
    """Return the number of tokens that a share of messages, 0 to 1, has at most."""
    shares = [one for one, _ in TOKENS_BY_SHARE]
    right = min(bisect.bisect_right(shares, share), len(shares) - 1)
    (low, fewer), (high, more) = TOKENS_BY_SHARE[right - 1], TOKENS_BY_SHARE[right]
    # The tail is long, so a message in between is nearer to the shorter one.
    ratio: float = (more / fewer) ** ((share - low) / (high - low))
    return round(fewer * ratio)
