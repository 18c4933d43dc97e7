"""SQS, DynamoDB, Secrets Manager (moto) and the local Slack, over HTTP in this process."""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import boto3
import pytest
import waitress
from botocore.loaders import JSONFileLoader, Loader
from moto.dynamodb.models import dynamodb_backends
from moto.secretsmanager.models import secretsmanager_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from moto.sqs.models import sqs_backends
from starlette.types import ASGIApp, Receive, Scope, Send

from handler import clients as aws_clients
from handler.telemetry import powertools, start_telemetry
from simulators.asgi import Server
from simulators.aws.moto_server import THREADS, serialize_dynamodb
from simulators.aws.moto_shortcuts import save_work
from simulators.process import HOST
from toxic_bot.judge import classifier

SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
BOT_TOKEN = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"


@dataclass(frozen=True)
class Admin:
    """The AWS clients with which the tests prepare an account."""

    sqs: Any
    secrets: Any
    dynamodb: Any


@dataclass(frozen=True)
class Account:
    """An AWS account with the bot's queue, table and secrets."""

    sqs: Any
    queue_url: str
    text_queue_url: str

    def queued_bodies(self, url: str = "") -> list[dict[str, Any]]:
        """Receive every visible message of a queue and return the bodies."""
        bodies = []
        while messages := self.sqs.receive_message(
            QueueUrl=url or self.queue_url, MaxNumberOfMessages=10
        ).get("Messages"):
            bodies += [json.loads(message["Body"]) for message in messages]
        return bodies


class SlackServer:
    """One server for all tests: each test serves its own Slack from it.

    Starting and stopping a server for every test would take longer than most tests.
    """

    def __init__(self) -> None:
        self._application: ASGIApp | None = None
        self._server = Server(self._forward)
        self.address = self._server.address
        self.start = self._server.start
        self.stop = self._server.stop

    def serve(self, application: ASGIApp) -> None:
        self._application = application

    async def _forward(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._application is not None
        await self._application(scope, receive, send)


class StandardOutput:
    """The current standard output, which pytest replaces for every test."""

    def write(self, text: str) -> int:
        return sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()


@pytest.fixture(autouse=True)
def capture_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test capture the log: its handler would keep the first standard output it saw."""
    start_telemetry()
    monkeypatch.setattr(powertools.registered_handler, "stream", StandardOutput())


@pytest.fixture(scope="session", autouse=True)
def parse_aws_models_once() -> Iterator[None]:
    """Share botocore's parsed service models: every test creates sessions of its own."""
    load_file = cache(JSONFileLoader().load_file)
    look = Loader.list_available_services
    seen: dict[tuple[str, ...], list[str]] = {}

    def list_services(loader: Loader, type_name: str) -> list[str]:
        # It looks into the folders of four hundred services.
        key = (type_name, *loader.search_paths)
        if key not in seen:
            seen[key] = look(loader, type_name)
        return seen[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JSONFileLoader, "load_file", lambda _, path: load_file(path))
        # It looks into the folders of four hundred services.
        patch.setattr(Loader, "list_available_services", list_services)
        yield


@pytest.fixture(scope="session", autouse=True)
def load_models_once() -> Iterator[None]:
    """Share the loaded models: every test starts an environment of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classifier, "load", cache(classifier.load))
        yield


@pytest.fixture(scope="session")
def slack_server() -> Iterator[SlackServer]:
    server = SlackServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def aws_endpoint() -> str:
    serialize_dynamodb()
    save_work()
    # moto's own server starts a thread and opens a connection for every request.
    moto = DomainDispatcherApplication(create_backend_app)
    # Every cold start leaves connections behind, which are kept alive.
    limit = {"connection_limit": 10_000}
    server = waitress.create_server(moto, host=HOST, port=0, threads=THREADS, **limit)
    # It ends with the process.
    threading.Thread(target=server.run, daemon=True).start()
    return f"http://{HOST}:{server.effective_port}"


def aws_environment(endpoint: str) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "eu-central-1",
    }


@pytest.fixture(scope="session")
def admin(aws_endpoint: str) -> Admin:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in aws_environment(aws_endpoint).items():
            patch.setenv(name, value)
        session = boto3.session.Session()
        return Admin(
            sqs=session.client("sqs"),
            secrets=session.client("secretsmanager"),
            dynamodb=session.client("dynamodb"),
        )


@pytest.fixture
def account(aws_endpoint: str, admin: Admin, monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    environment = aws_environment(aws_endpoint) | {
        "POWERTOOLS_SERVICE_NAME": "test",
        "CLAIM_TABLE": "claims",
        "SIGNING_SECRET_NAME": "signing-secret",
        "BOT_TOKEN_NAME": "bot-token",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    queue_url = admin.sqs.create_queue(QueueName="reactions")["QueueUrl"]
    monkeypatch.setenv("QUEUE_URL", queue_url)
    text_queue_url = admin.sqs.create_queue(QueueName="texts")["QueueUrl"]
    monkeypatch.setenv("TEXT_QUEUE_URL", text_queue_url)
    admin.secrets.create_secret(Name="signing-secret", SecretString=SIGNING_SECRET)
    admin.secrets.create_secret(Name="bot-token", SecretString=BOT_TOKEN)
    admin.dynamodb.create_table(
        TableName="claims",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    yield Account(admin.sqs, queue_url, text_queue_url)
    # Deleting each by a call would take as long as making it.
    for backends in (sqs_backends, secretsmanager_backends, dynamodb_backends):
        for one in backends.values():
            one.reset()


def dynamodb() -> Any:
    """Return a client of the account; making one takes longer than most tests."""
    return _dynamodb(os.environ["AWS_ENDPOINT_URL"])


@cache
def _dynamodb(endpoint: str) -> Any:
    return boto3.session.Session().client("dynamodb", endpoint_url=endpoint)


def claim_table() -> Any:
    """Return the account's table; making this takes longer than most tests."""
    return _claim_table(os.environ["AWS_ENDPOINT_URL"])


@cache
def _claim_table(endpoint: str) -> Any:
    return boto3.session.Session().resource("dynamodb", endpoint_url=endpoint).Table("claims")


def cold_start(name: str) -> ModuleType:
    """Import an entry point the way a new Lambda environment does."""
    sys.modules.pop(name, None)
    aws_clients._session.cache_clear()
    try:
        return importlib.import_module(name)
    except SystemExit:
        # The process would have ended; the tests need the garbage collector that it switched off.
        gc.enable()
        raise


@pytest.fixture
def receiver(account: Account) -> ModuleType:  # noqa: ARG001 - it must exist first
    return cold_start("handler.receiver")
