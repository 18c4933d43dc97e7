"""The training loop, which fine-tuning and distillation share."""

from __future__ import annotations

import copy
import logging
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch.nn import functional

from model_build.metrics import mean_auc
from model_build.profile import Training
from model_build.terminal import progress
from model_build.training.batches import epoch, in_order, tokenize
from model_build.training.checkpoint import Checkpoint
from model_build.training.precision import Precision
from model_build.work import StepError

logger = logging.getLogger(__name__)
STATE = "state.pt"
_VALIDATION_ROWS = 6000
_SAVE_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Teaching:
    """What a teacher says of the training rows.

    Parameters
    ----------
    probabilities
        Of toxic, at the temperature; shape (rows,).
    shares
        Of a row's loss that comes from the teacher; the rest comes from its label.
        Shape (rows,).
    temperature
        At which student and teacher are compared (Hinton et al. 2015).
    """

    probabilities: NDArray[np.float32]
    shares: NDArray[np.float32]
    temperature: float


@dataclass(frozen=True, slots=True)
class Fit:
    """How the loop went.

    Parameters
    ----------
    steps
        Steps made.
    auc
        Best area under the ROC curve on validation rows, the mean of their sources.
    rows_a_second
        Over the steps of this run.
    """

    steps: int
    auc: float
    rows_a_second: float


def fit(
    checkpoint: Checkpoint,
    rows: pd.DataFrame,
    validation: pd.DataFrame,
    training: Training,
    folder: Path,
    *,
    seed: int,
    teaching: Teaching | None = None,
) -> Fit:
    """Train a model in place, and leave the best mean of its weights in it.

    Parameters
    ----------
    checkpoint
        What is trained.
    rows
        Columns text, target and weight.
    validation
        Columns text, strict and source; decides which weights are best and when to stop.
    training
        Settings of the loop.
    folder
        Holds the state, so that a killed run goes on where it was.
    seed
        Of the order of rows and of dropout.
    teaching
        Soft targets beside the labels, if there is a teacher.

    Returns
    -------
    Fit
        How it went.

    Raises
    ------
    StepError
        When there is nothing to validate on.
    """
    held = validation[validation["strict"].notna()]
    held = held.sample(min(_VALIDATION_ROWS, len(held)), random_state=seed)
    if held["strict"].nunique() < 2:
        raise StepError("validation needs rows of both labels")
    loop = _Loop(checkpoint, rows, held, training, folder, seed, teaching)
    return loop.run()


def logits(checkpoint: Checkpoint, texts: list[str], most: int, batch: int = 64) -> NDArray[Any]:
    """Return a model's logits for normalized texts, shape (texts, labels)."""
    model = checkpoint.model
    precision = Precision.of_this_machine()
    model.to(precision.device).eval()
    tokens = tokenize(checkpoint.tokenizer, texts, most, model.config.pad_token_id)
    found = np.zeros((len(texts), model.config.num_labels), dtype=np.float32)
    batches = in_order(tokens, batch)
    with torch.inference_mode(), precision.autocast(), progress() as bar:
        for places in bar.track(batches, description="forward"):
            inputs = {k: v.to(precision.device) for k, v in tokens.tensors(places).items()}
            found[places] = model(**inputs).logits.float().cpu().numpy()
    return found


