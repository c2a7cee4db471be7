"""Everything core needs from outside, as Protocols. Adapters live in `connectors`; fakes in `tests/fakes`.

Each port has one contract suite in `tests/contracts`, run against its fake and against every real adapter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from core.domain.account import User
from core.domain.audit import LedgerEntry, LedgerHead
from core.domain.draft import Draft, DraftState
from core.domain.erasure import Burial, Identity, IdentityKind
from core.domain.jobs import HelpdeskEvent, InboxItem, JobState, OutboxItem
from core.domain.passage import Document, Passage
from core.domain.provenance import Component, Provenance
from core.domain.redaction import Entity, PlaceholderMap, RedactionLists
from core.domain.retrieval import Translation
from core.domain.ticket import Capabilities, Ticket

Vectors = npt.NDArray[np.float32]
"""float32[n, dimension], each row L2-normalised."""

Vector = npt.NDArray[np.float32]
"""float32[dimension], L2-normalised."""


# ---------------------------------------------------------------- helpdesk


class Helpdesk(Protocol):
    """A helpdesk we read tickets from and write notes and replies to.

    Raises `TicketNotFound`, `HelpdeskUnavailable`, `PermissionDenied`; nothing of the vendor's gets through.
    """

    name: str
    capabilities: Capabilities

    def fetch_ticket(self, ticket_id: str) -> Ticket:
        """The ticket with its whole thread, oldest message first."""
        ...

    def list_solved_tickets(self, since: datetime | None = None) -> Iterator[Ticket]:
        """Tickets solved (after `since`, when given), in no particular order."""
        ...

    def post_internal_note(self, ticket_id: str, body: str, *, idempotency_key: str) -> str:
        """Write a note only agents see; the id of the note. The same key again writes nothing."""
        ...

    def post_reply(self, ticket_id: str, body: str, *, idempotency_key: str) -> str:
        """Write to the customer; the id of the message. The same key again writes nothing."""
        ...

    def check(self) -> str:
        """One line about the connection for `citedesk doctor`; raises `HelpdeskUnavailable` when there is none."""
        ...


class Webhook(Protocol):
    """How one helpdesk's webhook proves itself and what it says."""

    name: str

    def verify(self, headers: Mapping[str, str], body: bytes, now: datetime) -> None:
        """Raise `WebhookRejected` unless the secret or signature is right and not too old. Header names lower-case."""
        ...

    def parse(self, headers: Mapping[str, str], body: bytes) -> HelpdeskEvent | None:
        """The event, or None for one that we do not work on. Raises `InvalidPayload`."""
        ...


# ---------------------------------------------------------------- search


@dataclass(frozen=True, slots=True)
class LexicalEntry:
    """A passage's terms by field, analysed by `core.retrieval.analysis`: in text order, repeated as they occur."""

    passage_id: str
    doc_id: str
    fields: Mapping[str, Sequence[str]]


class LexicalIndex(Protocol):
    """BM25 over terms we analysed ourselves. One index a collection. Raises `IndexUnavailable`, `StorageFull`.

    k1 is 5 and b is .75 in every field (`core.retrieval.bm25`): a field's score is the sum over its query terms of
    idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length)), idf = ln(1 + (n - df + .5) / (df + .5)); an
    entry's score is the sum of its fields' scores, each times the field's boost (`core.retrieval.analysis`). Entries
    whose field is empty count neither in n nor in the mean length.
    """

    def replace(self, collection: str, doc_ids: Sequence[str], entries: Sequence[LexicalEntry]) -> None:
        """Remove every entry of these documents and add the new ones; visible and durable on return."""
        ...

    def search(self, collection: str, terms: Mapping[str, Sequence[str]], depth: int) -> list[tuple[str, float]]:
        """(passage_id, BM25 score) best first, at most `depth`; ties by passage_id; [] for an unknown collection.

        A term that is given several times counts as often.
        """
        ...

    def count(self, collection: str) -> int: ...

    def drop(self, collection: str) -> None: ...


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which vector space: two indexes may be compared only when these are equal."""

    name: str
    sha256: str
    dimension: int


@dataclass(frozen=True, slots=True)
class VectorEntry:
    passage_id: str
    doc_id: str
    vector: Vector


class VectorIndex(Protocol):
    """Cosine search. One index a collection, bound to one embedder: another raises `EmbedderMismatch`."""

    def replace(
        self, collection: str, doc_ids: Sequence[str], entries: Sequence[VectorEntry], embedder: EmbedderIdentity
    ) -> None:
        """Remove every vector of these documents and add the new ones; visible and durable on return."""
        ...

    def search(
        self, collection: str, vector: Vector, depth: int, embedder: EmbedderIdentity
    ) -> list[tuple[str, float]]:
        """(passage_id, cosine) best first, at most `depth`; ties by passage_id; [] for an unknown collection."""
        ...

    def vectors(self, collection: str, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored vectors of those that exist, by id; {} for an unknown collection."""
        ...

    def mean(self, collection: str) -> Vector | None:
        """The mean of all stored vectors, not normalised; None without any. Costs one pass after each change."""
        ...

    def count(self, collection: str) -> int: ...

    def identity(self, collection: str) -> EmbedderIdentity | None: ...

    def drop(self, collection: str) -> None: ...


