"""The relational store: SQLite in the data folder, or PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection, Engine, func, select, text

from connectors.storage import migration, rotation
from connectors.storage.engine import build_engine
from connectors.storage.keyring import KeyRing
from connectors.storage.schema import metadata
from connectors.storage.unit_of_work import SqlUnitOfWork
from core.domain.audit import SealKeys
from core.errors import StoreUnavailable, VaultSealed
from core.ports import UnitOfWork


def open_store(url: str, *, master: bytes) -> Store:
    """Connects at the first use. Raises `InvalidSettings` for an address that is neither SQLite nor PostgreSQL."""
    return Store(build_engine(url), master)


class Store:
    """May be used from many threads; each transaction from one."""

    def __init__(self, engine: Engine, master: bytes) -> None:
        self._engine = engine
        self._ring = KeyRing(master)

    def uow(self) -> UnitOfWork:
        return SqlUnitOfWork(self._engine, self._ring)

    def migrate(self) -> None:
        """Bring schema and keys up to date; nothing happens when they are. Safe when two processes do it at once.

        Raises `VaultSealed` when what is stored was sealed with another master key.
        """
        migration.upgrade(self._engine, self._ring.ensure)

    def seal_keys(self) -> SealKeys:
        """The ledger's. Raises `VaultSealed` when the master key is not the one in force."""
        with self._engine.connect() as connection:
            return self._ring.open(connection).seals

    def use_master(self, candidates: list[bytes]) -> bytes:
        """From now on use whichever of these master keys is in force, and say which. Raises `VaultSealed` if none."""
        for master in candidates:
            self._ring.use(master)
            try:
                self.seal_keys()
            except VaultSealed:
                continue
            return master
        raise VaultSealed("None of the master keys at hand is the one in force.")

    def replace_keys(self, master: bytes, *, at: datetime, actor: str) -> None:
        """New vault and ledger keys, all wrapped with `master`. Then call `reencrypt`."""
        rotation.replace_keys(self._engine, self._ring, master, at=at, actor=actor)

    def reencrypt(self, *, at: datetime, actor: str, progress: Callable[[int, int], None]) -> int:
        """Seal every map with the newest key and delete the older ones; how many maps there were to do."""
        return rotation.reencrypt(self._engine, self._ring, at=at, actor=actor, progress=progress)

    def purge(self) -> None:
        """Make what was deleted or overwritten unrecoverable from the database's files.

        SQLite overwrites it at once (secure_delete) and here empties its write-ahead log; PostgreSQL rewrites all
        tables, each locked meanwhile. Its own write-ahead log and backups are out of reach.
        """
        if self._engine.dialect.name == "postgresql":
            tables = ", ".join(table.name for table in metadata.sorted_tables)
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql(f"VACUUM (FULL) {tables}")
        else:
            self._empty_log()

    def _empty_log(self) -> None:
        """Outside any transaction, which SQLAlchemy would begin. Raises `StoreUnavailable` while somebody reads."""
        connection = self._engine.raw_connection()
        try:
            busy, _, _ = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.close()
        if busy:
            raise StoreUnavailable("Another process reads the database, so its log cannot be emptied now.")

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
