"""The training loop that fine-tuning and distillation share."""

from __future__ import annotations

import copy
import dataclasses
import logging
import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from model_build import terminal
from model_build.metrics import mean_auc
from model_build.profile import Training
from model_build.rows.ballots import FEEDBACK
from model_build.rows.reading import own_labels
from model_build.training import exits
from model_build.training.averaging import mix
from model_build.training.batches import batches_by_length, shuffled_batches, tokenize
from model_build.training.checkpoint import Checkpoint
from model_build.training.data_parallel import ALONE, Processes
from model_build.training.layers import freeze, parameter_groups
from model_build.training.objective import Objective, SoftTargets
from model_build.training.precision import Precision
from model_build.training.rating import Rating, kinds_precision
from model_build.work import StepError

logger = logging.getLogger(__name__)
STATE = "state.pt"
_MAX_VALIDATION_ROWS = 6000
_SAVE_SECONDS = 120
_CPU_BATCH, _GPU_BATCH = 64, 512
"""Texts per forward pass without gradients."""
_EXITS_WEIGHT = 0.4
"""Weight of the mean loss of the exit heads, relative to the loss of the last head."""


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """Outcome of the training loop.

    Parameters
    ----------
    steps
        Number of optimizer steps.
    auc
        Area under the ROC curve of the picked weights on validation rows, averaged over their
        sources.
    rows_per_second
        Throughput since training was last started or resumed.
    """

    steps: int
    auc: float
    rows_per_second: float = field(metadata={"key": "rows_a_second"})


def train_model(
    checkpoint: Checkpoint,
    rows: pd.DataFrame,
    validation: pd.DataFrame,
    training: Training,
    folder: Path,
    *,
    seed: int,
    soft_targets: SoftTargets | None = None,
    processes: Processes = ALONE,
) -> TrainingResult:
    """Train a model in place and leave the best moving average of its weights in it.

    A terminal shows a progress bar. Elsewhere a line with the step, the loss, the rows per
    second and the time left is logged about every 30 seconds.

    Parameters
    ----------
    checkpoint
        Model to train.
    rows
        Columns text, target, weight and source, and optionally one for each kind, in which NaN
        means unknown. Those from votes help to pick the best weights.
    validation
        Columns text, strict and source, and optionally read and one for each kind; those with
        labels of this project's own are used to pick the best weights and to stop early, or all
        if those are few.
    training
        Hyperparameters.
    folder
        Folder for the training state, from which an interrupted run resumes.
    seed
        Random seed of dropout and the order of rows.
    soft_targets
        Soft targets to learn alongside the labels; None to learn from the labels only.
    processes
        Those that train together, each a share of every batch.

    Returns
    -------
    TrainingResult
        Steps, best AUC and throughput; the AUC is that of the trained weights alone.

    Raises
    ------
    StepError
        When the validation rows do not have both labels.
    """
    validation = validation[validation["strict"].notna()]
    validation = validation[own_labels(validation)]
    max_rows = min(_MAX_VALIDATION_ROWS, len(validation))
    validation = validation.sample(max_rows, random_state=seed)
    if validation["strict"].nunique() < 2:
        raise StepError("the validation rows lack one of the labels: add rows of both labels")
    loop = TrainingLoop(
        checkpoint, rows, validation, training, folder, seed, soft_targets, processes
    )
    return loop.run()


def predict_logits(checkpoint: Checkpoint, texts: list[str], max_tokens: int) -> NDArray[Any]:
    """Return the logits for normalized texts, shape (texts, labels)."""
    model = checkpoint.model
    precision = Precision.detect()
    batch_size = _GPU_BATCH if precision.device.type == "cuda" else _CPU_BATCH
    model.to(precision.device).eval()
    tokens = tokenize(checkpoint.tokenizer, texts, max_tokens, model.config.pad_token_id)
    logits = np.zeros((len(texts), model.config.num_labels), dtype=np.float32)
    batches = batches_by_length(tokens, batch_size)
    with torch.inference_mode(), precision.autocast(), terminal.progress() as bar:
        for indices in bar.track(batches, description="forward passes"):
            inputs = {k: v.to(precision.device) for k, v in tokens.tensors(indices).items()}
            logits[indices] = model(**inputs).logits.float().cpu().numpy()
    return logits


