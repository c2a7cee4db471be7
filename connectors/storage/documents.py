"""Documents, their passages, and the manifest of what was ingested from where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import islice

from sqlalchemy import Connection, delete, func, insert, or_, select

from connectors.storage.schema import documents, passages, sources
from connectors.storage.statements import upsert
from core.domain.passage import Document, Passage
from core.errors import DocumentNotFound
from core.ports import CollectionSize, SourceRecord

_IDS_A_STATEMENT = 1000


class Documents:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, document: Document, parts: Sequence[Passage]) -> None:
        """Overwriting the document's row locks it, so two that store the same document take turns."""
        row = {
            "doc_id": document.doc_id,
            "collection": document.collection,
            "content_hash": document.content_hash,
            "body": document,
        }
        upsert(self._connection, documents, row)
        self._connection.execute(delete(passages).where(passages.c.doc_id == document.doc_id))
        rows = [
            {"passage_id": part.passage_id, "doc_id": document.doc_id, "position": position, "body": part}
            for position, part in enumerate(parts)
        ]
        if rows:
            self._connection.execute(insert(passages), rows)

    def delete(self, doc_id: str) -> None:
        """Its passages go with it; what the manifest says of it stays until it is forgotten."""
        self._connection.execute(delete(documents).where(documents.c.doc_id == doc_id))

    def get(self, doc_id: str) -> Document | None:
        return self._connection.scalar(select(documents.c.body).where(documents.c.doc_id == doc_id))

    def find_by_hash(self, collection: str, content_hash: str) -> str | None:
        same = (documents.c.collection == collection, documents.c.content_hash == content_hash)
        found: str | None = self._connection.scalar(select(func.min(documents.c.doc_id)).where(*same))
        return found

    def documents_at(self, collections: Sequence[str], places: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        rest = iter(sorted(set(places)))
        while some := list(islice(rest, _IDS_A_STATEMENT // 3)):
            spelled = [*some, *(f"{place}/" for place in some)]
            named = or_(sources.c.address.in_(spelled), sources.c.source_key.in_(some))
            statement = select(sources).where(sources.c.collection.in_(collections), named)
            ordered = statement.order_by(sources.c.collection, sources.c.source_key)
            for row in self._connection.execute(ordered).mappings():
                found.setdefault(row["source_key"], row["doc_id"])
                found.setdefault(row["address"].removesuffix("/"), row["doc_id"])
        return {place: found[place] for place in places if place in found}

    def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        found: dict[str, Passage] = {}
        ids = iter(passage_ids)
        while some := list(islice(ids, _IDS_A_STATEMENT)):
            bodies = self._connection.scalars(select(passages.c.body).where(passages.c.passage_id.in_(some)))
            found.update((passage.passage_id, passage) for passage in bodies)
        return found

    def passages_of(self, doc_id: str) -> list[Passage]:
        statement = select(passages.c.body).where(passages.c.doc_id == doc_id).order_by(passages.c.position)
        return list(self._connection.scalars(statement))

    def manifest(self, collection: str) -> dict[str, SourceRecord]:
        rows = self._connection.execute(select(sources).where(sources.c.collection == collection)).mappings()
        return {row["source_key"]: SourceRecord(**row) for row in rows}

    def record(self, source: SourceRecord) -> None:
        upsert(self._connection, sources, asdict(source))

    def forget(self, collection: str, source_key: str) -> None:
        same = (sources.c.collection == collection, sources.c.source_key == source_key)
        self._connection.execute(delete(sources).where(*same))

    def sources_of(self, doc_id: str) -> list[SourceRecord]:
        statement = select(sources).where(sources.c.doc_id == doc_id)
        ordered = statement.order_by(sources.c.collection, sources.c.source_key)
        return [SourceRecord(**row) for row in self._connection.execute(ordered).mappings()]

    def set_addresses(self, doc_id: str, addresses: Sequence[str]) -> None:
        """Raises `DocumentNotFound`."""
        document = self.get(doc_id)
        if document is None:
            raise DocumentNotFound(f"There is no document {doc_id}.")
        shown = addresses[0] if addresses else ""
        moved = [replace(passage, url=shown) for passage in self.passages_of(doc_id)]
        self.put(replace(document, addresses=tuple(addresses)), moved)

    def sizes(self) -> list[CollectionSize]:
        statement = (
            select(
                documents.c.collection,
                func.count(documents.c.doc_id.distinct()),
                func.count(passages.c.passage_id),
            )
            .outerjoin_from(documents, passages)
            .group_by(documents.c.collection)
            .order_by(documents.c.collection)
        )
        return [CollectionSize(*row) for row in self._connection.execute(statement)]

    def drop(self, collection: str) -> None:
        self._connection.execute(delete(documents).where(documents.c.collection == collection))
        self._connection.execute(delete(sources).where(sources.c.collection == collection))
