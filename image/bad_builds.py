"""Builds that must fail: each stops early with one line, and leaves no image behind."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from image import ImageError
from image.engine import Engine
from image.images import BASE, CONTEXT, build_base, local_name
from simulators import ROOT

MODEL = Path("toxic_bot", "judge", "model")
WITHOUT_PYTHON = "toxic-bot-without-python:latest"


@dataclass(frozen=True, slots=True)
class BadBuild:
    """A build that must fail.

    Parameters
    ----------
    problem
        What is wrong with it.
    expected
        Text that its error message must contain.
    break_context
        Damages the build context.
    arguments
        Build arguments other than the parent image.
    """

    problem: str
    expected: str
    break_context: Callable[[Path], object] = lambda _: None
    arguments: tuple[tuple[str, str], ...] = ()


def _truncate_model(context: Path) -> None:
    model = context / MODEL / "model.onnx"
    model.write_bytes(model.read_bytes()[:1000])


def _remove_model_config(context: Path) -> None:
    (context / MODEL / "config.json").unlink()


BAD_BUILDS = (
    BadBuild("a damaged model", "model.onnx is damaged", _truncate_model),
    BadBuild("no model", "config.json cannot be read", _remove_model_config),
    BadBuild(
        "a missing checkpoint",
        "has no config.json",
        arguments=(("CHECKPOINT", "checkpoint/none"), ("PROFILE", "distilroberta")),
    ),
)


def check_bad_builds(engine: Engine, parent: str, log: Path) -> list[str]:
    """Attempt every bad build and return the error messages.

    Raises
    ------
    ImageError
        If one of them succeeds, fails with another message, or replaces the good image.
    """
    good_image = engine.image_id(local_name(engine, BASE))
    messages = []
    for bad_build in BAD_BUILDS:
        with _build_context() as name:
            context = Path(name)
            bad_build.break_context(context)
            arguments = {"BASE": parent, **dict(bad_build.arguments)}
            messages.append(_error_of(engine, log, bad_build, arguments, context))
    with _build_context() as name:
        dockerfile = Path(name, "Dockerfile.bare")
        dockerfile.write_text(f"FROM {parent}\nRUN rm -f $(command -v python3)\n", "utf-8")
        engine.build(Path(dockerfile.name), WITHOUT_PYTHON, Path(name), {}, log)
        bad_build = BadBuild("a parent image without Python", "lacks Python 3.11")
        arguments = {"BASE": local_name(engine, WITHOUT_PYTHON)}
        messages.append(_error_of(engine, log, bad_build, arguments, Path(name)))
    engine.remove(local_name(engine, WITHOUT_PYTHON))
    if engine.image_id(local_name(engine, BASE)) != good_image:
        raise ImageError("a failed build has replaced the good image")
    return messages


def _error_of(
    engine: Engine, log: Path, bad_build: BadBuild, arguments: dict[str, str], context: Path
) -> str:
    try:
        build_base(engine, log, arguments, folder=context)
    except ImageError as error:
        message = str(error)
    else:
        raise ImageError(f"a build with {bad_build.problem} succeeded, but should have failed")
    if bad_build.expected not in message or "\n" in message:
        raise ImageError(f"a build with {bad_build.problem} failed with another error: {message}")
    return message


def _build_context() -> tempfile.TemporaryDirectory[str]:
    context = tempfile.TemporaryDirectory(prefix="context-")
    for name in CONTEXT:
        shutil.copytree(ROOT / name, Path(context.name, name))
    for name in ("Dockerfile.base", ".dockerignore"):
        shutil.copy(ROOT / name, context.name)
    return context
