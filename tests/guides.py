"""The command lines in the guides, in fenced blocks of shell and in single backquotes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.template.code import ROOT

GUIDES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "events/README.md", "docs/*.md")
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`]+)`")
SEPARATORS = "();<>|&\n"


@dataclass(frozen=True, slots=True)
class CommandLine:
    """One command of a guide.

    Parameters
    ----------
    guide
        The guide's path.
    words
        The program and its arguments.
    is_whole
        Whether it is in a block, to be run as it is. One between backquotes may only be a mention.
    """

    guide: str
    words: tuple[str, ...]
    is_whole: bool

    def __str__(self) -> str:
        return f"{self.guide}: {shlex.join(self.words)}"


@cache
def command_lines(program: str) -> tuple[CommandLine, ...]:
    """Return every command line of a program in the guides."""
    return tuple(
        CommandLine(str(path.relative_to(ROOT)), words, is_whole)
        for pattern in GUIDES
        for path in sorted(ROOT.glob(pattern))
        for script, is_whole in _scripts(path.read_text("utf-8"), program)
        for words in _split(script)
        if words[0] == program and len(words) > 1
    )


def _scripts(text: str, program: str) -> Iterator[tuple[str, bool]]:
    for block in SHELL.findall(text):
        yield block, True
    for line in INLINE.findall(BLOCK.sub("", text)):
        if line.startswith(f"{program} "):
            yield " ".join(line.split()), False


def _split(script: str) -> Iterator[tuple[str, ...]]:
    script = re.sub(r"(^|\s)#\s.*", "", script.replace("\\\n", " "), flags=re.MULTILINE)
    lexer = shlex.shlex(script, posix=True, punctuation_chars=SEPARATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, ""
    words: list[str] = []
    for token in [*lexer, "\n"]:
        if set(token) <= set(SEPARATORS):
            if words:
                yield tuple(words)
            words = []
        else:
            words.append(token)
