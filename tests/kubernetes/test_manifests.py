"""The Kubernetes manifests are valid, and agree with the service and with each other."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulators import ROOT
from toxic_bot.cli.command_line import parser
from toxic_bot.service.health import router
from toxic_bot.service.listener import GRACE
from toxic_bot.service.settings import ServiceSettings

FOLDER = ROOT / "kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text("utf-8"))
MANIFESTS = {
    name: yaml.safe_load((FOLDER / name).read_text("utf-8")) for name in KUSTOMIZATION["resources"]
}
VERSIONS = ("1.30", "1.34")
ENTRYPOINT = re.compile(r"^ENTRYPOINT \[(.*)\]$", re.MULTILINE)


@pytest.fixture
def pod() -> dict[str, Any]:
    spec: dict[str, Any] = MANIFESTS["deployment.yaml"]["spec"]["template"]["spec"]
    return spec


@pytest.fixture
def container(pod: dict[str, Any]) -> dict[str, Any]:
    [container] = pod["containers"]
    found: dict[str, Any] = container
    return found


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_is_valid(name: str, version: str) -> None:
    validator = pytest.importorskip("kubernetes_validate")
    validator.validate(MANIFESTS[name], version, strict=True)


def test_a_wrong_manifest_is_not_valid() -> None:
    validator = pytest.importorskip("kubernetes_validate")
    wrong = {**MANIFESTS["service.yaml"], "spec": {"ports": "http"}}
    with pytest.raises(validator.ValidationError):
        validator.validate(wrong, VERSIONS[-1], strict=True)


def test_every_manifest_is_applied() -> None:
    names = {path.name for path in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}
    assert names == set(KUSTOMIZATION["resources"])


def test_everything_is_about_the_same_pods(container: dict[str, Any]) -> None:
    deployment = MANIFESTS["deployment.yaml"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == labels
    assert MANIFESTS["service.yaml"]["spec"]["selector"] == labels
    assert MANIFESTS["disruption-budget.yaml"]["spec"]["selector"]["matchLabels"] == labels
    target = MANIFESTS["autoscaler.yaml"]["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("Deployment", deployment["metadata"]["name"])
    assert MANIFESTS["autoscaler.yaml"]["spec"]["minReplicas"] > 1
    [port] = MANIFESTS["service.yaml"]["spec"]["ports"]
    assert port["targetPort"] in [each["name"] for each in container["ports"]]
    assert container["image"] in [image["name"] for image in KUSTOMIZATION["images"]]


def test_probes_ask_for_paths_that_the_service_has(container: dict[str, Any]) -> None:
    paths = {route.path for route in router.routes if hasattr(route, "path")}
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] in paths
    # A busy pod is taken out of the rotation, not restarted.
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"


def test_the_image_takes_the_pods_arguments_and_its_keys(
    pod: dict[str, Any], container: dict[str, Any]
) -> None:
    [entrypoint] = ENTRYPOINT.findall((ROOT / "Dockerfile.service").read_text("utf-8"))
    command = shlex.split(entrypoint.replace(",", " "))
    arguments = command[command.index("serve") :] + container["args"]
    options = parser().parse_args(arguments)
    assert options.port in [port["containerPort"] for port in container["ports"]]
    [mount] = [m for m in container["volumeMounts"] if m["name"] == "keys"]
    assert options.keys.parent == Path(mount["mountPath"])
    assert str(options.threads) == container["resources"]["requests"]["cpu"]
    assert "keys" in [volume["name"] for volume in pod["volumes"]]


def test_a_pod_has_the_time_to_finish_what_is_begun_and_no_rights(
    pod: dict[str, Any], container: dict[str, Any]
) -> None:
    settings = ServiceSettings(model=Path("unused"))
    asleep = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > asleep + settings.deadline + 2 * GRACE
    assert pod["securityContext"]["runAsNonRoot"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert not pod["automountServiceAccountToken"]


def test_kserve_gets_a_triton_repository() -> None:
    text = (FOLDER / "triton" / "inference-service.yaml").read_text("utf-8")
    manifest = yaml.safe_load(text)
    assert manifest["apiVersion"] == "serving.kserve.io/v1beta1"
    model = manifest["spec"]["predictor"]["model"]
    assert model["modelFormat"] == {"name": "triton"}
    assert model["args"] == ["--model-config-name=gpu"]
    assert "nvidia.com/gpu" in model["resources"]["limits"]
