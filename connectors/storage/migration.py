"""Bringing a database to the schema of this version. The scripts lie in this package, so a wheel brings them along."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, func, select

from core.errors import Conflict

_LOCK = 0x63697465  # "cite": an arbitrary number that means migrating Citedesk

_ALONE = Lock()
"""Alembic keeps the present migration in module globals: one at a time in a process, whatever the databases."""


def upgrade(engine: Engine, then: Callable[[Connection], None] | None = None) -> None:
    """To the newest revision, in one transaction. Of two processes one waits, then finds nothing to do.

    `then` is what has to be done under the same lock and in the same transaction. Raises `Conflict` for a database
    that a newer version has migrated.
    """
    with _ALONE, engine.begin() as connection:
        _lock(connection)
        try:
            command.upgrade(_config(connection), "head")
        except CommandError as error:
            raise Conflict(
                "The database was migrated by a newer version of Citedesk.",
                hint="Install that version again, or restore the backup made before it.",
            ) from error
        if then:
            then(connection)


def downgrade(engine: Engine, revision: str = "base") -> None:
    """Back to `revision`; what the older schema has no place for is lost."""
    with _ALONE, engine.begin() as connection:
        _lock(connection)
        command.downgrade(_config(connection), revision)


def present_revision(connection: Connection) -> str | None:
    """The revision the database is at; None for an empty one."""
    return MigrationContext.configure(connection).get_current_revision()


def newest_revision() -> str | None:
    return ScriptDirectory.from_config(_config()).get_current_head()


def _lock(connection: Connection) -> None:
    """SQLite's transactions exclude each other anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))


def _config(connection: Connection | None = None) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "connectors.storage:migrations")
    return config
