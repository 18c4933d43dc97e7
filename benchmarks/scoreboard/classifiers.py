"""The classifiers of the scoreboard, each run in a process and an environment of its own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.percentiles import Latency
from simulators import ROOT
from toxic_bot.judge import classifier
from toxic_bot.judge.errors import ToxicBotError

ALL = ("en", "de", "es", "fr", "it", "pt")
_SCRIPT = Path(__file__).with_name("peer_process.py")
_HOURS = 2 * 3600
_JUDGE = Path(classifier.__file__).parent


@dataclass(frozen=True, slots=True)
class Contestant:
    """A classifier that may be there.

    Parameters
    ----------
    name
        As the tables show it.
    command
        What runs `benchmarks.scoreboard.peer_process` or speaks its protocol, without the two
        files.
    limit
        The score from which its users call a text toxic.
    languages
        Those that it claims to read.
    fingerprint
        Changes when its scores may; empty if that cannot be told.
    remedy
        What to do if it is not there.
    """

    name: str
    command: tuple[str, ...]
    limit: float = 0.5
    languages: tuple[str, ...] = ("en",)
    fingerprint: str = ""
    remedy: str = ""

    @property
    def is_there(self) -> bool:
        """Whether what runs it is installed."""
        return Path(self.command[0]).exists()


@dataclass(frozen=True, slots=True)
class Heard:
    """What a classifier said.

    Parameters
    ----------
    version
        Its version.
    megabytes
        Of weights or word lists.
    scores
        By text.
    latency
        Of a text, alone on one CPU.
    """

    version: str
    megabytes: float
    scores: dict[str, float]
    latency: Latency


def contestants(model: Path, environments: Path, hub: Sequence[str]) -> list[Contestant]:
    """Return this project's models and their peers.

    Parameters
    ----------
    model
        Model folder.
    environments
        Folder with an environment for each peer, as ``make peers`` makes them.
    hub
        Folders or hub IDs of `transformers` classifiers, each with ``=LABEL`` if need be.
    """
    names = ("alt-profanity-check", "better-profanity", "glin-profanity", "tox-block")
    here = [_ours("Toxic Bot", model, ALL)]
    if (model / "multilingual").is_dir():
        here.append(_ours("Toxic Bot, multilingual model alone", model / "multilingual", ("en",)))
    peers = [
        Contestant(
            name,
            (str(environments.resolve() / name / "bin" / "python"), *_script(name), ""),
            languages=ALL if name == "glin-profanity" else ("en",),
            fingerprint=_hash([ROOT / "requirements" / f"{name}.txt", _SCRIPT]),
            remedy=f"make .venv/{name}",
        )
        for name in names
    ]
    others = [
        Contestant(name, (sys.executable, *_script("transformers"), name), languages=ALL)
        for name in hub
    ]
    return here + peers + others


def _ours(name: str, model: Path, languages: tuple[str, ...]) -> Contestant:
    code = [*_JUDGE.glob("*.py"), *_JUDGE.glob("*.txt"), _SCRIPT]
    return Contestant(
        name,
        (sys.executable, *_script("toxic-bot"), str(model.resolve())),
        languages=languages,
        fingerprint=_hash([*model.rglob("config.json"), *code]),
    )


def _script(name: str) -> tuple[str, ...]:
    # -P: the script's folder has modules with names that others may use.
    return "-P", str(_SCRIPT), name


def listen(
    contestant: Contestant, texts: Sequence[str], timed: Sequence[str], cache: Path
) -> Heard:
    """Have a classifier score texts, but for those that it has scored before, and time some.

    Parameters
    ----------
    contestant
        One that is there.
    texts
        The texts to score.
    timed
        Short texts to time.
    cache
        Folder for the scores, by the hash of a text.

    Raises
    ------
    ToxicBotError
        When it fails.
    """
    file = cache / f"{contestant.fingerprint or 'none'}.json"
    known: dict[str, float] = {}
    if contestant.fingerprint and file.exists():
        known = json.loads(file.read_text("utf-8"))
    keys = {
        text: hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts
    }
    missing = [text for text, key in keys.items() if key not in known]
    said = _ask(contestant, {"texts": missing, "timed": list(timed)})
    known |= {keys[text]: score for text, score in zip(missing, said["scores"], strict=True)}
    if contestant.fingerprint:
        cache.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(known), "utf-8")
    return Heard(
        str(said["version"]),
        said["bytes"] / 1e6,
        {text: known[key] for text, key in keys.items()},
        Latency.from_milliseconds(said["milliseconds"]),
    )


def _ask(contestant: Contestant, asked: dict[str, list[str]]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("asked.json", "answer.json")]
        files[0].write_text(json.dumps(asked), "utf-8")
        finished = subprocess.run(
            [*contestant.command, *map(str, files)],
            # Of the project's own packages, only its own classifier needs any.
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=_HOURS,
            check=False,
        )
        if finished.returncode or not files[1].exists():
            lines = finished.stderr.strip().splitlines() or ["no answer"]
            raise ToxicBotError(f"{contestant.name} failed: {lines[-1][:200]}")
        said: dict[str, Any] = json.loads(files[1].read_text("utf-8"))
        return said


def _hash(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]
