"""Slack's validation of blocks and message metadata, as far as the bot needs it.

Source: https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

import json
from typing import Any

from simulators.slack.workspace import SlackError

MAX_BLOCKS = 50
MAX_VIEW_BLOCKS = 100
MAX_ACTIONS = 25
MAX_BUTTON_TEXT_LENGTH = 75
MAX_BUTTON_VALUE_LENGTH = 2000
MAX_ACTION_ID_LENGTH = 255
MAX_HEADER_LENGTH = 150
MAX_INPUT_LENGTH = 3000
MAX_SECTION_TEXT_LENGTH = 3000
MAX_CONTEXT_ELEMENTS = 10
MAX_METADATA_LENGTH = 8000
MAX_TITLE_LENGTH = 24
MAX_OPTIONS = 100
MAX_OPTION_LENGTH = 75

_INPUTS = (
    "plain_text_input",
    "number_input",
    "multi_users_select",
    "multi_conversations_select",
)


def parse_blocks(value: Any, *, in_view: bool = False) -> list[dict[str, Any]]:
    """Return the ``blocks`` argument of a call.

    Parameters
    ----------
    value
        The argument.
    in_view
        Whether they belong to a view, which may have inputs and more blocks.

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
        if (problem := _block_problem(block, in_view=in_view))
    ]
    most = MAX_VIEW_BLOCKS if in_view else MAX_BLOCKS
    if len(blocks) > most:
        problems.append(f"no more than {most} items allowed [json-pointer:/blocks]")
    if problems:
        raise SlackError(
            "invalid_blocks", errors=problems, response_metadata={"messages": problems}
        )
    return blocks


def parse_home(value: Any) -> dict[str, Any]:
    """Return the ``view`` argument of ``views.publish``.

    Raises
    ------
    SlackError
        ``invalid_arguments`` when it is not a Home tab, or what `parse_blocks` raises.
    """
    view = _json(value, "invalid_arguments")
    if not isinstance(view, dict) or view.get("type") != "home":
        raise SlackError("invalid_arguments")
    return {"type": "home", "blocks": parse_blocks(view.get("blocks"), in_view=True)}


def parse_modal(value: Any) -> dict[str, Any]:
    """Return the ``view`` argument of ``views.open``.

    Raises
    ------
    SlackError
        ``invalid_arguments`` when it is not a modal, or what `parse_blocks` raises.
    """
    view = _json(value, "invalid_arguments")
    if not isinstance(view, dict) or view.get("type") != "modal":
        raise SlackError("invalid_arguments")
    has_inputs = any(one.get("type") == "input" for one in view.get("blocks") or [])
    for part in ("title", "submit", "close"):
        if part == "submit" and part not in view and not has_inputs:
            continue
        if problem := _plain_text_problem(view.get(part), MAX_TITLE_LENGTH):
            raise SlackError(
                "invalid_arguments", response_metadata={"messages": [f"{part}: {problem}"]}
            )
    return view | {"blocks": parse_blocks(view.get("blocks"), in_view=True)}


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


def _block_problem(block: dict[str, Any], *, in_view: bool) -> str:
    block_type = block.get("type")
    if block_type == "actions":
        return _actions_problem(block.get("elements"))
    if block_type == "header":
        return _plain_text_problem(block.get("text"), MAX_HEADER_LENGTH)
    if block_type == "input":
        return _input_problem(block) if in_view else "unsupported type: input"
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
    if block_type in ("divider", "image", "rich_text"):
        return ""
    return f"unsupported type: {block_type}"


def _actions_problem(elements: Any) -> str:
    if not isinstance(elements, list) or not elements:
        return "missing required field: elements"
    if len(elements) > MAX_ACTIONS:
        return f"no more than {MAX_ACTIONS} items allowed"
    ids = [one.get("action_id") for one in elements if isinstance(one, dict)]
    if len(set(ids)) < len(elements):
        return "`action_id` is missing or used twice"
    return next((problem for one in elements if (problem := _button_problem(one))), "")


def _button_problem(button: dict[str, Any]) -> str:
    if button.get("type") != "button":
        return f"unsupported type: {button.get('type')}"
    if not 0 < len(str(button.get("action_id") or "")) <= MAX_ACTION_ID_LENGTH:
        return "missing required field: action_id"
    if len(str(button.get("value", ""))) > MAX_BUTTON_VALUE_LENGTH:
        return f"must be less than {MAX_BUTTON_VALUE_LENGTH + 1} characters"
    if button.get("style") not in (None, "primary", "danger"):
        return "unsupported style"
    return _plain_text_problem(button.get("text"), MAX_BUTTON_TEXT_LENGTH)


def _input_problem(block: dict[str, Any]) -> str:
    element = block.get("element")
    if not isinstance(element, dict) or not element.get("action_id"):
        return "unsupported element"
    kind = element.get("type")
    if kind in ("static_select", "radio_buttons"):
        problem = _options_problem(element)
    elif kind == "plain_text_input" and int(element.get("max_length") or 0) > MAX_INPUT_LENGTH:
        problem = f"max_length must be less than {MAX_INPUT_LENGTH + 1}"
    elif kind in _INPUTS:
        problem = ""
    else:
        problem = "unsupported element"
    return problem or _plain_text_problem(block.get("label"), MAX_SECTION_TEXT_LENGTH)


def _options_problem(element: dict[str, Any]) -> str:
    options = element.get("options")
    if not isinstance(options, list) or not 0 < len(options) <= MAX_OPTIONS:
        return f"must have 1 to {MAX_OPTIONS} options"
    if "initial_option" in element and element["initial_option"] not in options:
        return "initial_option must be one of the options"
    problems = (_plain_text_problem(one.get("text"), MAX_OPTION_LENGTH) for one in options)
    return next(filter(None, problems), "")


def _plain_text_problem(text: Any, length: int) -> str:
    if not isinstance(text, dict) or text.get("type") != "plain_text":
        return "must be a plain_text object"
    content = text.get("text")
    if not isinstance(content, str) or not 0 < len(content) <= length:
        return f"must be 1 to {length} characters"
    return ""


def _text_problem(text: Any) -> str:
    if not isinstance(text, dict) or text.get("type") not in ("mrkdwn", "plain_text"):
        return "must be a text object"
    content = text.get("text")
    if not isinstance(content, str) or not content:
        return "must be more than 0 characters"
    if len(content) > MAX_SECTION_TEXT_LENGTH:
        return f"must be less than {MAX_SECTION_TEXT_LENGTH + 1} characters"
    return ""
