"""ONNX Runtime sessions, configured the same way everywhere in the project."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import onnxruntime


def session_options(threads: int | None) -> onnxruntime.SessionOptions:
    """Return the options that every inference session runs with.

    Parameters
    ----------
    threads
        Threads per inference; None for one per available CPU.
    """
    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or len(os.sched_getaffinity(0))
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Spinning within an inference wakes threads faster than the kernel would; stopping
    # between inferences leaves the CPU to the rest of the answer.
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.force_spinning_stop", "1")
    if not has_vnni():
        # Without VNNI, int8 kernels add pairs of products in 16 bits and saturate. This entry
        # makes them exact there (onnxruntime_session_options_config_keys.h).
        options.add_session_config_entry("session.x64quantprecision", "1")
    return options


def create_session(graph: Path | bytes, threads: int | None) -> onnxruntime.InferenceSession:
    """Create a CPU session for an ONNX graph.

    Parameters
    ----------
    graph
        A file such as ``model.onnx``, or its content, which the session then keeps in memory
        beside its weights.
    threads
        Threads per inference; None for one per available CPU.
    """
    return onnxruntime.InferenceSession(
        graph if isinstance(graph, bytes) else str(graph),
        session_options(threads),
        providers=["CPUExecutionProvider"],
    )


def has_vnni() -> bool:
    """Report whether the CPU multiplies and adds int8 without saturating in 16 bits.

    NumPy asks the processor itself. Under emulation, /proc/cpuinfo describes the host instead.
    """
    umath = import_module("numpy._core._multiarray_umath")
    return bool(getattr(umath, "__cpu_features__", {}).get("AVX512VNNI"))
