"""A BERT classifier that reads the mean over the tokens, as E5 is made to be read.

The means of such an encoder are so alike that a head on them hardly learns. So they are
standardized first, channel by channel, and the head starts from a logistic regression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from torch import nn
from transformers import BertConfig, BertModel, BertPreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

from model_build.training.batches import batches_by_length, tokenize

if TYPE_CHECKING:
    from model_build.training.checkpoint import Checkpoint

_ROWS = 4_000
_INVERSE_REGULARIZATION = 0.01


class MeanPooledBert(BertPreTrainedModel):  # type: ignore[misc]  # mypy is told to skip torch
    """See the module.

    Parameters
    ----------
    config
        Of a BERT encoder; ``pooling`` is ``mean``.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        config.pooling = "mean"
        self.num_labels = config.num_labels
        self.bert = BertModel(config, add_pooling_layer=False)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.standardization = nn.Linear(config.hidden_size, 2, bias=False)
        self.standardization.weight.requires_grad_(False)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        position_ids: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        output_hidden_states: bool = False,
    ) -> SequenceClassifierOutput:
        """Return the logits; the mask is one of zeros and ones, or a bias of four dimensions."""
        output = self.bert(
            input_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            token_type_ids=token_type_ids,
            output_hidden_states=output_hidden_states,
        )
        pooled = self.pool(output.last_hidden_state, attention_mask)
        mean, scale = self.standardization.weight
        logits = self.classifier(self.dropout((pooled - mean) * scale))
        return SequenceClassifierOutput(logits=logits, hidden_states=output.hidden_states)

    def pool(self, hidden: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the mean over the tokens, shape (texts, width)."""
        mask = attention_mask
        if mask.dim() == 4:
            mask = mask[:, 0, 0, :] > -1
        weights = mask.to(hidden.dtype)[..., None]
        return (hidden * weights).sum(1) / weights.sum(1)


def initialize(checkpoint: Checkpoint, rows: pd.DataFrame, max_tokens: int, seed: int) -> None:
    """Standardize the means over some rows, and let the head start from a regression, in place.

    Parameters
    ----------
    checkpoint
        With a fresh head.
    rows
        Columns text and target.
    max_tokens
        Longer rows are truncated.
    seed
        Chooses the rows.
    """
    sample = rows.sample(min(_ROWS, len(rows)), random_state=seed)
    vectors = _vectors(checkpoint, list(sample["text"]), max_tokens)
    mean, deviation = vectors.mean(axis=0), vectors.std(axis=0) + 1e-6
    toxic = sample["target"].to_numpy() > 0.5
    regression = LogisticRegression(C=_INVERSE_REGULARIZATION, max_iter=500)
    regression.fit((vectors - mean) / deviation, toxic)
    model = checkpoint.model
    with torch.no_grad():
        model.standardization.weight[0] = torch.from_numpy(mean)
        model.standardization.weight[1] = torch.from_numpy(1 / deviation)
        half = torch.from_numpy(regression.coef_[0].astype(np.float32)) / 2
        model.classifier.weight[0], model.classifier.weight[1] = -half, half
        bias = float(regression.intercept_[0]) / 2
        model.classifier.bias[0], model.classifier.bias[1] = -bias, bias


def _vectors(checkpoint: Checkpoint, texts: list[str], max_tokens: int) -> NDArray[np.float32]:
    model = checkpoint.model.eval()
    tokens = tokenize(checkpoint.tokenizer, texts, max_tokens, model.config.pad_token_id)
    vectors = np.zeros((len(texts), model.config.hidden_size), dtype=np.float32)
    with torch.inference_mode():
        for indices in batches_by_length(tokens, 64):
            inputs = tokens.tensors(indices)
            hidden = model.bert(**inputs).last_hidden_state
            vectors[indices] = model.pool(hidden, inputs["attention_mask"]).numpy()
    return vectors
