"""The device and the number format of training and inference."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch


@dataclass(frozen=True, slots=True)
class Precision:
    """A device and its mixed precision.

    Parameters
    ----------
    device
        Device to compute on.
    half_dtype
        16-bit format for autocast; None for fp32 throughout.
    """

    device: torch.device
    half_dtype: torch.dtype | None

    @classmethod
    def detect(cls) -> Precision:
        """Return bf16 where the hardware supports it, else fp16 on a GPU and fp32 on a CPU."""
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
        """Return the autocast context for a forward pass."""
        context: AbstractContextManager[Any] = torch.autocast(
            self.device.type,
            dtype=self.half_dtype or torch.bfloat16,
            enabled=self.half_dtype is not None,
        )
        return context

    def scaler(self) -> torch.amp.GradScaler:
        """Return the loss scaler, which is enabled for fp16 only."""
        return torch.amp.GradScaler(self.device.type, enabled=self.half_dtype == torch.float16)
