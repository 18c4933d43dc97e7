"""What training makes small: the loss on labels, kinds and a teacher's predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch.nn import functional

from model_build.rows import kinds
from model_build.training.checkpoint import Checkpoint
from model_build.training.data_parallel import Share

_BENIGN_KINDS_WEIGHT = 0.1
"""Weight of the loss on the kinds of a row that is not toxic, relative to that of a toxic one."""


@dataclass(frozen=True, slots=True)
class SoftTargets:
    """Teacher predictions for the training rows.

    Parameters
    ----------
    probabilities
        Toxic probabilities at the temperature, shape (rows,).
    alpha
        Weight of the distillation loss in the loss of each row; the loss on the label has the
        rest. Shape (rows,).
    temperature
        Temperature at which student and teacher are compared (Hinton et al. 2015).
    as_log_odds
        Whether the loss is the distance of their log-odds: it holds a student where the teacher
        is sure, too, and probabilities hardly differ (Kim et al. 2021, "Comparing
        Kullback-Leibler divergence and mean squared error loss in knowledge distillation").
    kinds
        Probabilities of the student's kinds, shape (rows, kinds), which have the share alpha in
        the target of kinds that are known, and are the target of others; None to learn kinds from
        the labels only.
    """

    probabilities: NDArray[np.float32]
    alpha: NDArray[np.float32]
    temperature: float
    as_log_odds: bool = False
    kinds: NDArray[np.float32] | None = None

    def loss(self, margin: torch.Tensor, rows: list[int]) -> torch.Tensor:
        """Return the distillation loss of each row.

        Parameters
        ----------
        margin
            The student's log-odds of toxic, shape (rows,).
        rows
            Their numbers.
        """
        taught = torch.from_numpy(self.probabilities[rows]).to(margin.device)
        if self.as_log_odds:
            log_odds = self.temperature * torch.logit(taught, eps=1e-6)
            # Linear from a distance of 1: a few rows that are far off do not decide.
            return functional.smooth_l1_loss(margin, log_odds, reduction="none")
        loss = functional.binary_cross_entropy_with_logits(
            margin / self.temperature, taught, reduction="none"
        )
        # The squared temperature keeps the gradients of both losses on the same scale.
        return self.temperature * self.temperature * loss


class Objective:
    """The loss on some rows.

    Parameters
    ----------
    checkpoint
        Tells the model's labels and kinds.
    rows
        Columns target, weight, and optionally one for each kind, in which NaN means unknown.
    label_smoothing
        Share of the label that is spread over both labels.
    soft_targets
        Soft targets to learn alongside the labels; None to learn from the labels only.
    kinds_weight
        Weight of the loss on the kinds, relative to the loss on the label.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        rows: pd.DataFrame,
        label_smoothing: float,
        soft_targets: SoftTargets | None,
        kinds_weight: float,
    ) -> None:
        self._soft_targets = soft_targets
        self._kinds_weight = kinds_weight
        self._labels = len(checkpoint.labels)
        spread = label_smoothing / 2
        target = rows["target"].to_numpy(np.float32) * (1 - 2 * spread) + spread
        self._targets = torch.from_numpy(target)
        self._weights = torch.from_numpy(rows["weight"].to_numpy(np.float32))
        self._kinds: torch.Tensor | None = None
        if checkpoint.kinds and set(kinds.COLUMNS) <= set(rows.columns):
            shown = rows[[f"kind_{kind}" for kind in checkpoint.kinds]].to_numpy(np.float32)
            known = ~np.isnan(shown)
            toxic = rows["target"].to_numpy() > 0.5
            if soft_targets is not None and soft_targets.kinds is not None:
                taught, alpha = soft_targets.kinds, soft_targets.alpha[:, None]
                shown = np.where(known, (1 - alpha) * shown + alpha * taught, taught)
                toxic = np.where(known.any(axis=1), toxic, soft_targets.probabilities > 0.5)
                known = np.ones_like(known)
            # Kinds are named of toxic messages only.
            weights = np.where(toxic, 1, _BENIGN_KINDS_WEIGHT)
            self._kinds = torch.from_numpy(np.nan_to_num(shown).astype(np.float32))
            self._kinds_weights = torch.from_numpy((known * weights[:, None]).astype(np.float32))

    def loss(self, logits: torch.Tensor, share: Share, indices: list[int]) -> torch.Tensor:
        """Return the loss of a share; its mean over the processes is that of the batch.

        Parameters
        ----------
        logits
            Of the share's rows, shape (rows, labels and kinds), float32.
        share
            The rows of this process.
        indices
            The rows of the whole batch.
        """
        device = logits.device
        margin = logits[:, 1] - logits[:, 0]
        weights = self._weights[share.rows].to(device)
        label_loss = functional.binary_cross_entropy_with_logits(
            margin, self._targets[share.rows].to(device), reduction="none"
        )
        kinds_loss = self._kinds_loss(logits, share, indices)
        if self._soft_targets is None:
            total = self._weights[indices].sum().to(device)
            return share.factor * (label_loss * weights).sum() / total + kinds_loss
        taught_loss = self._soft_targets.loss(margin, share.rows)
        alpha = torch.from_numpy(self._soft_targets.alpha[share.rows]).to(device)
        losses = alpha * taught_loss + (1 - alpha) * label_loss * weights
        return share.factor * losses.sum() / len(indices) + kinds_loss

    def _kinds_loss(self, logits: torch.Tensor, share: Share, indices: list[int]) -> torch.Tensor:
        """Return the weighted mean loss over the kinds that are known."""
        if self._kinds is None:
            return logits.new_zeros(())
        shown = self._kinds[share.rows].to(logits.device)
        weights = self._kinds_weights[share.rows].to(logits.device)
        total = self._kinds_weights[indices].sum().clamp(min=1).to(logits.device)
        losses = functional.binary_cross_entropy_with_logits(
            logits[:, self._labels :], shown, reduction="none"
        )
        return self._kinds_weight * share.factor * (losses * weights).sum() / total