class _Loop:
    def __init__(
        self,
        checkpoint: Checkpoint,
        rows: pd.DataFrame,
        held: pd.DataFrame,
        training: Training,
        folder: Path,
        seed: int,
        teaching: Teaching | None,
    ) -> None:
        torch.manual_seed(seed)
        self.checkpoint = checkpoint
        self.training = training
        self.held = held
        self.seed = seed
        self.teaching = teaching
        self.state_file = folder / STATE
        self.precision = Precision.of_this_machine()
        self.model = checkpoint.model.to(self.precision.device)
        if self.precision.device.type == "cpu":
            # Faster there in 16 bits than the fused attention of PyTorch.
            self.model.config._attn_implementation = "eager"
        for name, module in self.model.named_modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0 if "layer." in name else training.dropout
        padding = self.model.config.pad_token_id
        self.tokens = tokenize(checkpoint.tokenizer, list(rows["text"]), training.tokens, padding)
        spread = training.smoothing / 2
        target = rows["target"].to_numpy(np.float32) * (1 - 2 * spread) + spread
        self.targets = torch.from_numpy(target)
        self.weights = torch.from_numpy(rows["weight"].to_numpy(np.float32))
        self.steps_an_epoch = math.ceil(len(rows) / training.batch)
        self.steps = max(1, round(training.epochs * self.steps_an_epoch))
        self.look_every = max(1, min(self.steps_an_epoch // 3, self.steps // 3))
        _freeze(self.model, training.frozen)
        self.optimizer = torch.optim.AdamW(
            _groups(self.model, training), weight_decay=0.01, fused=True
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._rate)
        self.scaler = self.precision.scaler()
        self.mean = copy.deepcopy(self.model).eval()
        self.step = 0
        self.best_auc = 0.0
        self.best: dict[str, torch.Tensor] = {}
        self.looks_without = 0

    def run(self) -> Fit:
        self._resume()
        start, first, saved = time.monotonic(), self.step, time.monotonic()
        with progress() as bar:
            task = bar.add_task("training", total=self.steps, completed=self.step)
            while self.step < self.steps and self.looks_without < self.training.patience:
                loss = self._one(self._batch())
                self.step += 1
                bar.update(task, completed=self.step, description=f"training, loss {loss:.3f}")
                if self.step % self.look_every == 0 or self.step == self.steps:
                    self._look(loss)
                if time.monotonic() - saved > _SAVE_SECONDS:
                    self._save()
                    saved = time.monotonic()
        self.model.load_state_dict(self.best)
        self.model.to("cpu").eval()
        self.state_file.unlink(missing_ok=True)
        rows = (self.step - first) * self.training.batch
        return Fit(self.step, self.best_auc, rows / (time.monotonic() - start))

    def _batch(self) -> list[int]:
        passes, place = divmod(self.step, self.steps_an_epoch)
        if place == 0 or not hasattr(self, "_order"):
            self._order = epoch(self.tokens, self.training.batch, self.seed + passes)
        return self._order[place]

    def _one(self, places: list[int]) -> float:
        self.model.train()
        device = self.precision.device
        inputs = {name: t.to(device) for name, t in self.tokens.tensors(places).items()}
        with self.precision.autocast():
            logits_ = self.model(**inputs).logits
        loss = self._loss(logits_.float(), places)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.schedule.step()
        self.optimizer.zero_grad(set_to_none=True)
        self._average()
        return float(loss.detach())

    def _loss(self, logits_: torch.Tensor, places: list[int]) -> torch.Tensor:
        device = self.precision.device
        margin = logits_[:, 1] - logits_[:, 0]
        weights = self.weights[places].to(device)
        hard = functional.binary_cross_entropy_with_logits(
            margin, self.targets[places].to(device), reduction="none"
        )
        if self.teaching is None:
            return (hard * weights).sum() / weights.sum()
        heat = self.teaching.temperature
        soft = functional.binary_cross_entropy_with_logits(
            margin / heat,
            torch.from_numpy(self.teaching.probabilities[places]).to(device),
            reduction="none",
        )
        share = torch.from_numpy(self.teaching.shares[places]).to(device)
        return (share * heat * heat * soft + (1 - share) * hard * weights).mean()

    def _rate(self, step: int) -> float:
        warm = max(1, int(self.training.warmup * self.steps))
        if step < warm:
            return (step + 1) / warm
        return max(0.02, (self.steps - step) / max(1, self.steps - warm))

    def _average(self) -> None:
        # Early on the mean follows closely, or it would remember the fresh head.
        decay = min(self.training.average, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            for mean, value in zip(self.mean.parameters(), self.model.parameters(), strict=True):
                mean.lerp_(value, 1 - decay)

    def _look(self, loss: float) -> None:
        judged = Checkpoint(self.mean, *_rest(self.checkpoint))
        found = logits(judged, list(self.held["text"]), self.training.tokens)
        auc = mean_auc(
            self.held["strict"].to_numpy(int),
            found[:, 1] - found[:, 0],
            self.held["source"].to_numpy(str),
        )
        logger.info("step %d of %d: loss %.4f, AUC %.4f", self.step, self.steps, loss, auc)
        if auc > self.best_auc:
            self.best_auc = auc
            self.best = {k: v.detach().cpu().clone() for k, v in self.mean.state_dict().items()}
            self.looks_without = 0
        else:
            self.looks_without += 1

    def _parts(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "mean": self.mean,
            "optimizer": self.optimizer,
            "schedule": self.schedule,
            "scaler": self.scaler,
        }

    def _save(self) -> None:
        self.state_file.parent.mkdir(parents=True, exist_ok=True)
        state: dict[str, Any] = {name: part.state_dict() for name, part in self._parts().items()}
        state |= {"step": self.step, "steps": self.steps, "best": self.best}
        state |= {"random": torch.get_rng_state()}
        state |= {"best_auc": self.best_auc, "looks_without": self.looks_without}
        fresh = self.state_file.with_suffix(".new")
        torch.save(state, fresh)
        fresh.replace(self.state_file)

    def _resume(self) -> None:
        if not self.state_file.exists():
            return
        state = torch.load(self.state_file, map_location="cpu", weights_only=True)
        if state["steps"] != self.steps:
            logger.info("an earlier state is of other settings: training starts anew")
            return
        for name, part in self._parts().items():
            part.load_state_dict(state[name])
        self.step, self.best, self.best_auc = state["step"], state["best"], state["best_auc"]
        self.looks_without = state["looks_without"]
        torch.set_rng_state(state["random"])
        logger.info("going on at step %d of %d", self.step, self.steps)


def _rest(checkpoint: Checkpoint) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    return checkpoint.tokenizer, checkpoint.labels, checkpoint.toxic_labels


def _layer(name: str) -> int | None:
    """Return which layer a parameter belongs to, -1 for what lies below, None for the head."""
    if "encoder.layer." in name or "transformer.layer." in name:
        return int(name.split("layer.")[1].split(".")[0])
    below = "embeddings" in name or "relative_attention_bias" in name
    return -1 if below else None


def _freeze(model: torch.nn.Module, frozen: int) -> None:
    for name, parameter in model.named_parameters():
        layer = _layer(name)
        parameter.requires_grad_(frozen == 0 or layer is None or layer >= frozen)


def _groups(model: torch.nn.Module, training: Training) -> list[dict[str, Any]]:
    layers = int(model.config.num_hidden_layers)
    groups: dict[int, list[torch.nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        layer = _layer(name)
        depth = 0 if layer is None else layers - layer
        if parameter.requires_grad:
            groups.setdefault(depth, []).append(parameter)
    return [
        {"params": parameters, "lr": training.rate * training.decay**depth}
        for depth, parameters in sorted(groups.items())
    ]
