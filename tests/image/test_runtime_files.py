"""The functions work with only those files of their dependencies that the image keeps."""

from __future__ import annotations

import ast
import gzip
import json
import marshal
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from image.runtime_files import (
    DOCSTRINGS,
    SERVICES,
    compile_modules,
    installed_files,
    kept_files,
    prune,
    shorten,
    unused_patterns,
)
from image.standin import RUNTIME_CLIENT
from simulators.aws.gateway import PATH, http_api_event
from simulators.aws.poller import sqs_event
from simulators.aws.runtime import ExecutionEnvironment, InvocationError
from simulators.samples import CHANNEL, RAE, VIEWER, create_workspace
from simulators.slack.rate_limits import NO_LIMITS
from simulators.stack import Options, Stack
from tests.template.code import LAMBDA, ROOT
from toxic_bot.deployment.settings import SecretStore

TEXTS = {
    "You are a worthless idiot and everybody here despises you.": "toxic",
    "Możesz to proszę sprawdzić jeszcze dzisiaj przed naszym spotkaniem?": "English",
    "Du bist ein kompletter Vollidiot, und keiner hier mag dich.": "toxic",
}
"""Texts, each with a word of its answer. The second one needs the language detector."""

WITHOUT_SITE_PACKAGES = """
import sys
sys.path[:] = [path for path in sys.path if not path.endswith("site-packages")]
"""


def locked_packages() -> list[str]:
    lock = (ROOT / "requirements" / "runtime.txt").read_text("utf-8")
    return sorted(set(re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)))


def package_files(name: str) -> dict[str, Path]:
    """Return the files of an installed package, by their path in an installation."""
    files = distribution(name).files or []
    return {
        path.as_posix(): Path(str(path.locate())).resolve()
        for path in files
        if ".." not in path.parts and path.suffix != ".pyc"
    }


@pytest.fixture(scope="module")
def installed() -> dict[str, Path]:
    return {path: file for name in locked_packages() for path, file in package_files(name).items()}


@pytest.fixture(scope="module")
def folder(installed: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dependencies as in the image, and AWS's runtime client."""
    folder = tmp_path_factory.mktemp("python")
    kept = {path: installed[path] for path in kept_files(installed)}
    for name in RUNTIME_CLIENT:
        kept |= package_files(name)
    for path, file in kept.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).symlink_to(file)
    shorten(folder)
    compile_modules(folder)
    (folder / "sitecustomize.py").write_text(WITHOUT_SITE_PACKAGES)
    return folder


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    options = Options(limits=NO_LIMITS, parameters={"Tracing": "on", "Moderators": CHANNEL})
    with Stack(create_workspace(), VIEWER, options).start() as running:
        running.poller.stop()
        yield running


def function(stack: Stack, name: str, folder: Path, **variables: str) -> ExecutionEnvironment:
    # The local stack has only two functions; the others need what the receiver has.
    config = stack.aws.function("Worker" if name == "worker" else "Receiver")
    config = replace(
        config,
        handler=f"handler.{name}.handler",
        environment=config.environment | {"PYTHONPATH": f"{folder}:{ROOT}"} | variables,
    )
    return ExecutionEnvironment(config, stack.aws.endpoint, stack.folder / "kept.log")


@pytest.mark.long
@pytest.mark.slow
def test_receiver_and_worker_answer_with_the_kept_files_alone(stack: Stack, folder: Path) -> None:
    receiver, worker = (function(stack, name, folder) for name in ("receiver", "worker"))
    source = stack.aws.event_source_mapping("WorkerSource")
    try:
        for text, expected in TEXTS.items():
            message = stack.workspace.post(CHANNEL, RAE, text)
            reaction = stack.workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
            body = json.dumps(stack.events.new_envelope(reaction)).encode()
            headers = {name.lower(): value for name, value in stack.events.headers(body).items()}
            response = receiver.invoke(http_api_event(headers=headers, body=body))
            assert response["body"] == "queued"
            # Slack has delivered the reaction, too.
            while not stack.is_answered(message):
                batch = stack.queue.receive_message(
                    QueueUrl=source.queue_url, MessageSystemAttributeNames=["All"]
                )["Messages"]
                response = worker.invoke(sqs_event(batch, source.queue_arn))
                assert response == {"batchItemFailures": []}
            [answer] = stack.answers(message)
            assert expected in answer.text
    finally:
        receiver.stop()
        worker.stop()


@pytest.mark.long
@pytest.mark.slow
def test_probe_and_rehearsal_start_with_the_kept_files_alone(stack: Stack, folder: Path) -> None:
    url = f"{stack.gateway.address}{PATH}"
    probe = function(stack, "probe", folder, REQUEST_URL=url)
    arn = "arn:aws:lambda:us-east-1:123456789012:function:none:1"
    rehearsal = function(stack, "rehearsal", folder, NEW_RECEIVER=arn, NEW_WORKER=arn)
    try:
        assert probe.invoke({}) is None
        # moto has no such deployment: what matters is that CodeDeploy's API is there.
        with pytest.raises(InvocationError) as caught:
            rehearsal.invoke({"DeploymentId": "d-1", "LifecycleEventHookExecutionId": "e-1"})
        assert "PutLifecycleEventHookExecutionStatus" in str(caught.value)
    finally:
        probe.stop()
        rehearsal.stop()


