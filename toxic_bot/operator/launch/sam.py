"""What ``toxic-bot up`` leaves to Docker and the SAM CLI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toxic_bot.operator.launch.target import Target
from toxic_bot.operator.stack import DeploymentError

IMAGE = "toxic-bot:latest"
"""The image that template.yaml names, which SAM builds and pushes."""
TEMPLATES = ("template.yaml", "observability.yaml")
CAPABILITIES = ("CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND")
HOMES = {
    "sam": "https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/"
    "install-sam-cli.html",
    "docker": "https://docs.docker.com/engine/install/",
}
"""Where to get the programs."""


_DOCKER_INFO = ("docker", "info")


@dataclass(frozen=True, slots=True)
class Sam:
    """The SAM CLI, deploying from a clone.

    Parameters
    ----------
    target
        Where to.
    clone
        The folder with template.yaml.
    log
        File to which the programs' output is appended.
    """

    target: Target
    clone: Path
    log: Path

    def check(self, *, builds: bool) -> None:
        """Make sure that the programs are there, before anybody is asked anything.

        Parameters
        ----------
        builds
            Whether the image is built, which needs Docker.

        Raises
        ------
        DeploymentError
            When one is missing.
        """
        for program in ("sam", "docker") if builds else ("sam",):
            if shutil.which(program) is None:
                raise DeploymentError(f"{program} is missing: install it, {HOMES[program]}")
        if builds:
            info = subprocess.run(_DOCKER_INFO, capture_output=True, check=False)
            if info.returncode == 0:
                return
            raise DeploymentError(
                "Docker's daemon does not answer: start Docker, or take an image with --image URI"
            )

    def build(self) -> None:
        """Build the base image, and the image of the functions on top of it.

        Raises
        ------
        DeploymentError
            When a build fails.
        """
        self._run([sys.executable, "-m", "image", "build"], "the base image cannot be built")
        with tempfile.TemporaryDirectory(prefix="toxic-bot-") as name:
            command = ["sam", "build", *_unconfigured(Path(name)), "--cached"]
            self._run([*command, *self._region()], "the image cannot be built")

    def deploy(self, repository: str, values: Mapping[str, str], image: str) -> None:
        """Create or update the stack.

        Parameters
        ----------
        repository
            URI of the repository to which SAM pushes the image.
        values
            Values of the template's parameters; the others keep theirs.
        image
            An image that is in ECR already; empty for the one that was built.

        Raises
        ------
        DeploymentError
            When it fails; CloudFormation's reason is looked up by whoever catches it.
        """
        with tempfile.TemporaryDirectory(prefix="toxic-bot-") as name:
            folder = Path(name)
            command = ["sam", "deploy", *_unconfigured(folder)]
            if image:
                command += ["--template-file", str(self._with_image(folder, image))]
            command += ["--stack-name", self.target.stack, "--s3-prefix", self.target.stack]
            command += ["--resolve-s3", "--image-repository", repository, *self._region()]
            command += ["--no-confirm-changeset", "--no-fail-on-empty-changeset"]
            command += ["--capabilities", *CAPABILITIES]
            command += ["--tags", "project=toxic-bot", f"stage={self.target.stage}"]
            command += ["--parameter-overrides", *overrides(values)]
            self._run(command, f"{self.target.stack} cannot be deployed")

    def _with_image(self, folder: Path, image: str) -> Path:
        """Write the templates with another image, and return the path of the first."""
        for name in TEMPLATES:
            text = (self.clone / name).read_text("utf-8")
            (folder / name).write_text(text.replace(f"ImageUri: {IMAGE}", f"ImageUri: {image}"))
        return folder / TEMPLATES[0]

    def _region(self) -> list[str]:
        return ["--region", self.target.region]

    def _run(self, command: Sequence[str], what: str) -> None:
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(command)}\n")
            log.flush()
            begins = log.tell()
            result = subprocess.run(
                command,
                cwd=self.clone,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"SAM_CLI_TELEMETRY": "0"},
                check=False,
            )
        if result.returncode:
            with self.log.open(encoding="utf-8", errors="replace") as log:
                log.seek(begins)
                raise DeploymentError(f"{what} ({_reason(log.read())}): see {self.log}")


def overrides(values: Mapping[str, str]) -> list[str]:
    """Return parameters as the SAM CLI reads them: it splits an unquoted value at spaces.

    Raises
    ------
    DeploymentError
        When a value cannot be quoted.
    """
    for name, value in values.items():
        if "'" in value or "\n" in value:
            raise DeploymentError(f"{name} has a quotation mark in it: leave it out")
    return [f"{name}='{value}'" for name, value in values.items()]


def check_parameters(clone: Path, names: Sequence[str]) -> None:
    """Make sure that the template has some parameters: SAM ignores those that it does not know.

    Raises
    ------
    DeploymentError
        Names the first that it lacks.
    """
    text = (clone / TEMPLATES[0]).read_text("utf-8")
    section = text.partition("\nParameters:\n")[2].partition("\nConditions:\n")[0]
    known = set(re.findall(r"(?m)^  (\w+):", section))
    for name in names:
        if name not in known:
            raise DeploymentError(
                f"template.yaml has no parameter {name}: docs/deploy.md lists them, under "
                "'Changing things'"
            )


def _unconfigured(folder: Path) -> list[str]:
    """Return options that keep SAM from reading samconfig.toml, which is for 'sam deploy' alone."""
    config = folder / "samconfig.toml"
    config.write_text("version = 0.1\n")
    return ["--config-file", str(config)]


def _reason(output: str) -> str:
    """Return the line of a program's output that says what went wrong."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    last = (errors or lines or ["it printed nothing"])[-1]
    return re.sub(r"(?i)^error: ", "", last)[:300]
