"""An AWS account over HTTP: moto's server, with exact resources in its permission checks.

``python -m local.aws.moto_server PORT`` serves it. moto checks a role's actions, but asks for
resources in SQS alone; here DynamoDB, Secrets Manager and SSM name theirs too, so that a
policy on the wrong table fails on this machine as it would on AWS. Connections stay open,
as AWS's do: moto's own server closes each after one call.
"""

from __future__ import annotations

import sys

import waitress
from moto import backends
from moto.dynamodb.responses import DynamoHandler
from moto.secretsmanager.responses import SecretsManagerResponse
from moto.server import DomainDispatcherApplication, create_backend_app
from moto.ssm.responses import SimpleSystemManagerResponse

from local.process import HOST

ANY = "*"
THREADS = 32
"""Calls at once; a poll that waits for messages holds one."""


def _table(handler: DynamoHandler) -> str:
    name = handler.body.get("TableName")
    if not name:
        return ANY
    return f"arn:aws:dynamodb:{handler.region}:{handler.current_account}:table/{name}"


def _secret(response: SecretsManagerResponse) -> str:
    secret_id = response._get_param("SecretId")
    if not secret_id:
        return ANY
    secret = response.backend.secrets.get(secret_id)
    return str(secret.arn) if secret else str(secret_id)


def _parameter(response: SimpleSystemManagerResponse) -> str:
    name = response._get_param("Name")
    if not name:
        return ANY
    path = str(name).removeprefix("/")
    return f"arn:aws:ssm:{response.region}:{response.current_account}:parameter/{path}"


def serve(port: int) -> None:
    """Serve the account on loopback until the process is ended."""
    DynamoHandler._determine_resource = _table
    SecretsManagerResponse._determine_resource = _secret
    SimpleSystemManagerResponse._determine_resource = _parameter
    # moto lists its own folder anew in every call.
    services = list(backends.list_of_moto_modules())
    backends.list_of_moto_modules = lambda: services
    application = DomainDispatcherApplication(create_backend_app)
    waitress.serve(application, host=HOST, port=port, threads=THREADS, _quiet=True)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
