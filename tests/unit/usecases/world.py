"""A small world for use cases: one helpdesk, one store, a search and a composer that answer as they are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

from core.domain.account import Role, User
from core.domain.audit import LedgerEntry
from core.domain.draft import Abstention, Citation, Draft, Evidence, Sentence, SentenceKind, Strength
from core.domain.jobs import EventKind, HelpdeskEvent, InboxItem, OutboxItem
from core.domain.passage import Passage, Run, ScoredPassage, Span
from core.domain.provenance import Component
from core.domain.redaction import PlaceholderMap
from core.domain.retrieval import Inquiry, Retrieval, WeightedQuery
from core.domain.ticket import Author, Message, Person, Ticket, TicketStatus
from core.drafting.composition import Composition, Outcome
from core.usecases.draft_reply import draft_reply
from core.usecases.read_vault import VAULT_READ, vault_subject
from tests.fakes.basics import FakeClock, counting_ids
from tests.fakes.helpdesk import FakeHelpdesk
from tests.fakes.recognizer import FakeRecognizer
from tests.fakes.store import FakeStore

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ADA = Person("7", "Ada Lovelace", "ada@example.org")
PERSONAL = {"Ada Lovelace": "PERSON", "ada@example.org": "EMAIL", "+44 20 7946 0000": "PHONE"}
AGENT = User("u1", "grace@example.org", "Grace", Role.AGENT, "hash", NOON)
QUOTE = "Hold the reset key for ten seconds."

PASSAGE = Passage(
    passage_id="doc1#0",
    doc_id="doc1",
    collection="docs",
    title="Resetting the telescope",
    heading_path=("Reset",),
    text=f"{QUOTE} The lamp turns green.",
    span=Span(0, 57),
    section_span=Span(0, 57),
    doc_version="c0ffee00" * 8,
    url="https://docs.example.org/reset",
)
OTHER_PASSAGE = Passage(
    passage_id="doc2#0",
    doc_id="doc2",
    collection="docs",
    title="Cleaning the mirror",
    heading_path=(),
    text="Use distilled water only.",
    span=Span(0, 25),
    section_span=Span(0, 25),
    doc_version="deadbeef" * 8,
)


def message(text: str, message_id: str = "m1", author: Author = Author.CUSTOMER, *, minute: int = 0) -> Message:
    person = ADA if author is Author.CUSTOMER else None
    return Message(message_id, author, text, NOON.replace(minute=minute), person=person)


def ticket(*messages: Message, ticket_id: str = "t1", status: TicketStatus = TicketStatus.OPEN) -> Ticket:
    thread = messages or (message("How do I reset it? Yours, Ada Lovelace"),)
    return Ticket("fake", ticket_id, "Telescope hangs", status, ADA, thread, NOON)


def retrieval(_inquiry: Inquiry | None = None) -> Retrieval:
    """One passage is found by both stages, the other by the lexical one alone."""
    first, second = PASSAGE.passage_id, OTHER_PASSAGE.passage_id
    lexical = (ScoredPassage(second, 4.5, 1), ScoredPassage(first, 4.0, 2))
    fused = (ScoredPassage(first, 1.25, 1), ScoredPassage(second, -0.5, 2))
    return Retrieval(
        queries=(WeightedQuery("How do I reset it?"),),
        runs=(
            Run("lexical", "docs", lexical, 100, 0.01, parameters={"queries": 1.0}),
            Run("dense", "docs", (ScoredPassage(first, 0.75, 1),), 100, 0.02, parameters={"queries": 1.0}),
        ),
        fused=Run("fusion", "", fused, 10, 0.001, parameters={"dense_weight": 0.7, "weight_docs": 1.0}),
        passages={p.passage_id: p for p in (PASSAGE, OTHER_PASSAGE)},
    )


def composition(_inquiry: Inquiry | None = None, _retrieval: Retrieval | None = None) -> Composition:
    citation = Citation(1, PASSAGE.passage_id, Span(0, len(QUOTE)), QUOTE)
    return Composition(
        outcome=Outcome.DRAFT,
        sentences=(Sentence(QUOTE, SentenceKind.EVIDENCE, (citation,)),),
        evidence=(Evidence(1, PASSAGE, 1.25),),
        abstention=None,
        strength=Strength.STRONG,
        confidence=0.8,
        unanswered=(),
        reasons=("Three sentences are close to the question.",),
        signals=(("best_sentence_cosine", 0.75),),
    )


def abstained(_inquiry: Inquiry | None = None, _retrieval: Retrieval | None = None) -> Composition:
    question = "Which model do you have?"
    return Composition(
        outcome=Outcome.ABSTAIN,
        sentences=(Sentence(question, SentenceKind.QUESTION),),
        evidence=(),
        abstention=Abstention("resetting it", ("reset",), question, (Evidence(1, OTHER_PASSAGE, 0.1),)),
        strength=Strength.WEAK,
        confidence=0.1,
        unanswered=("How do I reset it?",),
        reasons=("Nothing found is close to the question.",),
        signals=(),
    )


class FakeQueue:
    """Counts how often the workers were woken."""

    def __init__(self) -> None:
        self.woken = 0

    def wake(self) -> None:
        self.woken += 1


@dataclass
class World:
    """Everything a use case may need. `timer` advances a quarter of a second with every look at it."""

    helpdesk: FakeHelpdesk = field(default_factory=FakeHelpdesk)
    store: FakeStore = field(default_factory=FakeStore)
    recognizer: FakeRecognizer = field(default_factory=lambda: FakeRecognizer(PERSONAL))
    clock: FakeClock = field(default_factory=FakeClock)
    queue: FakeQueue = field(default_factory=FakeQueue)
    new_id: Callable[[], str] = field(default_factory=counting_ids)
    search: Callable[[Inquiry], Retrieval] = retrieval
    compose: Callable[[Inquiry, Retrieval], Composition] = composition
    announce: bool = True
    steps: list[str] = field(default_factory=list)

    def receive(
        self, kind: EventKind = EventKind.MESSAGE_RECEIVED, *, ticket_id: str = "t1", version: str = "m1"
    ) -> InboxItem:
        """An event in the inbox, claimed by a worker."""
        event = HelpdeskEvent("fake", kind, ticket_id, version)
        with self.store.uow() as tx:
            tx.inbox.add(InboxItem(self.new_id(), event, self.clock()))
            claimed = tx.inbox.claim(self.clock(), lease_s=300, owner="worker")
            tx.commit()
        assert claimed is not None
        return claimed

    def draft(self, item: InboxItem | None = None) -> InboxItem:
        seconds = count()
        return draft_reply(
            item or self.receive(),
            helpdesk=self.helpdesk,
            uow=self.store.uow,
            recognizer=self.recognizer,
            search=self.search,
            compose=self.compose,
            components=lambda: (Component("composer", "extractive", "1"),),
            address_of=lambda draft_id: f"https://citedesk.example.org/drafts/{draft_id}",
            announce=self.announce,
            clock=self.clock,
            timer=lambda: next(seconds) / 4,
            new_id=self.new_id,
            progress=self.steps.append,
        )

    def drafted(self) -> Draft:
        """The draft for a fresh ticket of Ada's."""
        self.helpdesk.add_ticket(ticket())
        return self.stored(self.draft().outcome)

    def stored(self, draft_id: str) -> Draft:
        with self.store.uow() as tx:
            return tx.drafts.get(draft_id)

    def drafts(self, ticket_id: str = "t1") -> list[Draft]:
        with self.store.uow() as tx:
            return tx.drafts.for_ticket("fake", ticket_id)

    def inbox_item(self, item_id: str) -> InboxItem | None:
        with self.store.uow() as tx:
            return tx.inbox.get(item_id)

    def outbox(self) -> list[OutboxItem]:
        """Oldest first."""
        with self.store.uow() as tx:
            return tx.outbox.list(frozenset())[::-1]

    def ledger(self) -> list[LedgerEntry]:
        with self.store.uow() as tx:
            return list(tx.ledger.entries())

    def events(self) -> list[str]:
        """But for readings of the vault."""
        return [entry.event for entry in self.ledger() if entry.event != VAULT_READ]

    def readings(self) -> list[tuple[str, str, str]]:
        """(who, why, about what) for each reading of the vault."""
        read = (entry for entry in self.ledger() if entry.event == VAULT_READ)
        return [(entry.actor, str(entry.details["purpose"]), entry.subject) for entry in read]

    def placeholders(self, ticket_id: str = "t1") -> PlaceholderMap:
        with self.store.uow() as tx:
            return tx.vault.load(vault_subject("fake", ticket_id))
