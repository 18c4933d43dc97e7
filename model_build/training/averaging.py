"""Average the weights of several checkpoints.

Fine-tuned models whose weights lie in the same low-loss region often improve when their
weights are averaged (Wortsman et al. 2022, "Model soups"), at no cost when they are served.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from model_build.training import checkpoint as checkpoints
from model_build.work import MODEL, StepError, Work, checksum, lineage


def mix(model: torch.nn.Module, initial: Mapping[str, torch.Tensor], share: float) -> None:
    """Give a model a share of the weights from which it was trained.

    Parameters
    ----------
    model
        The model, changed in place.
    initial
        The weights by name; those that it lacks stay as they were trained.
    share
        Their share in the result.
    """
    model.load_state_dict(
        {
            name: value.lerp(initial[name], share)
            if name in initial and value.is_floating_point()
            else value
            for name, value in model.state_dict().items()
        }
    )


def run(work: Work, names: tuple[str, ...], *, force: bool = False) -> Path:
    """Run the step: write ``average/model``, a Hugging Face folder.

    Parameters
    ----------
    work
        Work folder to write to.
    names
        Folders of checkpoints that were trained from one another or from a common ancestor.
    force
        Run the step even if it is up to date.

    Raises
    ------
    StepError
        When there are fewer than two checkpoints or their shapes differ.
    """
    if len(names) < 2:
        raise StepError("an average needs at least two checkpoints: repeat --checkpoint FOLDER")
    folders = [Path(name) for name in names]

    def action(folder: Path) -> Mapping[str, Any]:
        loaded = [checkpoints.load(name, fresh_head=False) for name in names]
        states = [checkpoint.model.state_dict() for checkpoint in loaded]
        # Exit heads are the last checkpoint's where an earlier one has none.
        states = [
            {n: t for n, t in states[-1].items() if n.startswith("exits.")} | state
            for state in states
        ]
        shapes = [{name: tensor.shape for name, tensor in state.items()} for state in states]
        if any(shape != shapes[0] for shape in shapes):
            raise StepError("the checkpoints differ in shape: average checkpoints of one model")
        last = loaded[-1]
        last.model.load_state_dict(
            {
                name: torch.stack([state[name] for state in states]).mean(0)
                if tensor.is_floating_point()
                else tensor
                for name, tensor in states[-1].items()
            }
        )
        checkpoints.save(last, folder / MODEL)
        return {"labels": last.labels, "earlier": lineage(folders)}

    missing = [name for name in names if not Path(name).is_dir()]
    if missing:
        raise StepError(f"{missing[0]} is not a folder: give checkpoints on this machine")
    # Checkpoint folders often share a name, so their checksums are settings, not inputs.
    settings = {"checkpoints": [checksum(folder) for folder in folders]}
    return work.run("average", settings, [], action, force=force)
