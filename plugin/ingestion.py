"""Filling the two collections: documentation from files, earlier tickets from a helpdesk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from core.domain.access import DEFAULT_TENANT, PUBLIC, Kind, collection_name, lasting_tenant
from core.errors import DocumentUnreadable
from core.usecases.solved_tickets import SolvedTicket, solved_tickets
from ingest.pipeline import ingest, rebuild
from ingest.report import Cutting, IngestProgress, IngestReport
from ingest.sources import (
    Deferred,
    Item,
    folder_items,
    given_items,
    jsonl_items,
    solved_ticket_item,
    solved_ticket_key,
)
from plugin.bootstrap import Services


def ingest_docs(
    services: Services,
    path: Path,
    *,
    tenant: str = DEFAULT_TENANT,
    visibility: str = PUBLIC,
    progress: IngestProgress | None = None,
    anew: bool = False,
    allow_empty: bool = False,
) -> IngestReport:
    """Bring the tenant's documentation of that visibility up to what lies under `path` now.

    That is a folder, a JSONL file or one document. Raises `BadInput` for names that cannot be used.
    """
    collection = collection_name(lasting_tenant(tenant), visibility, Kind.DOCS)
    items = _items(path, services.settings.max_document_bytes)
    return _ingest(services, collection, items, progress, anew, allow_empty)


def ingest_tickets(
    services: Services,
    connector: str,
    *,
    visibility: str = PUBLIC,
    progress: IngestProgress | None = None,
    anew: bool = False,
    allow_empty: bool = False,
) -> IngestReport:
    """Bring the earlier tickets of the helpdesk's tenant up to what it lists as solved, redacted on the way."""
    collection = collection_name(services.settings.tenant_of(connector), visibility, Kind.TICKETS)
    tickets = solved_tickets(services.helpdesk(connector), recognizer=services.recognizer, uow=services.uow)
    return _ingest(services, collection, map(_deferred, tickets), progress, anew, allow_empty)


def ingest_given(services: Services, collection: str, files: Sequence[tuple[str, bytes]]) -> IngestReport:
    """Take these files (name, content) into the collection."""
    items = [item for name, content in files for item in given_items(name, content)]
    return _ingest(services, collection, items, None, anew=False, allow_empty=True)


def _deferred(ticket: SolvedTicket) -> Deferred:
    """Redacting takes a second a ticket: it is done only for those that are new or changed."""
    return Deferred(
        solved_ticket_key(ticket.connector, ticket.ticket_id),
        ticket.fingerprint,
        lambda: solved_ticket_item(ticket.redact()),
    )


def _items(path: Path, max_bytes: int) -> Iterable[Item]:
    if not path.exists():
        raise DocumentUnreadable(f"There is nothing at {path}.", hint="Give a folder, a document or a JSONL file.")
    return jsonl_items(path) if path.suffix == ".jsonl" else folder_items(path, max_bytes=max_bytes)


def _ingest(
    services: Services,
    collection: str,
    items: Iterable[Item],
    progress: IngestProgress | None,
    anew: bool,
    allow_empty: bool,
) -> IngestReport:
    settings = services.settings
    return (rebuild if anew else ingest)(
        collection,
        items,
        uow=services.uow,
        lexical=services.lexical,
        vectors=services.vectors,
        embedder=services.embedder,
        cutting=Cutting(settings.passage_words, settings.passage_overlap_words),
        batch=settings.embed_batch,
        progress=progress,
        allow_empty=allow_empty,
    )
