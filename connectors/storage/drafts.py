"""Drafts with their provenance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, func, insert, select, update

from connectors.storage.columns import storable
from connectors.storage.schema import draft_collections, drafts, provenance
from connectors.storage.statements import insert_once
from core.domain.draft import Draft, DraftState
from core.domain.provenance import Provenance
from core.errors import DraftNotFound
from core.ports import DraftFilter

_ROWS_AT_ONCE = 200
_NEWEST_FIRST = (drafts.c.created_at.desc(), drafts.c.revision.desc(), drafts.c.draft_id.desc())


class Drafts:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, draft: Draft, record: Provenance) -> bool:
        if not insert_once(self._connection, drafts, _row_of(draft)):
            return False
        self._connection.execute(insert(provenance).values(draft_id=draft.draft_id, body=record))
        self._add_collections(draft)
        return True

    def get(self, draft_id: str, *, for_update: bool = False) -> Draft:
        statement = select(drafts.c.body).where(drafts.c.draft_id == draft_id)
        found: Draft | None = self._connection.scalar(statement.with_for_update() if for_update else statement)
        if found is None:
            raise DraftNotFound(f"There is no draft {draft_id}.")
        return found

    def save(self, draft: Draft) -> None:
        """Raises `DraftNotFound`."""
        statement = update(drafts).where(drafts.c.draft_id == draft.draft_id).values(_row_of(draft))
        if self._connection.execute(statement).rowcount == 0:
            raise DraftNotFound(f"There is no draft {draft.draft_id}.")
        self._connection.execute(delete(draft_collections).where(draft_collections.c.draft_id == draft.draft_id))
        self._add_collections(draft)

    def _add_collections(self, draft: Draft) -> None:
        rows = [{"draft_id": draft.draft_id, "collection": name} for name in dict.fromkeys(draft.collections)]
        if rows:
            self._connection.execute(insert(draft_collections), rows)

    def rewrite(self, draft: Draft, record: Provenance) -> None:
        self.save(draft)
        self._connection.execute(update(provenance).where(provenance.c.draft_id == draft.draft_id).values(body=record))

    def made_from(self, doc_ids: Sequence[str]) -> Sequence[str]:
        """Reads every row: the text of a column that holds JSON cannot be searched by an index."""
        wanted = frozenset(doc_ids)
        if not wanted:
            return ()
        rows = self._connection.execute(
            select(provenance.c.draft_id, provenance.c.body).execution_options(yield_per=_ROWS_AT_ONCE)
        )
        found = [name for name, body in rows if wanted & {passage.doc_id for passage in body.passages}]
        return tuple(sorted(found))

    def provenance(self, draft_id: str) -> Provenance:
        found: Provenance | None = self._connection.scalar(
            select(provenance.c.body).where(provenance.c.draft_id == draft_id)
        )
        if found is None:
            raise DraftNotFound(f"There is no draft {draft_id}.")
        return found

    def find(self, connector: str, ticket_id: str, message_id: str) -> Draft | None:
        return self._connection.scalar(
            select(drafts.c.body)
            .where(drafts.c.connector == connector, drafts.c.ticket_id == ticket_id, drafts.c.message_id == message_id)
            .order_by(drafts.c.revision.desc())
            .limit(1)
        )

    def for_ticket(self, connector: str, ticket_id: str) -> list[Draft]:
        statement = select(drafts.c.body).where(drafts.c.connector == connector, drafts.c.ticket_id == ticket_id)
        return list(self._connection.scalars(statement.order_by(*_NEWEST_FIRST)))

    def count(self, where: DraftFilter) -> int:
        return self._connection.execute(
            select(func.count()).select_from(drafts).where(*_conditions(where))
        ).scalar_one()

    def counts_by_state(self) -> dict[DraftState, int]:
        """Every state is there, also those that no draft is in."""
        rows = self._connection.execute(select(drafts.c.state, func.count()).group_by(drafts.c.state))
        return dict.fromkeys(DraftState, 0) | {DraftState(name): number for name, number in rows}

    def list(self, where: DraftFilter, *, depth: int = 50, offset: int = 0) -> list[Draft]:
        statement = select(drafts.c.body).where(*_conditions(where)).order_by(*_NEWEST_FIRST)
        return list(self._connection.scalars(statement.limit(depth).offset(offset)))


def _row_of(draft: Draft) -> dict[str, Any]:
    decision = draft.decision
    return {
        "draft_id": draft.draft_id,
        "connector": draft.connector,
        "ticket_id": draft.ticket_id,
        "message_id": draft.message_id,
        "revision": draft.revision,
        "state": draft.state,
        "created_at": draft.created_at,
        "decided_by": decision.agent if decision else None,
        "stars": decision.stars if decision else None,
        "search_text": _search_text(draft),
        "body": draft,
    }


def _search_text(draft: Draft) -> str:
    """What a person may remember of a draft: subject, the reply proposed, the reply decided on, the ticket's id."""
    final_text = draft.decision.final_text if draft.decision else ""
    return "\n".join((draft.subject, draft.text, final_text, draft.ticket_id)).casefold()


def _conditions(where: DraftFilter) -> Iterator[ColumnElement[bool]]:
    """`since` is inclusive, `until` exclusive; `%` and `_` in `text` stand for themselves."""
    if where.states:
        yield drafts.c.state.in_(where.states)
    if where.text:
        yield drafts.c.search_text.contains(storable(where.text.casefold()), autoescape=True)
    if where.agent:
        yield drafts.c.decided_by == where.agent
    if where.collection:
        cited = draft_collections.c.draft_id == drafts.c.draft_id
        yield exists().where(cited, draft_collections.c.collection == where.collection)
    if where.stars is not None:
        yield drafts.c.stars == where.stars
    if where.since is not None:
        yield drafts.c.created_at >= where.since
    if where.until is not None:
        yield drafts.c.created_at < where.until
