"""The model card: what a model is, how well it does, its training data and its limitations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toxic_bot.judge.verdict import SURE_FROM

SOURCES = Path(__file__).parents[1] / "rows" / "sources.json"
_COLUMNS = ("rows", "toxic", "macro-F1", "AUC", "precision", "recall", "false positives")
_BAR = 20
_ALL_LANGUAGES = "English, German, French, Spanish, Portuguese or Italian"
_BODY = """# {name}

A text classifier that estimates how likely a message in {languages} is
toxic: abusive, insulting, threatening, hateful or obscene toward a person or a group, or an attack
on someone's identity.
Profanity aimed at code, at a situation or at oneself is not meant to count as toxic.

This Slack bot runs the model with ONNX Runtime on a CPU. `config.json` contains everything needed
to run it, including the checksums of its files.

| | |
|---|---|
| Base model | {checkpoint} ({license}) |
| Built with | `python -m model_build`, profile {profile}, {date}{training} |
| Graph | `model.onnx`, matrix products in int8 with one scale per channel, {megabytes} MB{pruned} |
| Labels | {labels} |
| Labels that count as toxic | {toxic_labels} |
| Kinds | {kinds} |
| Threshold | balanced {balanced}, cautious {cautious}, sensitive {sensitive} |
| Score | sigmoid of (log-odds of toxic - {offset}) / {temperature}{offsets} |
| Second opinion | {second_opinion} |
| Sure kinds | {sure} |
| Early exit | {exits} |
| Long texts | split into windows of {window} tokens, overlap {overlap}; the highest score counts |

Offset, temperature and thresholds were chosen on validation rows, never on test rows.

- {objective}

What a threshold finds on the validation rows that were read or written for this project, and what
it flags by mistake (false positives on benign workplace rows):

{curve}

### What a score means

Of the test rows that were read and score so, the share that is toxic:

{meaning}

## Evaluation

Metrics of the int8 graph, run as the bot runs it, at the threshold above. The rows are those of the
test split that were read one by one, or written, by this project's definition of toxic. A dash
means that all rows have the same label.

{by_language}{evaluation}

### Kinds

On the test rows that were read or are toxic and written. A kind is named only if the verdict is
toxic and, on validation rows, at least nine of ten rows named so show it. Precision: of what is
named; recall: of the rows that show the kind and are found toxic.

{kind_evaluation}

## Training data

Training rows come from the project's template sentences ({templates}), from
the messages written for it, and from the data sets below. The counts include obfuscated copies,
and repetitions of a row within an epoch.

Some of the data sets are licensed under GPL-3.0 or CC BY-SA. If you redistribute the model, decide
whether that matters to you. The project itself contains none of their texts, only its own
messages.

{sources}

## Limitations

- The model is for {languages} only.
  A text mostly in another script is not judged. Short texts in other languages with Latin letters,
  code-switching and dialects are classified poorly. The labels of the tweets in its training data
  are known to be biased against African American English.
- The model sees a single message, not the conversation around it. It misses or misreads irony
  among friends, reclaimed words and allusions.
- The labels come from many annotators with different definitions of toxic. Some sources are
  noisy, and "not toxic" often means only that nobody flagged the text.
- A score is a hint for people, and the threshold favors false negatives over false positives.
  Do not discipline, ban or dismiss anyone because of it, and do not let it replace moderators
  where people are in danger.

## Content warning

