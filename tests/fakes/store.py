"""The store in memory: what `connectors.storage` does, without a database.

A transaction starts at its first use, works on a copy, and holds the one lock until it commits or ends; so changes are
seen by others only after `commit`, and a transaction opened inside another one fails instead of hanging.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from threading import Lock
from types import TracebackType
from typing import Generic, Self, TypeVar

from core.domain.account import User
from core.domain.audit import LedgerEntry, LedgerHead, SealKeys, seal_entry
from core.domain.draft import Draft, DraftState
from core.domain.erasure import Burial, Identity, IdentityKind
from core.domain.jobs import InboxItem, JobState, OutboxItem
from core.domain.passage import Document, Passage
from core.domain.provenance import Provenance
from core.domain.redaction import PlaceholderMap
from core.errors import (
    AlreadyExists,
    CitedeskError,
    DocumentNotFound,
    DraftNotFound,
    NotFound,
    StoreUnavailable,
    UserNotFound,
    VaultSealed,
)
from core.ports import CollectionSize, DraftFilter, SourceRecord, VaultSize

LOCK_TIMEOUT_S = 2.0

Job = TypeVar("Job", InboxItem, OutboxItem)


@dataclass(frozen=True)
class Sealed:
    """A map under a key. `saved` counts the times it was saved; `touched_at` is None when it has no values."""

    key: bytes
    placeholders: PlaceholderMap
    touched_at: datetime | None
    saved: int


@dataclass
class Tables:
    """Everything that is stored. The values are immutable, so a copy of the containers is a snapshot."""

    inbox: dict[str, InboxItem] = field(default_factory=dict)
    outbox: dict[str, OutboxItem] = field(default_factory=dict)
    drafts: dict[str, Draft] = field(default_factory=dict)
    provenance: dict[str, Provenance] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    passages: dict[str, tuple[Passage, ...]] = field(default_factory=dict)
    sources: dict[tuple[str, str], SourceRecord] = field(default_factory=dict)
    ledger: list[LedgerEntry] = field(default_factory=list)
    users: dict[str, User] = field(default_factory=dict)
    vault: dict[str, Sealed] = field(default_factory=dict)
    requesters: set[tuple[str, str, Identity]] = field(default_factory=set)
    erasures: dict[Identity, Burial] = field(default_factory=dict)

    def snapshot(self) -> Tables:
        return Tables(**{part.name: copy(getattr(self, part.name)) for part in fields(self)})


@dataclass
class Shared:
    """What several `FakeStore`s over the same data have in common: the database, so to say."""

    tables: Tables = field(default_factory=Tables)
    lock: Lock = field(default_factory=Lock)


class FakeStore:
    """`failure`, when set, is raised by every transaction that starts: a database that is down, a disk that is full."""

    def __init__(
        self, *, vault_key: bytes = b"v" * 32, ledger_key: bytes = b"l" * 32, shared: Shared | None = None
    ) -> None:
        self.vault_key = vault_key
        self.ledger_key = ledger_key
        self.failure: CitedeskError | None = None
        self._shared = shared or Shared()

    def uow(self) -> FakeUnitOfWork:
        return FakeUnitOfWork(self, self._shared)

    def reopen(self, *, vault_key: bytes) -> FakeStore:
        """Another store over the same data, opened with another vault key."""
        return FakeStore(vault_key=vault_key, ledger_key=self.ledger_key, shared=self._shared)

    def seal_keys(self) -> SealKeys:
        return SealKeys.single(self.ledger_key)

    def purge(self) -> None:
        """Nothing to do: what is deleted from memory leaves no file behind."""

    def migrate(self) -> None:
        """Nothing to do: memory has no old schema."""

    def is_current(self) -> bool:
        return True

    def check(self) -> str:
        return "in memory"

    def close(self) -> None:
        """Nothing to do: memory is not a connection."""


class FakeUnitOfWork:
    def __init__(self, store: FakeStore, shared: Shared) -> None:
        self._store = store
        self._shared = shared
        self._work: Tables | None = None
        self.inbox = FakeInbox(lambda: self.tables.inbox)
        self.outbox = FakeOutbox(lambda: self.tables.outbox)
        self.drafts = FakeDrafts(self)
        self.documents = FakeDocuments(self)
        self.ledger = FakeLedger(self, store.ledger_key)
        self.users = FakeUsers(self)
        self.vault = FakeVault(self, store.vault_key)
        self.people = FakePeople(self)

    @property
    def tables(self) -> Tables:
        """This transaction's own copy; the first use starts the transaction."""
        if self._work is None:
            self._work = self._begin()
        return self._work

    def _begin(self) -> Tables:
        if self._store.failure is not None:
            raise self._store.failure
        if not self._shared.lock.acquire(timeout=LOCK_TIMEOUT_S):
            raise StoreUnavailable("Another transaction holds the store: is one opened inside another?")
        return self._shared.tables.snapshot()

    def commit(self) -> None:
        if self._work is not None:
            self._shared.tables = self._work
            self._end()

    def _end(self) -> None:
        self._work = None
        self._shared.lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._work is not None:
            self._end()


