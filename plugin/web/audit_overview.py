"""Many drafts at a glance: how they ended, what they cite, and what nobody could answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from core.domain.draft import Draft, DraftState
from core.domain.passage import Passage
from core.ports import CollectionSize, DraftFilter, UnitOfWorkFactory
from plugin.web.audit_filter import Decided, decided

BLOCK = 200
MOST_CITED = 10
ABSTAINED = 20


@dataclass(frozen=True, slots=True)
class Week:
    """Drafts by the state they are in now; the week (from Monday, UTC) is the one they were made in."""

    monday: date
    counts: Mapping[DraftState, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Cited:
    """A document and how many drafts cite it."""

    doc_id: str
    title: str
    collection: str
    drafts: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of a collection's present documents at least one draft of the period cites."""

    collection: str
    documents: int
    cited: int

    @property
    def never_cited(self) -> int:
        return self.documents - self.cited


@dataclass(frozen=True, slots=True)
class Overview:
    """`stars` counts ratings from one to five; `decided` counts only drafts that somebody decided on."""

    drafts: int
    reduced: int
    weeks: tuple[Week, ...]
    states: tuple[DraftState, ...]
    decided: Mapping[Decided, int]
    stars: Mapping[int, int]
    most_cited: tuple[Cited, ...]
    coverage: tuple[Coverage, ...]
    abstained: tuple[Draft, ...]
    abstained_total: int

    @property
    def mean_stars(self) -> float | None:
        rated = sum(self.stars.values())
        return sum(stars * count for stars, count in self.stars.items()) / rated if rated else None


def overview_of(uow: UnitOfWorkFactory, *, now: datetime, weeks: int) -> Overview:
    """The last `weeks` calendar weeks, the present one included."""
    first_monday = _monday(now) - timedelta(weeks=weeks - 1)
    drafts = _drafts_since(datetime.combine(first_monday, datetime.min.time(), UTC), uow)
    cited = _cited(drafts)
    with uow() as tx:
        sizes = tx.documents.sizes()
        present = {doc_id for doc_id in cited if tx.documents.get(doc_id)}
    abstained = [draft for draft in drafts if draft.abstention]
    return Overview(
        drafts=len(drafts),
        reduced=sum(bool(draft.reduced) for draft in drafts),
        weeks=_weeks(drafts, first_monday, weeks),
        states=tuple(state for state in DraftState if any(draft.state is state for draft in drafts)),
        decided=_decided(drafts),
        stars={n: sum(bool(d.decision and d.decision.stars == n) for d in drafts) for n in range(5, 0, -1)},
        most_cited=tuple(sorted(cited.values(), key=lambda c: (-c.drafts, c.title))[:MOST_CITED]),
        coverage=_coverage(sizes, [cited[doc_id] for doc_id in present]),
        abstained=tuple(abstained[:ABSTAINED]),
        abstained_total=len(abstained),
    )


def _drafts_since(since: datetime, uow: UnitOfWorkFactory) -> list[Draft]:
    """Newest first, read in short transactions."""
    drafts: list[Draft] = []
    while True:
        with uow() as tx:
            block = tx.drafts.list(DraftFilter(since=since), depth=BLOCK, offset=len(drafts))
        drafts += block
        if len(block) < BLOCK:
            return drafts


def _monday(moment: datetime) -> date:
    day = moment.astimezone(UTC).date()
    return day - timedelta(days=day.weekday())


def _weeks(drafts: Iterable[Draft], first: date, count: int) -> tuple[Week, ...]:
    """Oldest first, weeks without a draft too."""
    found = Counter((_monday(draft.created_at), draft.state) for draft in drafts)
    mondays = [first + timedelta(weeks=n) for n in range(count)]
    return tuple(Week(monday, {state: found[monday, state] for state in DraftState}) for monday in mondays)


def _decided(drafts: Iterable[Draft]) -> dict[Decided, int]:
    found = Counter(decided(draft) for draft in drafts)
    return {how: found[how] for how in (Decided.UNCHANGED, Decided.EDITED, Decided.REJECTED)}


def _cited(drafts: Iterable[Draft]) -> dict[str, Cited]:
    """By doc_id; a draft that cites a document five times counts once."""
    counts: Counter[str] = Counter()
    newest: dict[str, Passage] = {}
    for draft in drafts:
        passages = {evidence.passage.doc_id: evidence.passage for evidence in draft.evidence}
        counts.update(passages.keys())
        newest = passages | newest
    return {
        doc_id: Cited(doc_id, passage.title, passage.collection, counts[doc_id]) for doc_id, passage in newest.items()
    }


def _coverage(sizes: Iterable[CollectionSize], cited: Iterable[Cited]) -> tuple[Coverage, ...]:
    by_collection = Counter(document.collection for document in cited)
    return tuple(Coverage(size.collection, size.documents, by_collection[size.collection]) for size in sizes)
