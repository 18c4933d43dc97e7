"""The manifest of the Slack app, with the request URL of a stack."""

from __future__ import annotations

from pathlib import Path

PLACEHOLDER = "https://REPLACE-ME.execute-api.REGION.amazonaws.com/slack/events"


def finished(clone: Path, request_url: str) -> str:
    """Return manifest.yaml as it is pasted into Slack, without its own comments on that."""
    text = (clone / "manifest.yaml").read_text("utf-8")
    return text[text.index("_metadata:") :].replace(PLACEHOLDER, request_url)
