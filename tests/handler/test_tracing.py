"""What a trace tells X-Ray of a reaction."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import pytest

from simulators import ROOT
from simulators.slack.faults import Fault
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.workspace import Channel, Person, Workspace
from tests.aws_account import BOT_TOKEN, SIGNING_SECRET, Account, SlackServer
from tests.handler.test_worker import batch, reaction_body

CANARY = "zeppelinkanarie"
PROGRAM = """
import json, sys
from types import SimpleNamespace
from handler import worker
context = SimpleNamespace(
    function_name="worker", memory_limit_in_mb=1769, aws_request_id="1",
    invoked_function_arn="arn:aws:lambda:eu-central-1:123456789012:function:worker",
    get_remaining_time_in_millis=lambda: 20_000,
)
worker.handler(json.load(sys.stdin), context)
"""
ON_LAMBDA = {
    "TRACING": "on",
    "LAMBDA_TASK_ROOT": str(ROOT),
    "_X_AMZN_TRACE_ID": (
        "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        None,
        Fault(content=f"<html>{CANARY}</html>"),
        Fault(error=f"You {CANARY}"),
        Fault(content=json.dumps({"ok": True, "messages": [{"text": CANARY}, 1]})),
    ],
    ids=["success", "HTML", "an error that quotes", "odd JSON"],
)
def test_a_trace_contains_neither_texts_nor_secrets(
    account: Account, slack_server: SlackServer, fault: Fault | None
) -> None:
    workspace = Workspace()
    workspace.add_person(Person("U0WROTE", "rae"))
    workspace.add_channel(Channel("C0001", "general", members={"U0WROTE", workspace.bot.id}))
    api = WebApi(workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
    if fault is not None:
        api.faults.add("conversations.replies", fault, times=9)
    slack_server.serve(application(api, "U0WROTE"))
    message = workspace.post("C0001", "U0WROTE", f"You pathetic {CANARY}, you are an idiot")
    with socket.socket(type=socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        daemon.settimeout(0.5)
        host, port = daemon.getsockname()
        environment = ON_LAMBDA | {
            "AWS_XRAY_DAEMON_ADDRESS": f"{host}:{port}",
            "SLACK_API_URL": f"{slack_server.address}/api/",
        }
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=json.dumps(batch(account, reaction_body(message))),
            text=True,
            env=os.environ | environment,
            cwd=ROOT,
            check=True,
            timeout=300,
        )
        traces = "".join(_received(daemon))
    assert "## handler" in traces
    assert (len(workspace.messages("C0001")) > 1) is (fault is None)
    for secret in (CANARY, BOT_TOKEN, SIGNING_SECRET):
        assert secret not in traces


def _received(daemon: socket.socket) -> list[str]:
    """Return what has been sent to the daemon."""
    received = []
    while True:
        try:
            received.append(daemon.recv(65536).decode())
        except TimeoutError:
            return received
