"""The append-only ledger and its head."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from sqlalchemy import Connection, RowMapping, Select, insert, select, update

from connectors.storage.columns import storable
from connectors.storage.schema import ledger, ledger_head
from core.domain.audit import LedgerEntry, LedgerHead, SealKeys, seal_entry
from core.errors import LedgerBroken

_ROWS_AT_ONCE = 500
_FIELDS = ("number", "at", "actor", "event", "subject", "details", "previous_seal", "seal")


class Ledger:
    def __init__(self, connection: Connection, keys: SealKeys) -> None:
        self._connection = connection
        self._keys = keys

    def append(
        self,
        *,
        at: datetime,
        actor: str,
        event: str,
        subject: str,
        details: Mapping[str, str | int | float | bool | None],
    ) -> LedgerEntry:
        """Locks the head until the transaction ends. What is sealed is what the database will give back."""
        head = self._head(select(ledger_head).with_for_update())
        entry = seal_entry(
            self._keys.key_of(head.number + 1),
            number=head.number + 1,
            at=at,
            actor=storable(actor),
            event=storable(event),
            subject=storable(subject),
            details={name: storable(value) if isinstance(value, str) else value for name, value in details.items()},
            previous_seal=head.seal,
        )
        self._connection.execute(insert(ledger).values({name: getattr(entry, name) for name in _FIELDS}))
        self._connection.execute(update(ledger_head).values(number=entry.number, seal=entry.seal))
        return entry

    def entries(self) -> Iterator[LedgerEntry]:
        """Streamed: read them before the transaction ends."""
        statement = select(ledger).order_by(ledger.c.position).execution_options(yield_per=_ROWS_AT_ONCE)
        return (_entry(row) for row in self._connection.execute(statement).mappings())

    def about(self, subject: str) -> list[LedgerEntry]:
        statement = select(ledger).where(ledger.c.subject == subject).order_by(ledger.c.position)
        return [_entry(row) for row in self._connection.execute(statement).mappings()]

    def head(self) -> LedgerHead:
        """Raises `LedgerBroken` when somebody removed it."""
        return self._head(select(ledger_head))

    def _head(self, statement: Select[int, int, str]) -> LedgerHead:
        row = self._connection.execute(statement).mappings().one_or_none()
        if row is None:
            raise LedgerBroken("The head of the ledger is missing.")
        return LedgerHead(row["number"], row["seal"])


def _entry(row: RowMapping) -> LedgerEntry:
    return LedgerEntry(**{name: row[name] for name in _FIELDS})
