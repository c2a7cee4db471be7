"""The tables. Deep domain objects lie whole in a `body` column; beside it stand the columns that are filtered by.

The migrations create them; a test holds that both say the same.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
)

from connectors.storage.columns import Json, UtcTime, Words
from core.domain.draft import Draft
from core.domain.passage import Document, Passage
from core.domain.provenance import Provenance

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)


def _job_columns() -> list[Column[object]]:
    """What a row of work has, coming in or going out."""
    return [
        Column("state", Words, nullable=False),
        Column("attempts", Integer, nullable=False),
        Column("not_before", UtcTime),
        Column("lease_owner", Words, nullable=False),
        Column("lease_until", UtcTime),
        Column("error_code", Words, nullable=False),
        Column("error_message", Words, nullable=False),
    ]


inbox = Table(
    "inbox",
    metadata,
    Column("item_id", Words, primary_key=True),
    Column("idempotency_key", Words, nullable=False, unique=True),
    Column("connector", Words, nullable=False),
    Column("kind", Words, nullable=False),
    Column("ticket_id", Words, nullable=False),
    Column("message_id", Words, nullable=False),
    Column("delivery_id", Words, nullable=False),
    Column("received_at", UtcTime, nullable=False),
    Column("step", Words, nullable=False),
    Column("outcome", Words, nullable=False),
    *_job_columns(),
    Index("ix_inbox_state", "state", "received_at"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("item_id", Words, primary_key=True),
    Column("kind", Words, nullable=False),
    Column("connector", Words, nullable=False),
    Column("ticket_id", Words, nullable=False),
    Column("draft_id", Words, nullable=False),
    Column("body", Words, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("receipt", Words, nullable=False),
    *_job_columns(),
    Index("ix_outbox_state", "state", "created_at"),
)

drafts = Table(
    "drafts",
    metadata,
    Column("draft_id", Words, primary_key=True),
    Column("connector", Words, nullable=False),
    Column("ticket_id", Words, nullable=False),
    Column("message_id", Words, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("state", Words, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("decided_by", Words),
    Column("stars", Integer),
    Column("search_text", Words, nullable=False),
    Column("body", Json(Draft), nullable=False),
    UniqueConstraint("connector", "ticket_id", "message_id", "revision"),
    Index("ix_drafts_created_at", "created_at"),
    Index("ix_drafts_state", "state", "created_at"),
)

draft_collections = Table(
    "draft_collections",
    metadata,
    Column("draft_id", Words, ForeignKey("drafts.draft_id", ondelete="CASCADE"), primary_key=True),
    Column("collection", Words, primary_key=True, index=True),
)

provenance = Table(
    "provenance",
    metadata,
    Column("draft_id", Words, ForeignKey("drafts.draft_id", ondelete="CASCADE"), primary_key=True),
    Column("body", Json(Provenance), nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("doc_id", Words, primary_key=True),
    Column("collection", Words, nullable=False),
    Column("content_hash", Words, nullable=False),
    Column("body", Json(Document), nullable=False),
    Index("ix_documents_collection", "collection", "content_hash"),
)

passages = Table(
    "passages",
    metadata,
    Column("passage_id", Words, primary_key=True),
    Column("doc_id", Words, ForeignKey("documents.doc_id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("body", Json(Passage), nullable=False),
    Index("ix_passages_doc_id", "doc_id", "position"),
)

sources = Table(
    "sources",
    metadata,
    Column("collection", Words, primary_key=True),
    Column("source_key", Words, primary_key=True),
    Column("doc_id", Words, nullable=False, index=True),
    Column("content_hash", Words, nullable=False),
    Column("address", Words, nullable=False),
)

ledger = Table(
    "ledger",
    metadata,
    Column("position", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("number", BigInteger, nullable=False, unique=True),
    Column("at", UtcTime, nullable=False),
    Column("actor", Words, nullable=False),
    Column("event", Words, nullable=False),
    Column("subject", Words, nullable=False, index=True),
    Column("details", Json(dict), nullable=False),
    Column("previous_seal", Words, nullable=False),
    Column("seal", Words, nullable=False),
    sqlite_autoincrement=True,
)

ledger_head = Table(
    "ledger_head",
    metadata,
    Column("head_id", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, nullable=False),
    Column("seal", Words, nullable=False),
)
"""One row, `head_id` 1: appending locks it, and so appends queue up."""

users = Table(
    "users",
    metadata,
    Column("user_id", Words, primary_key=True),
    Column("login", Words, nullable=False, unique=True),
    Column("name", Words, nullable=False),
    Column("role", Words, nullable=False),
    Column("password_hash", Words, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("disabled", Boolean, nullable=False),
)

vault = Table(
    "vault",
    metadata,
    Column("subject", Words, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
    Column("key_id", Words, nullable=False, index=True),
    Column("touched_at", UtcTime, index=True),
)
"""`touched_at`: when somebody last worked on the ticket; NULL when the map has no values (any more)."""

keys = Table(
    "keys",
    metadata,
    Column("key_id", Words, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
)
"""The keys of vault, ledger and people, wrapped with the master key."""

requesters = Table(
    "requesters",
    metadata,
    Column("connector", Words, primary_key=True),
    Column("ticket_id", Words, primary_key=True),
    Column("token", Words, primary_key=True),
    Column("kind", Words, nullable=False),
    Index("ix_requesters_token", "token"),
)
"""Who asked: keyed hashes of the requester's e-mail address and name."""

erasures = Table(
    "erasures",
    metadata,
    Column("token", Words, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("receipt", Words, nullable=False),
)
"""Who was erased: keyed hashes, kept so that nobody comes back by a repeated webhook or ingestion."""
