"""Triton's model configurations, as text.

The format is protobuf's text format of ``model_config.proto``
(https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/model_configuration.html).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toxic_bot.judge.batching import lengths
from toxic_bot.judge.config import ModelConfig, OperatingPoint

ENSEMBLE = "toxic_bot"
WINDOWS = "toxic_bot_windows"
FORWARD = "toxic_bot_forward"
VERDICT = "toxic_bot_verdict"
MAX_TEXTS = 32
"""Texts of a request."""
MAX_WINDOWS = 256
"""Windows of a request, and of a batch."""
WARM_UP = "warmup"
READERS = 2
"""Processes that read texts; Python reads one at a time."""
_QUEUE = 512
_DEADLINE = 20_000_000
"""Microseconds that a request may wait."""
_KEPT_VERSIONS = 2


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or an output.

    Parameters
    ----------
    name
        Its name.
    kind
        Its data type, without ``TYPE_``.
    dims
        Its shape; -1 for any size. Of a model that batches, without the batch.
    """

    name: str
    kind: str
    dims: tuple[int, ...]

    def text(self) -> str:
        """Return its description."""
        dims = ", ".join(map(str, self.dims))
        return f'{{ name: "{self.name}" data_type: TYPE_{self.kind} dims: [ {dims} ] }}'


TEXT = Tensor("TEXT", "STRING", (-1,))


def graph_inputs(config: ModelConfig, dims: tuple[int, ...]) -> list[Tensor]:
    """Return the inputs of the graph."""
    return [Tensor(name, "INT64", dims) for name in config.inputs]


def bookkeeping() -> list[Tensor]:
    """Return what the verdict needs to know about the windows."""
    return [
        Tensor("text_of_window", "INT32", (-1,)),
        Tensor("windows", "INT32", (-1,)),
        Tensor("legible", "BOOL", (-1,)),
    ]


def verdict_outputs(config: ModelConfig) -> list[Tensor]:
    """Return what the ensemble answers, for each text."""
    outputs = [
        Tensor("TOXIC", "BOOL", (-1,)),
        Tensor("SCORE", "FP64", (-1,)),
        Tensor("WINDOWS", "INT32", (-1,)),
        Tensor("LEGIBLE", "BOOL", (-1,)),
    ]
    if config.kinds:
        outputs.append(Tensor("KINDS", "BOOL", (-1, len(config.kinds))))
        outputs.append(Tensor("PROBABILITIES", "FP64", (-1, len(config.kinds))))
    return outputs


def max_windows(config: ModelConfig) -> int:
    """Return how many windows a request may have: at least those of one text."""
    return max(MAX_WINDOWS, config.window.max_windows)


def ensemble(config: ModelConfig) -> str:
    """Return the configuration of the ensemble, which clients ask."""
    inputs = {name: name for name in config.inputs}
    kept = {tensor.name: tensor.name for tensor in bookkeeping()}
    answers = {tensor.name: tensor.name for tensor in verdict_outputs(config)}
    steps = [
        _step(WINDOWS, {"TEXT": "TEXT"}, inputs | kept),
        _step(FORWARD, inputs, {"logits": "logits"}),
        _step(VERDICT, {"logits": "logits"} | kept, answers),
    ]
    kinds = ",".join(kind.name for kind in config.kinds)
    return _text(
        ENSEMBLE,
        'platform: "ensemble"',
        [TEXT],
        verdict_outputs(config),
        f"ensemble_scheduling {{ step {_list(steps)} }}",
        _parameter("kinds", kinds),
        _parameter("model", f"{config.name} {config.checksums['model.onnx'][:12]}"),
    )


def windows(config: ModelConfig) -> str:
    """Return the configuration of the step that reads texts."""
    outputs = [*graph_inputs(config, (-1, -1)), *bookkeeping()]
    warm_up = (
        f'model_warmup [ {{ name: "text" inputs {{ key: "{TEXT.name}" value: {{ '
        'data_type: TYPE_STRING dims: [ 1 ] input_data_file: "text" } } } ]'
    )
    return _text(
        WINDOWS,
        'backend: "python"',
        [TEXT],
        outputs,
        f"instance_group [ {{ count: {READERS} kind: KIND_CPU }} ]",
        _parameter("max_texts", str(MAX_TEXTS)),
        _parameter("max_windows", str(max_windows(config))),
        warm_up,
    )


