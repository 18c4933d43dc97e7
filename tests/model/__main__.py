"""Print what a model folder finds in the suites: ``python -m tests.model``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score

from tests.model.suite import (
    Sample,
    african_american_english,
    banter,
    benign,
    disguises,
    multilingual,
    obfuscated,
    toxic,
    workplace,
)
from toxic_bot.judge.classifier import Classifier, load

SUITES: dict[str, Callable[[], list[Sample]]] = {
    "workplace": workplace,
    "plain abuse": toxic,
    "obfuscated abuse": obfuscated,
    "disguises and look-alikes": disguises,
    "banter": lambda: [one for one in banter() if one.kind == "banter"],
    "swearing at nobody": lambda: [one for one in banter() if one.kind == "swearing"],
    "benign": benign,
    "African-American English": african_american_english,
    **{one: partial(multilingual, one) for one in ("de", "es", "fr", "it", "pt")},
}


def main() -> None:
    """Print a table, a line a suite."""
    parser = argparse.ArgumentParser(prog="python -m tests.model", description=__doc__)
    parser.add_argument("--model", metavar="FOLDER", help="default: the embedded model")
    parser.add_argument("--threshold", type=float, default=0.5, metavar="SCORE")
    options = parser.parse_args()
    classifier = load(Path(options.model) if options.model else None).at(options.threshold)
    print("| suite | messages | toxic | AUC | macro-F1 | found | flagged | scored 0.9 and more |")
    print("|---|---|---|---|---|---|---|---|")
    for name, suite in SUITES.items():
        print(f"| {name} | {' | '.join(_figures(classifier, suite(), options.threshold))} |")


def _figures(classifier: Classifier, samples: list[Sample], threshold: float) -> list[str]:
    with ThreadPoolExecutor(2) as executor:
        verdicts = list(executor.map(classifier.classify, [sample.text for sample in samples]))
    scores = np.array([verdict.score for verdict in verdicts])
    labels = np.array([sample.toxic for sample in samples])
    found = scores >= threshold
    both = 0 < labels.sum() < len(labels)
    return [
        f"{len(labels)}",
        f"{labels.sum()}",
        f"{roc_auc_score(labels, scores):.3f}" if both else "-",
        f"{f1_score(labels, found, average='macro'):.3f}" if both else "-",
        f"{found[labels].mean():.1%}" if labels.any() else "-",
        f"{found[~labels].mean():.1%}" if not labels.all() else "-",
        f"{(scores[labels] >= 0.9).mean():.1%} of toxic" if labels.any() else "-",
    ]


if __name__ == "__main__":
    main()
