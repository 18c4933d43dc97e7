"""The wheel, as somebody installs it: alone, and with each extra, beside modules of their own.

Each environment has the wheel and the packages that it declares, linked from the development
environment, and nothing else. So a dependency that is not declared is missing here.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import venv
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "toxic_bot"
FIVE_LINES = """\
from toxic_bot import Classifier

classifier = Classifier.load()
verdict = classifier("you are an idiot")
print(verdict.status, round(verdict.score, 2), *verdict.kinds)
print(*(one.status for one in classifier.batch(["thanks a lot!", "you are an idiot", "?!"])))
"""
EXTRAS = ("", "slack", "aws", "service", "archives", "huggingface")
LARGE_EXTRAS = ("ray", "all")
"""What the development environment lacks: tested where their packages are installed."""
NOTHING_THERE = "http://127.0.0.1:9"

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Command:
    """A command, the extras that it works with, and what it then says."""

    arguments: tuple[str, ...]
    extras: tuple[str, ...]
    says: str
    advice: str = ""


COMMANDS = (
    Command(("classify", "You are an idiot!"), EXTRAS, "toxic "),
    Command(("model", "triton", "repository"), EXTRAS, "Wrote version 1"),
    Command(
        ("model", "transformers", "folders"),
        ("huggingface",),
        "Wrote folders/verdict and folders/kinds",
        advice="huggingface",
    ),
    Command(("release", "list", "--stack", "none"), ("aws",), "", advice="aws"),
    Command(("up",), ("aws",), "this command needs a clone of the repository", advice="aws"),
    Command(("down", "--stage", "N"), ("aws",), "'N' is no name of a stage", advice="aws"),
    Command(("digest", "--database", "bot.sqlite"), EXTRAS, "bot.sqlite does not exist"),
    Command(("cases", "export", "--database", "bot.sqlite"), EXTRAS, "bot.sqlite does not exist"),
    Command(("sign", str(ROOT / "events" / "reaction_added.json")), ("slack", "aws"), '{"version"'),
    Command(("socket",), ("slack",), "set the environment variable SLACK_APP_TOKEN"),
    Command(("listen",), ("slack",), "set the environment variable SLACK_BOT_TOKEN"),
    Command(("doctor",), ("slack", "aws"), "set the environment variable", advice="slack"),
    Command(("doctor", "--stack", "none"), ("aws",), "the stack none cannot be found", "slack|aws"),
    Command(("dlq", "list", "--stack", "none"), ("aws",), "the stack none cannot be found"),
    Command(
        ("feedback", "export", "--database", "bot.sqlite"),
        ("slack", "aws"),
        "set SLACK_BOT_TOKEN to a token",
        advice="slack",
    ),
    Command(("scan", "messages.csv", "--output", "report"), ("archives",), "Judged 2 messages"),
    Command(
        ("compare", "messages.csv", "--perspective", NOTHING_THERE, "--output", "pairs"),
        ("slack", "aws", "archives"),
        "gives no score",
        advice="archives",
    ),
    Command(("demo",), (), "", advice="clone"),
    Command(("workspace",), (), "", advice="clone"),
    Command(("invoke", str(ROOT / "events" / "url_verification.json")), (), "", advice="clone"),
)
ADVICE = {"sign": "slack", "socket": "slack", "listen": "slack", "dlq": "aws", "scan": "archives"}


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and a folder of its user's."""

    extra: str
    python: Path
    folder: Path

    def has(self, *extras: str) -> bool:
        """Return whether it has one of some extras."""
        included = {"all": {*EXTRAS, "ray"}, "ray": {"ray", "archives"}}
        return bool(included.get(self.extra, {self.extra}) & {*extras})

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.python.with_name(command[0])), *command[1:]],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    @property
    def variables(self) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("AWS_", "SLACK_", "PYTHON"))
        }
        return inherited | {
            "AWS_ENDPOINT_URL": NOTHING_THERE,
            "AWS_ACCESS_KEY_ID": "x",
            "AWS_SECRET_ACCESS_KEY": "x",
            "AWS_DEFAULT_REGION": "eu-central-1",
            "SLACK_API_URL": f"{NOTHING_THERE}/",
            "SLACK_SIGNING_SECRET": "8f742231b10e8888abcd99yyyzzz85a5",
        }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # In a copy, because setuptools builds in the source folder.
    source = tmp_path_factory.mktemp("source")
    shutil.copytree(PACKAGE, source / "toxic_bot", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(source / "dist"), str(source)]
    subprocess.run(command, check=True, timeout=300)
    [path] = (source / "dist").glob("toxic_bot-*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pip puts into an environment: the package, its metadata and the program."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install"]
    pip += ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
    subprocess.run(pip, check=True, timeout=300)
    return folder


@pytest.fixture(scope="module", params=(*EXTRAS, *LARGE_EXTRAS), ids=lambda extra: extra or "alone")
def environment(
    request: pytest.FixtureRequest, installed: Path, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    try:
        packages = declared(distribution("toxic-bot"), request.param)
    except PackageNotFoundError as error:
        pytest.skip(f"{error.name} is not installed here")
    folder = tmp_path_factory.mktemp(request.param or "alone")
    # Installing it eight times would take longer than the tests.
    shutil.copytree(installed, folder / "venv", symlinks=True, copy_function=os.link)
    python = folder / "venv" / "bin" / "python"
    program = python.with_name("toxic-bot")
    script = program.read_text().replace(str(installed), str(folder / "venv"))
    program.unlink()
    program.write_text(script)
    program.chmod(0o755)
    [site] = (folder / "venv" / "lib").glob("python*/site-packages")
    for name in packages:
        link(distribution(name), site)
    home = folder / "home"
    home.mkdir()
    # What a user may well have beside their script.
    for name in ("model.py", "service.py", "handler.py", "judge.py", "local.py"):
        (home / name).write_text("raise RuntimeError('the module of the user was imported')\n")
    (home / "messages.csv").write_text("text\nthank you!\nyou are an idiot\n")
    return Environment(request.param, python, home)


def declared(package: Distribution, extra: str) -> set[str]:
    """Return the packages that a package declares, and those that they declare, and so on."""
    names: set[str] = set()
    pending = [(package, frozenset({extra}))]
    while pending:
        one, extras = pending.pop()
        for text in one.requires or ():
            requirement = Requirement(text)
            marker = requirement.marker
            if marker and not any(marker.evaluate({"extra": name}) for name in extras | {""}):
                continue
            name = canonicalize_name(requirement.name)
            # Only what tokenizers downloads with; the lock files leave it out as well.
            if name in names or name == "huggingface-hub":
                continue
            if name != "toxic-bot":
                names.add(name)
            pending.append((distribution(name), frozenset(requirement.extras)))
    return names


@cache
def entries(name: str) -> tuple[Path, ...]:
    """Return what a package has put directly into its folder."""
    package = distribution(name)
    tops = {Path(str(file)).parts[0] for file in package.files or ()} - {"..", "__pycache__"}
    return tuple(Path(str(package.locate_file(top))) for top in sorted(tops))


def link(package: Distribution, site: Path) -> None:
    for path in entries(package.metadata["Name"]):
        target = site / path.name
        if not target.exists():
            target.symlink_to(path)


def test_a_wheel_has_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    expected = {
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == expected


def test_a_wheel_alone_needs_four_packages() -> None:
    needed = {
        canonicalize_name(Requirement(text).name)
        for text in distribution("toxic-bot").requires or ()
        if "extra ==" not in text
    }
    assert needed == {"cld3-py", "numpy", "onnxruntime", "tokenizers"}


def test_five_lines_judge_a_text_beside_modules_of_the_users_own(environment: Environment) -> None:
    (environment.folder / "script.py").write_text(FIVE_LINES)
    ran = environment.run("python", "script.py")
    assert ran.returncode == 0, ran.stderr
    first, second = ran.stdout.splitlines()
    status, score, *kinds = first.split()
    assert (status, kinds) == ("toxic", ["insult"])
    assert 0.5 < float(score) <= 1
    assert second == "fine toxic not_judged"


def test_the_package_is_typed(environment: Environment) -> None:
    code = "import toxic_bot, pathlib; print(pathlib.Path(toxic_bot.__file__).parent)"
    installed = Path(environment.run("python", "-c", code).stdout.strip())
    assert (installed / "py.typed").exists()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command.arguments[:2]))
def test_a_command_runs_or_says_which_extra_it_needs(
    environment: Environment, command: Command
) -> None:
    ran = environment.run("toxic-bot", *command.arguments)
    told = ran.stdout + ran.stderr
    assert "Traceback" not in told
    if environment.has(*command.extras):
        assert command.says in told
        return
    assert ran.returncode == 1
    [line] = ran.stderr.splitlines()
    if command.advice == "clone":
        assert "runs in a clone of the repository only: run 'make demo' there" in line
        return
    extras = (command.advice or ADVICE.get(command.arguments[0], command.extras[0])).split("|")
    assert any(f'pip install "toxic-bot[{extra}]"' in line for extra in extras)


def test_the_service_serves_or_says_which_extra_it_needs(environment: Environment) -> None:
    command = [str(environment.python.with_name("toxic-bot")), "serve", "--no-keys", "--port", "0"]
    with subprocess.Popen(
        command,
        cwd=environment.folder,
        env=environment.variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        first = server.stdout.readline()
        server.send_signal(signal.SIGTERM)
        told = server.stderr.read()
    if environment.has("service"):
        assert first.startswith("Serving verdicts at http://127.0.0.1:")
    else:
        assert told.strip().endswith('pip install "toxic-bot[service]"')
    assert "Traceback" not in told
