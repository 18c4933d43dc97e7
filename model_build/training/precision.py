"""The numbers that training computes with."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch


@dataclass(frozen=True, slots=True)
class Precision:
    """On what and how numbers are computed."""

    device: torch.device
    half: torch.dtype | None

    @classmethod
    def of_this_machine(cls) -> Precision:
        """Take bf16 where the hardware has it, fp16 on other GPUs, fp32 on other CPUs."""
        if torch.cuda.is_available():
            bf16 = torch.cuda.is_bf16_supported(including_emulation=False)
            return cls(torch.device("cuda"), torch.bfloat16 if bf16 else torch.float16)
        try:
            flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
        except OSError:
            flags = ""
        has_bf16 = "avx512_bf16" in flags or "amx_bf16" in flags
        return cls(torch.device("cpu"), torch.bfloat16 if has_bf16 else None)

    def autocast(self) -> AbstractContextManager[Any]:
        """Return the context of a forward pass."""
        context: AbstractContextManager[Any] = torch.autocast(
            self.device.type, dtype=self.half or torch.bfloat16, enabled=self.half is not None
        )
        return context

    def scaler(self) -> torch.amp.GradScaler:
        """Return the loss scaler, which does nothing unless fp16 needs it."""
        return torch.amp.GradScaler(self.device.type, enabled=self.half == torch.float16)
