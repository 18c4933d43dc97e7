from __future__ import annotations

import boto3
import pytest
from botocore.config import Config

from handler import clients as aws_clients
from handler.secrets import SecretReader
from tests.aws_account import Account
from toxic_bot.deployment.settings import SecretStore
from toxic_bot.slack.retry import TryAgainError

BOTO = Config(connect_timeout=1, read_timeout=3, retries={"total_max_attempts": 1})


def put(store: SecretStore, name: str, value: str) -> None:
    session = boto3.session.Session()
    if store is SecretStore.SSM:
        session.client("ssm").put_parameter(
            Name=name, Value=value, Type="SecureString", Overwrite=True
        )
        return
    secrets = session.client("secretsmanager")
    try:
        secrets.create_secret(Name=name, SecretString=value)
    except secrets.exceptions.ResourceExistsException:
        secrets.put_secret_value(SecretId=name, SecretString=value)


@pytest.fixture(params=list(SecretStore))
def store(request: pytest.FixtureRequest, account: Account) -> SecretStore:  # noqa: ARG001 - it must exist first
    aws_clients._session.cache_clear()
    param: SecretStore = request.param
    return param


def test_a_secret_is_read_by_name(store: SecretStore) -> None:
    put(store, "a-secret", "xoxb-one\n")
    assert SecretReader(store, BOTO).read("a-secret") == "xoxb-one"


def test_a_secret_is_cached_until_a_fresh_value_is_requested(store: SecretStore) -> None:
    put(store, "a-secret", "xoxb-one")
    reader = SecretReader(store, BOTO)
    reader.read("a-secret")
    put(store, "a-secret", "xoxb-two")
    assert reader.read("a-secret") == "xoxb-one"
    assert reader.read("a-secret", fresh=True) == "xoxb-two"
    assert reader.read("a-secret") == "xoxb-two"


def test_a_missing_secret_is_named_and_asks_for_a_retry(store: SecretStore) -> None:
    with pytest.raises(TryAgainError, match="no-such-secret") as caught:
        SecretReader(store, BOTO).read("no-such-secret")
    assert caught.value.reason == "secret"
    assert "\n" not in str(caught.value)


def test_a_cached_secret_is_fetched_again_after_five_minutes(store: SecretStore) -> None:
    put(store, "a-secret", "xoxb-one")
    now = 1000.0
    reader = SecretReader(store, BOTO, clock=lambda: now)
    reader.read("a-secret")
    put(store, "a-secret", "xoxb-two")
    now += 299
    assert reader.read("a-secret") == "xoxb-one"
    now += 1
    assert reader.read("a-secret") == "xoxb-two"


def test_a_secret_stored_as_binary_asks_for_a_retry(account: Account) -> None:  # noqa: ARG001 - it must exist first
    aws_clients._session.cache_clear()
    secrets = boto3.session.Session().client("secretsmanager")
    secrets.create_secret(Name="binary", SecretBinary=b"xoxb-one")
    with pytest.raises(TryAgainError, match="binary cannot be read"):
        SecretReader(SecretStore.SECRETS_MANAGER, BOTO).read("binary")
    secrets.delete_secret(SecretId="binary", ForceDeleteWithoutRecovery=True)
