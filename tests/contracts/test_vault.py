"""What every vault promises, and what the encrypted one promises besides."""

from __future__ import annotations

import pytest

from connectors.storage.store import Store
from core.domain.redaction import PlaceholderMap
from core.errors import VaultSealed
from tests.contracts import stores
from tests.contracts.stores import AnyStore, open_database, run_sql
from tests.fakes.store import FakeStore

store = stores.store
database = stores.database
sql_store = stores.sql_store
address = stores.address

SUBJECT = "desk|t1"
MAP = PlaceholderMap({"<PERSON_1>": "Ada Lovelace", "<EMAIL_1>": "ada@example.org", "<NAME_1>": "Zoë\x00 \ud83d"})


def keep(store: AnyStore, subject: str = SUBJECT, placeholders: PlaceholderMap = MAP) -> None:
    with store.uow() as tx:
        tx.vault.save(subject, placeholders)
        tx.commit()


def test_a_map_comes_back_unchanged(store: AnyStore) -> None:
    keep(store)
    with store.uow() as tx:
        assert tx.vault.load(SUBJECT) == MAP


def test_an_unknown_subject_has_an_empty_map(store: AnyStore) -> None:
    keep(store)
    with store.uow() as tx:
        assert tx.vault.load("desk|t2") == PlaceholderMap()


def test_a_newer_map_replaces_the_older_one(store: AnyStore) -> None:
    keep(store)
    newer = PlaceholderMap({"<PERSON_1>": "Grace Hopper"})
    keep(store, placeholders=newer)
    with store.uow() as tx:
        assert tx.vault.load(SUBJECT) == newer


def test_a_forgotten_map_is_gone_and_the_others_stay(store: AnyStore) -> None:
    keep(store)
    keep(store, "desk|t2")
    with store.uow() as tx:
        tx.vault.forget(SUBJECT)
        tx.vault.forget("desk|unknown")
        assert tx.vault.load(SUBJECT) == PlaceholderMap()
        assert tx.vault.load("desk|t2") == MAP


def test_another_key_does_not_open_it_in_memory() -> None:
    store = FakeStore()
    keep(store)
    with store.reopen(vault_key=b"another").uow() as tx, pytest.raises(VaultSealed):
        tx.vault.load(SUBJECT)


def test_another_key_does_not_open_it(database: str, sql_store: Store) -> None:
    keep(sql_store)
    other = open_database(database, vault_key=b"another")
    with other.uow() as tx, pytest.raises(VaultSealed) as refused:
        tx.vault.load(SUBJECT)
    other.close()
    assert "Ada" not in refused.value.message


def test_the_same_key_opens_it_after_a_restart(database: str, sql_store: Store) -> None:
    keep(sql_store)
    again = open_database(database)
    with again.uow() as tx:
        assert tx.vault.load(SUBJECT) == MAP
    again.close()


def test_what_lies_in_the_database_shows_no_value(database: str, sql_store: Store) -> None:
    keep(sql_store)
    (row,) = run_sql(database, "SELECT subject, sealed FROM vault")
    sealed = bytes(row.sealed)
    assert row.subject == SUBJECT
    assert b"Ada" not in sealed
    assert b"PERSON_1" not in sealed


def test_a_map_moved_to_another_ticket_does_not_open(database: str, sql_store: Store) -> None:
    keep(sql_store)
    run_sql(database, "UPDATE vault SET subject = 'desk|t2'")
    with sql_store.uow() as tx, pytest.raises(VaultSealed):
        tx.vault.load("desk|t2")


def test_a_damaged_map_does_not_open(database: str, sql_store: Store) -> None:
    keep(sql_store)
    (row,) = run_sql(database, "SELECT sealed FROM vault")
    damaged = bytes(row.sealed).decode()[:-8] + "AAAAAAA="
    literal = f"'{damaged}'" if database.startswith("postgresql") else f"CAST('{damaged}' AS BLOB)"
    run_sql(database, f"UPDATE vault SET sealed = {literal}")
    with sql_store.uow() as tx, pytest.raises(VaultSealed):
        tx.vault.load(SUBJECT)
