"""The two programs that build images, behind one interface: Docker, and buildah without it."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from image import ImageError, UnavailableError
from image.shell import run

BUILD_LIMIT = 3600.0
STEP_LIMIT = 300.0
LAMBDA_USER = "993:990"
"""The user and group that Lambda runs functions as."""

PIP_CONFIGURATION = (Path("/etc/pip.conf"), Path("/etc/ssl/certs"))
"""What pip may need to reach its packages from here, where the machine has it."""

_ENTER = """
mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"
mount -t tmpfs tmpfs "$0/tmp"
for place in proc dev sys; do mount --rbind "/$place" "$0/$place"; done
user=$1 folder=$2; shift 2
exec chroot --userspec="$user" "$0" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
"""
"""A container as Lambda's: a read-only file system but for /tmp, and a user without rights."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of an image.

    Parameters
    ----------
    size
        Bytes, uncompressed.
    origin
        The instruction that made it.
    """

    size: int
    origin: str


class Container(Protocol):
    """A container that a command can be started in, once."""

    @property
    def command(self) -> list[str]:
        """The words that go before the command."""

    def pids(self, pid: int) -> list[int]:
        """Return the processes in it, given the one that was started."""


class Engine(Protocol):
    """Builds images, tells what is in them and starts them as Lambda does."""

    def build(
        self, dockerfile: Path, tag: str, folder: Path, arguments: Mapping[str, str], log: Path
    ) -> None:
        """Build an image; it gets its tag when it is whole, and not before.

        Parameters
        ----------
        dockerfile
            What to build.
        tag
            The image's name.
        folder
            The build context.
        arguments
            Build arguments; an empty one is left out.
        log
            Takes what the builder prints.

        Raises
        ------
        ImageError
            When it fails; the message is the failed step's own last word.
        """

    def layers(self, tag: str) -> list[Layer]:
        """Return the layers of an image, the lowest first."""

    def identity(self, tag: str) -> str:
        """Return the id of the image of that name; empty if there is none."""

    def remove(self, tag: str) -> None:
        """Remove an image."""

    def container(self, tag: str, variables: Sequence[str]) -> AbstractContextManager[Container]:
        """Return a context in which a command runs in an image as Lambda runs it.

        The file system is read-only but for ``/tmp``, the user is Lambda's, and the
        network is this machine's.

        Parameters
        ----------
        tag
            The image.
        variables
            Names of the environment variables that the command takes from this process's.
        """


@dataclass(frozen=True, slots=True)
class Docker:
    """Docker, with its daemon."""

    def build(
        self, dockerfile: Path, tag: str, folder: Path, arguments: Mapping[str, str], log: Path
    ) -> None:
        """Build an image; see ``Engine``."""
        command = ["docker", "build", "--platform", "linux/amd64"]
        command += [*_build_arguments(arguments), "--file", str(dockerfile), "--tag", tag, "."]
        run(command, folder=folder, log=log, limit=BUILD_LIMIT)

    def pulled(self, tag: str, log: Path) -> str:
        """Return the name of an image that is here now.

        Raises
        ------
        UnavailableError
            When it is neither here nor to be had.
        """
        if not self.identity(tag):
            try:
                run(["docker", "pull", tag], log=log, limit=STEP_LIMIT)
            except ImageError as error:
                raise UnavailableError(f"{tag} cannot be pulled: {error}") from error
        return tag

    def layers(self, tag: str) -> list[Layer]:
        """Return the layers of an image; see ``Engine``."""
        history = run(
            ["docker", "history", "--human=false", "--no-trunc", "--format", "json", tag],
            limit=STEP_LIMIT,
        )
        lines = [json.loads(line) for line in history.splitlines()]
        layers = [Layer(int(line["Size"]), str(line["CreatedBy"])) for line in reversed(lines)]
        # The history names settings too, which have no layer.
        return [layer for layer in layers if layer.size]

    def identity(self, tag: str) -> str:
        """Return an image's id; see ``Engine``."""
        return run(["docker", "images", "--quiet", "--no-trunc", tag], limit=STEP_LIMIT)

    def remove(self, tag: str) -> None:
        """Remove an image; see ``Engine``."""
        run(["docker", "rmi", tag], limit=STEP_LIMIT)

    @contextmanager
    def container(self, tag: str, variables: Sequence[str]) -> Iterator[Container]:
        """Run a command in an image; see ``Engine``."""
        name = f"toxic-bot-{uuid.uuid4().hex[:8]}"
        command = ["docker", "run", "--rm", "--name", name, "--network", "host", "--read-only"]
        command += ["--tmpfs", "/tmp", "--user", LAMBDA_USER, "--entrypoint", ""]
        command += [word for one in variables for word in ("--env", one)]
        try:
            yield _DockerContainer(name, [*command, tag])
        finally:
            subprocess.run(["docker", "rm", "--force", name], capture_output=True, check=False)


@dataclass(frozen=True, slots=True)
class _DockerContainer:
    name: str
    command: list[str]

    def pids(self, pid: int) -> list[int]:  # noqa: ARG002 - Docker's own client is no part of it
        listed = run(["docker", "top", self.name, "-o", "pid"], limit=STEP_LIMIT)
        return [int(line) for line in listed.splitlines()[1:]]