# ---------------------------------------------------------------- models


class Embedder(Protocol):
    """Texts to vectors. `max_tokens` is the most the model reads, special tokens not counted."""

    @property
    def max_tokens(self) -> int: ...

    @property
    def identity(self) -> EmbedderIdentity: ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors: ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors: ...

    def count_tokens(self, text: str) -> int:
        """Tokens of the model's own tokenizer, special tokens not counted."""
        ...


class Reranker(Protocol):
    """A cross-encoder: reads the query and a text together. Scores are comparable within one call only."""

    @property
    def component(self) -> Component: ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, in their order, higher is better. Raises `ModelUnavailable`."""
        ...

    def truncated(self, query: str, texts: Sequence[str]) -> int:
        """How many of these pairs are longer than the model reads. Loads nothing."""
        ...


class LanguageDetector(Protocol):
    """Tells in which language a text is written."""

    @property
    def component(self) -> Component: ...

    def detect(self, text: str) -> str:
        """The ISO 639-1 code; `en` when the text is too short or too mixed to tell."""
        ...


class Translator(Protocol):
    """Puts texts into English for searching; it need not read well. Raises `ModelUnavailable`."""

    @property
    def component(self) -> Component: ...

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes of the languages it can translate from. Loads nothing."""
        ...

    def translate(self, texts: Sequence[str], language: str) -> list[Translation]:
        """One translation a text, in their order; an empty text stays empty."""
        ...

    def warm_up(self) -> None:
        """Load now what the first translation would wait for."""
        ...


class Generator(Protocol):
    """A language model that writes. None is configured by default: drafts are then composed from quotations."""

    @property
    def component(self) -> Component: ...

    def count_tokens(self, text: str) -> int: ...

    def generate(self, prompt: str, *, max_tokens: int, timeout_s: float) -> Iterator[str]:
        """Pieces of text as they come. Raises `ModelUnavailable`."""
        ...


class EntityRecognizer(Protocol):
    """Finds personal data. Spans may overlap: `core.redaction` resolves that.

    `lists` are the installation's own; `core.redaction` applies them to everything found, and `component` tells one
    set of lists from another.
    """

    @property
    def component(self) -> Component: ...

    @property
    def lists(self) -> RedactionLists: ...

    def recognize(self, text: str) -> list[Entity]: ...


# ---------------------------------------------------------------- state


@dataclass(frozen=True, slots=True)
class DraftFilter:
    """Which drafts to list; empty means any. `text` is looked for in subject, reply and ticket id, case-folded.

    `agent` is who decided; `collection` a collection that is cited; `stars` the exact number given.
    """

    states: frozenset[DraftState] = frozenset()
    text: str = ""
    agent: str = ""
    collection: str = ""
    stars: int | None = None
    since: datetime | None = None
    until: datetime | None = None


class InboxRepository(Protocol):
    def add(self, item: InboxItem) -> bool:
        """Store it; False when an item with the same idempotency key is there already."""
        ...

    def get(self, item_id: str) -> InboxItem | None: ...

    def claim(self, now: datetime, *, lease_s: float, owner: str) -> InboxItem | None:
        """The oldest item that is due (pending, or working under a lease that ran out), now leased to `owner`."""
        ...

    def save(self, item: InboxItem) -> None: ...

    def release(self, owner: str) -> int:
        """Give back what `owner` held when it died; how many."""
        ...

    def list(self, states: frozenset[JobState], *, depth: int = 200) -> list[InboxItem]:
        """Newest first."""
        ...

    def of_ticket(self, connector: str, ticket_id: str) -> Sequence[InboxItem]:
        """All of a ticket's, in any state, oldest first."""
        ...

    def counts(self) -> dict[JobState, int]: ...


