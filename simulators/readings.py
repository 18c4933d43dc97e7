"""How the bot reads a message, and the way that its verdict took, as JSON for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from simulators.journeys import Journey
from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.verdict import Reason, worst_first
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.web_api.mrkdwn import plain_text


def reading(
    classifier: Classifier, text: str, journeys: Sequence[Journey] | None, *, is_own_limit: bool
) -> dict[str, Any]:
    """Return how the bot reads a text now, and what happened to the requests about it.

    Parameters
    ----------
    classifier
        The model that the bot uses, with the limit of the channel.
    text
        Slack mrkdwn.
    journeys
        The events about it; None if nobody follows them.
    is_own_limit
        Whether the channel has set its limit itself.
    """
    explanation = Judge(classifier).explain(plain_text(text))
    verdict = explanation.verdict
    return {
        "text": explanation.reading,
        "legible": verdict.reason is not Reason.LANGUAGE,
        "toxic": verdict.toxic,
        "score": verdict.score,
        "limit": classifier.threshold,
        "own_limit": is_own_limit,
        "windows": verdict.windows,
        "passage": list(verdict.passage),
        "kinds": [
            {
                "name": name,
                "probability": verdict.probabilities[name],
                "shown": name in verdict.kinds,
            }
            for name in worst_first(verdict.probabilities)
        ],
        "words": [
            {"text": explanation.text[run.begin : run.end], "effect": run.effect}
            for run in explanation.runs
        ],
        "part": "" if explanation.part is None else explanation.text[slice(*explanation.part)],
        "journeys": None if journeys is None else [_journey(journey) for journey in journeys],
    }


def _journey(journey: Journey) -> dict[str, Any]:
    return {
        "user": journey.user,
        "at": journey.at,
        "done": journey.done,
        "steps": [
            asdict(step) | {"at": round((step.at - journey.at) * 1000)} for step in journey.steps
        ],
    }
