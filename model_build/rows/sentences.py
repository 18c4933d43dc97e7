"""Sentences generated from the project's templates.

They cover what the public data sets lack: texts that mention an identity, quote abuse to
reject it or swear at nobody, alongside attacks in the same words.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from model_build.rows.kinds import NO_KIND, UNKNOWN, complete, partial

TEMPLATES = Path(__file__).with_name("templates.json")
_KINDS_OF_GROUPS: Mapping[str, Mapping[str, float]] = {
    "insult at a person": partial(("insult",), ("threat", "identity", "sexual", "putdown")),
    "threat": complete(("threat",)),
    "death wish": partial(("threat",), ("identity", "sexual", "putdown")),
    "attack on an identity": partial(("identity",), ("threat", "sexual", "obscene")),
    "sexual harassment": partial(("sexual",), ("threat", "identity", "putdown")),
    "swearing at a person": partial(("insult", "obscene"), ("threat", "identity", "putdown")),
}
_SLOT = re.compile(r"\{(a:)?(\w+)\}")
_MAX_TRIES = 4


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, whether it is toxic, its group of templates and the kinds it shows.

    The value of a kind is 1, 0 or NaN, as in `model_build.rows.kinds`.
    """

    text: str
    toxic: bool
    group: str
    kinds: Mapping[str, float]


def sentences(seed: int, path: Path = TEMPLATES) -> list[Sentence]:
    """Generate the sentences, without duplicates.

    Parameters
    ----------
    seed
        Random seed; the same seed gives the same sentences.
    path
        JSON with ``slots`` (words by name), ``leads`` and ``tails`` (put around a sentence)
        and ``groups`` (name, toxic, count, texts).

    Returns
    -------
    list of Sentence
        At most ``count`` per group; fewer when its templates yield fewer distinct ones.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    slots: dict[str, list[str]] = content["slots"]
    random_ = random.Random(seed)
    generated: dict[str, Sentence] = {}
    for group in content["groups"]:
        before = len(generated)
        toxic, name = bool(group["toxic"]), str(group["name"])
        kinds = _KINDS_OF_GROUPS.get(name, UNKNOWN) if toxic else NO_KIND
        for number in range(group["count"] * _MAX_TRIES):
            if len(generated) - before >= group["count"]:
                break
            template = group["texts"][number % len(group["texts"])]
            text = _decorate(_fill(template, slots, random_), content, slots, random_)
            generated.setdefault(text.lower(), Sentence(text, toxic, name, kinds))
    return list(generated.values())


def _fill(template: str, slots: dict[str, list[str]], random_: random.Random) -> str:
    def word(match: re.Match[str]) -> str:
        chosen = random_.choice(slots[match.group(2)])
        if not match.group(1):
            return chosen
        return f"{'an' if chosen[0].lower() in 'aeiou' else 'a'} {chosen}"

    return _SLOT.sub(word, template)


def _decorate(
    text: str, content: dict[str, list[str]], slots: dict[str, list[str]], random_: random.Random
) -> str:
    lead = _fill(random_.choice(content["leads"]), slots, random_)
    tail = random_.choice(content["tails"])
    text = lead + text + tail
    casing = random_.random()
    if casing < 0.4:
        return text[:1].upper() + text[1:]
    if casing < 0.5:
        return text.upper()
    if casing < 0.7:
        return text.lower()
    return text
