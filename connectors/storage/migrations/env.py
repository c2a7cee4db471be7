"""Run by Alembic, never imported: applies the scripts on the connection that `migration` hands over."""

from alembic import context

from connectors.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