class FakeJobs(Generic[Job]):
    """What inbox and outbox have in common."""

    def __init__(self, rows: Callable[[], dict[str, Job]]) -> None:
        self._rows: Callable[[], dict[str, Job]] = rows

    def get(self, item_id: str) -> Job | None:
        return self._rows().get(item_id)

    def claim(self, now: datetime, *, lease_s: float, owner: str) -> Job | None:
        due = [item for item in self._rows().values() if _is_due(item, now)]
        if not due:
            return None
        oldest = min(due, key=_age)
        claimed = replace(
            oldest,
            state=JobState.WORKING,
            attempts=oldest.attempts + 1,
            lease_owner=owner,
            lease_until=now + timedelta(seconds=lease_s),
        )
        self._rows()[claimed.item_id] = claimed
        return claimed

    def save(self, item: Job) -> None:
        if item.item_id not in self._rows():
            raise NotFound(f"There is no job {item.item_id}.")
        self._rows()[item.item_id] = item

    def release(self, owner: str) -> int:
        held = [i for i in self._rows().values() if i.state is JobState.WORKING and i.lease_owner == owner]
        for item in held:
            self._rows()[item.item_id] = replace(item, state=JobState.PENDING, lease_owner="", lease_until=None)
        return len(held)

    def counts(self) -> dict[JobState, int]:
        found = Counter(item.state for item in self._rows().values())
        return {state: found[state] for state in JobState}

    def list(self, states: frozenset[JobState], *, depth: int = 200) -> list[Job]:
        chosen = [item for item in self._rows().values() if not states or item.state in states]
        return sorted(chosen, key=_age, reverse=True)[:depth]

    def of_ticket(self, connector: str, ticket_id: str) -> Sequence[Job]:
        return sorted((i for i in self._rows().values() if _ticket_of(i) == (connector, ticket_id)), key=_age)


def _ticket_of(item: InboxItem | OutboxItem) -> tuple[str, str]:
    about = item.event if isinstance(item, InboxItem) else item
    return about.connector, about.ticket_id


def _is_due(item: InboxItem | OutboxItem, now: datetime) -> bool:
    if item.state is JobState.PENDING:
        return item.not_before is None or item.not_before <= now
    return item.state is JobState.WORKING and item.lease_until is not None and item.lease_until < now


def _age(item: InboxItem | OutboxItem) -> tuple[datetime, str]:
    return (item.received_at if isinstance(item, InboxItem) else item.created_at, item.item_id)


class FakeInbox(FakeJobs[InboxItem]):
    def add(self, item: InboxItem) -> bool:
        key = item.event.idempotency_key
        if item.item_id in self._rows() or any(i.event.idempotency_key == key for i in self._rows().values()):
            return False
        self._rows()[item.item_id] = item
        return True


class FakeOutbox(FakeJobs[OutboxItem]):
    def add(self, item: OutboxItem) -> bool:
        if item.item_id in self._rows():
            return False
        self._rows()[item.item_id] = item
        return True


