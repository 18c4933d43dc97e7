"""Slack's validation of blocks and message metadata, as far as the bot needs it.

Source: https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

import json
from typing import Any

from local.slack.workspace import SlackError

MAX_BLOCKS = 50
MAX_SECTION_TEXT_LENGTH = 3000
MAX_CONTEXT_ELEMENTS = 10
MAX_METADATA_LENGTH = 8000


def parse_blocks(value: Any) -> list[dict[str, Any]]:
    """Return the ``blocks`` argument of a call.

    Raises
    ------
    SlackError
        ``invalid_blocks_format`` when it is not a JSON array of objects;
        ``invalid_blocks``, with every problem and its JSON pointer, when Slack would
        reject a block.
    """
    if value is None or value == "":
        return []
    blocks = _json(value, "invalid_blocks_format")
    if not isinstance(blocks, list) or not all(isinstance(one, dict) for one in blocks):
        raise SlackError("invalid_blocks_format")
    problems = [
        f"{problem} [json-pointer:/blocks/{index}]"
        for index, block in enumerate(blocks)
        if (problem := _block_problem(block))
    ]
    if len(blocks) > MAX_BLOCKS:
        problems.append(f"no more than {MAX_BLOCKS} items allowed [json-pointer:/blocks]")
    if problems:
        raise SlackError(
            "invalid_blocks", errors=problems, response_metadata={"messages": problems}
        )
    return blocks


def parse_metadata(value: Any) -> dict[str, Any] | None:
    """Return the ``metadata`` argument of a call.

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
    if len(json.dumps(metadata)) > MAX_METADATA_LENGTH:
        raise SlackError("metadata_too_large")
    return {"event_type": metadata["event_type"], "event_payload": metadata["event_payload"]}


def _json(value: Any, error: str) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise SlackError(error) from None


def _block_problem(block: dict[str, Any]) -> str:
    block_type = block.get("type")
    if block_type == "section":
        if "text" not in block and "fields" not in block:
            return "missing required field: text"
        return _text_problem(block["text"]) if "text" in block else ""
    if block_type == "context":
        elements = block.get("elements")
        if not isinstance(elements, list) or not elements:
            return "missing required field: elements"
        if len(elements) > MAX_CONTEXT_ELEMENTS:
            return f"no more than {MAX_CONTEXT_ELEMENTS} items allowed"
        texts = [one for one in elements if not isinstance(one, dict) or one.get("type") != "image"]
        return next((problem for one in texts if (problem := _text_problem(one))), "")
    if block_type in ("divider", "header", "image", "actions", "rich_text"):
        return ""
    return f"unsupported type: {block_type}"


def _text_problem(text: Any) -> str:
    if not isinstance(text, dict) or text.get("type") not in ("mrkdwn", "plain_text"):
        return "must be a text object"
    content = text.get("text")
    if not isinstance(content, str) or not content:
        return "must be more than 0 characters"
    if len(content) > MAX_SECTION_TEXT_LENGTH:
        return f"must be less than {MAX_SECTION_TEXT_LENGTH + 1} characters"
    return ""
