"""Brings a collection's documents and indexes in step with a source."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sized
from itertools import chain
from pathlib import PurePosixPath

from core.domain.passage import Document
from core.errors import DocumentUnreadable, EmbedderMismatch
from core.ports import Embedder, LexicalIndex, SourceRecord, UnitOfWorkFactory, VectorIndex
from core.retrieval.documents import drop_collection
from ingest.extract import extract
from ingest.extract.blocks import Extracted
from ingest.holdings import Batch, Holdings
from ingest.report import Cutting, IngestProgress, IngestReport
from ingest.sources import Deferred, Item, Skipped, SourceItem
from ingest.writing import Stores, mend_indexes, write

PIPELINE_VERSION = "2"
"""Raise it when extraction or cutting changes: every document is then written anew at the next ingestion."""

Items = Iterable[Item]


def ingest(
    collection: str,
    items: Items,
    *,
    uow: UnitOfWorkFactory,
    lexical: LexicalIndex,
    vectors: VectorIndex,
    embedder: Embedder,
    cutting: Cutting,
    batch: int,
    progress: IngestProgress | None = None,
    prune: bool = True,
    allow_empty: bool = False,
) -> IngestReport:
    """Add what is new, replace what changed and, with `prune`, remove what the source has no more.

    `batch` is how many documents are written at once. An item that cannot be read now keeps the version that was
    read before. A run that breaks off is completed by the next one. Raises `EmbedderMismatch` before anything is
    done, and `DocumentUnreadable` when nothing of the source can be read although the collection has documents,
    unless `allow_empty`.
    """
    stores = Stores(collection, uow, lexical, vectors, embedder)
    run = _Run(stores, cutting, batch, progress)
    return run.complete(items, prune=prune, allow_empty=allow_empty or not prune)


def rebuild(
    collection: str,
    items: Items,
    *,
    uow: UnitOfWorkFactory,
    lexical: LexicalIndex,
    vectors: VectorIndex,
    embedder: Embedder,
    cutting: Cutting,
    batch: int,
    progress: IngestProgress | None = None,
    allow_empty: bool = False,
) -> IngestReport:
    """Forget the collection and ingest it anew, with whatever embedder is configured now.

    While it runs, answers come from as much as it has written. Raises `DocumentUnreadable`, before anything is
    forgotten, when nothing of the source can be read, unless `allow_empty`.
    """
    iterator = iter(items)
    first, found = _up_to_first_readable(iterator)
    if not found and not allow_empty:
        _refuse_empty(collection, uow)
    with uow() as tx:
        tx.documents.drop(collection)
        tx.commit()
    drop_collection(collection, lexical=lexical, vectors=vectors)
    stores = Stores(collection, uow, lexical, vectors, embedder)
    run = _Run(stores, cutting, batch, progress, total=len(items) if isinstance(items, Sized) else None)
    return run.complete(chain(first, iterator), prune=False, allow_empty=True)


def _up_to_first_readable(items: Iterator[Item]) -> tuple[list[Item], bool]:
    """The items up to the first that can be read, and whether there is one."""
    taken: list[Item] = []
    for item in items:
        taken.append(item)
        if _is_readable(item):
            return taken, True
    return taken, False


def _is_readable(item: Item) -> bool:
    loaded = item.load() if isinstance(item, Deferred) else item
    if isinstance(loaded, Skipped):
        return False
    try:
        extract(loaded)
    except DocumentUnreadable:
        return False
    return True


def _refuse_empty(collection: str, uow: UnitOfWorkFactory) -> None:
    with uow() as tx:
        held = len(tx.documents.manifest(collection))
    if held:
        raise DocumentUnreadable(
            f"Nothing of the source can be read, but {collection} has {held} documents: they would all be deleted.",
            hint="Check the source. To delete them all the same, pass `--allow-empty`.",
        )


class _Run:
    """One ingestion, from the first item to the report."""

    def __init__(
        self,
        stores: Stores,
        cutting: Cutting,
        batch_size: int,
        progress: IngestProgress | None,
        total: int | None = None,
    ) -> None:
        _check_embedder(stores)
        self._stores = stores
        self._cutting = cutting
        self._batch_size = batch_size
        self._progress = progress
        self._total = total
        with stores.uow() as tx:
            self._holdings = Holdings(tx.documents.manifest(stores.collection))
        self._batch = Batch()
        self._seen: set[str] = set()
        self._written: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._skipped: list[Skipped] = []
        self._notes: list[tuple[str, str]] = []
        self._passages = 0

    def complete(self, items: Items, *, prune: bool, allow_empty: bool) -> IngestReport:
        self._passages += mend_indexes(self._holdings, self._stores, self._batch_size)
        total = len(items) if isinstance(items, Sized) else self._total
        for done, item in enumerate(items, 1):
            self._take(item)
            if self._progress:
                self._progress.step(done, total, item.source_key)
        if not self._seen and not allow_empty:
            _refuse_empty(self._stores.collection, self._stores.uow)
        if prune:
            self._prune()
        self._flush()
        return IngestReport(
            **self._counts, skipped=tuple(self._skipped), passages=self._passages, notes=tuple(self._notes)
        )

    def _take(self, item: Item) -> None:
        if isinstance(item, Skipped):
            self._skipped.append(item)
        elif item.source_key in self._seen:
            self._skipped.append(Skipped(item.source_key, "there is another item of this name"))
        else:
            self._read(item)

    def _read(self, item: SourceItem | Deferred) -> None:
        fingerprint = _fingerprint(item, self._cutting, self._stores.embedder)
        known = self._holdings.records.get(item.source_key)
        if known and known.content_hash == fingerprint:
            self._seen.add(item.source_key)
            self._counts["unchanged"] += 1
            return
        loaded = item.load() if isinstance(item, Deferred) else item
        if isinstance(loaded, Skipped):
            self._skipped.append(loaded)
        else:
            self._extract(loaded, fingerprint)

    def _extract(self, item: SourceItem, fingerprint: str) -> None:
        try:
            extracted = extract(item)
        except DocumentUnreadable as error:
            self._skipped.append(Skipped(item.source_key, error.message))
            return
        self._seen.add(item.source_key)
        self._notes += [(item.source_key, note) for note in extracted.notes]
        self._place(item, extracted, fingerprint)

    def _place(self, item: SourceItem, extracted: Extracted, fingerprint: str) -> None:
        """Give the item the document that holds its content: one that is there already, else its own."""
        known = self._holdings.records.get(item.source_key)
        content_hash = _content_hash(extracted)
        held = self._document_with(content_hash)
        elsewhere = held is not None and (known is None or known.doc_id != held or held in self._written)
        doc_id = held or self._free_id(item.source_key, known, content_hash)
        self._change(item.source_key)
        self._holdings.assign(SourceRecord(self._stores.collection, item.source_key, doc_id, fingerprint, item.address))
        if elsewhere:
            self._batch.readdress(doc_id)
        else:
            self._batch.put(item.source_key, _document(doc_id, self._stores.collection, item, extracted, content_hash))
            self._written.add(doc_id)
        if known and known.doc_id != doc_id:
            self._batch.release(known.doc_id, self._holdings)
        self._counts["duplicates" if elsewhere else "changed" if known else "added"] += 1
        self._flush_when_full()

    def _document_with(self, content_hash: str) -> str | None:
        """The document that holds this content, in the batch or in the repository, if it can be relied on."""
        if doc_id := self._batch.document_with(content_hash):
            return doc_id
        with self._stores.uow() as tx:
            found = tx.documents.find_by_hash(self._stores.collection, content_hash)
        if found and not self._batch.overwrites(found) and self._holdings.is_sound(found):
            return found
        return None

    def _free_id(self, source_key: str, known: SourceRecord | None, content_hash: str) -> str:
        """The item's present document, if nobody else holds it, else its own name, if nobody else holds that."""
        own = f"{self._stores.collection}:{source_key}"
        for doc_id in (known.doc_id if known else own, own):
            if all(record.source_key == source_key for record in self._holdings.holders(doc_id)):
                return doc_id
        return f"{own}~{content_hash[:8]}"

    def _change(self, source_key: str) -> None:
        self._batch.before.setdefault(source_key, self._holdings.records.get(source_key))

    def _prune(self) -> None:
        for source_key in sorted(self._holdings.records.keys() - self._seen):
            if any(skipped.covers(source_key) for skipped in self._skipped):
                continue
            doc_id = self._holdings.records[source_key].doc_id
            self._change(source_key)
            self._holdings.remove(source_key)
            self._batch.release(doc_id, self._holdings)
            self._counts["deleted"] += 1
            self._flush_when_full()

    def _flush_when_full(self) -> None:
        if len(self._batch.before) >= self._batch_size:
            self._flush()

    def _flush(self) -> None:
        self._passages += write(self._batch, self._holdings, self._stores, self._cutting)
        self._batch = Batch()


