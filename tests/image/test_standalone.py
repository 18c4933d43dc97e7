"""The container without AWS: what its Dockerfile and compose.yaml promise each other.

'make image-test' builds it, and kills it in the middle of a burst.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from image.images import CONTEXT, SERVICE, STANDALONE
from image.standalone_trial import BOT, DATA, LocalSlack
from tests.template.code import ROOT
from toxic_bot.cli.command_line import parser

DOCKERFILE = (ROOT / "Dockerfile.standalone").read_text("utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
BOT_SERVICE, OTHER_SERVICE = COMPOSE["services"]["bot"], COMPOSE["services"]["service"]


def instruction(name: str) -> Any:
    """Return what the last instruction of a kind says, which is the image's."""
    value = re.findall(rf"^{name} (.+)$", DOCKERFILE, re.MULTILINE)[-1]
    return json.loads(value) if value.startswith("[") else value


def test_the_image_installs_only_the_hashed_lock_file_and_does_not_run_as_root() -> None:
    assert DOCKERFILE.count("pip install") == DOCKERFILE.count("--require-hashes") == 1
    assert re.findall(r"^COPY requirements/(\S+)", DOCKERFILE, re.MULTILINE) == ["slack.txt"]
    user = instruction("USER")
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    assert f"chown {user} {DATA}" in DOCKERFILE
    for folder in re.findall(r"^COPY (\w+)/ ", DOCKERFILE, re.MULTILINE):
        assert folder in CONTEXT


def test_the_bot_keeps_its_file_on_the_volume_and_imports_nothing_from_it() -> None:
    assert instruction("VOLUME") == [DATA]
    assert instruction("WORKDIR") == DATA
    assert "-P" in instruction("ENTRYPOINT")
    database = parser().parse_args(instruction("CMD")).database
    assert not database.is_absolute()


def test_the_trial_starts_what_the_image_starts() -> None:
    assert instruction("ENTRYPOINT") == list(BOT)
    for transport in ("socket", "listen"):
        assert parser().parse_args(LocalSlack(transport).arguments)


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_no_container_of_the_compose_file_can_write_or_do_more_than_it_needs(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    # Nobody outside of the machine reaches it without a proxy.
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    assert (ROOT / service["build"]["dockerfile"]).exists()


def test_the_compose_file_starts_the_bot_with_its_volume_and_the_service_on_demand() -> None:
    assert f"{BOT_SERVICE['image']}:latest" == STANDALONE
    assert f"{OTHER_SERVICE['image']}:latest" == SERVICE
    assert BOT_SERVICE["volumes"] == [f"data:{DATA}"]
    assert "data" in COMPOSE["volumes"]
    assert "profiles" not in BOT_SERVICE
    assert OTHER_SERVICE["profiles"] == ["service"]
    assert parser().parse_args(BOT_SERVICE["command"])
    [keys] = OTHER_SERVICE["volumes"]
    service = (ROOT / "Dockerfile.service").read_text("utf-8")
    assert f'CMD ["--keys", "{keys.split(":")[1]}"]' in service


def test_the_compose_file_holds_no_secret_and_refuses_to_start_without_one() -> None:
    for name in ("SLACK_APP_TOKEN", "SLACK_BOT_TOKEN"):
        assert BOT_SERVICE["environment"][name].startswith(f"${{{name}:?")


def test_the_health_check_passes_while_the_ready_file_is_fresh(tmp_path: Path) -> None:
    ready = BOT_SERVICE["environment"]["READY_FILE"]
    kind, _, *arguments = BOT_SERVICE["healthcheck"]["test"]
    assert kind == "CMD"
    file = tmp_path / "ready"

    def is_healthy() -> bool:
        check = [sys.executable, *(one.replace(ready, str(file)) for one in arguments)]
        return subprocess.run(check, stderr=subprocess.DEVNULL, check=False).returncode == 0

    assert not is_healthy()
    file.touch()
    assert is_healthy()
    os.utime(file, (0, 0))
    assert not is_healthy()
