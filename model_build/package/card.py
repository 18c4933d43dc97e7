"""The model card: what a model is, what it was made of, what it was measured to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parents[1] / "rows" / "sources.json"
_COLUMNS = ("rows", "toxic", "macro-F1", "AUC", "precision", "recall", "false positives")
_BODY = """# {name}

Says how likely a message is toxic: abusive, insulting, threatening, hateful or obscene at a
person or a group, or an attack on an identity. Swearing at code, at a situation or at oneself
is not meant to count. It is the model that this Slack bot serves with ONNX Runtime on a CPU;
`config.json` holds everything needed to run it, checksums included.

| what | value |
|---|---|
| started from | {checkpoint} ({licence}) |
| made by | `python -m model_build`, profile {profile}, {date}{legs} |
| graph | int8 weights, one scale a channel; {megabytes} MB |
| labels | {labels}; toxic: {toxic_labels} |
| threshold | {threshold}, on scores at temperature {temperature} |
| a long text | windows of {window} tokens that share {overlap}; the worst decides |

Threshold and temperature were chosen on validation rows, never on test rows, for this aim:
{aim}. On validation that gives {validation}.

## Measured
Test rows of the sources below, their strict labels, the int8 file judged as the bot does, at
the threshold above. A dash: the source has rows of one label only.

{measured}

## Made of
Sentences from the project's own templates ({templates}) and rows of these data sets;
disguised copies are counted, and rows as often as they were shown in a pass. GPL-3.0 and CC BY-SA
data are among them: whoever passes this model on should decide whether that matters to them. None
of their texts is part of this project.

{sources}

## Limits
- English only. Other languages, code-switching and dialects are judged badly; the tweets it
  learned from are known to be labelled with a bias against African American English.
- It sees one message, not the talk around it. Irony between friends, reclaimed words and
  allusions are missed or misread.
- Its labels come from many hands with different notions of toxic; some of the sources are
  noisy, and "not toxic" often means "nobody said so".
- It is a hint to people, with a threshold that prefers a miss to a false alarm. It must not
  be the ground on which somebody is disciplined, banned or dismissed, nor a substitute for
  moderators where people are in danger.

## Content warning
The texts it was trained on hold slurs, threats and abuse.
"""


def write(path: Path, config: dict[str, Any]) -> None:
    """Write the card of a model.

    Parameters
    ----------
    path
        The file to write.
    config
        The content of the ``config.json`` beside it.
    """
    provenance = config["provenance"]
    metrics = config.get("metrics", {})
    rows = dict(provenance["rows"])
    templates = rows.pop("template", None)
    path.write_text(
        _BODY.format(
            name=config["name"],
            checkpoint=provenance["checkpoint"],
            licence=provenance["licence"],
            profile=config["profile"],
            date=provenance["date"],
            legs=_legs(provenance["earlier_training"], taught=provenance["made_from"] == "distill"),
            megabytes=f"{config['files']['model.onnx']['bytes'] / 1e6:.1f}",
            labels=", ".join(config["labels"]),
            toxic_labels=", ".join(config["toxic_labels"]),
            threshold=config["threshold"],
            temperature=config["temperature"],
            window=config["window"]["tokens"],
            overlap=config["window"]["overlap"],
            aim=metrics.get("aim", "none, for there were no validation rows"),
            validation=_validation(metrics.get("validation")),
            measured=_measured(metrics.get("test", {})),
            templates=_count(templates),
            sources=_sources(rows),
        ),
        encoding="utf-8",
    )


def _legs(earlier: list[dict[str, Any]], *, taught: bool) -> str:
    fitted = [leg for leg in earlier if leg["steps"]]
    legs = ", ".join(f"{leg['steps']}" for leg in fitted)
    if not legs:
        return ""
    if taught:
        who = (f"{leg.get('checkpoint', 'a taught one')} in {leg['steps']} steps" for leg in fitted)
        return f"; taught by fine-tuned checkpoints ({', '.join(who)})"
    means = sum(leg["step"] == "average" for leg in earlier)
    averaged = f", weights averaged {means} times" if means else ""
    return f"; fine-tuned before in legs of {legs} steps{averaged}"


def _count(row: dict[str, int] | None) -> str:
    return f"{row['not toxic']} not toxic, {row['toxic']} toxic" if row else "none"


def _validation(found: dict[str, float] | None) -> str:
    if found is None:
        return "nothing"
    return (
        f"a mean macro-F1 of {found['macro_f1']:.3f} and "
        f"{found['false_positives']:.2%} false positives on workplace rows"
    )


def _measured(table: dict[str, dict[str, float]]) -> str:
    if not table:
        return "Nothing was measured: there were no test rows."
    lines = ["| source | " + " | ".join(_COLUMNS) + " |", "|---" * (len(_COLUMNS) + 1) + "|"]
    for source, row in table.items():
        cells = ["-" if row.get(c) is None else str(row[c]) for c in _COLUMNS]
        lines.append(f"| {source} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _sources(rows: dict[str, dict[str, int]]) -> str:
    if not rows:
        return "No data set was used by this project: the checkpoint was served as it came."
    known = json.loads(SOURCES.read_bytes())
    lines = ["| data set | rows not toxic / toxic | licence | from | citation |", "|---" * 5 + "|"]
    for source, row in sorted(rows.items()):
        about = known.get(source, {})
        cells = [about.get(key, "not known") for key in ("licence", "repository", "citation")]
        count = f"{row['not toxic']} / {row['toxic']}"
        lines.append(f"| {source} | {count} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
