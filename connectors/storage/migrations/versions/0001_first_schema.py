"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

MOMENT = sa.DateTime(timezone=True)


def _job_columns() -> list[sa.Column]:
    return [
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("not_before", MOMENT),
        sa.Column("lease_owner", sa.Text, nullable=False),
        sa.Column("lease_until", MOMENT),
        sa.Column("error_code", sa.Text, nullable=False),
        sa.Column("error_message", sa.Text, nullable=False),
    ]


def upgrade() -> None:
    _create_jobs()
    _create_drafts()
    _create_documents()
    _create_ledger()
    _create_people()


def _create_jobs() -> None:
    op.create_table(
        "inbox",
        sa.Column("item_id", sa.Text, nullable=False),
        sa.Column("idempotency_key", sa.Text, nullable=False),
        sa.Column("connector", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("ticket_id", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("delivery_id", sa.Text, nullable=False),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.Column("step", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        *_job_columns(),
        sa.PrimaryKeyConstraint("item_id", name="pk_inbox"),
        sa.UniqueConstraint("idempotency_key", name="uq_inbox_idempotency_key"),
    )
    op.create_index("ix_inbox_state", "inbox", ["state", "received_at"])
    op.create_table(
        "outbox",
        sa.Column("item_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("connector", sa.Text, nullable=False),
        sa.Column("ticket_id", sa.Text, nullable=False),
        sa.Column("draft_id", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("receipt", sa.Text, nullable=False),
        *_job_columns(),
        sa.PrimaryKeyConstraint("item_id", name="pk_outbox"),
    )
    op.create_index("ix_outbox_state", "outbox", ["state", "created_at"])


def _create_drafts() -> None:
    op.create_table(
        "drafts",
        sa.Column("draft_id", sa.Text, nullable=False),
        sa.Column("connector", sa.Text, nullable=False),
        sa.Column("ticket_id", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("decided_by", sa.Text),
        sa.Column("stars", sa.Integer),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("draft_id", name="pk_drafts"),
        sa.UniqueConstraint("connector", "ticket_id", "message_id", "revision", name="uq_drafts_connector"),
    )
    op.create_index("ix_drafts_created_at", "drafts", ["created_at"])
    op.create_index("ix_drafts_state", "drafts", ["state", "created_at"])
    op.create_table(
        "draft_collections",
        sa.Column("draft_id", sa.Text, nullable=False),
        sa.Column("collection", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("draft_id", "collection", name="pk_draft_collections"),
        sa.ForeignKeyConstraint(
            ["draft_id"], ["drafts.draft_id"], name="fk_draft_collections_draft_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_draft_collections_collection", "draft_collections", ["collection"])
    op.create_table(
        "provenance",
        sa.Column("draft_id", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("draft_id", name="pk_provenance"),
        sa.ForeignKeyConstraint(["draft_id"], ["drafts.draft_id"], name="fk_provenance_draft_id", ondelete="CASCADE"),
    )


def _create_documents() -> None:
    op.create_table(
        "documents",
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("collection", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("doc_id", name="pk_documents"),
    )
    op.create_index("ix_documents_collection", "documents", ["collection", "content_hash"])
    op.create_table(
        "passages",
        sa.Column("passage_id", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("passage_id", name="pk_passages"),
        sa.ForeignKeyConstraint(["doc_id"], ["documents.doc_id"], name="fk_passages_doc_id", ondelete="CASCADE"),
    )
    op.create_index("ix_passages_doc_id", "passages", ["doc_id", "position"])
    op.create_table(
        "sources",
        sa.Column("collection", sa.Text, nullable=False),
        sa.Column("source_key", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("collection", "source_key", name="pk_sources"),
    )
    op.create_index("ix_sources_doc_id", "sources", ["doc_id"])


def _create_ledger() -> None:
    op.create_table(
        "ledger",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            nullable=False,
            autoincrement=True,
        ),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("previous_seal", sa.Text, nullable=False),
        sa.Column("seal", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_ledger"),
        sa.UniqueConstraint("number", name="uq_ledger_number"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_ledger_subject", "ledger", ["subject"])
    head = op.create_table(
        "ledger_head",
        sa.Column("head_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("seal", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("head_id", name="pk_ledger_head"),
    )
    op.bulk_insert(head, [{"head_id": 1, "number": 0, "seal": "0" * 64}])


def _create_people() -> None:
    op.create_table(
        "users",
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("login", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("disabled", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_users"),
        sa.UniqueConstraint("login", name="uq_users_login"),
    )
    op.create_table(
        "vault",
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_vault"),
    )


def downgrade() -> None:
    for table in (
        "vault",
        "users",
        "ledger_head",
        "ledger",
        "sources",
        "passages",
        "documents",
        "provenance",
        "draft_collections",
        "drafts",
        "outbox",
        "inbox",
    ):
        op.drop_table(table)
