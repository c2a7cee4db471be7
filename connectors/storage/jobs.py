"""Inbox and outbox: rows of work that two workers never hold at the same time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, RowMapping, Table, and_, func, or_, select, update

from connectors.storage import schema
from connectors.storage.statements import insert_once
from core.domain.jobs import DeliveryKind, EventKind, HelpdeskEvent, InboxItem, JobState, OutboxItem
from core.errors import NotFound

Job = TypeVar("Job", InboxItem, OutboxItem)


class JobRows(ABC, Generic[Job]):
    """What both boxes do. `_moment` is the column that says how old an item is."""

    _table: Table
    _moment: Column[datetime]

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @abstractmethod
    def _to_row(self, item: Job) -> dict[str, Any]: ...

    @abstractmethod
    def _to_item(self, row: RowMapping) -> Job: ...

    def add(self, item: Job) -> bool:
        return insert_once(self._connection, self._table, self._to_row(item))

    def get(self, item_id: str) -> Job | None:
        statement = select(self._table).where(self._table.c.item_id == item_id)
        row = self._connection.execute(statement).mappings().one_or_none()
        return self._to_item(row) if row else None

    def claim(self, now: datetime, *, lease_s: float, owner: str) -> Job | None:
        """The update repeats the condition: whoever was slower changes no row, and looks for the next item."""
        oldest_due = select(self._table.c.item_id).where(self._is_due(now)).order_by(*self._age()).limit(1)
        while (item_id := self._connection.scalar(oldest_due)) is not None:
            statement = (
                update(self._table)
                .where(self._table.c.item_id == item_id, self._is_due(now))
                .values(
                    state=JobState.WORKING,
                    attempts=self._table.c.attempts + 1,
                    lease_owner=owner,
                    lease_until=now + timedelta(seconds=lease_s),
                )
                .returning(self._table)
            )
            row = self._connection.execute(statement).mappings().one_or_none()
            if row is not None:
                return self._to_item(row)
        return None

    def _is_due(self, now: datetime) -> ColumnElement[bool]:
        column = self._table.c
        return or_(
            and_(column.state == JobState.PENDING, or_(column.not_before.is_(None), column.not_before <= now)),
            and_(column.state == JobState.WORKING, column.lease_until < now),
        )

    def _age(self) -> tuple[ColumnElement[Any], ...]:
        return self._moment, self._table.c.item_id

    def save(self, item: Job) -> None:
        """Raises `NotFound` for an item that was never added."""
        statement = update(self._table).where(self._table.c.item_id == item.item_id).values(self._to_row(item))
        if self._connection.execute(statement).rowcount == 0:
            raise NotFound(f"There is no job {item.item_id}.")

    def release(self, owner: str) -> int:
        column = self._table.c
        statement = (
            update(self._table)
            .where(column.state == JobState.WORKING, column.lease_owner == owner)
            .values(state=JobState.PENDING, lease_owner="", lease_until=None)
        )
        return self._connection.execute(statement).rowcount

    def counts(self) -> dict[JobState, int]:
        """Every state is there, also those that no item is in."""
        state = self._table.c.state
        rows = self._connection.execute(select(state, func.count()).group_by(state))
        return dict.fromkeys(JobState, 0) | {JobState(name): number for name, number in rows}

    def list(self, states: frozenset[JobState], *, depth: int = 200) -> list[Job]:
        """Newest first. No states means any."""
        statement = select(self._table).order_by(*(column.desc() for column in self._age())).limit(depth)
        if states:
            statement = statement.where(self._table.c.state.in_(states))
        return [self._to_item(row) for row in self._connection.execute(statement).mappings()]

    def of_ticket(self, connector: str, ticket_id: str) -> Sequence[Job]:
        column = self._table.c
        statement = select(self._table).where(column.connector == connector, column.ticket_id == ticket_id)
        rows = self._connection.execute(statement.order_by(*self._age())).mappings()
        return tuple(self._to_item(row) for row in rows)


class Inbox(JobRows[InboxItem]):
    _table = schema.inbox
    _moment = schema.inbox.c.received_at

    def _to_row(self, item: InboxItem) -> dict[str, Any]:
        return {
            "item_id": item.item_id,
            "idempotency_key": item.event.idempotency_key,
            "connector": item.event.connector,
            "kind": item.event.kind,
            "ticket_id": item.event.ticket_id,
            "message_id": item.event.message_id,
            "delivery_id": item.event.delivery_id,
            "received_at": item.received_at,
            "step": item.step,
            "outcome": item.outcome,
            **_work_of(item),
        }

    def _to_item(self, row: RowMapping) -> InboxItem:
        return InboxItem(
            item_id=row["item_id"],
            event=HelpdeskEvent(
                connector=row["connector"],
                kind=EventKind(row["kind"]),
                ticket_id=row["ticket_id"],
                message_id=row["message_id"],
                delivery_id=row["delivery_id"],
            ),
            received_at=row["received_at"],
            step=row["step"],
            outcome=row["outcome"],
            **_work_in(row),
        )


class Outbox(JobRows[OutboxItem]):
    _table = schema.outbox
    _moment = schema.outbox.c.created_at

    def _to_row(self, item: OutboxItem) -> dict[str, Any]:
        return {
            "item_id": item.item_id,
            "kind": item.kind,
            "connector": item.connector,
            "ticket_id": item.ticket_id,
            "draft_id": item.draft_id,
            "body": item.body,
            "created_at": item.created_at,
            "receipt": item.receipt,
            **_work_of(item),
        }

    def _to_item(self, row: RowMapping) -> OutboxItem:
        return OutboxItem(
            item_id=row["item_id"],
            kind=DeliveryKind(row["kind"]),
            connector=row["connector"],
            ticket_id=row["ticket_id"],
            draft_id=row["draft_id"],
            body=row["body"],
            created_at=row["created_at"],
            receipt=row["receipt"],
            **_work_in(row),
        )


_WORK = ("attempts", "not_before", "lease_owner", "lease_until", "error_code", "error_message")


def _work_of(item: InboxItem | OutboxItem) -> dict[str, Any]:
    return {"state": item.state} | {name: getattr(item, name) for name in _WORK}


def _work_in(row: RowMapping) -> dict[str, Any]:
    return {"state": JobState(row["state"])} | {name: row[name] for name in _WORK}
