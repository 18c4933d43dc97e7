"""Mutation: inputs that are almost what a parser expects, and texts that are not at all."""

from __future__ import annotations

import random
from urllib.parse import quote_from_bytes, unquote_to_bytes

from benchmarks.text import FRAGMENTS

MAX_TEXT = 40_000
"""Characters of the longest text: Slack's limit."""

INTERESTING = (
    *(b"", b"0", b"-1", b"1e999", b"NaN", b"null", b"true", b"[]", b"{}", b'""', b"9" * 400),
    *(b"\\u0000", b"\\ud800", b"\x00", b"\xff", b"\xed\xa0\x80", b"[" * 2000, b'{"a":' * 500),
    *(b"event_callback", b"url_verification", b"app_rate_limited", b"::skin-tone-9", b"' OR 1=1"),
    *(b"payload=", b"&", b"=", b"%00", b"%", b"ssl_check=1", b"@evil.test/", b"//evil.test"),
    *(b"https://", b"http://", b"\\", b"#", b"?", b":443", b".evil.test", b"<!channel>", b"%0d%0a"),
)


def mutated_body(body: bytes, chance: random.Random) -> bytes:
    """Mutate a body, or what it says once decoded: its syntax stays intact then."""
    name, equals, value = body.partition(b"=")
    if equals and chance.random() < 0.5:
        # Safe is what keeps a form of several fields one.
        return (
            name
            + b"="
            + quote_from_bytes(mutated(unquote_to_bytes(value), chance), safe="&=").encode()
        )
    return mutated(body, chance)


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return the content with a few bytes changed, cut out, doubled or replaced."""
    changed = bytearray(content)
    for _ in range(chance.choice((0, 1, 1, 2, 4, 8))):
        start = chance.randrange(len(changed) + 1)
        end = min(len(changed), start + int(chance.paretovariate(0.8)))
        piece = bytes(changed[start:end])
        changed[start:end] = chance.choice(
            (b"", piece + piece, chance.randbytes(len(piece)), chance.choice(INTERESTING))
        )
    return bytes(changed)


def random_text(chance: random.Random) -> str:
    """Return fragments that make a parser explode, mixed with random characters."""
    parts = []
    for _ in range(chance.randrange(1, 12)):
        fragment = "".join(chance.choices(FRAGMENTS, k=chance.choice((1, 1, 2, 3))))
        if chance.random() < 0.3:
            limit = chance.choice((0x80, 0x110000))
            fragment = "".join(chr(chance.randrange(limit)) for _ in range(3))
        parts.append(fragment * min(MAX_TEXT, int(chance.paretovariate(0.7))))
    return "".join(parts)[:MAX_TEXT]