def forward(config: ModelConfig, threads: int) -> str:
    """Return the configuration of the int8 graph on a CPU.

    Dynamic batching brings requests together, and the step computes their windows one by one, on
    several threads: in a batch through an int8 graph, one window would change another's score.
    """
    return _forward(
        config,
        'backend: "python"',
        f"dynamic_batching {{ max_queue_delay_microseconds: 0 {_queue_policy()} }}",
        "instance_group [ { count: 1 kind: KIND_CPU } ]",
        _parameter("threads", str(threads)),
    )


def forward_on_gpu(config: ModelConfig, graph: str) -> str:
    """Return the configuration of the fp16 graph on a GPU, with Triton's ONNX Runtime backend."""
    return _forward(
        config,
        f'backend: "onnxruntime"\ndefault_model_filename: "{graph}"',
        "dynamic_batching { preferred_batch_size: [ 8, 16, 32, 64 ] "
        f"max_queue_delay_microseconds: 1000 {_queue_policy()} }}",
        "instance_group [ { count: 1 kind: KIND_GPU } ]",
        "optimization { input_pinned_memory { enable: true } output_pinned_memory { enable: true } "
        "gather_kernel_buffer_threshold: 0 }",
    )


def verdict(config: ModelConfig, operating_point: OperatingPoint) -> str:
    """Return the configuration of the step that turns logits into verdicts."""
    logits = Tensor("logits", "FP32", (-1, _outputs(config)))
    return _text(
        VERDICT,
        'backend: "python"',
        [logits, *bookkeeping()],
        verdict_outputs(config),
        "instance_group [ { count: 1 kind: KIND_CPU } ]",
        _parameter("operating_point", operating_point),
    )


def warm_up_file(name: str, length: int) -> str:
    """Return the name of the file with an input of some length."""
    return f"{name}_{length}"


def _forward(config: ModelConfig, backend: str, *rest: str) -> str:
    warm_ups = [
        f'{{ name: "{length} tokens" batch_size: 1 '
        + " ".join(
            f'inputs {{ key: "{name}" value: {{ data_type: TYPE_INT64 dims: [ {length} ] '
            f'input_data_file: "{warm_up_file(name, length)}" }} }}'
            for name in config.inputs
        )
        + " }"
        for length in lengths(config.window.tokens)
    ]
    return _text(
        FORWARD,
        backend,
        graph_inputs(config, (-1,)),
        [Tensor("logits", "FP32", (_outputs(config),))],
        *rest,
        f"model_warmup {_list(warm_ups)}",
        batch=max_windows(config),
    )


def _text(
    name: str,
    backend: str,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    *rest: str,
    batch: int = 0,
) -> str:
    parts = [
        f'name: "{name}"',
        backend,
        f"max_batch_size: {batch}",
        f"input {_list([tensor.text() for tensor in inputs])}",
        f"output {_list([tensor.text() for tensor in outputs])}",
        f"version_policy: {{ latest {{ num_versions: {_KEPT_VERSIONS} }} }}",
        *rest,
    ]
    return "\n".join(parts) + "\n"


def _step(model: str, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> str:
    maps = [f'input_map {{ key: "{key}" value: "{value}" }}' for key, value in inputs.items()]
    maps += [f'output_map {{ key: "{key}" value: "{value}" }}' for key, value in outputs.items()]
    return f'{{ model_name: "{model}" model_version: -1 {" ".join(maps)} }}'


def _queue_policy() -> str:
    return (
        "default_queue_policy { timeout_action: REJECT "
        f"default_timeout_microseconds: {_DEADLINE} max_queue_size: {_QUEUE} }}"
    )


def _parameter(key: str, value: str) -> str:
    return f'parameters {{ key: "{key}" value: {{ string_value: "{value}" }} }}'


def _list(items: Sequence[str]) -> str:
    return "[\n  " + ",\n  ".join(items) + "\n]"


def _outputs(config: ModelConfig) -> int:
    return len(config.labels) + len(config.kinds)
