"""A real SQS, DynamoDB and Secrets Manager over HTTP, in this process."""

from __future__ import annotations

import importlib
import json
import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from handler.telemetry import logger

SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
BOT_TOKEN = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"


@dataclass(frozen=True)
class Account:
    """An AWS account with the bot's queue, table and secrets."""

    sqs: Any
    queue_url: str
    endpoint: str

    def bodies(self) -> list[dict[str, Any]]:
        """Take everything from the queue."""
        found = []
        while messages := self.sqs.receive_message(
            QueueUrl=self.queue_url, MaxNumberOfMessages=10
        ).get("Messages"):
            found += [json.loads(message["Body"]) for message in messages]
        return found


class StandardOutput:
    """Standard output as it is at each moment; pytest replaces it for every test."""

    def write(self, text: str) -> int:
        return sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()


@pytest.fixture(autouse=True)
def _log_to_this_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test capture the log, whose handler keeps the standard output it saw first."""
    for handler in logging.getLogger(logger.name).handlers:
        monkeypatch.setattr(handler, "stream", StandardOutput())


@pytest.fixture(scope="session")
def aws() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def account(aws: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    environment = {
        "AWS_ENDPOINT_URL": aws,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "POWERTOOLS_SERVICE_NAME": "test",
        "CLAIM_TABLE": "claims",
        "SIGNING_SECRET_NAME": "signing-secret",
        "BOT_TOKEN_NAME": "bot-token",
        "MODEL_FOLDER": "model",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    session = boto3.session.Session()
    sqs = session.client("sqs")
    queue_url = sqs.create_queue(QueueName="reactions")["QueueUrl"]
    monkeypatch.setenv("QUEUE_URL", queue_url)
    secrets = session.client("secretsmanager")
    secrets.create_secret(Name="signing-secret", SecretString=SIGNING_SECRET)
    secrets.create_secret(Name="bot-token", SecretString=BOT_TOKEN)
    session.client("dynamodb").create_table(
        TableName="claims",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    yield Account(sqs, queue_url, aws)
    session.client("dynamodb").delete_table(TableName="claims")
    sqs.delete_queue(QueueUrl=queue_url)
    for name in ("signing-secret", "bot-token"):
        secrets.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)


def start(name: str) -> ModuleType:
    """Import an entry point as a new Lambda environment does."""
    sys.modules.pop(name, None)
    boto3.DEFAULT_SESSION = None
    return importlib.import_module(name)


@pytest.fixture
def receiver(account: Account) -> ModuleType:  # noqa: ARG001 - it has to be there first
    return start("handler.receiver")
