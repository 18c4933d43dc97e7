"""The mean of several checkpoints of one training.

The mean of weights that lie in one valley judges better than each of them (Wortsman et al.
2022, "Model soups") and costs nothing when it is served.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from model_build.training import checkpoint as checkpoints
from model_build.work import MODEL, StepError, Work, checksum, lineage


def run(work: Work, names: tuple[str, ...], *, force: bool = False) -> Path:
    """Do the step: write ``average/model``, a Hugging Face folder.

    Parameters
    ----------
    work
        Where it is written.
    names
        Folders of checkpoints that started from one another or from a common one.
    force
        Do it again even if it was done with these settings.

    Raises
    ------
    StepError
        When fewer than two are named, or they are not of one shape.
    """
    if len(names) < 2:
        raise StepError("name at least two checkpoints: --checkpoint FOLDER --checkpoint FOLDER")
    folders = [Path(name) for name in names]

    def action(folder: Path) -> Mapping[str, Any]:
        loaded = [checkpoints.load(name, fresh_head=False) for name in names]
        states = [checkpoint.model.state_dict() for checkpoint in loaded]
        shapes = [{name: tensor.shape for name, tensor in state.items()} for state in states]
        if any(shape != shapes[0] for shape in shapes):
            raise StepError("these checkpoints are not of one shape: they have no mean")
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
        raise StepError(f"{missing[0]} is not a folder: name checkpoints on this machine")
    # Checkpoints share one name, so their checksums go among the settings.
    settings = {"checkpoints": [checksum(folder) for folder in folders]}
    return work.run("average", settings, [], action, force=force)
