"""Text files in the encodings that spreadsheets and databases export."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

UNREADABLE = re.compile("[\udc80-\udcff]")
"""What stands for a byte that is no text in the file's encoding."""
_BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 4096
_CHUNK = 1 << 20
WINDOWS = "cp1252"


def encoding_of(path: Path) -> str:
    """Return the encoding of a text file.

    UTF-8 unless it has another's byte order mark, the zeros of UTF-16, or more bytes that UTF-8
    does not have than letters beyond ASCII: then it is Windows-1252, which contains Latin-1.
    """
    with path.open("rb") as content:
        head = content.read(_SAMPLE)
        for mark, encoding in _MARKS:
            if head.startswith(mark):
                return encoding
        for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
            if zeros.count(0) * 3 > len(zeros):
                return encoding
        content.seek(0)
        return "utf-8" if _is_utf8(content) else WINDOWS


def _is_utf8(content: BinaryIO) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    good = bad = 0
    while chunk := content.read(_CHUNK):
        text = decoder.decode(chunk)
        if not text.isascii():
            bad += len(UNREADABLE.findall(text))
            good += len(_BEYOND_ASCII.findall(text))
    return good >= bad


@contextmanager
def opened(path: Path, encoding: str) -> Iterator[tuple[TextIOWrapper, BinaryIO]]:
    """Open a text file; what is not in the encoding becomes `UNREADABLE`.

    Yields the text, and the bytes below it, whose position tells how much has been read.
    """
    errors = "surrogateescape" if encoding in ("utf-8", "utf-8-sig", WINDOWS) else "strict"
    with (
        path.open("rb") as content,
        TextIOWrapper(content, encoding=encoding, errors=errors, newline="") as text,
    ):
        yield text, content
