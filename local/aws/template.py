"""``template.yaml`` as CloudFormation: translated as SAM does, less what moto does not know."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import botocore.session
from samtranslator.model.exceptions import InvalidDocumentException
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

from local import LocalError

UNKNOWN_TO_MOTO = (
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Route",
    "AWS::ApiGatewayV2::Stage",
    "AWS::Lambda::Permission",
)
"""Resource types that moto's CloudFormation cannot create; `local.aws.gateway` replaces them."""

REGION = "us-east-1"
FUNCTION = "AWS::Lambda::Function"
SOURCE = "AWS::Lambda::EventSourceMapping"


def session() -> boto3.Session:
    """Return a session that knows nothing of the person's own AWS profiles."""
    variables = {"profile": (None, None, None, None)}
    return boto3.Session(
        region_name=REGION, botocore_session=botocore.session.Session(session_vars=variables)
    )


@dataclass(frozen=True, slots=True)
class Template:
    """A CloudFormation template that moto creates a stack of.

    Parameters
    ----------
    body
        The template.
    handlers
        Of each function's logical id, the handler that its image is started with.
    sources
        Logical ids of the event sources.
    dropped
        Logical ids left out: types that moto does not know, and what refers to them.
    """

    body: dict[str, Any]
    handlers: dict[str, str]
    sources: tuple[str, ...]
    dropped: tuple[str, ...]

    @classmethod
    def read(cls, path: Path) -> Template:
        """Read a SAM template and translate it.

        Raises
        ------
        LocalError
            When the file is missing or SAM refuses it.
        """
        try:
            body = _translate(yaml_parse(path.read_text("utf-8")))
        except OSError as error:
            raise LocalError(f"{path} cannot be read ({error.strerror})") from error
        except InvalidDocumentException as error:
            reason = " ".join(str(error.message).split())
            raise LocalError(f"{path} is refused by SAM: {reason}; run 'sam validate'") from error
        resources: dict[str, Any] = body["Resources"]
        dropped = _dropped(resources)
        kept = {name: one for name, one in resources.items() if name not in dropped}
        sources = tuple(name for name, one in kept.items() if one["Type"] == SOURCE)
        for name in sources:
            # Enabled, moto would invoke the function in a container of its own;
            # local.aws.poller does that instead.
            kept[name]["Properties"]["Enabled"] = False
        body["Resources"] = kept
        body["Outputs"] = {
            name: output
            for name, output in body.get("Outputs", {}).items()
            if not _refers_to(output, dropped)
        }
        return cls(body, _handlers(kept), sources, tuple(sorted(dropped)))


def _translate(document: dict[str, Any]) -> dict[str, Any]:
    # The project's roles name their actions, so that no managed policy is looked up.
    translator = Translator({}, Parser(), boto_session=session())
    body: dict[str, Any] = translator.translate(document, parameter_values={})
    # Nobody counts translations here; left unpublished, the counts are complained about.
    translator.metrics.publish()
    return body


def _handlers(resources: dict[str, Any]) -> dict[str, str]:
    return {
        name: resource["Properties"]["ImageConfig"]["Command"][0]
        for name, resource in resources.items()
        if resource["Type"] == FUNCTION
    }


def _dropped(resources: dict[str, Any]) -> set[str]:
    dropped = {name for name, one in resources.items() if one["Type"] in UNKNOWN_TO_MOTO}
    while True:
        more = {
            name
            for name, resource in resources.items()
            if name not in dropped and _refers_to(resource, dropped)
        }
        if not more:
            return dropped
        dropped |= more


def _refers_to(value: object, names: set[str]) -> bool:
    if isinstance(value, dict):
        if "Ref" in value and value["Ref"] in names:
            return True
        if "Fn::GetAtt" in value:
            attribute = value["Fn::GetAtt"]
            target = attribute.split(".")[0] if isinstance(attribute, str) else attribute[0]
            if target in names:
                return True
        if "Fn::Sub" in value:
            text = json.dumps(value["Fn::Sub"])
            if any(f"${{{name}}}" in text or f"${{{name}." in text for name in names):
                return True
        return any(_refers_to(inner, names) for inner in value.values())
    if isinstance(value, list):
        return any(_refers_to(inner, names) for inner in value)
    return False