The training data contains slurs, threats and abuse.
"""


def write(path: Path, config: dict[str, Any]) -> None:
    """Write the card of a model.

    Parameters
    ----------
    path
        The file to write.
    config
        The content of the model's ``config.json``.
    """
    provenance = config["provenance"]
    metrics = config.get("metrics", {})
    rows = dict(provenance["rows"])
    templates = rows.pop("template", None)
    path.write_text(
        _BODY.format(
            name=config["name"],
            languages=_ALL_LANGUAGES if config.get("multilingual") else "English",
            checkpoint=provenance["checkpoint"],
            license=provenance["license"],
            profile=config["profile"],
            date=provenance["date"],
            training=_earlier_training(provenance),
            megabytes=f"{config['files']['model.onnx']['bytes'] / 1e6:.1f}",
            pruned=_pruned(provenance.get("pruned", {})),
            labels=", ".join(config["labels"]),
            toxic_labels=", ".join(config["toxic_labels"]),
            kinds=", ".join(kind["name"] for kind in config["kinds"]) or "none",
            balanced=config["thresholds"]["balanced"],
            cautious=config["thresholds"]["cautious"],
            sensitive=config["thresholds"]["sensitive"],
            offsets=_offsets(config.get("offsets", {})),
            offset=config["offset"],
            temperature=config["temperature"],
            second_opinion=_second_opinion(config.get("second_opinion")),
            sure=_sure_kinds(config),
            exits=_exits(config.get("exits", ())),
            window=config["window"]["tokens"],
            overlap=config["window"]["overlap"],
            objective=metrics.get("aim", "none, because there were no validation rows"),
            curve=_curve(metrics.get("curve", ())),
            meaning=_score_bars(metrics.get("scores", ())),
            kind_evaluation=_kinds(metrics.get("kinds", {})),
            by_language=_by_language(metrics.get("languages", {})),
            evaluation=_evaluation("source", metrics.get("test", {})),
            templates=_count(templates),
            sources=_sources(rows),
        ),
        encoding="utf-8",
    )


def _earlier_training(provenance: dict[str, Any]) -> str:
    earlier: list[dict[str, Any]] = provenance["earlier_training"]
    runs = [run for run in earlier if run["steps"]]
    if not runs:
        return ""
    if provenance["made_from"] == "distill":
        trainings = "; ".join(
            f"{run.get('checkpoint', 'a distilled model')}, {run['steps']} steps" for run in runs
        )
        return f"; distilled; earlier trainings, of teachers too: {trainings}"
    steps = ", ".join(f"{run['steps']}" for run in runs)
    averages = sum(run["step"] == "average" for run in earlier)
    averages += provenance["made_from"] == "average"
    averaged = f"; weight averages: {averages}" if averages else ""
    parent = provenance["continued_from"]
    continued = f"; continued from {parent}" if parent else ""
    return f"{continued}; earlier training runs: {steps} steps{averaged}"


def _pruned(kept: dict[str, tuple[int, int]]) -> str:
    if not kept:
        return ""
    (heads, all_heads), (neurons, all_neurons) = kept["heads"], kept["neurons"]
    return (
        f"; pruned: {heads:,} of {all_heads:,} attention heads and "
        f"{neurons:,} of {all_neurons:,} neurons are left"
    )


def _exits(exits: Sequence[dict[str, float]]) -> str:
    if not exits:
        return "none"
    limits = " or ".join(f"below {e['limit']} after layer {e['layer']}" for e in exits)
    return f"a text whose log-odds of toxic are {limits} is not toxic, and leaves there"


def _sure_kinds(config: dict[str, Any]) -> str:
    known = {kind["name"] for kind in config["kinds"]}
    sure = [f"{kind} with {least:.0%}" for kind, least in SURE_FROM.items() if kind in known]
    if not sure:
        return "none"
    balanced = config["thresholds"]["balanced"]
    return f"a text that shows one scores {balanced} at least: {', '.join(sure)}"


def _second_opinion(opinion: dict[str, float] | None) -> str:
    if opinion is None:
        return "none"
    return (
        f"from a score of {opinion['lowest']} on, the multilingual model judges too; the log-odds "
        f"of its score and kinds count {opinion['weight']:.0%} in the means of both; the sigmoids "
        f"(of the score: offset {opinion['offset']}, temperature {opinion['temperature']}) are the "
        "score and the kinds' probabilities"
    )


def _offsets(offsets: dict[str, float]) -> str:
    if not offsets:
        return ""
    return "; offset " + ", ".join(f"{offset} for {name}" for name, offset in offsets.items())


def _count(row: dict[str, int] | None) -> str:
    return f"{row['not toxic']} not toxic, {row['toxic']} toxic" if row else "none"


def _curve(points: Sequence[dict[str, float]]) -> str:
    if not points:
        return "Not measured: there were no validation rows."
    lines = ["| threshold | found | of them toxic | macro-F1 | false positives |", "|---" * 5 + "|"]
    lines += [
        f"| {point['threshold']} | {point['recall']:.1%} | {point['precision']:.1%} | "
        f"{point['macro_f1']:.3f} | "
        f"{point['false_positives']:.2%} |"
        for point in points
    ]
    return "\n".join(lines)


def _score_bars(scores: Sequence[dict[str, float]]) -> str:
    """Return a bar for each range of scores, as full as its rows are toxic."""
    if not scores:
        return "Not measured: there were no test rows that were read."
    lines = ["| score | rows | toxic | |", "|---|---|---|---|"]
    for one in scores:
        share = one["toxic"] / one["rows"]
        bar = "█" * round(share * _BAR) + "░" * (_BAR - round(share * _BAR))
        span = f"{one['from']:.1f} to {one['from'] + 0.1:.1f}"
        lines.append(f"| {span} | {one['rows']:,} | {share:.0%} | `{bar}` |")
    return "\n".join(lines)


def _kinds(table: dict[str, dict[str, float]]) -> str:
    if not table:
        return "Not evaluated: no test row tells a kind."
    columns = ("rows", "named", "precision", "recall", "average precision")
    lines = ["| kind | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += [
        f"| {kind} | " + " | ".join(str(row[column]) for column in columns) + " |"
        for kind, row in table.items()
    ]
    return "\n".join(lines)


def _by_language(table: dict[str, dict[str, float]]) -> str:
    return _evaluation("language", table) + "\n\n" if len(table) > 1 else ""


def _evaluation(what: str, table: dict[str, dict[str, float]]) -> str:
    if not table:
        return "Not evaluated: there were no test rows."
    lines = [f"| {what} | " + " | ".join(_COLUMNS) + " |", "|---" * (len(_COLUMNS) + 1) + "|"]
    for name, row in table.items():
        cells = ["-" if row.get(c) is None else str(row[c]) for c in _COLUMNS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _sources(rows: dict[str, dict[str, int]]) -> str:
    if not rows:
        return "No data sets were used: the checkpoint is served as published."
    known = json.loads(SOURCES.read_bytes())
    lines = ["| data set | not toxic / toxic rows | license | repository | citation |"]
    lines.append("|---" * 5 + "|")
    for source, row in sorted(rows.items()):
        about = known.get(source, {})
        cells = [about.get(key, "unknown") for key in ("license", "repository", "citation")]
        count = f"{row['not toxic']} / {row['toxic']}"
        lines.append(f"| {source} | {count} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
