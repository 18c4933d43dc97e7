"""Slack's checks of Block Kit and message metadata, as far as this bot's messages go.

Source: https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

import json
from typing import Any

from local.slack.workspace import SlackError

MOST_BLOCKS = 50
MOST_SECTION_TEXT = 3000
MOST_CONTEXT_ELEMENTS = 10
MOST_METADATA_BYTES = 8000


def parse_blocks(value: Any) -> list[dict[str, Any]]:
    """Return the blocks of a call.

    Raises
    ------
    SlackError
        ``invalid_blocks_format`` when they are not a JSON list, ``invalid_blocks`` with
        what is wrong where when Slack would refuse one.
    """
    if value is None or value == "":
        return []
    blocks = _json(value, "invalid_blocks_format")
    if not isinstance(blocks, list) or not all(isinstance(one, dict) for one in blocks):
        raise SlackError("invalid_blocks_format")
    wrong = [
        f"{problem} [json-pointer:/blocks/{number}]"
        for number, block in enumerate(blocks)
        if (problem := _problem(block))
    ]
    if len(blocks) > MOST_BLOCKS:
        wrong.append(f"no more than {MOST_BLOCKS} items allowed [json-pointer:/blocks]")
    if wrong:
        raise SlackError("invalid_blocks", errors=wrong, response_metadata={"messages": wrong})
    return blocks


def parse_metadata(value: Any) -> dict[str, Any] | None:
    """Return the message metadata of a call.

    Raises
    ------
    SlackError
        ``invalid_metadata_format``, ``invalid_metadata_schema`` or ``metadata_too_large``.
    """
    if value is None or value == "":
        return None
    metadata = _json(value, "invalid_metadata_format")
    if not isinstance(metadata, dict):
        raise SlackError("invalid_metadata_format")
    if not isinstance(metadata.get("event_type"), str) or not isinstance(
        metadata.get("event_payload"), dict
    ):
        raise SlackError("invalid_metadata_schema")
    if len(json.dumps(metadata)) > MOST_METADATA_BYTES:
        raise SlackError("metadata_too_large")
    return {"event_type": metadata["event_type"], "event_payload": metadata["event_payload"]}


def _json(value: Any, error: str) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise SlackError(error) from None


def _problem(block: dict[str, Any]) -> str:
    kind = block.get("type")
    if kind == "section":
        if "text" not in block and "fields" not in block:
            return "missing required field: text"
        return _text_problem(block["text"]) if "text" in block else ""
    if kind == "context":
        elements = block.get("elements")
        if not isinstance(elements, list) or not elements:
            return "missing required field: elements"
        if len(elements) > MOST_CONTEXT_ELEMENTS:
            return f"no more than {MOST_CONTEXT_ELEMENTS} items allowed"
        texts = [one for one in elements if not isinstance(one, dict) or one.get("type") != "image"]
        return next((problem for one in texts if (problem := _text_problem(one))), "")
    if kind in ("divider", "header", "image", "actions", "rich_text"):
        return ""
    return f"unsupported type: {kind}"


def _text_problem(text: Any) -> str:
    if not isinstance(text, dict) or text.get("type") not in ("mrkdwn", "plain_text"):
        return "must be a text object"
    content = text.get("text")
    if not isinstance(content, str) or not content:
        return "must be more than 0 characters"
    if len(content) > MOST_SECTION_TEXT:
        return f"must be less than {MOST_SECTION_TEXT + 1} characters"
    return ""