class TrainingLoop:
    """State of a training run; see `train_model`."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        rows: pd.DataFrame,
        validation: pd.DataFrame,
        training: Training,
        folder: Path,
        seed: int,
        soft_targets: SoftTargets | None = None,
        processes: Processes = ALONE,
    ) -> None:
        torch.manual_seed(seed + processes.number)
        self.checkpoint = checkpoint
        self.processes = processes
        self.training = training
        self.validation = validation
        self.votes = rows[rows["source"] == FEEDBACK]
        self.seed = seed
        self.state_file = folder / STATE
        self.precision = Precision.detect()
        self.initial = {}
        if training.kept:
            self.initial = {n: t.clone() for n, t in checkpoint.model.state_dict().items()}
        if training.exits:
            exits.attach(checkpoint.model)
        self.model = checkpoint.model.to(self.precision.device)
        if self.precision.device.type == "cpu" and self.precision.half_dtype is not None:
            # In bf16 on a CPU, faster than PyTorch's fused attention.
            self.model.config._attn_implementation = "eager"
        for name, module in self.model.named_modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = training.layer_dropout if "layer." in name else training.dropout
        padding_id = self.model.config.pad_token_id
        texts = list(rows["text"])
        self.tokens = tokenize(checkpoint.tokenizer, texts, training.max_tokens, padding_id)
        self.objective = Objective(
            checkpoint, rows, training.label_smoothing, soft_targets, training.kinds_weight
        )
        self.steps_per_epoch = math.ceil(len(rows) / training.batch_size)
        self.steps = max(1, round(training.epochs * self.steps_per_epoch))
        self.step = 0
        self.start = time.monotonic()
        self.seconds_before = 0.0
        self.validation_interval = max(1, min(self.steps_per_epoch // 3, self.steps // 3))
        freeze(self.model, training.frozen_layers)
        self.parallel_model = processes.parallel(self.model)
        self.optimizer = torch.optim.AdamW(
            parameter_groups(self.model, training), weight_decay=0.01, fused=True
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, self._learning_rate_factor
        )
        self.scaler = self.precision.scaler()
        self.average_model = copy.deepcopy(self.model).eval()
        self.best = Rating()
        self.best_weights: dict[str, torch.Tensor] = {}
        self.validations_without_improvement = 0

    def run(self) -> TrainingResult:
        """Train to the end, from the saved state if there is one."""
        self._resume()
        self.start = time.monotonic()
        first_step = self.step
        start = last_saved = last_logged = self.start
        with terminal.progress() as bar:
            task = bar.add_task("training", total=self.steps, completed=self.step)
            done = self._progress(self.step)
            while done < 1 and self.validations_without_improvement < self.training.patience:
                loss = self._train_step(self._next_batch())
                self.step += 1
                done = self._progress(self.step)
                if not bar.disable:
                    bar.update(task, completed=self.step, description=f"training, loss {loss:.3f}")
                if self.step % self.validation_interval == 0 or done == 1:
                    self._validate(float(loss))
                now = time.monotonic()
                if bar.disable and now - last_logged >= terminal.LOG_SECONDS:
                    self._log_progress(float(loss), (self.step - first_step) / (now - start))
                    last_logged = now
                if self.processes.first and now - last_saved > _SAVE_SECONDS:
                    self._save()
                    last_saved = time.monotonic()
        self.model.load_state_dict(self.best_weights)
        self.model.to("cpu").eval()
        mix(self.model, self.initial, self.training.kept)
        if self.processes.first:
            self.state_file.unlink(missing_ok=True)
        rows = (self.step - first_step) * self.training.batch_size
        return TrainingResult(self.step, self.best.auc, rows / (time.monotonic() - start))

    def _log_progress(self, loss: float, steps_per_second: float) -> None:
        logger.info(
            "step %d of %d: loss %.4f, %.0f rows/s, %s left",
            self.step,
            self.steps,
            loss,
            steps_per_second * self.training.batch_size,
            terminal.format_duration((self.steps - self.step) / steps_per_second),
        )

    def _next_batch(self) -> list[int]:
        epoch, batch = divmod(self.step, self.steps_per_epoch)
        if batch == 0 or not hasattr(self, "_batches"):
            self._batches = shuffled_batches(
                self.tokens, self.training.batch_size, self.seed + epoch
            )
        return self._batches[batch]

    def _train_step(self, indices: list[int]) -> torch.Tensor:
        self.model.train()
        device = self.precision.device
        share = self.processes.share(indices)
        inputs = {name: t.to(device) for name, t in self.tokens.tensors(share.rows).items()}
        with self.precision.autocast():
            output = self.parallel_model(**inputs, output_hidden_states=self.training.exits)
            early = self.model.exits(output.hidden_states) if self.training.exits else []
        loss = self.objective.loss(output.logits.float(), share, indices)
        if early:
            losses = [self.objective.loss(one.float(), share, indices) for one in early]
            loss = loss + _EXITS_WEIGHT * torch.stack(losses).mean()
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.schedule.step()
        self.optimizer.zero_grad(set_to_none=True)
        self._update_average()
        # No number yet: on a GPU, the next step begins before this one is computed.
        return loss.detach()

    def _progress(self, step: int) -> float:
        """Return the share of the training that is over, of its steps or of its time."""
        done = step / self.steps
        if self.training.minutes is not None:
            done = max(done, self._seconds() / 60 / self.training.minutes)
        return min(1.0, done)

    def _seconds(self) -> float:
        """Return how long it has trained, before it was interrupted included."""
        return self.seconds_before + time.monotonic() - self.start

    def _learning_rate_factor(self, step: int) -> float:
        done, warmup = self._progress(step), max(self.training.warmup, 1 / self.steps)
        if done < warmup:
            return (done + 1 / self.steps) / warmup
        return max(0.02, (1 - done) / max(1 / self.steps, 1 - warmup))

    def _update_average(self) -> None:
        # A shorter average early on, so that it forgets the new head's random weights.
        decay = min(self.training.ema_decay, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            averages = list(self.average_model.parameters())
            torch._foreach_lerp_(averages, list(self.model.parameters()), 1 - decay)

    def _validate(self, loss: float) -> None:
        rating = self.processes.from_first(self._rate)
        logger.info("step %d of %d: loss %.4f, AUC %.4f", self.step, self.steps, loss, rating.auc)
        if rating.kinds:
            logger.info("average precision of the kinds: %.4f", rating.kinds)
        if len(self.votes):
            logger.info("probability of the labels of the votes: %.3f", rating.approval)
        if rating.score > self.best.score:
            self.best = rating
            self.best_weights = {
                name: value.detach().cpu().clone()
                for name, value in self.average_model.state_dict().items()
            }
            self.validations_without_improvement = 0
        else:
            self.validations_without_improvement += 1

    def _rate(self) -> Rating:
        """Rate the mean weights."""
        logits = self._predict(self.validation)
        auc = mean_auc(
            self.validation["strict"].to_numpy(int),
            _margins(logits),
            self.validation["source"].to_numpy(str),
        )
        precision = kinds_precision(self.checkpoint, self.validation, logits)
        if self.votes.empty:
            return Rating(auc, kinds=precision)
        toxic = 1 / (1 + np.exp(-_margins(self._predict(self.votes))))
        voted = np.where(self.votes["target"] > 0.5, toxic, 1 - toxic)
        approval = float(np.average(voted, weights=self.votes["weight"]))
        return Rating(auc, approval, precision)

    def _predict(self, rows: pd.DataFrame) -> NDArray[np.float32]:
        """Return the logits that the mean weights give."""
        checkpoint = dataclasses.replace(self.checkpoint, model=self.average_model)
        return predict_logits(checkpoint, list(rows["text"]), self.training.max_tokens)

    def _components(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "mean": self.average_model,
            "optimizer": self.optimizer,
            "schedule": self.schedule,
            "scaler": self.scaler,
        }

    def _save(self) -> None:
        self.state_file.parent.mkdir(parents=True, exist_ok=True)
        state: dict[str, Any] = {
            name: component.state_dict() for name, component in self._components().items()
        }
        state |= {"step": self.step, "steps": self.steps, "best": self.best_weights}
        state |= {"random": torch.get_rng_state(), "rating": dataclasses.asdict(self.best)}
        state |= {"looks_without": self.validations_without_improvement}
        state |= {"seconds": self._seconds()}
        temporary = self.state_file.with_suffix(".new")
        torch.save(state, temporary)
        temporary.replace(self.state_file)

    def _resume(self) -> None:
        if not self.state_file.exists():
            return
        state = torch.load(self.state_file, map_location="cpu", weights_only=True)
        if state["steps"] != self.steps:
            logger.info("the saved state has other settings: training starts over")
            return
        for name, component in self._components().items():
            component.load_state_dict(state[name])
        self.step = state["step"]
        self.best_weights, self.best = state["best"], Rating(**state["rating"])
        self.validations_without_improvement = state["looks_without"]
        self.seconds_before = state["seconds"]
        # The state is the first process's; the others only must not draw what it draws.
        if self.processes.first:
            torch.set_rng_state(state["random"])
        else:
            torch.manual_seed(self.seed + self.step * self.processes.count + self.processes.number)
        logger.info("resuming at step %d of %d", self.step, self.steps)


def _margins(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the log-odds of toxic."""
    return (logits[:, 1] - logits[:, 0]).astype(np.float64)
