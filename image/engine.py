"""The programs that build images, behind one interface: Docker, or buildah in its absence."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from image import CrashError, ImageError, UnavailableError
from image.shell import run

BUILD_TIMEOUT = 3600.0
COMMAND_TIMEOUT = 300.0
"""Seconds."""
ATTEMPTS = 3
"""How often a build is begun if its builder crashes each time."""
LAMBDA_USER = "993:990"
"""The user and group as which Lambda runs functions."""
NO_VOLUMES: Mapping[Path, str] = {}

PIP_CONFIGURATION = (Path("/etc/pip.conf"), Path("/etc/ssl/certs"))
"""What pip may need to reach its package index; mounted into builds if it exists."""

_ENTER_CONTAINER = """
mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"
mount -t tmpfs tmpfs "$0/tmp"
for name in proc dev sys; do mount --rbind "/$name" "$0/$name"; done
user=$1 folder=$2 volumes=$3; shift 3
while [ "$volumes" -gt 0 ]; do mount --bind "$1" "$0$2"; shift 2; volumes=$((volumes - 1)); done
exec chroot --userspec="$user" "$0" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
"""
"""Runs a command as Lambda does: read-only file system except /tmp, unprivileged user."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of an image.

    Parameters
    ----------
    size
        Bytes, uncompressed.
    instruction
        The Dockerfile instruction that created it.
    """

    size: int
    instruction: str


class Container(Protocol):
    """A container in which one command can be started."""

    @property
    def command(self) -> list[str]:
        """The arguments to put before the command."""

    def pids(self, pid: int) -> list[int]:
        """Return the IDs of its processes, given the ID of the one that was started."""

    def kill(self, pid: int) -> None:
        """Kill its processes at once, given the ID of the one that was started."""


class Engine(Protocol):
    """A builder that can also inspect images and run them as Lambda does."""

    def build(
        self, dockerfile: Path, tag: str, folder: Path, arguments: Mapping[str, str], log: Path
    ) -> None:
        """Build an image, and tag it only once it is complete.

        Parameters
        ----------
        dockerfile
            Path of the Dockerfile.
        tag
            The image's name.
        folder
            The build context.
        arguments
            Build arguments; empty ones are left out.
        log
            File to which the builder's output is appended.

        Raises
        ------
        ImageError
            If it fails; the message is the failed step's own error line.
        """

    def layers(self, tag: str) -> list[Layer]:
        """Return the layers of an image, bottom first."""

    def image_id(self, tag: str) -> str:
        """Return the ID of an image, or an empty string if there is none with this tag."""

    def remove(self, tag: str) -> None:
        """Remove an image."""

    def container(
        self, tag: str, variables: Sequence[str], volumes: Mapping[Path, str] = NO_VOLUMES
    ) -> AbstractContextManager[Container]:
        """Return a context manager that runs a command in an image as Lambda does.

        The file system is read-only except for ``/tmp`` and the volumes, the user is Lambda's,
        and the network is the machine's.

        Parameters
        ----------
        tag
            The image.
        variables
            Names of the environment variables that the command inherits from its caller.
        volumes
            Folders of this machine that the command can write to, with their paths in the image.
        """


@dataclass(frozen=True, slots=True)
class Docker:
    """Docker, which needs its daemon."""

    def build(
        self, dockerfile: Path, tag: str, folder: Path, arguments: Mapping[str, str], log: Path
    ) -> None:
        """Build an image; see ``Engine``."""
        command = ["docker", "build", "--platform", "linux/amd64"]
        command += [*_build_arguments(arguments), "--file", str(dockerfile), "--tag", tag, "."]
        run(command, folder=folder, log=log, timeout=BUILD_TIMEOUT)

    def pull_if_missing(self, tag: str, log: Path) -> str:
        """Pull an image unless it is on this machine already, and return its name.

        Raises
        ------
        UnavailableError
            If it cannot be pulled.
        """
        if not self.image_id(tag):
            try:
                run(["docker", "pull", tag], log=log, timeout=COMMAND_TIMEOUT)
            except ImageError as error:
                raise UnavailableError(f"{tag} cannot be pulled: {error}") from error
        return tag

    def layers(self, tag: str) -> list[Layer]:
        """Return the layers of an image; see ``Engine``."""
        history = run(
            ["docker", "history", "--human=false", "--no-trunc", "--format", "json", tag],
            timeout=COMMAND_TIMEOUT,
        )
        lines = [json.loads(line) for line in history.splitlines()]
        layers = [Layer(int(line["Size"]), str(line["CreatedBy"])) for line in reversed(lines)]
        # The history also lists settings, which have no layer.
        return [layer for layer in layers if layer.size]

    def image_id(self, tag: str) -> str:
        """Return an image's ID; see ``Engine``."""
        return run(["docker", "images", "--quiet", "--no-trunc", tag], timeout=COMMAND_TIMEOUT)

    def remove(self, tag: str) -> None:
        """Remove an image; see ``Engine``."""
        run(["docker", "rmi", tag], timeout=COMMAND_TIMEOUT)

    @contextmanager
    def container(
        self, tag: str, variables: Sequence[str], volumes: Mapping[Path, str] = NO_VOLUMES
    ) -> Iterator[Container]:
        """Run a command in an image; see ``Engine``."""
        name = f"toxic-bot-{uuid.uuid4().hex[:8]}"
        command = ["docker", "run", "--rm", "--name", name, "--network", "host", "--read-only"]
        command += ["--tmpfs", "/tmp", "--user", LAMBDA_USER, "--entrypoint", ""]
        command += [argument for name in variables for argument in ("--env", name)]
        command += [f"--volume={folder}:{path}" for folder, path in volumes.items()]
        try:
            yield _DockerContainer(name, [*command, tag])
        finally:
            subprocess.run(["docker", "rm", "--force", name], capture_output=True, check=False)


