"""Asks Triton with its own clients, in its own environment.

Reads one JSON object from standard input - ``http`` and ``grpc``, the addresses; ``requests``,
lists of texts; ``together``, how many of them are sent at a time - and prints one: ``answers`` by
protocol, ``refusals`` to what has the wrong shape, and ``statistics`` of each model.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import tritonclient.grpc as grpc_client
import tritonclient.http as http_client

MODEL = "toxic_bot"
OUTPUTS = ("TOXIC", "SCORE", "WINDOWS", "LEGIBLE", "KINDS", "PROBABILITIES")
MODELS = (MODEL, "toxic_bot_windows", "toxic_bot_forward", "toxic_bot_verdict")


def ask(library: Any, client: Any, texts: list[str]) -> dict[str, Any]:
    """Return the ensemble's outputs for texts, by name."""
    tensor = np.array([text.encode() for text in texts], dtype=object)
    text = library.InferInput("TEXT", tensor.shape, "BYTES")
    text.set_data_from_numpy(tensor)
    wanted = [library.InferRequestedOutput(name) for name in OUTPUTS]
    result = client.infer(MODEL, [text], outputs=wanted)
    return {name: result.as_numpy(name).tolist() for name in OUTPUTS}


def refusal(client: Any, values: Any, kind: str, model: str = MODEL, name: str = "TEXT") -> str:
    """Return why an input is refused; empty if it is not."""
    tensor = np.array(values, dtype=object if kind == "BYTES" else None)
    text = http_client.InferInput(name, tensor.shape, kind)
    text.set_data_from_numpy(tensor)
    try:
        client.infer(model, [text])
    except http_client.InferenceServerException as error:
        return str(error.message())
    return ""


def main() -> None:
    """Answer one order."""
    order = json.load(sys.stdin)
    together = int(order["together"])
    over_http = http_client.InferenceServerClient(order["http"], concurrency=together)
    over_grpc = grpc_client.InferenceServerClient(order["grpc"])
    answers = {}
    with ThreadPoolExecutor(together) as threads:
        for name, library, client in (
            ("http", http_client, over_http),
            ("grpc", grpc_client, over_grpc),
        ):
            # The client over HTTP is made of greenlets, which stay on one thread.
            if name == "http":
                answers[name] = [ask(library, client, texts) for texts in order["requests"]]
                continue
            futures = [threads.submit(ask, library, client, t) for t in order["requests"]]
            answers[name] = [future.result() for future in futures]
    refusals = {
        "two dimensions": refusal(over_http, [[b"a", b"b"]], "BYTES"),
        "numbers": refusal(over_http, np.array([1, 2], np.int32), "INT32"),
        "another name": refusal(over_http, [b"a"], "BYTES", name="TEXTS"),
        "no text": refusal(over_http, np.empty(0, object), "BYTES"),
        "too many texts": refusal(over_http, [b"a"] * 33, "BYTES"),
        "too many windows": refusal(over_http, [b"many words " * 5000] * 32, "BYTES"),
        "a missing mask": refusal(
            over_http, np.ones((1, 16), np.int64), "INT64", "toxic_bot_forward", "input_ids"
        ),
    }
    counts = {}
    for model in MODELS:
        [statistics] = over_http.get_inference_statistics(model)["model_stats"]
        counts[model] = {
            "version": statistics["version"],
            "windows": int(statistics["inference_count"]),
            "batches": int(statistics["execution_count"]),
            "largest": max((int(b["batch_size"]) for b in statistics["batch_stats"]), default=0),
        }
    json.dump({"answers": answers, "refusals": refusals, "statistics": counts}, sys.stdout)


if __name__ == "__main__":
    main()
