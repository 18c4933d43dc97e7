"""What the real SAM CLI makes of the two templates, with moto's S3."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer
from samtranslator.yaml_helper import yaml_parse

from simulators.aws.template import REGION
from tests.template import declared
from tests.template.code import ROOT
from toxic_bot.operator.launch.sam import Sam
from toxic_bot.operator.launch.target import Target

pytestmark = pytest.mark.slow

SAM = ROOT / ".venv" / "sam" / "bin" / "sam"
BUCKET, STACK = "aws-sam-cli-managed-default", "toxic-bot-dev"
REPOSITORY = f"123456789012.dkr.ecr.{REGION}.amazonaws.com/toxic-bot"
IMAGE = f"{REPOSITORY}@sha256:{'0a' * 32}"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": REGION,
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket=BUCKET)
    yield s3
    server.stop()


@pytest.mark.long
def test_sam_uploads_the_stack_inside_and_writes_out_what_cloudformation_cannot_read(
    bucket: Any, tmp_path: Path
) -> None:
    if not SAM.exists():
        pytest.skip("the SAM CLI is not installed: run 'make .venv/sam' to install it")
    # As 'toxic-bot up --image' does, so that no image has to be built or pushed.
    target = Target("dev", "123456789012", REGION, boto3.Session())
    template = Sam(target, ROOT, tmp_path / "log")._with_image(tmp_path, IMAGE)
    command = [str(SAM), "package", "--template-file", str(template), "--s3-bucket", BUCKET]
    command += ["--s3-prefix", STACK, "--image-repository", REPOSITORY]
    result = subprocess.run(
        [*command, "--output-template-file", str(tmp_path / "packaged.yaml")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"SAM_CLI_TELEMETRY": "0"},
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    text = (tmp_path / "packaged.yaml").read_text("utf-8")
    assert not re.search(r"<<:|(?m:[:-] [&*]\w)", text)
    packaged = yaml_parse(text)["Resources"]
    images = {
        one["Properties"]["ImageUri"]
        for one in packaged.values()
        if one["Type"] == "AWS::Serverless::Function"
    }
    assert images == {IMAGE}
    url = packaged["FullObservability"]["Properties"]["TemplateURL"]
    # Where 'toxic-bot release' looks for releases; this is none, because it names no image.
    key = url.partition(f"/{BUCKET}/")[2]
    assert key.startswith(f"{STACK}/")
    inner = bucket.get_object(Bucket=BUCKET, Key=key)["Body"].read().decode()
    assert "ImageUri" not in inner
    assert set(yaml_parse(inner)["Resources"]) == set(declared.observability()["Resources"])
    for name, one in packaged.items():
        if one["Type"] == "AWS::CloudWatch::Alarm":
            assert one["Properties"] == declared.resource(name)
