"""Wrapped keys, key ids and times in the vault, whose ticket is whose, who was erased."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "keys",
        sa.Column("key_id", sa.Text, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("key_id", name="pk_keys"),
    )
    _extend_vault()
    _create_people()


def _extend_vault() -> None:
    """Maps that are there were sealed with what becomes the first vault key; they count from their newest draft."""
    op.add_column("vault", sa.Column("key_id", sa.Text, nullable=False, server_default="vault-1"))
    op.add_column("vault", sa.Column("touched_at", MOMENT))
    op.create_index("ix_vault_key_id", "vault", ["key_id"])
    op.create_index("ix_vault_touched_at", "vault", ["touched_at"])
    now = datetime.now(UTC)
    if op.get_context().dialect.name == "sqlite":
        now = now.replace(tzinfo=None)
    newest = "(SELECT MAX(d.created_at) FROM drafts d WHERE d.connector || '|' || d.ticket_id = vault.subject)"
    fill = sa.text(f"UPDATE vault SET touched_at = COALESCE({newest}, :now)").bindparams(  # noqa: S608 - constant
        sa.bindparam("now", now, type_=MOMENT)
    )
    op.execute(fill)


def _create_people() -> None:
    op.create_table(
        "requesters",
        sa.Column("connector", sa.Text, nullable=False),
        sa.Column("ticket_id", sa.Text, nullable=False),
        sa.Column("token", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("connector", "ticket_id", "token", name="pk_requesters"),
    )
    op.create_index("ix_requesters_token", "requesters", ["token"])
    op.create_table(
        "erasures",
        sa.Column("token", sa.Text, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("receipt", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("token", name="pk_erasures"),
    )


def downgrade() -> None:
    """Maps sealed with a random key are lost with it, and so are the seals of the ledger's entries."""
    for table in ("erasures", "requesters", "keys"):
        op.drop_table(table)
    op.drop_index("ix_vault_touched_at", "vault")
    op.drop_index("ix_vault_key_id", "vault")
    op.drop_column("vault", "touched_at")
    op.drop_column("vault", "key_id")
