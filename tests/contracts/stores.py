"""The stores that the contract suites run against. A test module takes over the fixtures: `store = stores.store`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import NullPool, create_engine, make_url

from connectors.storage.schema import metadata
from connectors.storage.store import Store, open_store
from tests.fakes.store import FakeStore
from tests.servers.postgres import empty_schema

MASTER = b"the master key, for tests"

AnyStore = Store | FakeStore

ENGINES = ("sqlite", pytest.param("postgres", marks=pytest.mark.server))


@pytest.fixture(params=ENGINES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    with _database(request.param, tmp_path) as address:
        yield address


@pytest.fixture
def sql_store(database: str) -> Iterator[Store]:
    """A store with tables at the address `database`."""
    store = open_database(database)
    store.migrate()
    yield store
    store.close()


@pytest.fixture(scope="module", params=("fake", *ENGINES))
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a database with tables, for all tests of a module; empty for the store in memory."""
    if request.param == "fake":
        yield ""
        return
    with _database(request.param, tmp_path_factory.mktemp("store")) as address:
        store = open_database(address)
        store.migrate()
        store.close()
        yield address


@pytest.fixture
def store(address: str) -> Iterator[AnyStore]:
    """A store of any kind, with tables and nothing in them."""
    if not address:
        yield FakeStore()
        return
    store = open_database(address)
    yield store
    store.close()
    _empty(address)


def open_database(address: str, *, master: bytes = MASTER) -> Store:
    return open_store(address, master=master)


def run_sql(address: str, *statements: str) -> list[Any]:
    """What somebody does who has the database's password; the rows of the last statement."""
    url = make_url(address)
    driver = "sqlite" if url.get_backend_name() == "sqlite" else "postgresql+psycopg"
    engine = create_engine(url.set(drivername=driver), poolclass=NullPool)
    rows: list[Any] = []
    with engine.begin() as connection:
        for statement in statements:
            result = connection.exec_driver_sql(statement)
            rows = list(result) if result.returns_rows else []
    return rows


def _empty(address: str) -> None:
    tables = [table.name for table in reversed(metadata.sorted_tables) if table.name not in ("ledger_head", "keys")]
    deletions = [f"DELETE FROM {name}" for name in tables]
    run_sql(address, *deletions, f"UPDATE ledger_head SET number = 0, seal = '{'0' * 64}'")


@contextmanager
def _database(engine: str, folder: Path) -> Iterator[str]:
    if engine == "sqlite":
        yield f"sqlite:///{folder / 'data' / 'citedesk.db'}"
        return
    with empty_schema() as address:
        yield address
