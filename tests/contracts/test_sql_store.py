"""What only a real database can show: tampering, migrations, locks, errors of the engine, restarts."""

from __future__ import annotations

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from connectors.storage import migration
from connectors.storage.engine import build_engine
from connectors.storage.schema import metadata
from connectors.storage.store import Store
from core.domain.audit import LedgerReport, verify_chain
from core.errors import Conflict, LedgerBroken, StorageFull, StoreUnavailable
from core.ports import DraftFilter
from tests.contracts import samples, stores
from tests.contracts.samples import NOW, inbox_item
from tests.contracts.stores import open_database, run_sql
from tests.contracts.test_unit_of_work import in_two_threads
from tests.servers import postgres

database = stores.database
sql_store = stores.sql_store
postgres_url = postgres.postgres_url


# ---------------------------------------------------------------- the ledger under attack


@pytest.fixture
def ledger(database: str, sql_store: Store) -> str:
    """The address of a database whose ledger has four entries."""
    with sql_store.uow() as tx:
        for number in range(1, 5):
            tx.ledger.append(at=NOW, actor="ada", event="draft_approved", subject=f"d{number}", details={"stars": 5})
        tx.commit()
    return database


def verified(store: Store) -> LedgerReport:
    keys = store.seal_keys()
    with store.uow() as tx:
        return verify_chain(tx.ledger.entries(), keys, tx.ledger.head())


def test_an_untouched_ledger_verifies_after_a_restart(ledger: str) -> None:
    again = open_database(ledger)
    report = verified(again)
    again.close()
    assert report.intact
    assert report.entries == 4


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE ledger SET actor = 'eve' WHERE number = 2",
        "UPDATE ledger SET subject = 'd9' WHERE number = 2",
        "UPDATE ledger SET event = 'draft_rejected' WHERE number = 2",
        "UPDATE ledger SET at = '2020-01-01 00:00:00.000000' WHERE number = 2",
        """UPDATE ledger SET details = '{"stars":1}' WHERE number = 2""",
    ],
)
def test_an_altered_entry_is_named(ledger: str, sql_store: Store, attack: str) -> None:
    run_sql(ledger, attack)
    assert verified(sql_store).problems == ("entry 2 was altered",)


def test_an_entry_dropped_from_the_middle_is_missed(ledger: str, sql_store: Store) -> None:
    run_sql(ledger, "DELETE FROM ledger WHERE number = 2")
    problems = verified(sql_store).problems
    assert "entry 3 follows entry 1: entries are missing or reordered" in problems
    assert "entry 3 does not continue entry 1" in problems


def test_a_dropped_tail_is_missed(ledger: str, sql_store: Store) -> None:
    run_sql(ledger, "DELETE FROM ledger WHERE number > 2")
    assert verified(sql_store).problems == ("the chain ends at entry 2, the recorded head is entry 4",)


def test_entries_in_another_order_are_noticed(ledger: str, sql_store: Store) -> None:
    swap = "UPDATE ledger SET position = {} WHERE position = {}"
    (second, third) = (row.position for row in run_sql(ledger, "SELECT position FROM ledger WHERE number IN (2, 3)"))
    run_sql(ledger, swap.format(-1, second), swap.format(second, third), swap.format(third, -1))
    assert "entry 3 follows entry 1: entries are missing or reordered" in verified(sql_store).problems


def test_a_dropped_tail_stays_visible_after_the_ledger_goes_on(ledger: str, sql_store: Store) -> None:
    run_sql(ledger, "DELETE FROM ledger WHERE number > 2")
    with sql_store.uow() as tx:
        tx.ledger.append(at=NOW, actor="ada", event="e", subject="s", details={})
        tx.commit()
    assert "entry 5 follows entry 2: entries are missing or reordered" in verified(sql_store).problems


def test_a_ledger_without_head_is_broken(ledger: str, sql_store: Store) -> None:
    run_sql(ledger, "DELETE FROM ledger_head")
    with sql_store.uow() as tx, pytest.raises(LedgerBroken):
        tx.ledger.head()
    with sql_store.uow() as tx, pytest.raises(LedgerBroken):
        tx.ledger.append(at=NOW, actor="ada", event="e", subject="s", details={})


# ---------------------------------------------------------------- migrations


