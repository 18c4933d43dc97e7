"""The peer: FastAPI and a ``transformers`` pipeline, as a first version of such a service is.

PyTorch in fp32, its own number of threads, texts of one request padded to the longest.
"""

from __future__ import annotations

import os
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from transformers import pipeline

app = FastAPI()
classify = pipeline(
    "text-classification",
    model=os.environ["PEER_CHECKPOINT"],
    device=os.environ.get("PEER_DEVICE", "cpu"),
)


class Texts(BaseModel):
    """What is asked: one text, or several."""

    text: str | None = None
    texts: list[str] = []


@app.post("/v1/verdicts")
def verdicts(asked: Texts) -> list[dict[str, Any]]:
    """Return the label of each text."""
    texts = asked.texts or [asked.text or ""]
    found: list[dict[str, Any]] = classify(
        texts, batch_size=len(texts), padding=True, truncation=True, max_length=512
    )
    return found
