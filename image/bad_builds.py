"""Builds that must fail: each stops early with one line, and leaves no image behind."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from image import ImageError
from image.engine import Engine
from image.images import BASE, CONTEXT, build_base, local
from local import ROOT

WITHOUT_PYTHON = "toxic-bot-without-python:latest"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A build that has to fail.

    Parameters
    ----------
    what
        What is wrong.
    says
        Words that its one line has to have.
    spoil
        Spoils the build context.
    arguments
        Build arguments beside the base image.
    """

    what: str
    says: str
    spoil: Callable[[Path], object] = lambda _: None
    arguments: tuple[tuple[str, str], ...] = ()


def _truncate(folder: Path) -> None:
    model = folder / "model" / "model.onnx"
    model.write_bytes(model.read_bytes()[:1000])


REFUSALS = (
    Refusal("a damaged model", "model.onnx is damaged", _truncate),
    Refusal(
        "no model", "config.json cannot be read", lambda one: (one / "model/config.json").unlink()
    ),
    Refusal(
        "a checkpoint that is not there",
        "holds no config.json",
        arguments=(("CHECKPOINT", "checkpoint/none"), ("PROFILE", "distilroberta")),
    ),
)


def check_refusals(engine: Engine, base: str, log: Path) -> list[str]:
    """Try builds that must fail, and return what each of them said.

    Raises
    ------
    ImageError
        When one succeeds, says something else, or takes the good image's name.
    """
    whole = engine.identity(local(engine, BASE))
    said = []
    for one in REFUSALS:
        with _context() as name:
            folder = Path(name)
            one.spoil(folder)
            said.append(_refused(engine, log, one, {"BASE": base, **dict(one.arguments)}, folder))
    with _context() as name:
        bare = Path(name, "Dockerfile.bare")
        bare.write_text(f"FROM {base}\nRUN rm -f $(command -v python3)\n", "utf-8")
        engine.build(Path(bare.name), WITHOUT_PYTHON, Path(name), {}, log)
        without = Refusal("a base without Python", "lacks Python 3.11")
        arguments = {"BASE": local(engine, WITHOUT_PYTHON)}
        said.append(_refused(engine, log, without, arguments, Path(name)))
    engine.remove(local(engine, WITHOUT_PYTHON))
    if engine.identity(local(engine, BASE)) != whole:
        raise ImageError("a build that failed has taken the place of the whole image")
    return said


def _refused(
    engine: Engine, log: Path, one: Refusal, arguments: dict[str, str], folder: Path
) -> str:
    try:
        build_base(engine, log, arguments, folder=folder)
    except ImageError as error:
        message = str(error)
    else:
        raise ImageError(f"an image was built with {one.what}")
    if one.says not in message or "\n" in message:
        raise ImageError(f"a build with {one.what} says: {message}")
    return message


def _context() -> tempfile.TemporaryDirectory[str]:
    context = tempfile.TemporaryDirectory(prefix="context-")
    for name in CONTEXT:
        shutil.copytree(ROOT / name, Path(context.name, name))
    for name in ("Dockerfile.base", ".dockerignore"):
        shutil.copy(ROOT / name, context.name)
    return context
