"""Cross-encoders that lie on this machine: a folder, or a cached model such as BAAI/bge-reranker-base.

Nothing is ever fetched. The model is loaded when the first pair is scored; its hash and limit are read from files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from threading import Lock
from typing import Any

from connectors.models.embedder import load_tokenizer, stay_offline
from connectors.models.weights import sha256_of
from core.domain.provenance import Component
from core.errors import BadInput, MissingDependency, ModelCorrupt, ModelUnavailable
from core.retrieval.learned import Ranker

PIN_FILE = "citedesk.json"
"""Beside the weights that `citedesk reranker train` wrote: their hash, and what they were trained from."""

RANKER_FILE = "ranker.json"

HINT = "Copy the model's folder to this machine and name it in CITEDESK_RERANKER, or leave that empty."
_LONGEST = 100_000
"""Tokenizers without a limit name an astronomic one."""


class CrossEncoderReranker:
    """Implements `core.ports.Reranker`; safe in threads, which wait for each other between two batches.

    `name` is a folder or a Hugging Face id in the local cache. A pair that is longer than the model reads loses the
    end of its longer text; `truncated` counts these pairs. `threads` 0 means one a core; torch has one such number for
    the whole process. Raises `ModelUnavailable`, `ModelCorrupt` (not the weights that training wrote).
    """

    def __init__(self, name: str, *, threads: int = 0, batch: int = 16) -> None:
        self._path = find_cross_encoder(name)
        self._name = self._path.resolve().name if Path(name).is_dir() else name
        self._threads = threads
        self._batch = batch
        self._weights, self._limit, self._tokenizer = _read(self._path)
        check_pin(self._path, sha256_of(self._weights))
        self._model: Any = None
        self._lock = Lock()

    @property
    def component(self) -> Component:
        version = metadata.version("sentence-transformers")
        return Component("reranker", self._name, version, sha256_of(self._weights))

    @property
    def location(self) -> Path:
        """The folder the model is loaded from."""
        return self._path

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """The model's logits, a batch at a time, long texts first."""
        order = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
        scores = [0.0] * len(texts)
        for start in range(0, len(order), self._batch):
            numbers = order[start : start + self._batch]
            for number, score in zip(numbers, self._predict(query, [texts[n] for n in numbers]), strict=True):
                scores[number] = score
        return scores

    def truncated(self, query: str, texts: Sequence[str]) -> int:
        lengths = (len(encoding.ids) for encoding in self._tokenizer.encode_batch([(query, text) for text in texts]))
        return sum(length > self._limit for length in lengths)

    def warm_up(self) -> None:
        """Load the model now rather than at the first ticket."""
        self.score("ready", ["ready"])

    def _predict(self, query: str, texts: list[str]) -> list[float]:
        with self._lock:
            model = self._loaded()
            try:
                logits = model.predict(
                    [(query, text) for text in texts],
                    batch_size=self._batch,
                    show_progress_bar=False,
                    activation_fn=_identity(),
                )
            except (RuntimeError, IndexError) as error:  # out of memory; a tokenizer that is not the model's
                raise ModelUnavailable(f"The reranker {self._name} failed.") from error
        return [float(logit) for logit in logits]

    def _loaded(self) -> Any:
        """The model. The caller holds the lock."""
        if self._model is None:
            self._model = load_cross_encoder(self._path, self._threads, self._limit)
        return self._model


def find_cross_encoder(name: str) -> Path:
    """The folder of a model by its name. Raises `ModelUnavailable` when it is not on this machine."""
    if Path(name).is_dir():
        return Path(name)
    stay_offline()
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (OSError, ValueError) as error:
        shown = Path(name).name if Path(name).is_absolute() else name
        raise ModelUnavailable(
            f"The reranker {shown} is neither a folder nor a model in the local cache.", hint=HINT
        ) from error


def load_cross_encoder(path: Path, threads: int, limit: int) -> Any:
    """The sentence-transformers model, which reads at most `limit` tokens of a pair."""
    stay_offline()
    try:
        import torch
        from safetensors import SafetensorError
        from sentence_transformers import CrossEncoder
        from transformers.utils import logging as transformers_logging
    except ImportError as error:
        raise MissingDependency(
            "The reranker needs sentence-transformers.", hint="pip install sentence-transformers"
        ) from error
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.set_num_threads(threads or os.cpu_count() or 1)
    try:
        return CrossEncoder(str(path), local_files_only=True, max_length=limit)
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        raise ModelUnavailable(f"The reranker in the folder {path.name} does not load.", hint=HINT) from error


def check_pin(path: Path, sha256: str) -> None:
    """Raise `ModelCorrupt` where the folder says with which hash it was written, and this is another."""
    file = path / PIN_FILE
    if not file.is_file():
        return
    try:
        pinned = str(_read_json(file)["sha256"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelCorrupt(f"{PIN_FILE} of the folder {path.name} is damaged.", hint="Train it again.") from error
    if pinned != sha256:
        raise ModelCorrupt(
            f"The weights in the folder {path.name} are not those that training wrote there.", hint="Train it again."
        )


def read_ranker(folder: Path) -> Ranker:
    """The ranker that `citedesk reranker train` wrote into a folder. Raises `ModelUnavailable`, `ModelCorrupt`."""
    file = folder / RANKER_FILE
    try:
        content = _read_json(file)
        weights = {str(name): float(weight) for name, weight in content["weights"].items()}
        return Ranker(weights, int(content["depth"]), folder.resolve().name, sha256_of([file]))
    except (OSError, UnicodeDecodeError) as error:
        raise ModelUnavailable(
            f"There is no ranker in the folder {folder.name}.", hint="Name the folder in CITEDESK_RANKER, or none."
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, BadInput) as error:
        raise ModelCorrupt(f"{RANKER_FILE} in the folder {folder.name} is damaged.", hint="Train it again.") from error


def write_ranker(folder: Path, ranker: Ranker, about: Mapping[str, object]) -> Ranker:
    """Write the ranker, and `about` what it was learned from; gives what `read_ranker` reads there."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"weights": dict(ranker.weights), "depth": ranker.depth, "about": about}
    (folder / RANKER_FILE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return read_ranker(folder)


def _read(path: Path) -> tuple[list[Path], int, Any]:
    """Weight files, the most tokens of a pair, and the tokenizer, which does not cut."""
    try:
        config = _read_json(path / "config.json")
        weights = sorted(path.glob("*.safetensors")) or sorted(path.glob("pytorch_model*.bin"))
        if not weights or len(config.get("id2label", {0: ""})) != 1:
            raise ValueError("no weights, or more than one score a pair")
        return weights, _limit(path, config), load_tokenizer(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(
            f"The folder {path.name} is not a whole cross-encoder.",
            hint="It needs config.json of a model with one label, tokenizer.json and model.safetensors.",
        ) from error


def _limit(path: Path, config: Any) -> int:
    """The smallest limit the files name. Position tables of RoBERTa's family begin after the padding's number."""
    file = path / "tokenizer_config.json"
    named = _read_json(file).get("model_max_length") if file.is_file() else None
    offset = config.get("pad_token_id", 0) + 1 if "roberta" in config.get("model_type", "") else 0
    limits = [int(config["max_position_embeddings"]) - offset, int(named or _LONGEST)]
    return min(limits)


def _identity() -> Any:
    from torch import nn

    return nn.Identity()


def _read_json(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))
