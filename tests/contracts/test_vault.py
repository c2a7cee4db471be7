"""What every vault promises, and what the encrypted one promises besides."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime

import pytest

from connectors.storage import migration, rotation
from connectors.storage.engine import build_engine
from connectors.storage.keyring import cipher
from connectors.storage.keys import derive_key
from connectors.storage.store import Store
from core.domain.audit import GENESIS, LedgerEntry, seal_entry, verify_chain
from core.domain.redaction import PlaceholderMap
from core.errors import VaultSealed
from core.ports import VaultSize
from tests.contracts import stores
from tests.contracts.samples import NOW, minutes
from tests.contracts.stores import AnyStore, open_database, run_sql
from tests.fakes.store import FakeStore

store = stores.store
database = stores.database
sql_store = stores.sql_store
address = stores.address

SUBJECT = "desk|t1"
MAP = PlaceholderMap({"<PERSON_1>": "Ada Lovelace", "<EMAIL_1>": "ada@example.org", "<NAME_1>": "Zoë\x00 \ud83d"})


def keep(store: AnyStore, subject: str = SUBJECT, placeholders: PlaceholderMap = MAP, at: datetime = NOW) -> None:
    with store.uow() as tx:
        tx.vault.save(subject, placeholders, at=at)
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
    other = open_database(database, master=b"another")
    with other.uow() as tx, pytest.raises(VaultSealed) as refused:
        tx.vault.load(SUBJECT)
    with pytest.raises(VaultSealed):
        other.seal_keys()
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


# ---------------------------------------------------------------- forgetting


def test_a_placeholder_whose_value_was_forgotten_stays_spent(store: AnyStore) -> None:
    keep(store, placeholders=MAP.without(["<PERSON_1>"]))
    with store.uow() as tx:
        kept = tx.vault.load(SUBJECT)
    assert kept.spent == {"<PERSON_1>"}
    assert kept.values == {name: value for name, value in MAP.values.items() if name != "<PERSON_1>"}


def test_maps_are_idle_from_the_moment_nobody_worked_on_their_ticket_any_more(store: AnyStore) -> None:
    keep(store, "desk|b", at=minutes(0))
    keep(store, "desk|a", at=minutes(2))
    keep(store, "desk|blank", MAP.without(MAP.values), at=minutes(0))
    with store.uow() as tx:
        assert tx.vault.idle(minutes(0), depth=9) == []
        assert tx.vault.idle(minutes(3), depth=9) == ["desk|b", "desk|a"]
        assert tx.vault.idle(minutes(3), depth=1) == ["desk|b"]
        tx.vault.touch("desk|b", minutes(5))
        tx.vault.touch("desk|blank", minutes(0))
        tx.vault.touch("desk|unknown", minutes(0))
        assert tx.vault.idle(minutes(3), depth=9) == ["desk|a"]
        assert tx.vault.subjects() == ["desk|a", "desk|b", "desk|blank"]
        assert tx.vault.size() == VaultSize(2, minutes(2), 0)


def test_the_stamp_changes_with_every_saving_and_with_nothing_else(store: AnyStore) -> None:
    with store.uow() as tx:
        assert tx.vault.stamp(SUBJECT) == ""
    keep(store)
    with store.uow() as tx:
        first = tx.vault.stamp(SUBJECT)
        tx.vault.touch(SUBJECT, minutes(9))
        assert tx.vault.stamp(SUBJECT) == first != ""
        tx.vault.save(SUBJECT, MAP, at=NOW)
        assert tx.vault.stamp(SUBJECT) != first


# ---------------------------------------------------------------- rotation

NEW = b"another master key, for tests"


def nothing(_done: int, _total: int) -> None:
    pass


def rotate(store: Store, master: bytes = NEW) -> int:
    store.replace_keys(master, at=NOW, actor="root")
    return store.reencrypt(at=NOW, actor="root", progress=nothing)


def in_ledger(store: AnyStore, number: int) -> None:
    with store.uow() as tx:
        for count in range(number):
            tx.ledger.append(at=NOW, actor="ada", event="e", subject="s", details={"n": count})
        tx.commit()


def test_after_a_rotation_everything_is_readable_with_the_new_master_and_nothing_with_the_old(
    database: str, sql_store: Store
) -> None:
    keep(sql_store)
    keep(sql_store, "desk|t2")
    in_ledger(sql_store, 3)
    before = wrapped(database)
    assert rotate(sql_store) == 2
    renewed = open_database(database, master=NEW)
    for store in (sql_store, renewed):
        with store.uow() as tx:
            assert tx.vault.load(SUBJECT) == tx.vault.load("desk|t2") == MAP
    renewed.close()
    old = open_database(database)
    with pytest.raises(VaultSealed):
        old.seal_keys()
    old.close()
    assert before["vault-1"] not in wrapped(database).values()
    assert sorted(wrapped(database)) == ["ledger-1", "ledger-2", "people-1", "vault-2"]


def wrapped(database: str) -> dict[str, bytes]:
    return {row.key_id: bytes(row.sealed) for row in run_sql(database, "SELECT key_id, sealed FROM keys")}


def test_somebody_with_the_old_master_and_the_old_keys_opens_no_map_and_forges_no_entry(
    database: str, sql_store: Store
) -> None:
    """The strongest case: the database and the master leaked, then the keys were replaced."""
    keep(sql_store)
    in_ledger(sql_store, 2)
    stolen = sql_store.seal_keys().keys[0][1]
    leaked = run_sql(database, "SELECT key_id, sealed FROM keys")
    rotate(sql_store)
    in_ledger(sql_store, 1)
    with sql_store.uow() as tx:
        (*_, entry) = tx.ledger.entries()
    assert resealed(entry, stolen) != entry.seal
    run_sql(database, "DELETE FROM keys")
    for row in leaked:
        value = f"'{bytes(row.sealed).decode()}'"
        cast = value if database.startswith("postgresql") else f"CAST({value} AS BLOB)"
        run_sql(database, f"INSERT INTO keys (key_id, sealed) VALUES ('{row.key_id}', {cast})")
    thief = open_database(database)
    with thief.uow() as tx, pytest.raises(VaultSealed):
        tx.vault.load(SUBJECT)
    thief.close()


def resealed(entry: LedgerEntry, key: bytes) -> str:
    fields = {field.name: getattr(entry, field.name) for field in dataclasses.fields(entry) if field.name != "seal"}
    return seal_entry(key, **fields).seal


def test_entries_from_before_and_after_a_rotation_verify_together(database: str, sql_store: Store) -> None:
    in_ledger(sql_store, 3)
    keep(sql_store)
    rotate(sql_store)
    in_ledger(sql_store, 2)
    rotate(sql_store, b"a third master key, for tests")
    keys = sql_store.seal_keys()
    with sql_store.uow() as tx:
        entries = list(tx.ledger.entries())
        assert verify_chain(entries, keys, tx.ledger.head()).problems == ()
    events = [entry.event for entry in entries]
    assert events == ["e", "e", "e", *ROTATED, "e", "e", *ROTATED]
    assert [first for first, _ in keys.keys] == [1, 4, 8]
    assert entries[4].details == {"tickets": 1, "retired": "vault-1"}


ROTATED = ("KeysReplaced", "VaultReencrypted")


def test_a_store_that_was_open_while_another_one_replaced_the_vault_key_goes_on(
    database: str, sql_store: Store
) -> None:
    keep(sql_store)
    other = open_database(database)
    other.seal_keys()
    rotate(other, stores.MASTER)
    other.close()
    keep(sql_store, "desk|t2")
    with sql_store.uow() as tx:
        assert tx.vault.load(SUBJECT) == MAP
    assert {row.key_id for row in run_sql(database, "SELECT key_id FROM vault")} == {"vault-2"}


def test_a_rotation_that_broke_off_leaves_maps_under_two_keys_and_is_finished_later(
    database: str, sql_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rotation, "BATCH", 2)
    for number in range(5):
        keep(sql_store, f"desk|{number}")

    def crash(done: int, _total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    sql_store.replace_keys(NEW, at=NOW, actor="root")
    with pytest.raises(KeyboardInterrupt):
        sql_store.reencrypt(at=NOW, actor="root", progress=crash)
    again = open_database(database, master=NEW)
    with again.uow() as tx:
        assert all(tx.vault.load(f"desk|{number}") == MAP for number in range(5))
        assert tx.vault.size().outdated == 3
    seen: list[tuple[int, int]] = []
    assert again.reencrypt(at=NOW, actor="root", progress=lambda *step: seen.append(step)) == 3
    assert seen == [(2, 3), (3, 3)]
    assert again.reencrypt(at=NOW, actor="root", progress=nothing) == 0
    with again.uow() as tx:
        assert tx.vault.size().outdated == 0
        assert [entry.event for entry in tx.ledger.entries()] == list(ROTATED)
    again.close()


# ---------------------------------------------------------------- installations older than the wrapped keys


@pytest.fixture
def old_installation(database: str) -> str:
    """A database as the first version left it: one map and two entries, sealed with keys derived from `MASTER`."""
    engine = build_engine(database)
    migration.upgrade(engine)
    migration.downgrade(engine, "0001")
    engine.dispose()
    sealed = cipher(derive_key(derive_key(stores.MASTER, "vault"), "fernet")).encrypt(
        json.dumps([SUBJECT, dict(MAP.values)]).encode()
    )
    literal = f"'{sealed.decode()}'"
    blob = literal if database.startswith("postgresql") else f"CAST({literal} AS BLOB)"
    run_sql(database, f"INSERT INTO vault (subject, sealed) VALUES ('{SUBJECT}', {blob})")
    seal = GENESIS
    for number in (1, 2):
        entry = seal_entry(
            derive_key(stores.MASTER, "ledger"),
            number=number,
            at=NOW,
            actor="ada",
            event="e",
            subject="s",
            details={},
            previous_seal=seal,
        )
        at = NOW.strftime("%Y-%m-%d %H:%M:%S.%f") + ("+00" if database.startswith("postgresql") else "")
        run_sql(
            database,
            "INSERT INTO ledger (number, at, actor, event, subject, details, previous_seal, seal) "
            f"VALUES ({number}, '{at}', 'ada', 'e', 's', '{{}}', '{seal}', '{entry.seal}')",
            f"UPDATE ledger_head SET number = {number}, seal = '{entry.seal}'",
        )
        seal = entry.seal
    return database


def test_an_older_installation_keeps_its_maps_and_seals_and_its_keys_can_be_replaced(old_installation: str) -> None:
    store = open_database(old_installation)
    store.migrate()
    in_ledger(store, 1)
    with store.uow() as tx:
        assert tx.vault.load(SUBJECT) == MAP
        assert tx.vault.size().tickets == 1
    rotate(store)
    keys = store.seal_keys()
    with store.uow() as tx:
        assert tx.vault.load(SUBJECT) == MAP
        assert verify_chain(tx.ledger.entries(), keys, tx.ledger.head()).problems == ()
    store.close()


def test_an_older_installation_with_another_master_is_left_as_it_is(old_installation: str) -> None:
    stranger = open_database(old_installation, master=b"another")
    with pytest.raises(VaultSealed, match="2 entries"):
        stranger.migrate()
    stranger.close()
    store = open_database(old_installation)
    store.migrate()
    with store.uow() as tx:
        assert tx.vault.load(SUBJECT) == MAP
    store.close()


def test_an_older_vault_without_any_ledger_entry_is_not_taken_over_with_another_master(old_installation: str) -> None:
    run_sql(old_installation, "DELETE FROM ledger", f"UPDATE ledger_head SET number = 0, seal = '{GENESIS}'")
    stranger = open_database(old_installation, master=b"another")
    with pytest.raises(VaultSealed, match="vault"):
        stranger.migrate()
    stranger.close()


def test_a_new_installation_derives_nothing_from_its_master(database: str, sql_store: Store) -> None:
    assert derive_key(stores.MASTER, "ledger") not in [key for _, key in sql_store.seal_keys().keys]


def test_keys_that_were_moved_or_lost_are_noticed(database: str, sql_store: Store) -> None:
    run_sql(database, "UPDATE keys SET key_id = 'vault-9' WHERE key_id = 'vault-1'")
    other = open_database(database)
    with pytest.raises(VaultSealed, match="not complete"):
        other.seal_keys()
    run_sql(database, "DELETE FROM keys WHERE key_id = 'vault-9'")
    with pytest.raises(VaultSealed, match="not complete"):
        other.seal_keys()
    other.close()
