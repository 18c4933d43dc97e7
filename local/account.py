"""An AWS account over HTTP: moto's server, with exact resources in its permission checks.

``python -m local.account --port PORT`` serves it. moto checks a role's actions, but asks
for resources in SQS alone; here DynamoDB, Secrets Manager and SSM name theirs too, so that
a policy on the wrong table fails on this machine as it would on AWS.
"""

from __future__ import annotations

import sys

from moto.dynamodb.responses import DynamoHandler
from moto.secretsmanager.responses import SecretsManagerResponse
from moto.server import main
from moto.ssm.responses import SimpleSystemManagerResponse

ANY = "*"


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


def serve(arguments: list[str]) -> None:
    """Serve the account until the process is ended.

    Parameters
    ----------
    arguments
        Of moto's server, such as ``--port 5000``.
    """
    DynamoHandler._determine_resource = _table
    SecretsManagerResponse._determine_resource = _secret
    SimpleSystemManagerResponse._determine_resource = _parameter
    main(arguments)


if __name__ == "__main__":
    serve(sys.argv[1:])