def test_the_migrations_make_exactly_the_tables_of_the_schema(database: str, sql_store: Store) -> None:
    assert sql_store.is_current()
    engine = build_engine(database)
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    engine.dispose()
    assert differences == []


def test_migrating_again_changes_nothing(database: str, sql_store: Store) -> None:
    with sql_store.uow() as tx:
        tx.inbox.add(inbox_item())
        tx.commit()
    sql_store.migrate()
    with sql_store.uow() as tx:
        assert tx.inbox.get("i1") == inbox_item()


def test_the_schema_goes_down_and_up_again(database: str, sql_store: Store) -> None:
    engine = build_engine(database)
    migration.downgrade(engine)
    engine.dispose()
    assert not sql_store.is_current()
    assert "schema none, 0002 is needed" in sql_store.check()
    sql_store.migrate()
    assert sql_store.is_current()
    with sql_store.uow() as tx:
        assert tx.inbox.add(inbox_item())


def test_two_may_migrate_an_empty_database_at_once(database: str) -> None:
    def migrate(_name: str) -> bool:
        store = open_database(database)
        store.migrate()
        current = store.is_current()
        store.close()
        return current

    assert in_two_threads(migrate) == [True, True]


def test_a_database_of_a_newer_version_is_left_alone(database: str, sql_store: Store) -> None:
    run_sql(database, "UPDATE alembic_version SET version_num = '9999'")
    assert not sql_store.is_current()
    with pytest.raises(Conflict, match="newer version"):
        sql_store.migrate()


def test_an_empty_database_is_reported_as_such(database: str) -> None:
    store = open_database(database)
    assert not store.is_current()
    with store.uow() as tx, pytest.raises(StoreUnavailable):
        tx.inbox.counts()
    store.close()


def test_check_names_engine_version_size_and_schema(database: str, sql_store: Store) -> None:
    engine, size, schema = sql_store.check().split(", ")
    name = "SQLite" if database.startswith("sqlite") else "PostgreSQL"
    assert engine.startswith(f"{name} ")
    assert float(size.removesuffix(" MB")) > 0
    assert schema == "schema 0002"


# ---------------------------------------------------------------- the engine's errors


def test_an_error_at_commit_is_translated_too(database: str) -> None:
    engine = build_engine(database)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE parent (id INTEGER PRIMARY KEY)"))
        reference = "REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED"
        connection.execute(text(f"CREATE TABLE child (parent_id INTEGER {reference})"))
    with engine.connect() as connection:
        connection.execute(text("INSERT INTO child VALUES (7)"))
        with pytest.raises(Conflict):
            connection.commit()
    engine.dispose()


def test_a_login_that_is_changed_to_a_taken_one_is_a_conflict(sql_store: Store) -> None:
    with sql_store.uow() as tx:
        tx.users.add(samples.user("u1", "ada"))
        tx.users.add(samples.user("u2", "bob"))
        with pytest.raises(Conflict) as refused:
            tx.users.save(samples.user("u2", "ada"))
    assert "ada" not in refused.value.message


def test_ids_that_no_database_can_hold_are_stored_with_replacement_characters(sql_store: Store) -> None:
    odd = samples.draft(ticket_id="t\x001", subject="half an emoji \ud83d", requester="nul \x00 here")
    with sql_store.uow() as tx:
        tx.drafts.add(odd, samples.provenance())
        (found,) = tx.drafts.for_ticket("desk", "t\x001")
        assert tx.drafts.count(DraftFilter(text="EMOJI \ud83d")) == 1
    assert (found.subject, found.requester) == ("half an emoji \ufffd", "nul \x00 here")


@pytest.mark.server
def test_a_disk_that_postgresql_finds_full_is_named_as_such(postgres_url: str) -> None:
    engine = build_engine(postgres_url)
    full = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
    with engine.connect() as connection, pytest.raises(StorageFull):
        connection.exec_driver_sql(full)
    engine.dispose()


def test_a_postgresql_that_is_not_there_is_unavailable() -> None:
    store = open_database("postgresql://nobody@/nothing?host=/nonexistent")
    with pytest.raises(StoreUnavailable), store.uow():
        pass
    with pytest.raises(StoreUnavailable):
        store.check()
    store.close()
