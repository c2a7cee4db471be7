"""One database transaction and the repositories that work inside it."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import TimeoutError as PoolTimeout

from connectors.storage.documents import Documents
from connectors.storage.drafts import Drafts
from connectors.storage.jobs import Inbox, Outbox
from connectors.storage.keyring import KeyRing
from connectors.storage.ledger import Ledger
from connectors.storage.people import People
from connectors.storage.users import Users
from connectors.storage.vault import EncryptedVault
from core.errors import StoreUnavailable


class SqlUnitOfWork:
    """The transaction starts at the first use inside `with`, and anew at the first use after a commit."""

    def __init__(self, engine: Engine, ring: KeyRing) -> None:
        self._engine = engine
        self._ring = ring
        self._open: Connection | None = None

    @property
    def _connection(self) -> Connection:
        if self._open is None:
            raise RuntimeError("a unit of work is used inside `with`")
        return self._open

    @property
    def inbox(self) -> Inbox:
        return Inbox(self._connection)

    @property
    def outbox(self) -> Outbox:
        return Outbox(self._connection)

    @property
    def drafts(self) -> Drafts:
        return Drafts(self._connection)

    @property
    def documents(self) -> Documents:
        return Documents(self._connection)

    @property
    def ledger(self) -> Ledger:
        return Ledger(self._connection, self._ring.open(self._connection).seals)

    @property
    def users(self) -> Users:
        return Users(self._connection)

    @property
    def vault(self) -> EncryptedVault:
        return EncryptedVault(self._connection, self._ring.open(self._connection))

    @property
    def people(self) -> People:
        return People(self._connection, self._ring.open(self._connection).people)

    def commit(self) -> None:
        self._connection.commit()

    def __enter__(self) -> Self:
        try:
            self._open = self._engine.connect()
        except PoolTimeout as error:
            raise StoreUnavailable("All connections to the database are in use.") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closing a connection rolls back what was not committed."""
        connection, self._open = self._connection, None
        connection.close()