@pytest.mark.long
@pytest.mark.slow
def test_the_digest_is_posted_with_the_kept_files_alone(stack: Stack, folder: Path) -> None:
    config = stack.aws.function("Digest")
    variables = {"PYTHONPATH": f"{folder}:{ROOT}", "MODERATORS": CHANNEL}
    digest = ExecutionEnvironment(
        replace(config, environment=config.environment | variables),
        stack.aws.endpoint,
        stack.folder / "kept.log",
    )
    try:
        assert digest.invoke({}) is None
    finally:
        digest.stop()
    [post] = [one for one in stack.workspace.messages(CHANNEL) if "week in verdicts" in one.text]
    assert post.thread_ts is None


@pytest.mark.slow
def test_every_pattern_keeps_a_file(installed: dict[str, Path]) -> None:
    assert unused_patterns(installed) == []


def test_the_kept_files_are_less_than_95_megabytes(installed: dict[str, Path]) -> None:
    kept = set(kept_files(installed))
    assert sum(installed[path].stat().st_size for path in kept) < 95e6
    assert not {path for path in kept if "/tests/" in path or "libonnxruntime.so" in path}


def test_the_kept_services_are_those_that_the_functions_call() -> None:
    called = set()
    for module in (path for folder in LAMBDA for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "create_client"
            ):
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    called.add(str(name.value))
                else:
                    assert ast.unparse(name) == "store.value"
                    called |= set(SecretStore)
    assert called == set(SERVICES)


def test_every_license_is_kept(installed: dict[str, Path]) -> None:
    licenses = {
        path
        for path in installed
        if re.search(r"\.dist-info/.*(LICEN[CS]E|COPYING|NOTICE)", path, re.IGNORECASE)
    }
    assert len(licenses) > 10
    assert licenses <= set(kept_files(installed))


API: dict[str, Any] = {
    "documentation": "<p>All about queues.</p>",
    "shapes": {
        "Message": {
            "type": "structure",
            "members": {"documentation": {"shape": "Text", "documentation": "<p>A field.</p>"}},
        }
    },
    "operations": {"Send": {"errors": [{"shape": "Full", "documentation": "<p>Wait.</p>"}]}},
}


@pytest.fixture
def pruned(tmp_path: Path) -> Path:
    """A folder with a few packages, after the build's step."""
    services: dict[str, Any] = {"sqs": {"endpoints": {}}, "ec2": {"endpoints": {}}}
    endpoints = {"version": 3, "partitions": [{"partition": "aws", "services": services}]}
    api = gzip.compress(json.dumps(API).encode())
    for path, content in {
        "six.py": b"x = 1\n",
        "boto3/__init__.py": b"",
        "botocore/__init__.py": b"",
        "botocore/data/endpoints.json": json.dumps(endpoints).encode(),
        "botocore/data/sqs/1/service-2.json.gz": api,
        "botocore/data/ec2/1/service-2.json.gz": api,
        "numpy/_core/_add_newdocs.py": b"raise AssertionError\n",
        "numpy/_core/tests/test_it.py": b"",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    prune(tmp_path)
    return tmp_path


def test_a_build_removes_what_is_not_kept_with_its_folders(pruned: Path) -> None:
    assert installed_files(pruned) == [
        "botocore/__init__.pyc",
        "botocore/data/endpoints.json",
        "botocore/data/sqs/1/service-2.json",
        "numpy/_core/_add_newdocs.pyc",
        "numpy/_core/_add_newdocs_scalars.pyc",
        "six.pyc",
    ]
    assert not (pruned / "numpy/_core/tests").exists()


def test_a_build_compiles_the_rest_so_that_nothing_is_compared_at_start(pruned: Path) -> None:
    header = (pruned / "six.pyc").read_bytes()[4:8]
    # https://peps.python.org/pep-0552/: hash-based, and not to be checked.
    assert int.from_bytes(header, "little") == 0b01


def test_the_list_of_endpoints_shrinks_to_the_services_that_are_called(pruned: Path) -> None:
    endpoints: dict[str, Any] = json.loads(
        (pruned / "botocore" / "data" / "endpoints.json").read_text()
    )
    [partition] = endpoints["partitions"]
    assert set(partition["services"]) == {"sqs"}


def test_an_api_is_kept_without_its_documentation(pruned: Path) -> None:
    path = pruned / "botocore" / "data" / "sqs" / "1" / "service-2.json"
    assert json.loads(path.read_text()) == {
        "shapes": {
            "Message": {"type": "structure", "members": {"documentation": {"shape": "Text"}}}
        },
        "operations": {"Send": {"errors": [{"shape": "Full"}]}},
    }


def test_what_only_gives_docstrings_is_emptied(pruned: Path) -> None:
    for name in DOCSTRINGS:
        # After the header, code that returns None: bytecode of nothing.
        code = marshal.loads((pruned / name).with_suffix(".pyc").read_bytes()[16:])
        assert code.co_names == ()
        assert code.co_consts in {(None,), ()}


def test_a_module_that_does_not_compile_keeps_its_source(tmp_path: Path) -> None:
    """Such as a template that is no module, or one for a later Python."""
    (tmp_path / "six.py").write_text("x = = 1")
    (tmp_path / "urllib3").mkdir()
    (tmp_path / "urllib3" / "__init__.py").write_text("x = 1")
    compile_modules(tmp_path)
    assert installed_files(tmp_path) == ["six.py", "urllib3/__init__.pyc"]
