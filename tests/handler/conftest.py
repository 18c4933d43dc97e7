"""The account, the Slack and the log of these tests."""

from tests.aws_account import (
    account,
    admin,
    aws_endpoint,
    capture_log,
    load_models_once,
    parse_aws_models_once,
    receiver,
    slack_server,
)

__all__ = [
    "account",
    "admin",
    "aws_endpoint",
    "capture_log",
    "load_models_once",
    "parse_aws_models_once",
    "receiver",
    "slack_server",
]
