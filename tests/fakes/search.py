"""In-memory indexes and an embedder without a model. Set `down = True` and an index answers like a dead server."""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from threading import RLock

import numpy as np

from core.errors import EmbedderMismatch, IndexUnavailable
from core.ports import EmbedderIdentity, LexicalEntry, Vector, VectorEntry, Vectors
from core.retrieval.analysis import FIELD_BOOSTS
from core.retrieval.bm25 import idf, saturation

STOP_WORDS = frozenset(
    re.findall(r"\w+", "a an and are as at be by do for how i if in is it my not of on or so that the this to")
)


class FakeLexicalIndex:
    """BM25 in a few lines; fields are scored apart and added with the usual boosts."""

    def __init__(self) -> None:
        self.down = False
        self._entries: dict[str, dict[str, LexicalEntry]] = defaultdict(dict)
        self._lock = RLock()

    def replace(self, collection: str, doc_ids: Sequence[str], entries: Sequence[LexicalEntry]) -> None:
        self._refuse_when_down()
        with self._lock:
            kept = {k: e for k, e in self._entries[collection].items() if e.doc_id not in set(doc_ids)}
            self._entries[collection] = kept | {entry.passage_id: entry for entry in entries}

    def search(self, collection: str, terms: Mapping[str, Sequence[str]], depth: int) -> list[tuple[str, float]]:
        self._refuse_when_down()
        with self._lock:
            entries = list(self._entries.get(collection, {}).values())
        scores: Counter[str] = Counter()
        for name, wanted in terms.items():
            for passage_id, score in _bm25({e.passage_id: e.fields.get(name, ()) for e in entries}, wanted).items():
                scores[passage_id] += score * FIELD_BOOSTS.get(name, 1.0)  # type: ignore[assignment]
        return _best(scores, depth)

    def count(self, collection: str) -> int:
        return len(self._entries.get(collection, {}))

    def drop(self, collection: str) -> None:
        with self._lock:
            self._entries.pop(collection, None)

    def _refuse_when_down(self) -> None:
        if self.down:
            raise IndexUnavailable("The lexical index does not answer.")


class FakeVectorIndex:
    """Exact cosine over everything; a collection stays bound to the embedder it was made with until it is dropped."""

    def __init__(self) -> None:
        self.down = False
        self._entries: dict[str, dict[str, VectorEntry]] = {}
        self._bound: dict[str, EmbedderIdentity] = {}
        self._lock = RLock()

    def replace(
        self, collection: str, doc_ids: Sequence[str], entries: Sequence[VectorEntry], embedder: EmbedderIdentity
    ) -> None:
        self._check(collection, embedder)
        with self._lock:
            self._bound[collection] = embedder
            old = self._entries.get(collection, {})
            kept = {k: e for k, e in old.items() if e.doc_id not in set(doc_ids)}
            self._entries[collection] = kept | {entry.passage_id: entry for entry in entries}

    def search(
        self, collection: str, vector: Vector, depth: int, embedder: EmbedderIdentity
    ) -> list[tuple[str, float]]:
        self._check(collection, embedder)
        with self._lock:
            entries = list(self._entries.get(collection, {}).values())
        return _best({e.passage_id: round(float(e.vector @ vector), 6) for e in entries}, depth)

    def vectors(self, collection: str, passage_ids: Sequence[str]) -> dict[str, Vector]:
        entries = self._held(collection)
        return {name: entries[name].vector for name in passage_ids if name in entries}

    def mean(self, collection: str) -> Vector | None:
        entries = self._held(collection).values()
        return np.stack([entry.vector for entry in entries]).mean(axis=0) if entries else None

    def count(self, collection: str) -> int:
        return len(self._entries.get(collection, {}))

    def identity(self, collection: str) -> EmbedderIdentity | None:
        return self._bound.get(collection)

    def drop(self, collection: str) -> None:
        with self._lock:
            self._entries.pop(collection, None)
            self._bound.pop(collection, None)

    def _held(self, collection: str) -> dict[str, VectorEntry]:
        self._refuse_when_down()
        with self._lock:
            return dict(self._entries.get(collection, {}))

    def _refuse_when_down(self) -> None:
        if self.down:
            raise IndexUnavailable("The dense index does not answer.")

    def _check(self, collection: str, embedder: EmbedderIdentity) -> None:
        self._refuse_when_down()
        bound = self._bound.get(collection, embedder)
        if bound != embedder:
            raise EmbedderMismatch(f"{collection} was built with {bound.name}, not with {embedder.name}.")


class FakeEmbedder:
    """A hashed bag of words in 64 dimensions: texts that share words are near, others are about orthogonal.

    A token is a word. Common English words do not count; a text of nothing else gets a fixed vector.
    """

    max_tokens = 254

    def __init__(self, name: str = "fake", dimension: int = 64) -> None:
        self.identity = EmbedderIdentity(name, f"{zlib.crc32(name.encode()):064x}", dimension)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = [self._embed(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.identity.dimension)

    def count_tokens(self, text: str) -> int:
        return len(_words(text))

    def _embed(self, text: str) -> Vector:
        vector = np.zeros(self.identity.dimension, dtype=np.float32)
        for word in _words(text):
            if word not in STOP_WORDS:
                number = zlib.crc32(word.encode())
                vector[number % len(vector)] += 1 if number >> 16 & 1 else -1
        if not vector.any():
            vector[0] = 1
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _bm25(texts: Mapping[str, Sequence[str]], wanted: Sequence[str]) -> dict[str, float]:
    """Entries without the field count neither towards the idf nor towards the mean length."""
    held = {passage_id: terms for passage_id, terms in texts.items() if terms}
    mean_length = sum(map(len, held.values())) / max(len(held), 1)
    counts = {passage_id: Counter(terms) for passage_id, terms in held.items()}
    scores: dict[str, float] = defaultdict(float)
    for term in wanted:
        holders = [passage_id for passage_id, count in counts.items() if term in count]
        for passage_id in holders:
            weight = idf(len(holders), len(held))
            scores[passage_id] += weight * saturation(counts[passage_id][term], len(held[passage_id]), mean_length)
    return scores


def _best(scores: Mapping[str, float], depth: int) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:depth]
