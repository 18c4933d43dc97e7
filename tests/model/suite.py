"""Test sentences that the model was not trained on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Sample:
    """A sentence, its kind and whether it is toxic."""

    text: str
    kind: str
    toxic: bool


def benign() -> list[Sample]:
    content = json.loads((HERE / "benign.json").read_text(encoding="utf-8"))
    samples = [
        Sample(text, kind, toxic=False) for kind, texts in content["hand"].items() for text in texts
    ]
    for kind, templates in content["templates"].items():
        for template in templates:
            slot = template[template.index("{") + 1 : template.index("}")]
            for word in content["slots"][slot]:
                text = template.replace("{" + slot + "}", word)
                samples.append(Sample(text, kind, toxic=False))
    return samples


def toxic() -> list[Sample]:
    content = json.loads((HERE / "toxic.json").read_text(encoding="utf-8"))
    return [
        Sample(text, kind, toxic=True)
        for kind, texts in content.items()
        if kind != "about"
        for text in texts
    ]


def workplace() -> list[Sample]:
    """How people at work hurt each other, and what only looks like it."""
    content = json.loads((HERE / "workplace.json").read_text(encoding="utf-8"))
    return [
        Sample(text, kind, toxic=side == "toxic")
        for side, kinds in content.items()
        for kind, texts in kinds.items()
        for text in texts
    ]


def banter() -> list[Sample]:
    """Rough words among friends, and swearing at nobody."""
    content = json.loads((HERE / "banter.json").read_text(encoding="utf-8"))
    return [Sample(t, kind, toxic=False) for kind, texts in content.items() for t in texts]


def disguises() -> list[Sample]:
    """Emoji and keycaps in and instead of words, and cheerful look-alikes."""
    content = json.loads((HERE / "disguises.json").read_text(encoding="utf-8"))
    return [
        Sample(text, "emoji and keycaps", toxic=side == "toxic")
        for side, texts in content.items()
        for text in texts
    ]


def unreadable() -> dict[str, list[str]]:
    """Other scripts, signs alone, and English with letters that carry marks."""
    content: dict[str, list[str]] = json.loads(
        (HERE / "unreadable.json").read_text(encoding="utf-8")
    )
    return content


# Each sentence has its indicative word in braces; every obfuscation is applied to that word.
_TOXIC_SENTENCES = (
    "you are an {idiot}",
    "what a {stupid} bunch of people you are",
    "he is a total {asshole}",
    "shut up you {bitch}",
    "{fuck} you and your whole team",
    "our manager is a {moron}",
    "you {pathetic} little man",
    "go {kill} yourself",
    "listen here you {bastard}",
    "such a {worthless} human being you are",
    "all of you are {retarded}",
    "get lost you {loser}",
    "you {disgusting} pig",
    "you are a fat ugly {whore}",
    "I will {murder} you tonight",
)


def _replace_first_vowel(word: str, symbol: str) -> str:
    for index, letter in enumerate(word):
        if index and letter in "aeiou":
            return word[:index] + symbol + word[index + 1 :]
    return word


def _last_vowel(word: str) -> int:
    return max(index for index, letter in enumerate(word) if letter in "aeiou")


OBFUSCATIONS: dict[str, Callable[[str], str]] = {
    "digits": lambda w: w[0] + w[1:].replace("o", "0").replace("i", "1").replace("e", "3")
    .replace("a", "4").replace("u", "u").replace("s", "5"),
    "symbols": lambda w: w.replace("s", "$").replace("i", "!").replace("a", "@"),
    "one asterisk": lambda w: _replace_first_vowel(w, "*"),
    "one hash": lambda w: _replace_first_vowel(w, "#"),
    "asterisks inside": lambda w: w[0] + "*" * (len(w) - 2) + w[-1],
    "spaces": lambda w: " ".join(w),
    "periods": lambda w: ".".join(w),
    "hyphens": lambda w: "-".join(w),
    "one space": lambda w: w[: len(w) // 2] + " " + w[len(w) // 2 :],
    "last vowel repeated": lambda w: w[: _last_vowel(w)] + 5 * w[_last_vowel(w)]
    + w[_last_vowel(w) + 1 :],
    "doubled letter": lambda w: w[:2] + w[1] + w[2:],
    "swapped letters": lambda w: w[:2] + w[3] + w[2] + w[4:],
    "omitted letter": lambda w: w[:-2] + w[-1],
    "cyrillic": lambda w: w.replace("a", "\u0430").replace("o", "\u043e").replace("i", "\u0456")
    .replace("e", "\u0435").replace("u", "\u03c5"),
    "zero width": lambda w: "\u200b".join(w),
    "full width": lambda w: "".join(chr(ord(c) + 0xFEE0) for c in w),
    "soft hyphen": lambda w: w[:2] + "\u00ad" + w[2:],
    "script letters": lambda w: "".join(chr(0x1D4EA + ord(c) - ord("a")) for c in w),
    "strikethrough": lambda w: "".join(c + "\u0336" for c in w),
    "accents": lambda w: w.replace("i", "í").replace("u", "ü").replace("o", "ö").replace("a", "à"),
    "mixed case": lambda w: "".join(c.upper() if n % 2 else c for n, c in enumerate(w)),
}  # fmt: skip


def obfuscated() -> list[Sample]:
    samples = []
    for name, obfuscate in OBFUSCATIONS.items():
        for sentence in _TOXIC_SENTENCES:
            word = sentence[sentence.index("{") + 1 : sentence.index("}")]
            obfuscated_word = obfuscate(word)
            if obfuscated_word != word:
                text = sentence.replace("{" + word + "}", obfuscated_word)
                samples.append(Sample(text, name, toxic=True))
    samples += [
        Sample(text, "emoji", toxic=True)
        for text in (
            "you are a 🤡 and everybody hates you",
            "you belong in the 🗑️ you worthless thing",
            "you people are 🐀🐀🐀 and should be exterminated",
            "eat 💩 and die",
            "I'll 🔪 you",
            "🖕 you, loser",
            "you dumb 🐷",
            "women are 🐕",
            "you 🐍, you liar, you disgust me",
            "go 🔫 yourself",
        )
    ]
    return samples


def african_american_english() -> list[Sample]:
    """Return everyday talk in African-American English; none of it is toxic."""
    texts = json.loads((HERE / "african_american_english.json").read_text(encoding="utf-8"))
    return [Sample(text, "dialect", toxic=False) for text in texts]


def multilingual(language: str) -> list[Sample]:
    """Work chat and forums in another language."""
    content = json.loads((HERE / "multilingual" / f"{language}.json").read_text(encoding="utf-8"))
    return [Sample(one["text"], language, toxic=one["toxic"]) for one in content]
