"""BM25 inside the process, on tantivy: one folder for each collection, no server.

tantivy finds the candidates with the k1 that is compiled in (1.2); their scores are then computed anew, from the counts
that are stored with each entry, with the k1 and b of `core.retrieval.bm25`. Entries that were deleted still count in
document frequencies until their segment is merged, so scores may drift a little after an update.
"""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from connectors.search.disk import disk_is_full
from connectors.search.names import safe_name
from core.errors import CitedeskError, DataFolderLocked, IndexUnavailable, StorageFull
from core.ports import LexicalEntry
from core.retrieval.analysis import FIELD_BOOSTS
from core.retrieval.bm25 import idf, saturation

CANDIDATES = 2
"""How many times the wanted depth (at least 100) is found with the engine's k1 and then scored with ours."""

WRITER_HEAP_BYTES = 30_000_000
REBUILD = "Run `citedesk ingest --rebuild`: it makes the index anew."


class EmbeddedLexicalIndex:
    """Implements `core.ports.LexicalIndex` in the folder `root`. Safe in threads; writers take turns.

    Only one process may write: another one gets `DataFolderLocked`.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._indexes: dict[str, Any] = {}
        self._lengths: dict[str, tuple[int, Mapping[str, _Lengths]]] = {}
        self._changes = 0
        self._opening = Lock()
        self._writing = Lock()

    def replace(self, collection: str, doc_ids: Sequence[str], entries: Sequence[LexicalEntry]) -> None:
        with self._writing, _translated(collection, self._root):
            index = self._open(collection, create=True)
            writer = index.writer(WRITER_HEAP_BYTES, 1)
            for doc_id in doc_ids:
                writer.delete_documents_by_term("doc_id", doc_id)
            for entry in entries:
                writer.add_document(_document(entry))
            writer.commit()
            writer.wait_merging_threads()
            index.reload()
            self._changes += 1

    def search(self, collection: str, terms: Mapping[str, Sequence[str]], depth: int) -> list[tuple[str, float]]:
        with _translated(collection, self._root):
            index = self._open(collection)
            if index is None or depth <= 0:
                return []
            searcher, lengths = self._measured(collection, index)
            return _search(searcher, index.schema, terms, depth, lengths)

    def count(self, collection: str) -> int:
        with _translated(collection, self._root):
            index = self._open(collection)
            return int(index.searcher().num_docs) if index else 0

    def drop(self, collection: str) -> None:
        folder = self._folder(collection)
        with self._writing, self._opening, _translated(collection, self._root):
            self._indexes.pop(collection, None)
            self._changes += 1
            if folder.exists():
                shutil.rmtree(folder)

    def _measured(self, collection: str, index: Any) -> tuple[Any, Mapping[str, _Lengths]]:
        """A searcher, and the lengths of the fields, which are measured once after each change."""
        changes = self._changes
        searcher = index.searcher()
        measured_at, lengths = self._lengths.get(collection, (-1, {}))
        if measured_at != changes:
            lengths = _measure(searcher)
            self._lengths[collection] = (changes, lengths)
        return searcher, lengths

    def _folder(self, collection: str) -> Path:
        return self._root / safe_name(collection)

    def _open(self, collection: str, *, create: bool = False) -> Any:
        """The collection's tantivy index; None when there is none and none is to be created."""
        with self._opening:
            if collection not in self._indexes:
                index = _open_folder(self._folder(collection), create=create)
                if index is None:
                    return None
                self._indexes[collection] = index
            return self._indexes[collection]


def _open_folder(folder: Path, *, create: bool) -> Any:
    import tantivy

    if create:
        folder.mkdir(parents=True, exist_ok=True)
    elif not folder.is_dir() or not tantivy.Index.exists(str(folder)):
        return None
    index = tantivy.Index(_schema(), path=str(folder))
    index.config_reader("manual")
    index.reload()
    return index