class FakeDrafts:
    def __init__(self, tx: FakeUnitOfWork) -> None:
        self._tx = tx

    def add(self, draft: Draft, provenance: Provenance) -> bool:
        drafts = self._tx.tables.drafts
        if draft.draft_id in drafts or any(_version(d) == _version(draft) for d in drafts.values()):
            return False
        drafts[draft.draft_id] = draft
        self._tx.tables.provenance[draft.draft_id] = provenance
        return True

    def get(self, draft_id: str, *, for_update: bool = False) -> Draft:
        if draft_id not in self._tx.tables.drafts:
            raise DraftNotFound(f"There is no draft {draft_id}.")
        return self._tx.tables.drafts[draft_id]

    def save(self, draft: Draft) -> None:
        self.get(draft.draft_id)
        self._tx.tables.drafts[draft.draft_id] = draft

    def rewrite(self, draft: Draft, provenance: Provenance) -> None:
        self.save(draft)
        self._tx.tables.provenance[draft.draft_id] = provenance

    def made_from(self, doc_ids: Sequence[str]) -> Sequence[str]:
        wanted = set(doc_ids)
        rows = self._tx.tables.provenance.items()
        return sorted(name for name, body in rows if wanted & {passage.doc_id for passage in body.passages})

    def provenance(self, draft_id: str) -> Provenance:
        self.get(draft_id)
        return self._tx.tables.provenance[draft_id]

    def find(self, connector: str, ticket_id: str, message_id: str) -> Draft | None:
        same = [d for d in self.for_ticket(connector, ticket_id) if d.message_id == message_id]
        return max(same, key=lambda draft: draft.revision, default=None)

    def for_ticket(self, connector: str, ticket_id: str) -> list[Draft]:
        return [d for d in self._newest_first() if (d.connector, d.ticket_id) == (connector, ticket_id)]

    def _newest_first(self) -> list[Draft]:
        return sorted(
            self._tx.tables.drafts.values(), key=lambda d: (d.created_at, d.revision, d.draft_id), reverse=True
        )

    def count(self, where: DraftFilter) -> int:
        return sum(_matches(draft, where) for draft in self._newest_first())

    def counts_by_state(self) -> dict[DraftState, int]:
        found = Counter(draft.state for draft in self._newest_first())
        return {state: found[state] for state in DraftState}

    def list(self, where: DraftFilter, *, depth: int = 50, offset: int = 0) -> list[Draft]:
        return [draft for draft in self._newest_first() if _matches(draft, where)][offset : offset + depth]


def _version(draft: Draft) -> tuple[str, str, str, int]:
    return draft.connector, draft.ticket_id, draft.message_id, draft.revision


def _matches(draft: Draft, where: DraftFilter) -> bool:
    decision = draft.decision
    final_text = decision.final_text if decision else ""
    searched = "\n".join((draft.subject, draft.text, final_text, draft.ticket_id)).casefold()
    return (
        (not where.states or draft.state in where.states)
        and where.text.casefold() in searched
        and (not where.agent or (decision is not None and decision.agent == where.agent))
        and (not where.collection or where.collection in draft.collections)
        and (where.stars is None or (decision is not None and decision.stars == where.stars))
        and (where.since is None or draft.created_at >= where.since)
        and (where.until is None or draft.created_at < where.until)
    )