def _check_embedder(stores: Stores) -> None:
    built_with = stores.vectors.identity(stores.collection)
    if built_with and built_with != stores.embedder.identity:
        raise EmbedderMismatch(
            f"{stores.collection} was indexed with {built_with.name}, "
            f"but {stores.embedder.identity.name} is configured."
        )


def _fingerprint(item: SourceItem | Deferred, cutting: Cutting, embedder: Embedder) -> str:
    """Hex SHA-256 of everything the item's passages follow from."""
    settings = (PIPELINE_VERSION, cutting.words, cutting.overlap_words, embedder.max_tokens)
    if isinstance(item, Deferred):
        return hashlib.sha256(repr((settings, item.fingerprint)).encode()).hexdigest()
    about = (item.format.value, item.title, item.address, item.solved_by)
    return hashlib.sha256(repr((settings, about)).encode() + item.payload).hexdigest()


def _content_hash(extracted: Extracted) -> str:
    """A title counts only if the content has one of its own, so that a copy under another name is found."""
    return hashlib.sha256(f"{extracted.title}\n{extracted.text}".encode()).hexdigest()


def _document(doc_id: str, collection: str, item: SourceItem, extracted: Extracted, content_hash: str) -> Document:
    title = extracted.title or PurePosixPath(item.source_key).stem.replace("_", " ").replace("-", " ")
    return Document(
        doc_id, collection, title, extracted.text, extracted.sections, content_hash, solved_by=item.solved_by
    )