def _schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("passage_id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("doc_id", tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("counts", stored=True, indexed=False, fast=False)
    for name in FIELD_BOOSTS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
        builder.add_unsigned_field(_length_field(name), fast=True)
    return builder.build()


def _document(entry: LexicalEntry) -> Any:
    import tantivy

    document = tantivy.Document()
    document.add_text("passage_id", entry.passage_id)
    document.add_text("doc_id", entry.doc_id)
    for name, terms in entry.fields.items():
        if terms:
            document.add_text(name, " ".join(terms))
            document.add_unsigned(_length_field(name), len(terms))
    counts = {name: (len(terms), Counter(terms)) for name, terms in entry.fields.items() if terms}
    document.add_bytes("counts", json.dumps(counts, ensure_ascii=False, separators=(",", ":")).encode())
    return document


def _length_field(name: str) -> str:
    return f"{name}_length"


@dataclass(frozen=True, slots=True)
class _Lengths:
    """Of one field: how many entries have it, and how many terms it has on average where it is."""

    entries: int
    mean: float


def _measure(searcher: Any) -> dict[str, _Lengths]:
    from tantivy import Query

    asked = {name: {"stats": {"field": _length_field(name)}} for name in FIELD_BOOSTS}
    found = searcher.aggregate(Query.all_query(), asked)
    return {name: _Lengths(int(found[name]["count"]), found[name]["avg"] or 1.0) for name in FIELD_BOOSTS}


def _search(
    searcher: Any, schema: Any, terms: Mapping[str, Sequence[str]], depth: int, lengths: Mapping[str, _Lengths]
) -> list[tuple[str, float]]:
    """Best first. Scores are rounded to 1e-4: the order of sums differs from engine to engine."""
    weights = {
        name: {
            term: FIELD_BOOSTS[name] * count * _idf(searcher.doc_freq(name, term), lengths[name])
            for term, count in Counter(wanted).items()
        }
        for name, wanted in terms.items()
    }
    hits = _hits(searcher, _query(schema, terms), CANDIDATES * max(depth, 100))
    documents = [searcher.doc(address) for _, address in hits]
    ranking = [(str(found.get_first("passage_id")), round(_score(found, weights, lengths), 4)) for found in documents]
    return sorted(ranking, key=lambda item: (-item[1], item[0]))[:depth]


def _idf(holders: int, lengths: _Lengths) -> float:
    """`holders` may count entries that were deleted since; the idf of a term is never negative all the same."""
    return idf(holders, max(holders, lengths.entries))


def _score(document: Any, weights: Mapping[str, Mapping[str, float]], lengths: Mapping[str, _Lengths]) -> float:
    """The sum over fields and terms of idf and boost times the saturated term frequency."""
    total = 0.0
    for name, (length, counts) in json.loads(document.get_first("counts")).items():
        wanted, mean = weights.get(name, {}), lengths[name].mean
        shared = counts.keys() & wanted.keys()
        total += math.fsum(wanted[term] * saturation(counts[term], length, mean) for term in shared)
    return total


def _query(schema: Any, terms: Mapping[str, Sequence[str]]) -> Any:
    """A sum over terms and fields. No query parser: a ticket's text is never syntax."""
    from tantivy import Occur, Query

    clauses = [
        (Occur.Should, Query.boost_query(Query.term_query(schema, name, term, "freq"), FIELD_BOOSTS[name] * count))
        for name, wanted in terms.items()
        for term, count in Counter(wanted).items()
    ]
    return Query.boolean_query(clauses)


def _hits(searcher: Any, query: Any, depth: int) -> list[tuple[float, Any]]:
    """The best `depth` and all that score as the last of them, so that the caller can break that tie."""
    limit = depth + 16
    while True:
        hits: list[tuple[float, Any]] = searcher.search(query, limit, count=False).hits
        if len(hits) < limit or hits[-1][0] < hits[depth - 1][0] - 1e-4:
            return hits
        limit *= 2


@contextmanager
def _translated(collection: str, folder: Path) -> Iterator[None]:
    """tantivy raises ValueError for nearly everything; what it was stands in its text at best."""
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        raise _explained(collection, folder, str(error)) from error


def _explained(collection: str, folder: Path, cause: str) -> CitedeskError:
    if "LockBusy" in cause:
        return DataFolderLocked(f"Another process writes to the lexical index of {collection}.")
    if disk_is_full(folder, cause):
        return StorageFull(f"The disk is full: the lexical index of {collection} was not changed.")
    return IndexUnavailable(f"The lexical index of {collection} cannot be read or written.", hint=REBUILD)
