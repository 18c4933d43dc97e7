"""The time from mrkdwn to normalized text, over shapes that make a careless parser explode.

Nobody may stop the bot with a message, so the time must grow in proportion to the length.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from rich.progress import track
from rich.table import Table

from toxic_bot.judge.normalization import normalize
from toxic_bot.slack.web_api.mrkdwn import plain_text

LENGTH = 40_000
"""Characters of the longest message that Slack takes."""

TARGET = 50.0
"""Milliseconds for any text of that length."""

ROUNDS = 5

FRAGMENTS = (
    *("*", "_", "~", "*_", " *a", " ~b", "*a ", "*a* ", "_a_ ", "~*_a_*~ ", "a_b_", "**a** "),
    *("char *p, *q; ", "a * b ", "f(*x, **y) ", "2*3*4 ", "`", "```", "`a", "*`a`*", "```a\n"),
    *("<", "<@", "<a|", "<a", "|", ">", "<!date^1^", "<#C1|a> ", "&gt;", "&lt;", "&amp;&gt; "),
    *("&gt; *a\n", ":", ":a:", ":a", ":a-:b", ":+1:", "::", ":a::", "a:b:", ":_:"),
    *("a", " ", "\n", "\t", "\r", "a ", "ab cd ", "a.", "a.b.", "a-", "a b ", "a_", "- ", "w.w."),
    *("1", "1a", "a1", "a1.", "1.", "0o", "|l", "i1", "$", "$a ", "a$$ ", "@", "@a.", "@$", "@a "),
    *("!", "a!", "!a", "ee", "beee ", "loooo ", "aaab", "eeeo", "aaa.", "#a", "..", "...", "?!"),
    *("(", "[", "{", "\\", "/", "=", "'", '"', "http://a.b/", "a@b.c "),
    *("\u0301", "a\u0301", "\u0300\u0316", "\u0315\u0300", "\u0344", "\u0f73", "\U0001d160"),
    *("\u200b", "a\u200b", "\u202e", "\ufe0f", "1\ufe0f\u20e3", "\ud800", "\x00", "\x85", "\u2028"),
    *("\u0430", "\u0430a ", "\u0430a", "\u0130", "\u00df", "\u00e9", "\u4e2d", "\ud55c", "\u0e01"),
    *("\u0915\u094d", "\u0e01\u0e47", "\ufdfa", "\u3392", "\uff11", "\uff21", "\u24b6", "\u201c"),
    *("\U0001f600", "\U0001f1fa\U0001f1f8", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
    *("V*", "*Q", "aBc", "a\U0001f600", "\u0f73\u202e", "a\u200b\U0001d160"),
)
GATE, BAR = "\u00e9 a\U0001f600a ", "U1*a"
"""What leads a text past the shortcuts for simple ones, and what keeps a long match from ending."""
NESTS = (
    *(("*_", "_*"), ("*", "*"), ("~*_", "_*~"), ("*a ", " b*"), ("*a ", "b*"), (" ~b", "*_")),
    *(("<", ">"), ("<a|", ">"), ("`", "`"), (":", ":"), ("```", "```"), ("&gt;", "&lt;")),
    *(("(", ")"), ("a.", ".a"), ("\u0301", "\u0316"), ("\u0430", "a")),
)
DISTINCT = (
    ("characters", 0x80, 1),
    ("characters of all scripts", 0x80, 27),
    ("ideographs", 0x4E00, 1),
)
"""Characters that never come again: what they are, the first, and how far apart."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The time that one shape of text takes.

    Parameters
    ----------
    shape
        What the text is made of.
    milliseconds
        For `LENGTH` characters; the best of `ROUNDS`.
    ratio
        How many times as long as for a quarter of the length; 4 if the time is linear.
    """

    shape: str
    milliseconds: float
    ratio: float

    @property
    def is_linear(self) -> bool:
        """Whether four times the length took well below sixteen times as long."""
        return self.milliseconds < TARGET or self.ratio < 10


def shapes(length: int = LENGTH) -> dict[str, str]:
    """Return texts of about a length, by a description of their shape."""
    texts = {
        f"{fragment!a} again and again": (fragment * length)[:length] for fragment in FRAGMENTS
    }
    for left, right in NESTS:
        times = length // len(left + right)
        texts[f"{left!a} nested in {right!a}"] = f"{left * times}a{right * times}"
    for fragment in FRAGMENTS:
        pumped = (fragment * length)[: length - len(GATE + BAR)]
        texts[f"{fragment!a} behind a gate, before a bar"] = f"{GATE}{pumped}{BAR}"
    times = length // 7
    for what, first, step in DISTINCT:
        codes = range(first, 0x110000, step)
        texts[f"different {what}"] = "".join(map(chr, codes))[:length]
    texts["marks that never meet"] = " ~b" * times + "*_" * times + "a" + "_*" * times
    return texts


def measure_growth() -> list[Growth]:
    """Time every shape, and return the slowest first."""
    quarters = shapes(LENGTH // 4)
    results = [
        Growth(shape, whole := _best(text), whole / _best(quarters[shape]))
        for shape, text in track(shapes().items(), "Timing texts", transient=True)
    ]
    return sorted(results, key=lambda growth: -growth.milliseconds)


def growth_table(results: list[Growth], rows: int = 12) -> Table:
    """Return the slowest shapes as a table."""
    slow = sum(growth.milliseconds >= TARGET for growth in results)
    title = f"{len(results)} shapes of {LENGTH:,} characters: {slow} take {TARGET:.0f} ms or more"
    table = Table(title=title, title_justify="left")
    table.add_column("shape")
    table.add_column("ms", justify="right")
    table.add_column("x a quarter", justify="right")
    for growth in results[:rows]:
        table.add_row(growth.shape, f"{growth.milliseconds:.1f}", f"{growth.ratio:.1f}")
    return table


def _best(text: str) -> float:
    return min(_milliseconds(text) for _ in range(ROUNDS))


def _milliseconds(text: str) -> float:
    started = time.perf_counter()
    normalize(plain_text(text))
    return (time.perf_counter() - started) * 1e3