class FakeDocuments:
    def __init__(self, tx: FakeUnitOfWork) -> None:
        self._tx = tx

    def put(self, document: Document, passages: Sequence[Passage]) -> None:
        self._tx.tables.documents[document.doc_id] = document
        self._tx.tables.passages[document.doc_id] = tuple(passages)

    def delete(self, doc_id: str) -> None:
        self._tx.tables.documents.pop(doc_id, None)
        self._tx.tables.passages.pop(doc_id, None)

    def get(self, doc_id: str) -> Document | None:
        return self._tx.tables.documents.get(doc_id)

    def find_by_hash(self, collection: str, content_hash: str) -> str | None:
        documents = self._tx.tables.documents.values()
        same = [d.doc_id for d in documents if (d.collection, d.content_hash) == (collection, content_hash)]
        return min(same, default=None)

    def documents_at(self, collections: Sequence[str], places: Sequence[str]) -> dict[str, str]:
        rows = [row for row in self._tx.tables.sources.values() if row.collection in collections]
        known: dict[str, str] = {}
        for row in sorted(rows, key=lambda row: (row.collection, row.source_key)):
            known.setdefault(row.source_key, row.doc_id)
            known.setdefault(row.address.removesuffix("/"), row.doc_id)
        return {place: known[place] for place in places if place in known}

    def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        wanted = set(passage_ids)
        every = (passage for passages in self._tx.tables.passages.values() for passage in passages)
        return {passage.passage_id: passage for passage in every if passage.passage_id in wanted}

    def passages_of(self, doc_id: str) -> list[Passage]:
        return list(self._tx.tables.passages.get(doc_id, ()))

    def manifest(self, collection: str) -> dict[str, SourceRecord]:
        return {s.source_key: s for s in self._tx.tables.sources.values() if s.collection == collection}

    def record(self, source: SourceRecord) -> None:
        self._tx.tables.sources[source.collection, source.source_key] = source

    def forget(self, collection: str, source_key: str) -> None:
        self._tx.tables.sources.pop((collection, source_key), None)

    def sources_of(self, doc_id: str) -> list[SourceRecord]:
        found = [source for source in self._tx.tables.sources.values() if source.doc_id == doc_id]
        return sorted(found, key=lambda source: (source.collection, source.source_key))

    def set_addresses(self, doc_id: str, addresses: Sequence[str]) -> None:
        document = self.get(doc_id)
        if document is None:
            raise DocumentNotFound(f"There is no document {doc_id}.")
        shown = addresses[0] if addresses else ""
        moved = [replace(passage, url=shown) for passage in self.passages_of(doc_id)]
        self.put(replace(document, addresses=tuple(addresses)), moved)

    def sizes(self) -> list[CollectionSize]:
        tables = self._tx.tables
        documents = Counter(document.collection for document in tables.documents.values())
        passages: Counter[str] = Counter()
        for doc_id, document in tables.documents.items():
            passages[document.collection] += len(tables.passages[doc_id])
        return [CollectionSize(name, documents[name], passages[name]) for name in sorted(documents)]

    def drop(self, collection: str) -> None:
        for document in list(self._tx.tables.documents.values()):
            if document.collection == collection:
                self.delete(document.doc_id)
        for source_key in self.manifest(collection):
            self.forget(collection, source_key)


class FakeLedger:
    def __init__(self, tx: FakeUnitOfWork, key: bytes) -> None:
        self._tx = tx
        self._key = key

    def append(
        self,
        *,
        at: datetime,
        actor: str,
        event: str,
        subject: str,
        details: Mapping[str, str | int | float | bool | None],
    ) -> LedgerEntry:
        head = self.head()
        entry = seal_entry(
            self._key,
            number=head.number + 1,
            at=at,
            actor=actor,
            event=event,
            subject=subject,
            details=details,
            previous_seal=head.seal,
        )
        self._tx.tables.ledger.append(entry)
        return entry

    def entries(self) -> Iterator[LedgerEntry]:
        return iter(tuple(self._tx.tables.ledger))

    def about(self, subject: str) -> list[LedgerEntry]:
        return [entry for entry in self._tx.tables.ledger if entry.subject == subject]

    def head(self) -> LedgerHead:
        ledger = self._tx.tables.ledger
        return LedgerHead(ledger[-1].number, ledger[-1].seal) if ledger else LedgerHead()


class FakeUsers:
    def __init__(self, tx: FakeUnitOfWork) -> None:
        self._tx = tx

    def add(self, user: User) -> None:
        if user.user_id in self._tx.tables.users or self.by_login(user.login):
            raise AlreadyExists("There is a user with this login already.")
        self._tx.tables.users[user.user_id] = user

    def get(self, user_id: str) -> User | None:
        return self._tx.tables.users.get(user_id)

    def by_login(self, login: str) -> User | None:
        return next((user for user in self._tx.tables.users.values() if user.login == login), None)

    def save(self, user: User) -> None:
        if user.user_id not in self._tx.tables.users:
            raise UserNotFound(f"There is no user {user.user_id}.")
        self._tx.tables.users[user.user_id] = user

    def list(self) -> list[User]:
        return sorted(self._tx.tables.users.values(), key=lambda user: user.login)


