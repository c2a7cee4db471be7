"""Cosine search inside the process, on Chroma's persistent client: one Chroma collection for each of ours.

Never open the folder from two processes: the second writes without an error and the first does not see it.
The client opens no connection, sends no telemetry, and embeds nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from connectors.search.disk import disk_is_full
from connectors.search.names import safe_name
from core.errors import CitedeskError, EmbedderMismatch, IndexUnavailable, StorageFull
from core.ports import EmbedderIdentity, Vector, VectorEntry, Vectors

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.collection_configuration import CreateCollectionConfiguration
    from chromadb.api.models.Collection import Collection
    from chromadb.api.types import Where

T = TypeVar("T")

PREFIX = "citedesk-"
HNSW: CreateCollectionConfiguration = {"hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 200}}
TIE_MARGIN = 16
"""How many more neighbours are asked for, so that equal ones at the end of a list are ordered by id."""
IDS_AT_ONCE = 500
EXACT_UP_TO = 20_000
"""Passages up to which a collection is kept in memory (1.5 kB each at 384 dimensions) and searched exactly."""

SAMPLES = 20
"""Of a larger collection the mean is taken over this many stretches of 1,000 vectors, spread evenly."""

SAMPLE_SIZE = 1000
REBUILD = "Run `citedesk ingest --rebuild`: it makes the index anew."


class ChromaVectorIndex:
    """Implements `core.ports.VectorIndex` in the folder `root`. Safe in threads; writers take turns.

    Up to `exact_up_to` vectors the search compares with all of them, in memory: one pass over the collection after
    each change. Beyond, it is approximate (HNSW): a neighbour may be missed, a score is never wrong by more than
    rounding (1e-6).
    """

    def __init__(self, root: Path, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._root = root
        self._exact_up_to = exact_up_to
        self._held: dict[str, _Held] = {}
        self._means: dict[str, Vector] = {}
        self._client: Client | None = None
        self._lock = RLock()

    def replace(
        self, collection: str, doc_ids: Sequence[str], entries: Sequence[VectorEntry], embedder: EmbedderIdentity
    ) -> None:
        """New vectors are written before old ones are removed: a crash in between loses nothing."""
        with self._lock, _translated(collection, self._root):
            target = self._bound(collection, embedder) or self._create(collection, embedder)
            self._forget(collection)
            stale = _ids_of(target, doc_ids) - {entry.passage_id for entry in entries}
            for batch in _batches(entries, self._opened().get_max_batch_size()):
                _upsert(target, batch)
            for ids in _batches(sorted(stale), IDS_AT_ONCE):
                target.delete(ids=ids)
            self._forget(collection)

    def search(
        self, collection: str, vector: Vector, depth: int, embedder: EmbedderIdentity
    ) -> list[tuple[str, float]]:
        with _translated(collection, self._root):
            target = self._bound(collection, embedder)
            if target is None or depth <= 0:
                return []
            if held := self._all_of(collection, target):
                return held.nearest(vector, depth)
            wanted = max(1, min(depth + TIE_MARGIN, target.count()))
            found = target.query(query_embeddings=vector[np.newaxis], n_results=wanted, include=["distances"])
        distances = (found["distances"] or [[]])[0]
        ranking = [(name, round(1 - float(far), 6)) for name, far in zip(found["ids"][0], distances, strict=True)]
        return sorted(ranking, key=lambda item: (-item[1], item[0]))[:depth]

    def vectors(self, collection: str, passage_ids: Sequence[str]) -> dict[str, Vector]:
        with _translated(collection, self._root):
            target = self._find(collection)
            if target is None:
                return {}
            if held := self._all_of(collection, target):
                return {name: held.rows[held.places[name]] for name in passage_ids if name in held.places}
            return _fetched(target, passage_ids)

    def mean(self, collection: str) -> Vector | None:
        """Of a collection that is searched approximately, the mean of 20,000 vectors spread evenly over it."""
        with self._lock, _translated(collection, self._root):
            target = self._find(collection)
            if target is None or not target.count():
                return None
            if collection not in self._means:
                held = self._all_of(collection, target)
                self._means[collection] = held.rows.mean(axis=0) if held else _sampled_mean(target)
            return self._means[collection]

    def count(self, collection: str) -> int:
        with _translated(collection, self._root):
            target = self._find(collection)
            return target.count() if target else 0

    def identity(self, collection: str) -> EmbedderIdentity | None:
        with _translated(collection, self._root):
            target = self._find(collection)
            return _identity(target) if target else None

    def drop(self, collection: str) -> None:
        with self._lock, _translated(collection, self._root):
            self._forget(collection)
            if self._find(collection):
                self._opened().delete_collection(_name(collection))

    def close(self) -> None:
        """Release the folder; the next call opens it again."""
        with self._lock:
            self._held.clear()
            self._means.clear()
            if self._client is not None:
                self._client.close()
                self._client = None

    def _forget(self, collection: str) -> None:
        """What is known of the collection's vectors as a whole."""
        self._held.pop(collection, None)
        self._means.pop(collection, None)

    def _all_of(self, collection: str, target: Collection) -> _Held | None:
        """All vectors, read once after each change; None where there are too many (or none)."""
        held = self._held.get(collection)
        if held is None and 0 < target.count() <= self._exact_up_to:
            with self._lock:
                held = self._held[collection] = _read(target)
        return held

    def compact(self) -> None:
        """Rewrite Chroma's database without what was deleted from it; the folder is closed meanwhile."""
        import sqlite3

        database = self._root / "chroma.sqlite3"
        with self._lock, _translated("all collections", self._root):
            self.close()
            if database.exists():
                with closing(sqlite3.connect(database, isolation_level=None)) as connection:
                    connection.execute("VACUUM")
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _opened(self) -> Client:
        with self._lock:
            if self._client is None:
                self._client = _open(self._root)
            return self._client

    def _find(self, collection: str) -> Collection | None:
        from chromadb.errors import NotFoundError

        try:
            return self._opened().get_collection(_name(collection), embedding_function=None)
        except NotFoundError:
            return None

    def _bound(self, collection: str, embedder: EmbedderIdentity) -> Collection | None:
        """The collection when there is one. Raises `EmbedderMismatch` when another embedder made it."""
        target = self._find(collection)
        if target is not None and (bound := _identity(target)) != embedder:
            raise EmbedderMismatch(
                f"The dense index of {collection} was built with {_described(bound)}; "
                f"the configured embedder is {_described(embedder)}."
            )
        return target

    def _create(self, collection: str, embedder: EmbedderIdentity) -> Collection:
        return self._opened().create_collection(
            _name(collection),
            embedding_function=None,
            configuration=HNSW,
            metadata={"embedder": embedder.name, "sha256": embedder.sha256, "dimension": embedder.dimension},
        )


