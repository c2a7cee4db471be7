"""Writes documents to both indexes and to the repository, so that a crash at any moment can be repaired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.passage import Document, Passage
from core.ports import Embedder, LexicalIndex, UnitOfWorkFactory, VectorEntry, VectorIndex
from core.retrieval.analysis import lexical_entry
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
    index([*batch.documents, *sorted(batch.gone)], [p for some in passages.values() for p in some], stores)
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


def index(doc_ids: Sequence[str], passages: Sequence[Passage], stores: Stores) -> None:
    """Replace what both indexes hold of these documents. Does nothing without documents."""
    if not doc_ids:
        return
    entries = _vectors(passages, stores.embedder) if passages else []
    stores.lexical.replace(stores.collection, doc_ids, [lexical_entry(passage) for passage in passages])
    stores.vectors.replace(stores.collection, doc_ids, entries, stores.embedder.identity)


def _vectors(passages: Sequence[Passage], embedder: Embedder) -> list[VectorEntry]:
    rows = embedder.embed_passages([passage.contextual_text for passage in passages])
    return [VectorEntry(p.passage_id, p.doc_id, row) for p, row in zip(passages, rows, strict=True)]


def mend_indexes(holdings: Holdings, stores: Stores, batch: int) -> int:
    """Write both indexes anew from the repository when they do not hold as much as it does; how many passages.

    That is so after an index folder was lost or an older one put back. Documents that a crash left under way are
    written again anyway, so then nothing is done here.
    """
    stored = _stored_passages(stores)
    held = {stores.lexical.count(stores.collection), stores.vectors.count(stores.collection)}
    if holdings.interrupted or held == {stored}:
        return 0
    stores.lexical.drop(stores.collection)
    stores.vectors.drop(stores.collection)
    doc_ids = sorted({record.doc_id for record in holdings.records.values()})
    for start in range(0, len(doc_ids), batch):
        some = doc_ids[start : start + batch]
        with stores.uow() as tx:
            passages = [passage for doc_id in some for passage in tx.documents.passages_of(doc_id)]
        index(some, passages, stores)
    return stored


def _stored_passages(stores: Stores) -> int:
    with stores.uow() as tx:
        sizes = tx.documents.sizes()
    return next((size.passages for size in sizes if size.collection == stores.collection), 0)