class FakeVault:
    def __init__(self, tx: FakeUnitOfWork, key: bytes) -> None:
        self._tx = tx
        self._key = key

    def load(self, subject: str) -> PlaceholderMap:
        sealed = self._tx.tables.vault.get(subject)
        if sealed is None:
            return PlaceholderMap()
        if sealed.key != self._key:
            raise VaultSealed("The personal data of this ticket was sealed with another key.")
        return sealed.placeholders

    def stamp(self, subject: str) -> str:
        sealed = self._tx.tables.vault.get(subject)
        return str(sealed.saved) if sealed else ""

    def save(self, subject: str, placeholders: PlaceholderMap, *, at: datetime) -> None:
        saved = int(self.stamp(subject) or 0) + 1
        kept = PlaceholderMap(dict(placeholders.values), placeholders.spent)
        self._tx.tables.vault[subject] = Sealed(self._key, kept, at if kept.values else None, saved)

    def touch(self, subject: str, at: datetime) -> None:
        sealed = self._tx.tables.vault.get(subject)
        if sealed and sealed.touched_at:
            self._tx.tables.vault[subject] = replace(sealed, touched_at=at)

    def forget(self, subject: str) -> None:
        self._tx.tables.vault.pop(subject, None)

    def idle(self, before: datetime, *, depth: int) -> Sequence[str]:
        rows = [(sealed.touched_at, subject) for subject, sealed in self._tx.tables.vault.items()]
        return [subject for _, subject in sorted((at, s) for at, s in rows if at and at < before)][:depth]

    def subjects(self) -> Sequence[str]:
        return sorted(self._tx.tables.vault)

    def size(self) -> VaultSize:
        moments = [sealed.touched_at for sealed in self._tx.tables.vault.values() if sealed.touched_at]
        return VaultSize(len(moments), min(moments, default=None), 0)


class FakePeople:
    """Keeps identities as they are: memory has nobody to hide them from."""

    def __init__(self, tx: FakeUnitOfWork) -> None:
        self._tx = tx

    def remember(self, connector: str, ticket_id: str, identities: Sequence[Identity]) -> None:
        self._tx.tables.requesters |= {(connector, ticket_id, identity) for identity in identities}

    def tickets_of(self, identity: Identity) -> Sequence[tuple[str, str]]:
        return sorted((c, t) for c, t, known in self._tx.tables.requesters if known == identity)

    def tokens(self, connector: str, ticket_id: str, kind: IdentityKind) -> frozenset[str]:
        rows = self._tx.tables.requesters
        return frozenset(i.value for c, t, i in rows if (c, t, i.kind) == (connector, ticket_id, kind))

    def forget(self, connector: str, ticket_id: str) -> None:
        rows = self._tx.tables.requesters
        self._tx.tables.requesters = {row for row in rows if row[:2] != (connector, ticket_id)}

    def tickets(self) -> frozenset[tuple[str, str]]:
        return frozenset(row[:2] for row in self._tx.tables.requesters)

    def bury_requester(self, connector: str, ticket_id: str, burial: Burial) -> None:
        by_email = self.tokens(connector, ticket_id, IdentityKind.EMAIL)
        kind = IdentityKind.EMAIL if by_email else IdentityKind.NAME
        for value in self.tokens(connector, ticket_id, kind):
            self.bury(Identity(kind, value), burial)

    def bury(self, identity: Identity, burial: Burial) -> None:
        self._tx.tables.erasures[identity] = burial

    def burial(self, identities: Sequence[Identity]) -> Burial | None:
        found = [self._tx.tables.erasures[i] for i in identities if i in self._tx.tables.erasures]
        return max(found, key=lambda burial: burial.at, default=None)