class OutboxRepository(Protocol):
    def add(self, item: OutboxItem) -> bool:
        """Store it; False when an item with the same id is there already."""
        ...

    def get(self, item_id: str) -> OutboxItem | None: ...

    def claim(self, now: datetime, *, lease_s: float, owner: str) -> OutboxItem | None: ...

    def save(self, item: OutboxItem) -> None: ...

    def release(self, owner: str) -> int: ...

    def list(self, states: frozenset[JobState], *, depth: int = 200) -> list[OutboxItem]: ...

    def of_ticket(self, connector: str, ticket_id: str) -> Sequence[OutboxItem]: ...

    def counts(self) -> dict[JobState, int]: ...


class DraftRepository(Protocol):
    def add(self, draft: Draft, provenance: Provenance) -> bool:
        """Store it; False when there is one for the same connector, ticket, message and revision."""
        ...

    def get(self, draft_id: str, *, for_update: bool = False) -> Draft:
        """Raises `DraftNotFound`. `for_update` keeps others from changing it until the transaction ends."""
        ...

    def save(self, draft: Draft) -> None: ...

    def rewrite(self, draft: Draft, provenance: Provenance) -> None:
        """Put both in the place of what is stored: for erasing only. Raises `DraftNotFound`."""
        ...

    def made_from(self, doc_ids: Sequence[str]) -> Sequence[str]:
        """The ids of the drafts that one of these documents was found for, cited or not. Reads every provenance."""
        ...

    def provenance(self, draft_id: str) -> Provenance:
        """Raises `DraftNotFound`."""
        ...

    def find(self, connector: str, ticket_id: str, message_id: str) -> Draft | None:
        """The newest draft for this version of the ticket."""
        ...

    def for_ticket(self, connector: str, ticket_id: str) -> list[Draft]:
        """Newest first."""
        ...

    def list(self, where: DraftFilter, *, depth: int = 50, offset: int = 0) -> list[Draft]:
        """Newest first."""
        ...

    def count(self, where: DraftFilter) -> int: ...

    def counts_by_state(self) -> dict[DraftState, int]: ...


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """What ingestion remembers of one source item: which document holds its content.

    `source_key` is the item's stable name within its collection (a path, an id).
    """

    collection: str
    source_key: str
    doc_id: str
    content_hash: str
    address: str


@dataclass(frozen=True, slots=True)
class CollectionSize:
    collection: str
    documents: int
    passages: int


class DocumentRepository(Protocol):
    """Documents with their passages, and the manifest of what was ingested from where."""

    def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Store the document and replace all its passages."""
        ...

    def delete(self, doc_id: str) -> None: ...

    def get(self, doc_id: str) -> Document | None: ...

    def find_by_hash(self, collection: str, content_hash: str) -> str | None:
        """The doc_id that holds this content, if any."""
        ...

    def documents_at(self, collections: Sequence[str], places: Sequence[str]) -> dict[str, str]:
        """The doc_id by each of these addresses (a closing slash does not count) and source keys that is known."""
        ...

    def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        """Those that exist, by id."""
        ...

    def passages_of(self, doc_id: str) -> list[Passage]:
        """In text order."""
        ...

    def manifest(self, collection: str) -> dict[str, SourceRecord]:
        """By source_key."""
        ...

    def record(self, source: SourceRecord) -> None: ...

    def forget(self, collection: str, source_key: str) -> None: ...

    def sources_of(self, doc_id: str) -> list[SourceRecord]: ...

    def set_addresses(self, doc_id: str, addresses: Sequence[str]) -> None:
        """Replace the addresses of a document and the shown one of its passages."""
        ...

    def sizes(self) -> list[CollectionSize]: ...

    def drop(self, collection: str) -> None: ...


class LedgerRepository(Protocol):
    def append(
        self,
        *,
        at: datetime,
        actor: str,
        event: str,
        subject: str,
        details: Mapping[str, str | int | float | bool | None],
    ) -> LedgerEntry:
        """Seal and store the next entry; appends are serialised across processes."""
        ...

    def entries(self) -> Iterator[LedgerEntry]:
        """Oldest first, in order of storage position."""
        ...

    def about(self, subject: str) -> list[LedgerEntry]: ...

    def head(self) -> LedgerHead: ...


class UserRepository(Protocol):
    def add(self, user: User) -> None:
        """Raises `AlreadyExists` when the login is taken."""
        ...

    def get(self, user_id: str) -> User | None: ...

    def by_login(self, login: str) -> User | None: ...

    def save(self, user: User) -> None: ...

    def list(self) -> list[User]: ...


@dataclass(frozen=True, slots=True)
class VaultSize:
    """`tickets` have a map with values; `oldest` is when the longest untouched of them was worked on.

    `outdated` maps are still encrypted with a key that is being replaced.
    """

    tickets: int
    oldest: datetime | None
    outdated: int


class PeopleRepository(Protocol):
    """Whose ticket is whose, and who was erased: by keyed hashes of identities, never by the identities themselves."""

    def remember(self, connector: str, ticket_id: str, identities: Sequence[Identity]) -> None: ...

    def tickets_of(self, identity: Identity) -> Sequence[tuple[str, str]]:
        """(connector, ticket id) of the tickets this person asked for, sorted."""
        ...

    def tokens(self, connector: str, ticket_id: str, kind: IdentityKind) -> frozenset[str]:
        """The keyed hashes of a ticket's requester: equal for the same person, else meaningless."""
        ...

    def tickets(self) -> frozenset[tuple[str, str]]:
        """(connector, ticket id) of all tickets whose requester is known."""
        ...

    def forget(self, connector: str, ticket_id: str) -> None: ...

    def bury_requester(self, connector: str, ticket_id: str, burial: Burial) -> None:
        """Bury whoever asked for this ticket: by e-mail address, by name only when there is none."""
        ...

    def bury(self, identity: Identity, burial: Burial) -> None:
        """Remember that somebody was erased; a later erasure takes the place of an earlier one."""
        ...

    def burial(self, identities: Sequence[Identity]) -> Burial | None:
        """The latest erasure of any of these."""
        ...


