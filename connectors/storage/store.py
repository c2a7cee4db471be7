"""The relational store: SQLite in the data folder, or PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, func, select, text

from connectors.storage import migration
from connectors.storage.engine import build_engine
from connectors.storage.unit_of_work import SqlUnitOfWork
from connectors.storage.vault import vault_cipher
from core.ports import UnitOfWork

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


def open_store(url: str, *, vault_key: bytes, ledger_key: bytes) -> Store:
    """Connects at the first use. Raises `InvalidSettings` for an address that is neither SQLite nor PostgreSQL."""
    return Store(build_engine(url), cipher=vault_cipher(vault_key), ledger_key=ledger_key)


class Store:
    """May be used from many threads; each transaction from one."""

    def __init__(self, engine: Engine, *, cipher: Fernet, ledger_key: bytes) -> None:
        self._engine = engine
        self._cipher = cipher
        self._ledger_key = ledger_key

    def uow(self) -> UnitOfWork:
        return SqlUnitOfWork(self._engine, cipher=self._cipher, ledger_key=self._ledger_key)

    def migrate(self) -> None:
        """Bring the schema up to date; nothing happens when it is. Safe when two processes do it at once."""
        migration.upgrade(self._engine)

    def is_current(self) -> bool:
        with self._engine.connect() as connection:
            return migration.present_revision(connection) == migration.newest_revision()

    def check(self) -> str:
        """One line for `citedesk doctor`. Raises `StoreUnavailable`."""
        with self._engine.connect() as connection:
            revision = migration.present_revision(connection) or "none"
            newest = migration.newest_revision()
            schema = f"schema {revision}" if revision == newest else f"schema {revision}, {newest} is needed"
            return f"{_engine_name(connection)}, {_size_bytes(connection) / 1e6:.1f} MB, {schema}"

    def close(self) -> None:
        self._engine.dispose()


def _engine_name(connection: Connection) -> str:
    name = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[connection.dialect.name]
    version = ".".join(str(part) for part in connection.dialect.server_version_info or ())
    return f"{name} {version}"


def _size_bytes(connection: Connection) -> int:
    size: int
    if connection.dialect.name == "postgresql":
        size = connection.execute(select(func.pg_database_size(func.current_database()))).scalar_one()
        return size
    pages = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    size = connection.execute(text(pages)).scalar_one()
    return size
