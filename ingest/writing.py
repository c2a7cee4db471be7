"""Writes documents to both indexes and to the repository, so that a crash at any moment can be repaired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.passage import Document, Passage
from core.ports import Embedder, LexicalIndex, UnitOfWorkFactory, VectorEntry, VectorIndex
from core.retrieval.analysis import document_entry, lexical_entry
from core.retrieval.documents import drop_collection, opening, whole
from ingest.chunking import cut
from ingest.holdings import Batch, Holdings
from ingest.report import Cutting


@dataclass(frozen=True, slots=True)
class Stores:
    """One collection, and everything that holds a part of it."""

    collection: str
    uow: UnitOfWorkFactory
    lexical: LexicalIndex
    vectors: VectorIndex
    embedder: Embedder


def write(batch: Batch, holdings: Holdings, stores: Stores, cutting: Cutting) -> int:
    """Write the batch; how many passages.

    Three steps: the items for whose sake the indexes change are marked as under way; both indexes change; repository
    and manifest change in one transaction. After a crash the marks say what has to be written again.
    """
    if not batch.before:
        return 0
    documents = [replace(d, addresses=holdings.addresses(d.doc_id)) for d in batch.documents.values()]
    passages = {document.doc_id: _cut(document, stores.embedder, cutting) for document in documents}
    _announce(batch, holdings, stores)
    cut_up = [(document, passages[document.doc_id]) for document in documents]
    index([*batch.documents, *sorted(batch.gone)], cut_up, stores)
    with stores.uow() as tx:
        for document in documents:
            tx.documents.put(document, passages[document.doc_id])
        for doc_id in sorted(batch.gone):
            tx.documents.delete(doc_id)
        for source_key in batch.before:
            if source_key in holdings.records:
                tx.documents.record(holdings.records[source_key])
            else:
                tx.documents.forget(stores.collection, source_key)
        tx.commit()
    return sum(map(len, passages.values()))


def _cut(document: Document, embedder: Embedder, cutting: Cutting) -> list[Passage]:
    return cut(
        document,
        words=cutting.words,
        overlap_words=cutting.overlap_words,
        count_tokens=embedder.count_tokens,
        max_tokens=embedder.max_tokens,
    )


def _announce(batch: Batch, holdings: Holdings, stores: Stores) -> None:
    with stores.uow() as tx:
        for record in batch.marks(holdings):
            tx.documents.record(record)
        for doc_id in sorted(batch.readdressed):
            tx.documents.set_addresses(doc_id, holdings.addresses(doc_id))
        tx.commit()


def index(doc_ids: Sequence[str], documents: Sequence[tuple[Document, Sequence[Passage]]], stores: Stores) -> None:
    """Replace what both indexes hold of these documents, whole and in passages. Does nothing without `doc_ids`."""
    if not doc_ids:
        return
    passages = [passage for _, some in documents for passage in some]
    wholes = [document for document, some in documents if some]
    lexical, vectors, identity = stores.lexical, stores.vectors, stores.embedder.identity
    parts, openings = _vectors(passages, wholes, stores.embedder)
    beside = whole(stores.collection)
    lexical.replace(beside, doc_ids, [document_entry(document) for document in wholes])
    vectors.replace(beside, doc_ids, openings, identity)
    lexical.replace(stores.collection, doc_ids, [lexical_entry(passage) for passage in passages])
    vectors.replace(stores.collection, doc_ids, parts, identity)


def _vectors(
    passages: Sequence[Passage], documents: Sequence[Document], embedder: Embedder
) -> tuple[list[VectorEntry], list[VectorEntry]]:
    """Of the passages, and of the documents' openings."""
    names = [(p.passage_id, p.doc_id) for p in passages] + [(d.doc_id, d.doc_id) for d in documents]
    if not names:
        return [], []
    rows = embedder.embed_passages([p.contextual_text for p in passages] + [opening(d) for d in documents])
    entries = [VectorEntry(name, doc_id, row) for (name, doc_id), row in zip(names, rows, strict=True)]
    return entries[: len(passages)], entries[len(passages) :]


def mend_indexes(holdings: Holdings, stores: Stores, batch: int) -> int:
    """Write both indexes anew from the repository when they do not hold as much as it does; how many passages.

    That is so after an index folder was lost or an older one put back. Documents that a crash left under way are
    written again anyway, so then nothing is done here.
    """
    stored = _stored_passages(stores)
    if holdings.interrupted or _are_whole(stored, stores):
        return 0
    drop_collection(stores.collection, lexical=stores.lexical, vectors=stores.vectors)
    doc_ids = sorted({record.doc_id for record in holdings.records.values()})
    for start in range(0, len(doc_ids), batch):
        some = doc_ids[start : start + batch]
        with stores.uow() as tx:
            found = [(tx.documents.get(doc_id), tx.documents.passages_of(doc_id)) for doc_id in some]
        index(some, [(document, passages) for document, passages in found if document], stores)
    return stored


def _are_whole(stored: int, stores: Stores) -> bool:
    """Whether the indexes hold every passage, and both as many documents, at least one where there are passages."""
    passages = {index.count(stores.collection) for index in (stores.lexical, stores.vectors)}
    documents = {index.count(whole(stores.collection)) for index in (stores.lexical, stores.vectors)}
    return passages == {stored} and len(documents) == 1 and (documents != {0}) == (stored > 0)


def _stored_passages(stores: Stores) -> int:
    with stores.uow() as tx:
        sizes = tx.documents.sizes()
    return next((size.passages for size in sizes if size.collection == stores.collection), 0)
