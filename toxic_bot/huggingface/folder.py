"""Write the model as two Hugging Face folders: one for the verdict, one for the kinds.

``transformers`` reads the weights (``model.safetensors``), ``optimum.onnxruntime`` the graph
(``model.onnx``). The calibration is part of both: the softmax of the verdict's logits is the score
that the bot gives, and 0.5 its balanced threshold. What a folder cannot hold is what the bot does
before the tokenizer: see ``README.md`` in it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from safetensors.numpy import save_file

from toxic_bot.huggingface.weights import Encoder, read_encoder
from toxic_bot.judge.config import REMEDY, ModelConfig
from toxic_bot.judge.errors import ModelError

VERDICT = "verdict"
KINDS = "kinds"
_README = """# {name}: {what}

Written by `toxic-bot model transformers`.

```python
from transformers import pipeline

classify = pipeline("text-classification", model="{folder}"{arguments})
classify("you are an idiot")
```

```python
from optimum.onnxruntime import ORTModelForSequenceClassification
from transformers import AutoTokenizer, pipeline

model = ORTModelForSequenceClassification.from_pretrained("{folder}")
classify = pipeline(
    "text-classification", model=model, tokenizer=AutoTokenizer.from_pretrained("{folder}")
)
```

The bot does more than these lines:

- It reads a text before the tokenizer does: disguised words (`1d10t`, `i d i o t`), look-alike
  letters, emoji. `toxic_bot.judge.normalization.normalize(text)` does the same.
- It judges a long text in windows of {window} tokens, and its worst window decides. Here a text of
  more than 512 tokens has to be cut.
- It does not judge a text in a language that the model does not know.
- On an x86 CPU without VNNI, ONNX Runtime's int8 kernels saturate. To be exact there, pass
  `session_options` to `from_pretrained`: an `onnxruntime.SessionOptions()` on which
  `add_session_config_entry("session.x64quantprecision", "1")` was called.
- In `model.safetensors`, activations are not rounded to 8 bits, as they are in `model.onnx`: scores
  differ in the second decimal.
