"""``template.yaml`` as CloudFormation: translated by SAM, without what moto does not support."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import botocore.session
from samtranslator.model.exceptions import InvalidDocumentException
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

from simulators import LocalError

UNSUPPORTED_BY_MOTO = (
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Stage",
    "AWS::AppConfig::Application",
    "AWS::AppConfig::ConfigurationProfile",
    "AWS::AppConfig::HostedConfigurationVersion",
    "AWS::CloudFormation::Stack",
    "AWS::CodeDeploy::Application",
    "AWS::CodeDeploy::DeploymentGroup",
    "AWS::Lambda::Alias",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Lambda::Permission",
    "AWS::Lambda::Version",
    "AWS::Logs::MetricFilter",
)
"""Resource types that moto's CloudFormation cannot create, and versions, which nothing uses
without an alias. `simulators.aws.gateway` replaces API Gateway. A stack inside the stack holds only
monitoring, and its template would have to be in S3."""

REGION = "us-east-1"
FUNCTION = "AWS::Lambda::Function"
EVENT_SOURCE_MAPPING = "AWS::Lambda::EventSourceMapping"
ALIAS = "AWS::Lambda::Alias"


def session() -> boto3.Session:
    """Return a boto3 session that ignores the user's AWS profiles."""
    variables = {"profile": (None, None, None, None)}
    return boto3.Session(
        region_name=REGION, botocore_session=botocore.session.Session(session_vars=variables)
    )


@dataclass(frozen=True, slots=True)
class Template:
    """A CloudFormation template that moto can create a stack from.

    Parameters
    ----------
    body
        The template.
    handlers
        The handler that each function's image starts with, by logical ID.
    event_source_mappings
        Logical IDs of the event source mappings.
    omitted
        Logical IDs of the omitted resources: those of types that moto does not support,
        and those that refer to them.
    """

    body: dict[str, Any]
    handlers: dict[str, str]
    event_source_mappings: tuple[str, ...]
    omitted: tuple[str, ...]

    @classmethod
    def read(cls, path: Path) -> Template:
        """Read a SAM template and translate it.

        Raises
        ------
        LocalError
            When the file cannot be read or SAM rejects it.
        """
        try:
            body = _translate(yaml_parse(path.read_text("utf-8")))
        except OSError as error:
            raise LocalError(f"{path} cannot be read ({error.strerror})") from error
        except InvalidDocumentException as error:
            reason = " ".join(str(error.message).split())
            raise LocalError(f"SAM rejects {path} ({reason}): run 'make check-template'") from error
        resources: dict[str, Any] = _without_aliases(body["Resources"])
        omitted = _omitted(resources)
        kept = {name: one for name, one in resources.items() if name not in omitted}
        mappings = tuple(name for name, one in kept.items() if one["Type"] == EVENT_SOURCE_MAPPING)
        for name in mappings:
            # If it were enabled, moto would invoke the function in a Docker container;
            # simulators.aws.poller polls the queue instead.
            kept[name]["Properties"]["Enabled"] = False
        body["Resources"] = kept
        body["Outputs"] = {
            name: output
            for name, output in body.get("Outputs", {}).items()
            if not _refers_to(output, omitted)
        }
        return cls(body, _handlers(kept), mappings, tuple(sorted(omitted)))


def _translate(document: dict[str, Any]) -> dict[str, Any]:
    # It warns about a fix of its own that AWS has not switched on.
    logging.getLogger("samtranslator.feature_toggle").setLevel(logging.ERROR)
    # The project's roles use no managed policies, so the translator needs no map of them.
    translator = Translator({}, Parser(), boto_session=session())
    body: dict[str, Any] = translator.translate(document, parameter_values={})
    # SAM warns about metrics that are never published. By default, publishing discards them.
    translator.metrics.publish()
    return body


def _without_aliases(resources: dict[str, Any]) -> dict[str, Any]:
    """Return resources that refer to functions where they referred to aliases."""
    functions = {
        name: one["Properties"]["FunctionName"]
        for name, one in resources.items()
        if one["Type"] == ALIAS
    }

    def replaced(value: Any) -> Any:
        if isinstance(value, dict):
            if value.get("Ref") in functions:
                return functions[value["Ref"]]
            return {name: replaced(inner) for name, inner in value.items()}
        return [replaced(inner) for inner in value] if isinstance(value, list) else value

    return {name: replaced(one) for name, one in resources.items()}


def _handlers(resources: dict[str, Any]) -> dict[str, str]:
    return {
        name: resource["Properties"]["ImageConfig"]["Command"][0]
        for name, resource in resources.items()
        if resource["Type"] == FUNCTION
    }


def _omitted(resources: dict[str, Any]) -> set[str]:
    omitted = {name for name, one in resources.items() if one["Type"] in UNSUPPORTED_BY_MOTO}
    while True:
        dependents = {
            name
            for name, resource in resources.items()
            if name not in omitted and _refers_to(resource, omitted)
        }
        if not dependents:
            return omitted
        omitted |= dependents


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
