"""What a cross-encoder of MiniLM's size costs: `python -m benchmarks.reranker --data DIR [--json FILE]`.

CPU seconds on one thread for one ticket and 20 passages of about 120 words, at several limits of tokens a pair, by
torch as the product runs it and by onnxruntime with 8-bit weights. The head is untrained: that changes no time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

PAIRS = 20
LIMITS = (512, 256, 192, 128)
TICKETS = 4


def main() -> None:
    arguments = _arguments()
    import torch

    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    tokenizer, model = _model()
    tickets = _tickets(arguments.data)
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        session = _int8(model, tokenizer(["a"], ["b"], return_tensors="pt"), Path(folder))
        for limit in LIMITS:
            inputs = [_encoded(tokenizer, query, texts, limit) for query, texts in tickets]
            found[str(limit)] = {
                "torch": _cpu_s(inputs, lambda batch: model(**batch)),
                "onnx_int8": _cpu_s(inputs, lambda batch: session.run(None, {k: v.numpy() for k, v in batch.items()})),
            }
            sys.stdout.write(f"{limit} tokens a pair: {found[str(limit)]}\n")
    if arguments.json:
        content = {"pairs": PAIRS, "unit": "CPU seconds a ticket, one thread, median", "limits": found}
        arguments.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _model() -> tuple[Any, Any]:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    from connectors.models.embedder import find_folder

    base = find_folder("packaged")
    tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    return tokenizer, AutoModelForSequenceClassification.from_pretrained(base, num_labels=1).eval()


def _tickets(data: Path) -> list[tuple[str, list[str]]]:
    """A query, and the first 120 words of 20 documents."""
    queries = [json.loads(line)["text"] for line in (data / "dev/queries.jsonl").open(encoding="utf-8")][:TICKETS]
    lines = [json.loads(line) for line in (data / "corpus.jsonl").open(encoding="utf-8")]
    texts = [
        f"{doc['title']}\n{' '.join(doc['text'].split()[:120])}" for doc in lines if len(doc["text"].split()) > 120
    ]
    return [(query, texts[number * PAIRS : (number + 1) * PAIRS]) for number, query in enumerate(queries)]


def _encoded(tokenizer: Any, query: str, texts: Sequence[str], limit: int) -> Any:
    pairs = ([query] * len(texts), list(texts))
    return dict(tokenizer(*pairs, truncation=True, max_length=limit, padding=True, return_tensors="pt"))


def _cpu_s(inputs: Sequence[Any], run: Callable[[Any], object]) -> float:
    run(inputs[0])
    seconds = []
    for batch in inputs:
        started = time.process_time()
        run(batch)
        seconds.append(time.process_time() - started)
    return round(statistics.median(seconds), 3)


def _int8(model: Any, example: Any, folder: Path) -> Any:
    import onnxruntime
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    names = list(example)
    axes = {name: {0: "batch", 1: "length"} for name in names}
    whole, small = folder / "whole.onnx", folder / "int8.onnx"
    torch.onnx.export(
        model,
        tuple(example.values()),
        str(whole),
        input_names=names,
        output_names=["logits"],
        dynamic_axes=axes,
        dynamo=False,
    )
    quantize_dynamic(str(whole), str(small), weight_type=QuantType.QInt8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(small), options)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder in BEIR's layout")
    parser.add_argument("--json", type=Path, help="write the figures there")
    return parser.parse_args()


if __name__ == "__main__":
    main()
