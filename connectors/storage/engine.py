"""SQLAlchemy engines for the two databases we run on, set up so that both keep the same promises."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from connectors.storage.failures import translate_errors_of
from core.errors import InvalidSettings, MissingDependency, StorageFull, StoreUnavailable

LOCK_TIMEOUT_S = 15
CONNECT_TIMEOUT_S = 10

_PRAGMAS = (
    f"PRAGMA busy_timeout = {LOCK_TIMEOUT_S * 1000}",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # what is erased is overwritten, not just unlinked
)


def build_engine(url: str) -> Engine:
    """An engine for `sqlite:///path` or `postgresql://...`. Connects nowhere yet, but makes the SQLite file (0600).

    Raises `InvalidSettings` for any other address.
    """
    address = _parse(url)
    engine = _sqlite(address) if address.get_backend_name() == "sqlite" else _postgresql(address)
    translate_errors_of(engine)
    return engine


def _parse(url: str) -> URL:
    try:
        address = make_url(url)
        backend = address.get_backend_name()
    except ArgumentError as error:
        raise InvalidSettings("CITEDESK_DATABASE_URL is not an address.") from error
    if backend not in ("sqlite", "postgresql"):
        raise InvalidSettings(f"CITEDESK_DATABASE_URL names {backend}; SQLite and PostgreSQL are supported.")
    return address


def _sqlite(address: URL) -> Engine:
    if not address.database or address.database.startswith((":", "file:")):
        raise InvalidSettings("CITEDESK_DATABASE_URL must name a file: sqlite:////path/to/citedesk.db")
    _prepare_file(Path(address.database))
    engine = create_engine(address.set(drivername="sqlite"), hide_parameters=True)
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_immediate)
    return engine


def _prepare_file(path: Path) -> None:
    """Nobody but the owner may read the database; SQLite gives its side files (-wal, -shm) the same mode."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        path.chmod(0o600)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StorageFull("The disk that holds the database is full.") from error
        raise StoreUnavailable(f"The database file {path} cannot be opened for writing.") from error


def _configure_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # the driver starts no transactions; `_begin_immediate` does
    for pragma in _PRAGMAS:
        connection.execute(pragma)
    _switch_to_wal(connection)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Done once a database, under a lock that SQLite does not wait for: of two first starts one has to try again."""
    deadline = time.monotonic() + LOCK_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _begin_immediate(connection: Connection) -> None:
    """Take the write lock first: a transaction that only finds out later that it must write can fail half-way."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _postgresql(address: URL) -> Engine:
    arguments: dict[str, Any] = {"connect_timeout": CONNECT_TIMEOUT_S}
    if "options" not in address.query:
        arguments["options"] = f"-c lock_timeout={LOCK_TIMEOUT_S}s"
    try:
        return create_engine(
            address.set(drivername="postgresql+psycopg"),
            hide_parameters=True,
            pool_pre_ping=True,
            connect_args=arguments,
        )
    except ImportError as error:
        raise MissingDependency(
            "PostgreSQL needs the package psycopg.", hint="pip install 'citedesk[postgres]'"
        ) from error
