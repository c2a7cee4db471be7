"""What is special about SQLite: a file, its modes and pragmas, one writer at a time, a disk that fills up."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from connectors.storage.engine import build_engine
from connectors.storage.store import Store, open_store
from core.errors import InvalidSettings, MissingDependency, StorageFull, StoreUnavailable
from tests.contracts.samples import inbox_item


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "citedesk.db"


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    engine = build_engine(f"sqlite:///{path}")
    yield engine
    engine.dispose()


def store_on(engine: Engine) -> Store:
    return Store(engine, b"m")


def on_connect(engine: Engine, pragma: str) -> None:
    def set_pragma(connection: Any, _record: object) -> None:
        connection.execute(pragma)

    event.listen(engine, "connect", set_pragma)


def test_nobody_else_may_read_the_database_and_its_side_files(path: Path, engine: Engine) -> None:
    store_on(engine).migrate()
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["citedesk.db", "citedesk.db-shm", "citedesk.db-wal"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_database_that_others_could_read_is_closed_to_them(path: Path) -> None:
    path.parent.mkdir()
    path.touch(0o644)
    build_engine(f"sqlite:///{path}").dispose()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("secure_delete", 1), ("busy_timeout", 15_000)],
)
def test_connections_are_durable_strict_and_patient(engine: Engine, pragma: str, value: object) -> None:
    with engine.connect() as connection:
        assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == value


def test_a_full_disk_is_named_as_such_and_work_goes_on_afterwards(engine: Engine) -> None:
    store = store_on(engine)
    store.migrate()
    engine.dispose()
    on_connect(engine, "PRAGMA max_page_count = 1")  # SQLite makes that the present number of pages
    with store.uow() as tx, pytest.raises(StorageFull) as full:
        tx.inbox.add(inbox_item(outcome="x" * 1_000_000))
    assert full.value.retryable
    assert isinstance(full.value.__cause__, sqlite3.OperationalError)
    with store.uow() as tx:
        assert tx.inbox.counts()
        assert tx.inbox.get("i1") is None


def test_a_transaction_excludes_others_from_its_first_statement_on(path: Path, engine: Engine) -> None:
    store = store_on(engine)
    store.migrate()
    engine.dispose()
    on_connect(engine, "PRAGMA busy_timeout = 20")
    with store.uow() as first, store.uow() as second:
        first.inbox.counts()
        with pytest.raises(StoreUnavailable, match="busy"):
            second.inbox.counts()


def test_a_file_that_is_no_database_is_unavailable(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("not a database, but long enough to be taken for one" * 100)
    store = open_store(f"sqlite:///{path}", master=b"m")
    with pytest.raises(StoreUnavailable) as refused:
        store.check()
    store.close()
    assert "DatabaseError" in refused.value.message


def test_a_file_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable):
        build_engine(f"sqlite:///{tmp_path / 'file' / 'citedesk.db'}")


@pytest.mark.parametrize(
    "url", ["", "nonsense", "sqlite://", "sqlite:///:memory:", "mysql://u:secret@h/d", "oracle://u:secret@h/d"]
)
def test_other_addresses_are_refused_without_showing_them(url: str) -> None:
    with pytest.raises(InvalidSettings) as refused:
        build_engine(url)
    assert "secret" not in refused.value.message


def test_postgresql_without_its_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingDependency) as missing:
        build_engine("postgresql://u@h/d")
    assert "citedesk[postgres]" in missing.value.hint


def test_a_unit_of_work_outside_with_is_a_programming_error(engine: Engine) -> None:
    with pytest.raises(RuntimeError, match="with"):
        _ = store_on(engine).uow().inbox


def test_a_failed_statement_never_shows_what_was_to_be_stored(engine: Engine) -> None:
    store = store_on(engine)
    with store.uow() as tx, pytest.raises(StoreUnavailable) as refused:
        tx.inbox.add(replace(inbox_item(), outcome="Ada Lovelace"))
    assert "Ada" not in f"{refused.value!r} {refused.value.__cause__!r} {refused.value.__context__!r}"