@dataclass(frozen=True, slots=True)
class _Held:
    """A collection in memory: `rows` is float32[n, dimension], L2-normalised, in order of `names`."""

    names: tuple[str, ...]
    places: dict[str, int]
    rows: Vectors

    def nearest(self, vector: Vector, depth: int) -> list[tuple[str, float]]:
        cosines = np.round((self.rows @ vector).astype(float), 6)
        if depth < len(cosines):
            last = np.partition(cosines, -depth)[-depth]
            places = np.flatnonzero(cosines >= last)
        else:
            places = np.arange(len(cosines))
        ranking = [(self.names[place], float(cosines[place])) for place in places]
        return sorted(ranking, key=lambda item: (-item[1], item[0]))[:depth]


def _read(target: Collection) -> _Held:
    found = target.get(include=["embeddings"])
    names = tuple(found["ids"])
    rows = _normalised(np.asarray(found["embeddings"], dtype=np.float32))
    return _Held(names, {name: place for place, name in enumerate(names)}, rows)


def _fetched(target: Collection, passage_ids: Sequence[str]) -> dict[str, Vector]:
    vectors: dict[str, Vector] = {}
    for batch in _batches(passage_ids, IDS_AT_ONCE):
        found = target.get(ids=batch, include=["embeddings"])
        if found["ids"]:
            rows = _normalised(np.asarray(found["embeddings"], dtype=np.float32))
            vectors.update(zip(found["ids"], rows, strict=True))
    return vectors


def _normalised(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    normalised: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32, copy=False)
    return normalised


def _sampled_mean(target: Collection) -> Vector:
    size = max(target.count() // SAMPLES, 1)
    stretches = [
        target.get(include=["embeddings"], limit=min(size, SAMPLE_SIZE), offset=number * size)["embeddings"]
        for number in range(SAMPLES)
    ]
    rows = np.concatenate([np.asarray(some, dtype=np.float32) for some in stretches if some is not None and len(some)])
    mean: Vector = _normalised(rows).mean(axis=0)
    return mean


def _open(root: Path) -> Client:
    import chromadb
    from chromadb.config import Settings

    root.mkdir(parents=True, exist_ok=True)
    client = chromadb.PersistentClient(path=str(root), settings=Settings(anonymized_telemetry=False))
    return cast("Client", client)


def _name(collection: str) -> str:
    return PREFIX + safe_name(collection)


def _identity(target: Collection) -> EmbedderIdentity:
    facts = target.metadata or {}
    return EmbedderIdentity(str(facts.get("embedder")), str(facts.get("sha256")), int(str(facts.get("dimension", 0))))


def _described(embedder: EmbedderIdentity) -> str:
    return f"{embedder.name} ({embedder.sha256[:8]}, {embedder.dimension} dimensions)"


def _ids_of(target: Collection, doc_ids: Sequence[str]) -> set[str]:
    ids: set[str] = set()
    for batch in _batches(doc_ids, IDS_AT_ONCE):
        where = cast("Where", {"doc_id": {"$in": batch}})
        ids.update(target.get(where=where, include=[])["ids"])
    return ids


def _upsert(target: Collection, batch: Sequence[VectorEntry]) -> None:
    target.upsert(
        ids=[entry.passage_id for entry in batch],
        embeddings=np.stack([entry.vector for entry in batch]),
        metadatas=[{"doc_id": entry.doc_id} for entry in batch],
    )


def _batches(items: Sequence[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


@contextmanager
def _translated(collection: str, folder: Path) -> Iterator[None]:
    from chromadb.errors import ChromaError

    try:
        yield
    except (ChromaError, OSError, ValueError, RuntimeError) as error:
        raise _explained(collection, folder, str(error)) from error


def _explained(collection: str, folder: Path, cause: str) -> CitedeskError:
    if disk_is_full(folder, cause):
        return StorageFull(f"The disk is full: the dense index of {collection} may be behind its documents.")
    return IndexUnavailable(f"The dense index of {collection} cannot be read or written.", hint=REBUILD)
