"""moto's server with permission checks by resource: ``python -m simulators.aws.moto_server PORT``.

moto checks the actions of an IAM policy, but its resources only for SQS. Here, DynamoDB,
Secrets Manager and SSM report theirs too, so a policy for the wrong table fails locally as it
would on AWS. Connections are kept alive, as on AWS; moto's own server closes them after each
request.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import astuple
from typing import Any

import waitress
from moto.dynamodb.responses import DynamoHandler
from moto.secretsmanager.responses import SecretsManagerResponse
from moto.server import DomainDispatcherApplication, create_backend_app
from moto.sqs.exceptions import ReceiptHandleIsInvalid
from moto.sqs.models import Queue, sqs_backends
from moto.ssm.responses import SimpleSystemManagerResponse

from simulators.aws import EXPIRE_DELAYS, EXPIRE_VISIBILITY, FAULTS, QUEUE_AGES
from simulators.aws.failures import AwsFault, FaultyApplication, PlannedFault
from simulators.aws.moto_shortcuts import save_work
from simulators.process import HOST

ANY_RESOURCE = "*"
THREADS = 32
"""Maximum number of concurrent requests; each long poll occupies a thread."""


def _table_arn(handler: DynamoHandler) -> str:
    # A batch names its tables apart; the bot's have one.
    name = handler.body.get("TableName") or next(iter(handler.body.get("RequestItems", ())), "")
    if not name:
        return ANY_RESOURCE
    return f"arn:aws:dynamodb:{handler.region}:{handler.current_account}:table/{name}"


def _secret_arn(response: SecretsManagerResponse) -> str:
    secret_id = response._get_param("SecretId")
    if not secret_id:
        return ANY_RESOURCE
    secret = response.backend.secrets.get(secret_id)
    return str(secret.arn) if secret else str(secret_id)


def _parameter_arn(response: SimpleSystemManagerResponse) -> str:
    name = response._get_param("Name")
    if not name:
        return ANY_RESOURCE
    path = str(name).removeprefix("/")
    return f"arn:aws:ssm:{response.region}:{response.current_account}:parameter/{path}"


def serialize_dynamodb() -> None:
    """Let moto's DynamoDB do one thing at a time; its conditional writes are not atomic."""
    lock = threading.Lock()
    call_action = DynamoHandler.call_action

    def serialized(handler: DynamoHandler) -> Any:
        with lock:
            return call_action(handler)

    DynamoHandler.call_action = serialized


def delete_in_place() -> None:
    """Let moto's SQS delete messages one at a time, and from the list that is there.

    It makes a new list without the message, and loses what has been sent to the old one
    meanwhile.
    """

    def delete(queue: Any, receipt_handle: str) -> None:
        if receipt_handle in queue.deleted_messages:
            return
        with queue._messages_lock:
            found = [one for one in queue._messages if one.had_receipt_handle(receipt_handle)]
            if not found:
                raise ReceiptHandleIsInvalid
            for message in found:
                queue.pending_messages.discard(message)
                queue.deleted_messages.update(message.all_receipt_handles)
                queue._messages.remove(message)

    Queue.delete_message = delete


def _queues() -> list[Any]:
    return [
        queue
        for account in sqs_backends.values()
        for region in account.values()
        for queue in list(region.queues.values())
    ]


def _messages() -> list[Any]:
    return [message for queue in _queues() for message in list(queue._messages)]


def _expire_delays() -> int:
    delayed = [message for message in _messages() if message.delayed]
    for message in delayed:
        message.delayed_until = 0
    return len(delayed)


def _expire_visibility() -> int:
    in_flight = [message for message in _messages() if not message.visible]
    for message in in_flight:
        message.visible_at = 0.0
    return len(in_flight)


def _queue_ages(older_by: float) -> dict[str, float]:
    for message in _messages():
        message.sent_timestamp -= older_by * 1000
    now = time.time() * 1000
    return {
        queue.name: max(
            ((now - message.sent_timestamp) / 1000 for message in list(queue._messages)),
            default=0.0,
        )
        for queue in _queues()
    }


def serve(port: int) -> None:
    """Serve the account on the loopback interface until the process is stopped."""
    DynamoHandler._determine_resource = _table_arn
    SecretsManagerResponse._determine_resource = _secret_arn
    SimpleSystemManagerResponse._determine_resource = _parameter_arn
    serialize_dynamodb()
    delete_in_place()
    save_work()
    moto = FaultyApplication(DomainDispatcherApplication(create_backend_app))

    def application(environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path = environment["PATH_INFO"]
        if path == EXPIRE_DELAYS:
            answer = str(_expire_delays())
        elif path == EXPIRE_VISIBILITY:
            answer = str(_expire_visibility())
        elif path == QUEUE_AGES:
            answer = json.dumps(_queue_ages(float(environment["wsgi.input"].read() or 0)))
        elif path == FAULTS and environment["REQUEST_METHOD"] == "POST":
            planned = json.loads(environment["wsgi.input"].read())
            moto.plan(PlannedFault(o, n, AwsFault(fault), key) for o, n, fault, key in planned)
            answer = "planned"
        elif path == FAULTS:
            answer = json.dumps([astuple(one) for one in moto.played()])
        else:
            return moto(environment, start_response)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [answer.encode()]

    waitress.serve(application, host=HOST, port=port, threads=THREADS, _quiet=True)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
