"""Tells whether a message is toxic.

>>> from toxic_bot import Classifier
>>> classifier = Classifier.load()
>>> classifier("you are an idiot").status
<Status.TOXIC: 'toxic'>

The Slack bot, the service and the command line are built on the same classifier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toxic_bot.judge.classifier import Classifier, load
    from toxic_bot.judge.verdict import Verdict

__all__ = ["Classifier", "Verdict", "load"]

_HOMES = {"Classifier": "classifier", "load": "classifier", "Verdict": "verdict"}


def __getattr__(name: str) -> Any:
    # Lazily: a Lambda function that needs no model must not wait for ONNX Runtime.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"toxic_bot.judge.{_HOMES[name]}"), name)