@dataclass(frozen=True, slots=True)
class Buildah:
    """buildah, without a daemon.

    Parameters
    ----------
    store
        Where images are kept; None for buildah's own place.
    """

    store: Path | None = None
    options: list[str] = field(init=False)

    def __post_init__(self) -> None:
        options = []
        if self.store is not None:
            options = [f"--root={self.store / 'images'}", f"--runroot={self.store / 'run'}"]
        # Where overlay cannot be mounted, vfs copies each layer, which is slow but works.
        works = subprocess.run(
            ["buildah", *options, "--storage-driver=overlay", "info"],
            capture_output=True,
            check=False,
        )
        driver = "vfs" if works.returncode else "overlay"
        object.__setattr__(self, "options", [*options, f"--storage-driver={driver}"])

    def run(self, *words: str, **settings: Any) -> str:
        """Run one of buildah's commands and return what it printed."""
        settings.setdefault("limit", STEP_LIMIT)
        return run(["buildah", *self.options, *words], **settings)

    def build(
        self, dockerfile: Path, tag: str, folder: Path, arguments: Mapping[str, str], log: Path
    ) -> None:
        """Build an image; see ``Engine``."""
        volumes = [f"--volume={one}:{one}:ro" for one in PIP_CONFIGURATION if one.exists()]
        command = ["build", "--isolation=chroot", "--layers", "--force-rm", *volumes]
        command += ["--platform=linux/amd64", f"--file={dockerfile}", f"--tag={tag}"]
        command += [*_build_arguments(arguments), "."]
        self.run(*command, folder=folder, log=log, limit=BUILD_LIMIT)

    def layers(self, tag: str) -> list[Layer]:
        """Return the layers of an image; see ``Engine``."""
        with tempfile.TemporaryDirectory(prefix="image-") as folder:
            self.run("push", "--quiet", tag, f"oci:{folder}/image:it")
            blobs = Path(folder, "image", "blobs", "sha256")
            index = json.loads(Path(folder, "image", "index.json").read_bytes())
            manifest = json.loads((blobs / _hex(index["manifests"][0])).read_bytes())
            config = json.loads((blobs / _hex(manifest["config"])).read_bytes())
            origins = [one["created_by"] for one in config["history"] if not one.get("empty_layer")]
            sizes = [_unpacked(blobs / _hex(layer)) for layer in manifest["layers"]]
        return [Layer(*one) for one in zip(sizes, origins, strict=True)]

    def identity(self, tag: str) -> str:
        """Return an image's id; see ``Engine``."""
        return self.run("images", "--quiet", "--no-trunc", tag)

    def remove(self, tag: str) -> None:
        """Remove an image; see ``Engine``."""
        self.run("rmi", tag)

    @contextmanager
    def container(self, tag: str, variables: Sequence[str]) -> Iterator[Container]:  # noqa: ARG002
        """Run a command in an image; see ``Engine``. It takes the whole environment."""
        container = self.run("from", "--pull-never", tag)
        with ExitStack() as stack:
            stack.callback(self.run, "rm", container)
            root = self.run("mount", container)
            config = json.loads(self.run("inspect", "--type=image", tag))["OCIv1"]["config"]
            command = ["unshare", "--mount", "--propagation=private", "sh", "-euc", _ENTER, root]
            command += [LAMBDA_USER, config.get("WorkingDir") or "/", "env"]
            yield _ChrootContainer([*command, *config.get("Env", [])])

    def close(self) -> None:
        """Take down all that is mounted in the store, so that it can be removed."""
        if self.store is None:
            return
        with suppress(ImageError):
            self.run("rm", "--all")
        mounts = [line.split()[1] for line in Path("/proc/mounts").read_text("utf-8").splitlines()]
        for mount in reversed([one for one in mounts if one.startswith(f"{self.store}/")]):
            subprocess.run(["umount", "--lazy", mount], capture_output=True, check=False)


@dataclass(frozen=True, slots=True)
class _ChrootContainer:
    command: list[str]

    def pids(self, pid: int) -> list[int]:
        found = [pid]
        for one in found:
            for task in Path(f"/proc/{one}/task").glob("*/children"):
                with suppress(OSError):
                    found += [int(child) for child in task.read_text().split()]
        return found


def _build_arguments(arguments: Mapping[str, str]) -> list[str]:
    return [f"--build-arg={name}={value}" for name, value in arguments.items() if value]


def _unpacked(archive: Path) -> int:
    with gzip.open(archive) as file:
        return sum(len(part) for part in iter(lambda: file.read(1 << 20), b""))


def _hex(descriptor: Mapping[str, Any]) -> str:
    return str(descriptor["digest"]).removeprefix("sha256:")


def choose() -> Engine:
    """Return Docker where its daemon answers, or else buildah.

    Raises
    ------
    UnavailableError
        When there is neither.
    """
    if shutil.which("docker"):
        answers = subprocess.run(["docker", "info"], capture_output=True, check=False)
        if answers.returncode == 0:
            return Docker()
    if shutil.which("buildah"):
        return Buildah()
    raise UnavailableError(
        "there is neither Docker nor buildah: install one ('apt-get install buildah')"
    )