"""


@dataclass(frozen=True, slots=True)
class _Head:
    """Some of the graph's outputs, calibrated: logits * scale + shift.

    Parameters
    ----------
    labels
        Their names.
    start
        The first of them.
    scale, shift
        Shape (labels,).
    problem
        Hugging Face's name for what they tell.
    """

    labels: tuple[str, ...]
    start: int
    scale: NDArray[np.float32]
    shift: NDArray[np.float32]
    problem: str

    @property
    def end(self) -> int:
        """The output after the last."""
        return self.start + len(self.labels)


def write(model: Path, output: Path) -> list[Path]:
    """Write a model folder as Hugging Face folders.

    Parameters
    ----------
    model
        A folder that the bot serves, of a BERT encoder.
    output
        The folder to write ``verdict`` and, if the model tells kinds, ``kinds`` into.

    Returns
    -------
    list of Path
        The folders.

    Raises
    ------
    ModelError
        When the model folder is missing or damaged, or its encoder is none that transformers knows.
    """
    config = ModelConfig.read(model / "config.json")
    try:
        graph = onnx.load(str(model / "model.onnx"))
        encoder = read_encoder(graph.graph)
    except (OSError, KeyError, IndexError, StopIteration) as error:
        raise ModelError(
            f"{model} cannot be written for transformers ({type(error).__name__}): only an int8 "
            f"BERT encoder can, such as the embedded model; or {REMEDY}"
        ) from error
    if encoder.is_pruned or "classifier.weight" not in encoder.weights or config.multilingual:
        raise ModelError(
            f"{model} cannot be written for transformers, which knows no pruned layers and no head "
            "that reads a mean: give a model folder of a plain encoder"
        )
    folders = []
    for name, head in _heads(config):
        folder = output / name
        folder.mkdir(parents=True, exist_ok=True)
        _write_weights(folder, encoder, head)
        onnx.save(_with_head(graph, head), str(folder / "model.onnx"))
        _write_texts(folder, model, config, encoder, head)
        folders.append(folder)
    return folders


def _heads(config: ModelConfig) -> list[tuple[str, _Head]]:
    labels = len(config.labels)
    toxic = np.array([label in config.toxic_labels for label in config.labels])
    scale = np.full(labels, 1 / config.temperature, dtype=np.float32)
    shift = np.where(toxic, -config.offset / config.temperature, 0.0).astype(np.float32)
    heads = [
        (VERDICT, _Head(config.labels, 0, scale, shift, "single_label_classification")),
    ]
    if config.kinds:
        kinds = tuple(kind.name for kind in config.kinds)
        ones, zeros = np.ones(len(kinds), np.float32), np.zeros(len(kinds), np.float32)
        heads.append((KINDS, _Head(kinds, labels, ones, zeros, "multi_label_classification")))
    return heads


def _write_weights(folder: Path, encoder: Encoder, head: _Head) -> None:
    weights = dict(encoder.weights)
    part = slice(head.start, head.end)
    weights["classifier.weight"] = weights["classifier.weight"][part] * head.scale[:, None]
    weights["classifier.bias"] = weights["classifier.bias"][part] * head.scale + head.shift
    contiguous = {name: np.ascontiguousarray(value) for name, value in weights.items()}
    save_file(contiguous, folder / "model.safetensors", metadata={"format": "pt"})


def _with_head(graph: onnx.ModelProto, head: _Head) -> onnx.ModelProto:
    """Return a copy of the graph whose logits are those of a head."""
    model = onnx.ModelProto()
    model.CopyFrom(graph)
    for node in model.graph.node:
        node.output[:] = ["all_logits" if name == "logits" else name for name in node.output]
    constants: Sequence[tuple[str, NDArray[Any]]] = (
        ("head_start", np.array([head.start], np.int64)),
        ("head_end", np.array([head.end], np.int64)),
        ("head_axis", np.array([1], np.int64)),
        ("head_scale", head.scale),
        ("head_shift", head.shift),
    )
    model.graph.initializer.extend(
        numpy_helper.from_array(value, name) for name, value in constants
    )
    slice_inputs = ["all_logits", "head_start", "head_end", "head_axis"]
    model.graph.node.extend(
        [
            helper.make_node("Slice", slice_inputs, ["head_logits"]),
            helper.make_node("Mul", ["head_logits", "head_scale"], ["head_scaled"]),
            helper.make_node("Add", ["head_scaled", "head_shift"], ["logits"]),
        ]
    )
    shape = ["batch", len(head.labels)]
    output = helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, shape)
    del model.graph.output[:]
    model.graph.output.append(output)
    return model


def _write_texts(
    folder: Path, model: Path, config: ModelConfig, encoder: Encoder, head: _Head
) -> None:
    shutil.copyfile(model / "tokenizer.json", folder / "tokenizer.json")
    vocabulary = json.loads((model / "tokenizer.json").read_bytes())["model"]["vocab"]
    special = {
        f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")
    }
    special = {name: token for name, token in special.items() if token in vocabulary}
    names = dict(enumerate(head.labels))
    about = {
        "architectures": ["BertForSequenceClassification"],
        "model_type": "bert",
        "hidden_act": "gelu",
        "pad_token_id": vocabulary.get("[PAD]", 0),
        "problem_type": head.problem,
        "id2label": names,
        "label2id": {label: number for number, label in names.items()},
        **encoder.config,
    }
    tokenizer = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": encoder.config["max_position_embeddings"],
        **special,
    }
    for name, content in (("config", about), ("tokenizer_config", tokenizer)):
        text = json.dumps(content, indent=2) + "\n"
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    is_verdict = head.problem.startswith("single")
    readme = _README.format(
        name=config.name,
        what="whether a text is toxic" if is_verdict else "what kind of toxicity it shows",
        folder=folder,
        arguments="" if is_verdict else ", top_k=None",
        window=config.window.tokens,
    )
    (folder / "README.md").write_text(readme, encoding="utf-8")
