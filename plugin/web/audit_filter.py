"""Which drafts an audit looks at: filters that live in the address, so that they can be shared and exported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import TypeVar

from core.domain.draft import OPEN_STATES, Draft, DraftState
from core.errors import BadInput
from core.ports import DraftFilter, UnitOfWorkFactory
from core.usecases.audit_draft import was_changed

PAGE_SIZE = 50
BLOCK = 200

T = TypeVar("T")


class Decided(StrEnum):
    """How it ended. Unchanged and edited are of drafts that were approved or sent."""

    UNCHANGED = "unchanged"
    EDITED = "edited"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


PASSED = frozenset({DraftState.APPROVED, DraftState.SENT})

STATES_OF: Mapping[Decided, frozenset[DraftState]] = {
    Decided.UNCHANGED: PASSED,
    Decided.EDITED: PASSED,
    Decided.REJECTED: frozenset({DraftState.REJECTED}),
    Decided.UNDECIDED: OPEN_STATES,
}


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Empty means any. `since` and `until` are days in UTC, both included; `page` counts from 1."""

    text: str = ""
    state: DraftState | None = None
    agent: str = ""
    collection: str = ""
    decision: Decided | None = None
    stars: int | None = None
    since: date | None = None
    until: date | None = None
    oldest_first: bool = False
    page: int = 1

    @property
    def parameters(self) -> dict[str, str]:
        """As they stand in an address, without the page."""
        every = {
            "text": self.text,
            "state": self.state,
            "agent": self.agent,
            "collection": self.collection,
            "decision": self.decision,
            "stars": self.stars,
            "since": self.since,
            "until": self.until,
            "order": "oldest" if self.oldest_first else None,
        }
        return {name: str(value) for name, value in every.items() if value not in (None, "")}

    @property
    def states(self) -> frozenset[DraftState] | None:
        """The states that state and decision together allow: none at all is an empty set, any is None."""
        allowed = STATES_OF[self.decision] if self.decision else None
        if self.state is None:
            return allowed
        chosen = frozenset({self.state})
        return chosen if allowed is None else chosen & allowed


@dataclass(frozen=True, slots=True)
class AuditPage:
    """`first` is the number of the first draft on the page, from 1, or 0 when there is none."""

    drafts: tuple[Draft, ...]
    total: int
    first: int
    pages: int


def parse_filter(arguments: Mapping[str, str]) -> AuditFilter:
    """Raises `BadInput` for a value that no filter can have; unknown names are ignored."""
    values = {name: value.strip() for name, value in arguments.items() if value.strip()}
    return AuditFilter(
        text=values.get("text", ""),
        state=_parsed(values, "state", DraftState),
        agent=values.get("agent", ""),
        collection=values.get("collection", ""),
        decision=_parsed(values, "decision", Decided),
        stars=_number(values, "stars", 5),
        since=_parsed(values, "since", date.fromisoformat),
        until=_parsed(values, "until", date.fromisoformat),
        oldest_first=values.get("order") == "oldest",
        page=_number(values, "page", 1_000_000) or 1,
    )


def page_of(filters: AuditFilter, uow: UnitOfWorkFactory) -> AuditPage:
    """The asked page; beyond the last one it is empty. Whether a reply was edited is found out draft by draft."""
    if filters.decision in (Decided.EDITED, Decided.UNCHANGED):
        every = list(matching(filters, uow))
        return _cut(filters, len(every), lambda offset, depth: every[offset : offset + depth])
    where = _where(filters)
    if where is None:
        return _cut(filters, 0, lambda _offset, _depth: [])
    with uow() as tx:
        return _cut(filters, tx.drafts.count(where), lambda o, n: tx.drafts.list(where, depth=n, offset=o))


def matching(filters: AuditFilter, uow: UnitOfWorkFactory, *, before: datetime | None = None) -> Iterator[Draft]:
    """Every draft the filters let through, newest first, in short transactions: nobody waits for a slow reader.

    With `before` only those made before that moment: what comes in meanwhile cannot shift a long export.
    """
    where = _where(filters)
    if where is not None and before is not None:
        where = replace(where, until=min(where.until or before, before))
    offset = 0
    while where is not None:
        with uow() as tx:
            block = tx.drafts.list(where, depth=BLOCK, offset=offset)
        yield from (draft for draft in block if filters.decision in (None, decided(draft)))
        if len(block) < BLOCK:
            return
        offset += BLOCK


def counts_by_state(filters: AuditFilter, uow: UnitOfWorkFactory) -> dict[DraftState, int]:
    """How many drafts of each state the other filters (decision aside) let through."""
    with uow() as tx:
        return {
            state: tx.drafts.count(where)
            for state in DraftState
            if (where := _where(replace(filters, state=state, decision=None))) is not None
        }


def _where(filters: AuditFilter) -> DraftFilter | None:
    """None when state and decision contradict each other: nothing can match."""
    states = filters.states
    if states is not None and not states:
        return None
    return DraftFilter(
        states=states or frozenset(),
        text=filters.text,
        agent=filters.agent,
        collection=filters.collection,
        stars=filters.stars,
        since=_midnight(filters.since) if filters.since else None,
        until=_midnight(filters.until) + timedelta(days=1) if filters.until else None,
    )


def _cut(filters: AuditFilter, total: int, chosen: Callable[[int, int], list[Draft]]) -> AuditPage:
    """Drafts are listed newest first: in the other order pages are counted from the end."""
    pages = max(1, -(-total // PAGE_SIZE))
    start = (filters.page - 1) * PAGE_SIZE
    depth = max(0, min(PAGE_SIZE, total - start))
    if depth == 0:
        return AuditPage((), total, 0, pages)
    drafts = chosen(total - start - depth, depth)[::-1] if filters.oldest_first else chosen(start, depth)
    return AuditPage(tuple(drafts), total, start + 1, pages)


def decided(draft: Draft) -> Decided | None:
    """How it ended; None for a superseded draft: nobody had to decide on it any more."""
    if draft.state in PASSED:
        return Decided.EDITED if was_changed(draft) else Decided.UNCHANGED
    if draft.state is DraftState.REJECTED:
        return Decided.REJECTED
    return Decided.UNDECIDED if draft.state in OPEN_STATES else None


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _parsed(values: Mapping[str, str], name: str, parse: Callable[[str], T]) -> T | None:
    if name not in values:
        return None
    try:
        return parse(values[name])
    except ValueError as error:
        raise BadInput(f"The filter {name!r} has a value that it cannot have.", hint="Clear the filters.") from error


def _number(values: Mapping[str, str], name: str, most: int) -> int | None:
    number = _parsed(values, name, int)
    if number is not None and not 1 <= number <= most:
        raise BadInput(f"The filter {name!r} goes from 1 to {most}.", hint="Clear the filters.")
    return number