@dataclass(frozen=True, slots=True)
class _DockerContainer:
    name: str
    command: list[str]

    def pids(self, pid: int) -> list[int]:  # noqa: ARG002 - that is Docker's client, outside of it
        listed = run(["docker", "top", self.name, "-o", "pid"], timeout=COMMAND_TIMEOUT)
        return [int(line) for line in listed.splitlines()[1:]]

    def kill(self, pid: int) -> None:  # noqa: ARG002 - that is Docker's client, outside of it
        run(["docker", "kill", self.name], timeout=COMMAND_TIMEOUT)


@dataclass(frozen=True, slots=True)
class Buildah:
    """Buildah, which needs no daemon.

    Parameters
    ----------
    store
        Folder that holds its images; None for buildah's default.
    """

    store: Path | None = None
    options: list[str] = field(init=False)

    def __post_init__(self) -> None:
        options = []
        if self.store is not None:
            options = [f"--root={self.store / 'images'}", f"--runroot={self.store / 'run'}"]
        # Without overlay mounts, vfs copies each layer, which is slow but works everywhere.
        overlay = subprocess.run(
            ["buildah", *options, "--storage-driver=overlay", "info"],
            capture_output=True,
            check=False,
        )
        driver = "vfs" if overlay.returncode else "overlay"
        object.__setattr__(self, "options", [*options, f"--storage-driver={driver}"])

    def run(self, *arguments: str, **options: Any) -> str:
        """Run a buildah command and return its output."""
        options.setdefault("timeout", COMMAND_TIMEOUT)
        return run(["buildah", *self.options, *arguments], **options)

    def build(
        self, dockerfile: Path, tag: str, folder: Path, arguments: Mapping[str, str], log: Path
    ) -> None:
        """Build an image; see ``Engine``."""
        volumes = [f"--volume={path}:{path}:ro" for path in PIP_CONFIGURATION if path.exists()]
        command = ["build", "--isolation=chroot", "--layers", "--force-rm", *volumes]
        command += ["--platform=linux/amd64", f"--file={dockerfile}", f"--tag={tag}"]
        command += [*_build_arguments(arguments), "."]
        # Buildah 1.28 now and then panics when a step ends, whatever the step did:
        # https://github.com/containers/buildah/issues/4251
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self.run(*command, folder=folder, log=log, timeout=BUILD_TIMEOUT)
            except CrashError:
                if attempt == ATTEMPTS:
                    raise
            else:
                break

    def layers(self, tag: str) -> list[Layer]:
        """Return the layers of an image; see ``Engine``."""
        with tempfile.TemporaryDirectory(prefix="image-") as folder:
            self.run("push", "--quiet", tag, f"oci:{folder}/image:latest")
            blobs = Path(folder, "image", "blobs", "sha256")
            index = json.loads(Path(folder, "image", "index.json").read_bytes())
            manifest = json.loads((blobs / _digest(index["manifests"][0])).read_bytes())
            config = json.loads((blobs / _digest(manifest["config"])).read_bytes())
            instructions = [
                entry["created_by"] for entry in config["history"] if not entry.get("empty_layer")
            ]
            sizes = [_uncompressed_size(blobs / _digest(layer)) for layer in manifest["layers"]]
        return [
            Layer(size, instruction) for size, instruction in zip(sizes, instructions, strict=True)
        ]

    def image_id(self, tag: str) -> str:
        """Return an image's ID; see ``Engine``."""
        return self.run("images", "--quiet", "--no-trunc", tag)

    def remove(self, tag: str) -> None:
        """Remove an image; see ``Engine``."""
        self.run("rmi", tag)

    @contextmanager
    def container(
        self,
        tag: str,
        variables: Sequence[str],  # noqa: ARG002 - it inherits the whole environment
        volumes: Mapping[Path, str] = NO_VOLUMES,
    ) -> Iterator[Container]:
        """Run a command in an image; see ``Engine``."""
        container = self.run("from", "--pull-never", tag)
        with ExitStack() as stack:
            stack.callback(self.run, "rm", container)
            root = self.run("mount", container)
            config = json.loads(self.run("inspect", "--type=image", tag))["OCIv1"]["config"]
            command = [
                "unshare",
                "--mount",
                "--propagation=private",
                "sh",
                "-euc",
                _ENTER_CONTAINER,
                root,
            ]
            command += [LAMBDA_USER, config.get("WorkingDir") or "/", str(len(volumes))]
            for folder, path in volumes.items():
                command += [str(folder), path]
            command.append("env")
            yield _ChrootContainer([*command, *config.get("Env", [])])

    def close(self) -> None:
        """Unmount everything in the store, so that it can be removed."""
        if self.store is None:
            return
        with suppress(ImageError):
            self.run("rm", "--all")
        mounts = [line.split()[1] for line in Path("/proc/mounts").read_text("utf-8").splitlines()]
        for mount in reversed([path for path in mounts if path.startswith(f"{self.store}/")]):
            subprocess.run(["umount", "--lazy", mount], capture_output=True, check=False)


