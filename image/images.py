"""The names of the images, and how they are built."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from image import ImageError, UnavailableError
from image.engine import Docker, Engine
from simulators import ROOT

AWS_BASE = "public.ecr.aws/lambda/python:3.13"
"""The tag from which 'python -m image pin' takes the digest for Dockerfile.base."""
BASE_DOCKERFILE = ROOT / "Dockerfile.base"
BASE = "toxic-bot-base:latest"
APP = "toxic-bot:latest"
SERVICE = "toxic-bot-service:latest"
STANDALONE = "toxic-bot-standalone:latest"
NO_PACKAGES = "dependencies cannot be installed"
"""The end of the error in a Dockerfile when pip cannot get the packages."""
CONTEXT = (
    "handler",
    "image",
    "model_build",
    "requirements",
    "toxic_bot",
)
"""Folders that a build reads, as listed in .dockerignore."""


def build_base(
    engine: Engine, log: Path, arguments: dict[str, str], *, folder: Path = ROOT, tag: str = BASE
) -> None:
    """Build the base image: the parent image, the runtime dependencies and the model.

    Parameters
    ----------
    engine
        The engine that builds it.
    log
        File to which the engine's output is appended.
    arguments
        Build arguments: ``BASE`` (the parent image), ``PROFILE``, ``CHECKPOINT``,
        ``BUILD_REQUIREMENTS``; empty ones are left out.
    folder
        The build context.
    tag
        The image's name.

    Raises
    ------
    ImageError
        If the build fails. The name stays with the image that had it before.
    UnavailableError
        If it fails because packages cannot be downloaded.
    """
    _build(engine, "Dockerfile.base", tag, arguments, log, folder)


def build_app(engine: Engine, log: Path) -> None:
    """Build the app image: the base image and the code.

    Raises
    ------
    ImageError
        If the build fails. The name stays with the image that had it before.
    """
    engine.build(Path("Dockerfile.app"), APP, ROOT, {"BASE": local_name(engine, BASE)}, log)


def build_service(engine: Engine, log: Path) -> None:
    """Build the service image: the base image, the service's dependencies and its code.

    Raises
    ------
    ImageError
        If the build fails. The name stays with the image that had it before.
    UnavailableError
        If it fails because packages cannot be downloaded.
    """
    _build(engine, "Dockerfile.service", SERVICE, {"BASE": local_name(engine, BASE)}, log)


def build_standalone(engine: Engine, log: Path) -> None:
    """Build the standalone image: the base image, what the bot needs without AWS, and its code.

    Raises
    ------
    ImageError
        If the build fails. The name stays with the image that had it before.
    UnavailableError
        If it fails because packages cannot be downloaded.
    """
    _build(engine, "Dockerfile.standalone", STANDALONE, {"BASE": local_name(engine, BASE)}, log)


def _build(
    engine: Engine,
    dockerfile: str,
    tag: str,
    arguments: Mapping[str, str],
    log: Path,
    folder: Path = ROOT,
) -> None:
    try:
        engine.build(Path(dockerfile), tag, folder, arguments, log)
    except ImageError as error:
        if NO_PACKAGES in str(error):
            raise UnavailableError(str(error)) from error
        raise


def local_name(engine: Engine, tag: str) -> str:
    """Return the name by which an engine finds an image that was built on this machine."""
    # Without the registry's name, buildah would search remote registries first.
    return tag if isinstance(engine, Docker) else f"localhost/{tag}"
