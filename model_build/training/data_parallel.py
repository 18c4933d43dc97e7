"""Processes that train one model together: on several GPUs, several machines, or several CPUs.

``torchrun`` starts them and says who they are; `torch.nn.parallel.DistributedDataParallel`
averages their gradients. They share the work folder.

Source: https://docs.pytorch.org/docs/stable/elastic/run.html
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar, cast

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from model_build import work as processes

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a batch that one process computes.

    Parameters
    ----------
    rows
        Indices of its rows; at least one.
    factor
        What its loss counts in the mean over the processes, so that this mean is the loss of the
        whole batch.
    """

    rows: list[int]
    factor: float


@dataclass(frozen=True, slots=True)
class Processes:
    """The processes that train together, seen from one of them.

    Parameters
    ----------
    number
        This process, from 0.
    count
        How many there are.
    """

    number: int = 0
    count: int = 1

    @property
    def first(self) -> bool:
        """Whether this process writes, logs and validates for all."""
        return self.number == 0

    def share(self, indices: Sequence[int]) -> Share:
        """Return what this process computes of a batch; all of one that has too few rows."""
        if len(indices) < self.count:
            return Share(list(indices), 1.0)
        return Share(list(indices[self.number :: self.count]), float(self.count))

    def parallel(self, model: torch.nn.Module) -> torch.nn.Module:
        """Return a model whose gradients are the mean over the processes."""
        return DistributedDataParallel(model) if self.count > 1 else model

    def from_first(self, compute: Callable[[], Value]) -> Value:
        """Return what the first process computes, in all of them."""
        if self.count == 1:
            return compute()
        content = [compute() if self.first else None]
        distributed.broadcast_object_list(content)
        return cast(Value, content[0])


ALONE = Processes()


@contextmanager
def join() -> Iterator[Processes]:
    """Meet the other processes that ``torchrun`` started; without it, there are none."""
    if processes.PROCESSES == 1:
        yield ALONE
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield Processes(processes.RANK, processes.PROCESSES)
    finally:
        distributed.destroy_process_group()
