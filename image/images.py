"""The two images: what they are called, and how they are built."""

from __future__ import annotations

from pathlib import Path

from image import ImageError, UnavailableError
from image.engine import Docker, Engine
from local import ROOT

AWS_BASE = "public.ecr.aws/lambda/python:3.13"
BASE = "toxic-bot-base:latest"
APP = "toxic-bot:latest"
NO_PACKAGES = "the runtime dependencies cannot be installed"
"""What Dockerfile.base says when pip gets no packages."""
CONTEXT = ("handler", "image", "judge", "model", "model_build", "requirements")
"""Folders that a build reads, as .dockerignore lists them."""


def build_base(
    engine: Engine, log: Path, arguments: dict[str, str], *, folder: Path = ROOT, tag: str = BASE
) -> None:
    """Build the heavy image.

    Parameters
    ----------
    engine
        What builds.
    log
        Takes what it prints.
    arguments
        Build arguments: ``BASE``, ``PROFILE``, ``CHECKPOINT``; empty ones are left out.
    folder
        The build context.
    tag
        What the image is called.

    Raises
    ------
    ImageError
        When it cannot be built. What had the name before keeps it.
    UnavailableError
        When that is for want of packages.
    """
    try:
        engine.build(Path("Dockerfile.base"), tag, folder, arguments, log)
    except ImageError as error:
        if NO_PACKAGES in str(error):
            raise UnavailableError(str(error)) from error
        raise


def build_app(engine: Engine, log: Path) -> None:
    """Build the thin image on the heavy one.

    Raises
    ------
    ImageError
        When it cannot be built. What had the name before keeps it.
    """
    engine.build(Path("Dockerfile.app"), APP, ROOT, {"BASE": local(engine, BASE)}, log)


def local(engine: Engine, tag: str) -> str:
    """Return the name under which an engine finds an image that was built here."""
    # Without a registry's name before it, buildah would look for it elsewhere first.
    return tag if isinstance(engine, Docker) else f"localhost/{tag}"