class Vault(Protocol):
    """Placeholder maps, encrypted at rest. `subject` is `connector|ticket_id`. Raises `VaultSealed`.

    Only `core.usecases.read_vault` calls `load`: it writes each reading into the ledger.
    """

    def load(self, subject: str) -> PlaceholderMap:
        """Empty for an unknown subject."""
        ...

    def stamp(self, subject: str) -> str:
        """Another word whenever the map was saved; empty for an unknown subject. Decrypts nothing."""
        ...

    def save(self, subject: str, placeholders: PlaceholderMap, *, at: datetime) -> None:
        """Store the map; the ticket was worked on at `at`."""
        ...

    def touch(self, subject: str, at: datetime) -> None:
        """Somebody worked on the ticket: its map is kept longer. Does nothing for an unknown subject."""
        ...

    def forget(self, subject: str) -> None: ...

    def idle(self, before: datetime, *, depth: int) -> Sequence[str]:
        """Subjects whose map has values and that nobody worked on since `before`, longest first."""
        ...

    def subjects(self) -> Sequence[str]: ...

    def size(self) -> VaultSize: ...


class UnitOfWork(Protocol):
    """One transaction: `with uow() as tx: ...; tx.commit()`. Leaving without commit rolls back.

    Raises `StoreUnavailable` when the store does not answer and `StorageFull` when the disk is full.
    """

    @property
    def inbox(self) -> InboxRepository: ...
    @property
    def outbox(self) -> OutboxRepository: ...
    @property
    def drafts(self) -> DraftRepository: ...
    @property
    def documents(self) -> DocumentRepository: ...
    @property
    def ledger(self) -> LedgerRepository: ...
    @property
    def users(self) -> UserRepository: ...
    @property
    def vault(self) -> Vault: ...
    @property
    def people(self) -> PeopleRepository: ...

    def commit(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


UnitOfWorkFactory = Callable[[], UnitOfWork]


# ---------------------------------------------------------------- small things


class JobQueue(Protocol):
    """Wakes the workers. The work itself is a row in the inbox or outbox: losing a wake-up loses nothing."""

    def wake(self) -> None: ...


Timer = Callable[[], float]
"""Seconds from an arbitrary zero that never run backwards (`time.perf_counter`)."""

Clock = Callable[[], datetime]
"""The present moment, aware, in UTC."""

IdSource = Callable[[], str]
"""A new unique id, sortable by time, at most 32 characters of [0-9a-z]."""

Progress = Callable[[str], None]
"""Called with the name of each step as it starts."""


def no_progress(_step: str) -> None:
    """The progress nobody looks at."""
