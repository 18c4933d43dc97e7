"""pip-audit, with a database that speaks OSV's API over HTTP."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from image import ImageError, UnavailableError
from image.licences import RUNTIME, SERVICE, pins
from image.vulnerabilities import UnreachableError, environment, vulnerabilities
from simulators import ROOT
from simulators.asgi import Server
from simulators.process import HOST

pytestmark = pytest.mark.slow

PINS = {"one": {"1.0", "2.0"}, "two": {"3.1"}}
KNOWN = {
    "id": "OSV-1",
    "details": "It is broken.",
    "affected": [
        {
            "package": {"name": "one", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.1"}]}],
        }
    ],
}


class Database:
    """OSV's database of one package, and what it was asked."""

    def __init__(self) -> None:
        self.vulnerable = "one"
        self.failure: Response | None = None
        self.asked: set[tuple[str, str]] = set()

    async def query(self, request: Request) -> Response:
        question = await request.json()
        name = question["package"]["name"]
        self.asked.add((name, question["version"]))
        if self.failure is not None:
            return self.failure
        return JSONResponse({"vulns": [KNOWN]} if name == self.vulnerable else {})


@pytest.fixture(scope="module", autouse=True)
def _pip_audit() -> None:
    try:
        environment()
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    database = Database()
    server = Server(Starlette(routes=[Route("/query", database.query, methods=["POST"])]))
    server.start()
    monkeypatch.setenv("PIP_AUDIT_OSV_URL", f"{server.address}/query")
    yield database
    server.stop()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def audit() -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "image", "audit"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_version_is_asked_about_and_a_vulnerable_one_named(
    database: Database, log: Path
) -> None:
    found = {str(vulnerability) for vulnerability in vulnerabilities(PINS, log)}
    assert found == {"one 1.0: OSV-1, fixed in 2.1", "one 2.0: OSV-1, fixed in 2.1"}
    assert database.asked == {("one", "1.0"), ("one", "2.0"), ("two", "3.1")}
    assert "It is broken." in log.read_text("utf-8")


def test_the_command_asks_about_everything_shipped_whatever_python_it_is_for(
    database: Database,
) -> None:
    result = audit()
    assert result.returncode == 0, result.stderr
    assert "no known vulnerabilities in" in result.stdout
    locked = [pins(RUNTIME), pins(SERVICE)]
    shipped = {(name, each) for lock in locked for name in lock for each in lock[name]}
    assert database.asked == shipped
    assert len(pins(RUNTIME)["numpy"]) > 1


def test_the_command_fails_if_it_finds_one(database: Database) -> None:
    database.vulnerable = "urllib3"
    result = audit()
    assert result.returncode == 1
    assert "urllib3" in result.stdout
    assert "error: what is shipped has known vulnerabilities (1)" in result.stderr


def test_the_command_says_so_and_succeeds_where_the_database_cannot_be_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as unused:
        unused.bind((HOST, 0))
        monkeypatch.setenv("PIP_AUDIT_OSV_URL", f"http://{HOST}:{unused.getsockname()[1]}/")
        result = audit()
    assert result.returncode == 0
    assert result.stderr == ""
    [line] = result.stdout.splitlines()
    assert line.endswith("OSV's database cannot be reached (ConnectionError)")


@pytest.mark.parametrize(
    "answer", [Response(status_code=403), Response(status_code=503), PlainTextResponse("Log in!")]
)
def test_a_network_that_answers_in_its_place_is_no_database(
    database: Database, log: Path, answer: Response
) -> None:
    database.failure = answer
    with pytest.raises(UnreachableError, match="cannot be reached"):
        vulnerabilities(PINS, log)


@pytest.mark.parametrize(
    "answer", [Response(status_code=400), JSONResponse({"vulns": [{"schema_version": "1.0"}]})]
)
def test_any_other_failure_is_not_taken_for_a_database_that_cannot_be_reached(
    database: Database, log: Path, answer: Response
) -> None:
    database.failure = answer
    with pytest.raises(ImageError, match="pip-audit failed") as caught:
        vulnerabilities(PINS, log)
    assert not isinstance(caught.value, UnreachableError)
