"""Two statements that SQLite and PostgreSQL both know but SQLAlchemy spells per dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert_once(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert the row; False, and nothing done, when any unique key of it is taken."""
    statement = _insert(connection, table).values(row).on_conflict_do_nothing().returning(*table.primary_key)
    return connection.execute(statement).first() is not None


def upsert(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Insert the row, or overwrite the one with the same primary key; safe when two do it at once."""
    keys = [column.name for column in table.primary_key]
    values = {name: value for name, value in row.items() if name not in keys}
    connection.execute(_insert(connection, table).values(row).on_conflict_do_update(index_elements=keys, set_=values))


def _insert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