@dataclass(frozen=True, slots=True)
class _ChrootContainer:
    command: list[str]

    def pids(self, pid: int) -> list[int]:
        pids = [pid]
        # The list grows while the loop walks down the process tree.
        for parent in pids:
            for task in Path(f"/proc/{parent}/task").glob("*/children"):
                with suppress(OSError):
                    pids += [int(child) for child in task.read_text().split()]
        return pids

    def kill(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def _build_arguments(arguments: Mapping[str, str]) -> list[str]:
    return [f"--build-arg={name}={value}" for name, value in arguments.items() if value]


def _uncompressed_size(archive: Path) -> int:
    with gzip.open(archive) as file:
        return sum(len(block) for block in iter(lambda: file.read(1 << 20), b""))


def _digest(descriptor: Mapping[str, Any]) -> str:
    return str(descriptor["digest"]).removeprefix("sha256:")


def find_engine() -> Engine:
    """Return Docker if its daemon is running, or else buildah.

    Raises
    ------
    UnavailableError
        If the machine has neither.
    """
    if shutil.which("docker"):
        info = subprocess.run(["docker", "info"], capture_output=True, check=False)
        if info.returncode == 0:
            return Docker()
    if shutil.which("buildah"):
        return Buildah()
    raise UnavailableError(
        "found neither a running Docker nor buildah: install one ('apt-get install buildah')"
    )
