"""Which source item holds which document of a collection: the manifest, and what a batch will change in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.domain.passage import Document
from core.ports import SourceRecord

UNDER_WAY = ""
"""The content hash of a record whose document is being written: after a crash it tells what to write again."""


class Holdings:
    """The manifest in memory, by source key and by document."""

    def __init__(self, records: Mapping[str, SourceRecord]) -> None:
        self.records: dict[str, SourceRecord] = {}
        self._keys: defaultdict[str, set[str]] = defaultdict(set)
        for record in records.values():
            self.assign(record)

    def assign(self, record: SourceRecord) -> None:
        self.remove(record.source_key)
        self.records[record.source_key] = record
        self._keys[record.doc_id].add(record.source_key)

    def remove(self, source_key: str) -> None:
        record = self.records.pop(source_key, None)
        if record:
            self._keys[record.doc_id].discard(source_key)

    def holders(self, doc_id: str) -> list[SourceRecord]:
        """The item the document is named after first, then by key."""
        keys = sorted(self._keys[doc_id], key=lambda key: (not doc_id.endswith(f":{key}"), key))
        return [self.records[key] for key in keys]

    def addresses(self, doc_id: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(record.address for record in self.holders(doc_id) if record.address))

    def is_sound(self, doc_id: str) -> bool:
        """Whether the indexes hold what the repository holds of it: no crash came between."""
        return all(record.content_hash != UNDER_WAY for record in self.holders(doc_id))

    @property
    def interrupted(self) -> bool:
        return any(record.content_hash == UNDER_WAY for record in self.records.values())


@dataclass(slots=True)
class Batch:
    """Changes that will be written together.

    `before` has the items concerned, with what they held; `writers` those whose document is written anew.
    """

    documents: dict[str, Document] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    readdressed: set[str] = field(default_factory=set)
    before: dict[str, SourceRecord | None] = field(default_factory=dict)
    writers: set[str] = field(default_factory=set)

    def document_with(self, content_hash: str) -> str | None:
        same = (doc_id for doc_id, document in self.documents.items() if document.content_hash == content_hash)
        return next(same, None)

    def overwrites(self, doc_id: str) -> bool:
        return doc_id in self.documents or doc_id in self.gone

    def put(self, source_key: str, document: Document) -> None:
        self.writers.add(source_key)
        self.documents[document.doc_id] = document
        self.gone.discard(document.doc_id)
        self.readdressed.discard(document.doc_id)

    def readdress(self, doc_id: str) -> None:
        if doc_id not in self.documents:
            self.readdressed.add(doc_id)

    def release(self, doc_id: str, holdings: Holdings) -> None:
        """Somebody let go of the document: it goes with its last holder, else it only loses an address."""
        if holdings.holders(doc_id):
            self.readdress(doc_id)
        else:
            self.gone.add(doc_id)
            self.readdressed.discard(doc_id)

    def marks(self, holdings: Holdings) -> list[SourceRecord]:
        """The records of the items for whose sake the indexes change, marked as under way."""
        written = [holdings.records[key] for key in self.writers]
        removed = [record for record in self.before.values() if record and record.doc_id in self.gone]
        return [replace(record, content_hash=UNDER_WAY) for record in [*removed, *written]]
