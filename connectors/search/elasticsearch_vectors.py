"""Cosine search in an Elasticsearch cluster: instead of Chroma, where there is a cluster anyway."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from threading import Lock
from typing import Any

import numpy as np

from connectors.search.elasticsearch_client import Connection, connect, server_version
from connectors.search.elasticsearch_indices import MAX_WINDOW, Fields, Indices, Shape, index_settings, only
from core.domain.provenance import Component
from core.errors import EmbedderMismatch
from core.ports import EmbedderIdentity, Vector, VectorEntry

FIELD = "vector"
SAME_SCORE = 1e-6
CANDIDATES = 200
OVERSAMPLE = 2.0


class Neighbours(StrEnum):
    """How the nearest are found: by comparing with all, or by walking a graph of vectors in 8 bits (HNSW).

    The graph may miss a neighbour; what it finds is scored anew with the vectors as they came.
    """

    EXACT = "exact"
    HNSW = "hnsw"


class ElasticsearchVectorIndex:
    """Implements `core.ports.VectorIndex`. Safe in threads and processes."""

    def __init__(
        self,
        connection: Connection,
        *,
        prefix: str = "citedesk-",
        shards: int = 1,
        neighbours: Neighbours = Neighbours.HNSW,
    ) -> None:
        self._client = connect(connection)
        self._indices = Indices(self._client, "dense", prefix=prefix, retry_base_s=connection.retry_base_s)
        self._shards = shards
        self._neighbours = neighbours
        self._writing = Lock()
        self._means: dict[str, tuple[str, Vector | None]] = {}

    def replace(
        self, collection: str, doc_ids: Sequence[str], entries: Sequence[VectorEntry], embedder: EmbedderIdentity
    ) -> None:
        facts = {"embedder": embedder.name, "sha256": embedder.sha256, "dimension": embedder.dimension}
        with self._writing:
            self._is_bound(collection, embedder)
            self._indices.ensure(collection, _shape(embedder.dimension, self._shards, self._neighbours), facts)
            self._indices.replace(collection, doc_ids, map(_fields, entries))

    def search(
        self, collection: str, vector: Vector, depth: int, embedder: EmbedderIdentity
    ) -> list[tuple[str, float]]:
        if not self._is_bound(collection, embedder) or depth <= 0:
            return []
        hits = self._indices.hits(
            collection, depth, lambda limit: {"knn": self._nearest(collection, vector, limit)}, SAME_SCORE / 2
        )
        ranking = [(passage_id, round(2 * score - 1, 6)) for passage_id, score in hits]
        return sorted(ranking, key=lambda item: (-item[1], item[0]))[:depth]

    def vectors(self, collection: str, passage_ids: Sequence[str]) -> dict[str, Vector]:
        found = self._indices.values(collection, passage_ids, FIELD)
        return {name: np.array(numbers, dtype=np.float32) for name, numbers in found.items()}

    def mean(self, collection: str) -> Vector | None:
        """Kept until the collection changes; then every vector is read once, some 3,000 of 384 numbers a second."""
        state = self._indices.state(collection)
        if not state:
            return None
        known = self._means.get(collection)
        if known is None or known[0] != state:
            known = self._means[collection] = (state, self._mean(collection))
        return known[1]

    def count(self, collection: str) -> int:
        return self._indices.count(collection)

    def identity(self, collection: str) -> EmbedderIdentity | None:
        facts = self._indices.facts(collection)
        return _identity(facts) if facts else None

    def drop(self, collection: str) -> None:
        with self._writing:
            self._indices.drop(collection)

    def collections(self) -> list[str]:
        """All that have an index here."""
        return self._indices.collections()

    def check(self) -> str:
        """One line for `citedesk doctor`. Raises `IndexUnavailable`."""
        version, count = server_version(self._client), len(self.collections())
        return f"Elasticsearch {version}, {self._neighbours} neighbours, {count} collections"

    @property
    def component(self) -> Component:
        return Component("vector index", "elasticsearch", server_version(self._client))

    def close(self) -> None:
        self._client.close()

    def _is_bound(self, collection: str, embedder: EmbedderIdentity) -> bool:
        """Whether the collection exists. Raises `EmbedderMismatch` when another embedder made it."""
        bound = self.identity(collection)
        if bound is not None and bound != embedder:
            raise EmbedderMismatch(
                f"The dense index of {collection} was built with {_described(bound)}; "
                f"the configured embedder is {_described(embedder)}."
            )
        return bound is not None

    def _mean(self, collection: str) -> Vector | None:
        total, count = np.zeros(1), 0
        for numbers in self._indices.all_values(collection, FIELD):
            total, count = total + np.array(numbers), count + 1
        return (total / count).astype(np.float32) if count else None

    def _nearest(self, collection: str, vector: Vector, limit: int) -> dict[str, Any]:
        nearest: dict[str, Any] = {
            "field": FIELD,
            "query_vector": _numbers(vector),
            "k": limit,
            "num_candidates": min(max(2 * limit, CANDIDATES), MAX_WINDOW),
            "filter": [only(collection)],
        }
        if self._neighbours is Neighbours.HNSW:
            nearest["rescore_vector"] = {"oversample": OVERSAMPLE}
        return nearest


def _shape(dimension: int, shards: int, neighbours: Neighbours) -> Shape:
    graph = {"type": "int8_hnsw", "m": 16, "ef_construction": 200}
    options = {"type": "flat"} if neighbours is Neighbours.EXACT else graph
    vector = {
        "type": "dense_vector",
        "dims": dimension,
        "index": True,
        "similarity": "cosine",
        "index_options": options,
    }
    return Shape(index_settings(shards), {FIELD: vector})


def _fields(entry: VectorEntry) -> dict[str, Any]:
    return {"passage_id": entry.passage_id, "doc_id": entry.doc_id, FIELD: _numbers(entry.vector)}


def _numbers(vector: Vector) -> list[float]:
    """To 8 decimals: more than 32 bits hold, and half as long to send."""
    numbers: list[float] = vector.astype(float).round(8).tolist()
    return numbers


def _identity(facts: Fields) -> EmbedderIdentity:
    return EmbedderIdentity(str(facts.get("embedder")), str(facts.get("sha256")), int(facts.get("dimension", 0)))


def _described(embedder: EmbedderIdentity) -> str:
    return f"{embedder.name} ({embedder.sha256[:8]}, {embedder.dimension} dimensions)"
