"""Erasing a person in a whole installation: store, indexes, files, and the receipt."""

from __future__ import annotations

import json
import os
import pwd
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from core.domain.erasure import Receipt
from core.ports import LexicalEntry, VectorEntry
from core.retrieval.analysis import document_entry, lexical_entry
from core.retrieval.documents import whole
from core.usecases.erase_person import Erasure, PriorTickets, TicketKey, erase_person
from ingest.sources import solved_ticket_key
from plugin.bootstrap import Services

BATCH = 1000
"""Passages written to an index at once."""


def erase(services: Services, who: str, *, tickets: Sequence[TicketKey] = (), dry_run: bool = False) -> Erasure:
    """Erase somebody and write the receipt into the data folder. Raises `PersonNotFound`, `PersonAmbiguous`."""
    erasure = erase_person(
        who,
        tickets=tickets,
        dry_run=dry_run,
        by=operator(),
        prior=PriorTickets(services.lexical, services.vectors, solved_ticket_key),
        uow=services.uow,
        purge=lambda collections: purge(services, collections),
        clock=services.clock,
        new_id=services.new_id,
    )
    if erasure.receipt and not dry_run:
        write_receipt(services.settings.data_dir, erasure.receipt)
    return erasure


def purge(services: Services, collections: Sequence[str]) -> None:
    """Make what was deleted unrecoverable from the files: indexes mark what is deleted and keep it for a while.

    So the indexes of these collections are written anew. A crash in between leaves them short of passages: running
    the command again, or the ingestion, completes them.
    """
    for collection in collections:
        _rewrite(services, collection)
    services.indexes.compact()
    services.records.store.purge()


def _rewrite(services: Services, collection: str) -> None:
    """The passages and, in the collection beside it, the documents as wholes; their vectors are kept."""
    with services.uow() as tx:
        doc_ids = sorted({record.doc_id for record in tx.documents.manifest(collection).values()})
        parts = [passage for doc_id in doc_ids for passage in tx.documents.passages_of(doc_id)]
        held = {passage.doc_id for passage in parts}
        documents = [document for doc_id in doc_ids if doc_id in held and (document := tx.documents.get(doc_id))]
    whole_entries = [(document_entry(document), document.doc_id) for document in documents]
    _write_anew(services, whole(collection), whole_entries)
    _write_anew(services, collection, [(lexical_entry(passage), passage.doc_id) for passage in parts])


def _write_anew(services: Services, name: str, entries: Sequence[tuple[LexicalEntry, str]]) -> None:
    """`entries` are what the lexical index gets, each with its document."""
    vectors = services.vectors.vectors(name, [entry.passage_id for entry, _ in entries])
    space = services.vectors.identity(name)
    services.lexical.drop(name)
    services.vectors.drop(name)
    for start in range(0, len(entries), BATCH):
        some = entries[start : start + BATCH]
        services.lexical.replace(name, [], [entry for entry, _ in some])
        kept = [VectorEntry(e.passage_id, doc, vectors[e.passage_id]) for e, doc in some if e.passage_id in vectors]
        if space and kept:
            services.vectors.replace(name, [], kept, space)


def operator() -> str:
    """Who runs this command, as the operating system knows them."""
    try:
        return f"{pwd.getpwuid(os.getuid()).pw_name} (command line)"
    except KeyError:
        return f"user {os.getuid()} (command line)"


def write_receipt(data_dir: Path, receipt: Receipt) -> Path:
    """Written aside and moved into place (mode 0600); the same receipt again changes nothing."""
    folder = receipts_folder(data_dir)
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{receipt.receipt_id}.json"
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(receipt_text(receipt))
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    return path


def receipts_folder(data_dir: Path) -> Path:
    return data_dir / "receipts"


def receipt_text(receipt: Receipt) -> str:
    """JSON; `sha256` is the one that the ledger's entry of this erasure holds."""
    shown = {**asdict(receipt), "at": receipt.at.isoformat(), "sha256": receipt.sha256}
    return json.dumps(shown, indent=2) + "\n"
