"""Filling the two collections: documentation from files, earlier tickets from a helpdesk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from core.errors import DocumentUnreadable
from core.usecases.solved_tickets import SolvedTicket, solved_tickets
from ingest.pipeline import ingest, rebuild
from ingest.report import Cutting, IngestProgress, IngestReport
from ingest.sources import Deferred, Item, folder_items, jsonl_items, solved_ticket_item, solved_ticket_key
from plugin.bootstrap import DOCS, TICKETS, Services


def ingest_docs(
    services: Services,
    path: Path,
    *,
    progress: IngestProgress | None = None,
    anew: bool = False,
    allow_empty: bool = False,
) -> IngestReport:
    """Bring the documentation up to what lies under `path` now (a folder, a JSONL file or one document)."""
    items = _items(path, services.settings.max_document_bytes)
    return _ingest(services, DOCS, items, progress, anew, allow_empty)


def ingest_tickets(
    services: Services,
    connector: str,
    *,
    progress: IngestProgress | None = None,
    anew: bool = False,
    allow_empty: bool = False,
) -> IngestReport:
    """Bring the collection of earlier tickets up to what the helpdesk lists as solved, redacted on the way."""
    tickets = solved_tickets(services.helpdesk(connector), recognizer=services.recognizer)
    return _ingest(services, TICKETS, map(_deferred, tickets), progress, anew, allow_empty)


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
