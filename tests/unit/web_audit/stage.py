"""A helpdesk's week with every kind of ending, made by the real use cases, so that the ledger is a true one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.domain.access import Audience
from core.domain.account import Role, User
from core.domain.draft import Abstention, Draft, Evidence, RejectReason, Strength
from core.domain.jobs import DeliveryKind
from core.domain.passage import Document, Passage, Run, ScoredPassage
from core.domain.provenance import Component
from core.domain.retrieval import Inquiry, Retrieval, WeightedQuery
from core.domain.ticket import Author
from core.drafting.composition import Composition, Outcome
from core.usecases.review_draft import approve_draft, reject_draft
from core.usecases.send_reply import send_reply
from tests.fakes.basics import FakeClock
from tests.fakes.recognizer import FakeRecognizer
from tests.fakes.scenes import ABSTAINED, EVIDENCE, HOSTILE, PROFILE, RESTORE, SENTENCES, SOLVED, STRUCK, put_user
from tests.fakes.services import FakeServices
from tests.unit.usecases.world import NOON, PERSONAL, World, message, ticket

GRACE, MARY = "grace@example.org", "mary@example.org"
COMPONENTS = (
    Component("citedesk", "citedesk", "0.1.0"),
    Component("embedder", "all-MiniLM-L6-v2", "6.2.0", "53aa5117" * 8),
    Component("composer", "extractive", "0.1.0"),
)


def retrieval(_inquiry: Inquiry | None = None, _audience: Audience | None = None) -> Retrieval:
    """Three passages of two collections; the dense run does not know the solved ticket."""

    def run(stage: str, collection: str, *found: tuple[Passage, float], depth: int = 100) -> Run:
        items = tuple(ScoredPassage(p.passage_id, score, rank) for rank, (p, score) in enumerate(found, start=1))
        weights = {"dense_weight": 0.7, "weight_docs": 1.0, "weight_tickets": 0.8}
        return Run(stage, collection, items, depth, 0.012, parameters=weights if stage == "fusion" else {})

    return Retrieval(
        queries=(WeightedQuery("Bookmarks gone after the update\n\nAll my bookmarks are gone!"),),
        runs=(
            run("lexical", "docs", (PROFILE, 11.42), (RESTORE, 9.87)),
            run("lexical", "tickets", (SOLVED, 7.31)),
            run("dense", "docs", (RESTORE, 0.71), (PROFILE, 0.64)),
            run("dense", "tickets"),
        ),
        fused=run("fusion", "", (RESTORE, 1.92), (PROFILE, 1.44), (SOLVED, -0.62), depth=10),
        passages={p.passage_id: p for p in (RESTORE, PROFILE, SOLVED)},
    )


def answered(_inquiry: Inquiry | None = None, _retrieval: Retrieval | None = None) -> Composition:
    return Composition(
        outcome=Outcome.DRAFT,
        sentences=(*SENTENCES[:5], STRUCK, SENTENCES[5]),
        evidence=EVIDENCE,
        abstention=None,
        strength=Strength.STRONG,
        confidence=0.71,
        unanswered=("Does it also work on Android?",),
        reasons=("The three closest sentences are near the question.",),
        signals=(("best cosine", 0.74),),
    )


def nothing(_inquiry: Inquiry | None = None, _retrieval: Retrieval | None = None) -> Composition:
    abstention = ABSTAINED.abstention
    assert abstention is not None
    return Composition(
        outcome=Outcome.ABSTAIN,
        sentences=ABSTAINED.sentences,
        evidence=(),
        abstention=Abstention(
            "Invoice 2291 is wrong, it was charged twice",
            abstention.missing,
            "Could you tell us which invoice you mean?",
            (Evidence(1, PROFILE, 0.21), Evidence(2, RESTORE, 0.18), Evidence(3, SOLVED, 0.11)),
        ),
        strength=Strength.WEAK,
        confidence=0.2,
        unanswered=("Why was I charged twice?",),
        reasons=("Nothing found is near the question.",),
        signals=(),
    )


class AuditServices(FakeServices):
    """With documents, an agent and a manager, and a composer that can be exchanged."""

    def __init__(self) -> None:
        super().__init__(clock=FakeClock(NOON.replace(day=2)))
        self.recognizer = FakeRecognizer(PERSONAL)
        self.search: Callable[[Inquiry, Audience], Retrieval] = retrieval  # type: ignore[assignment]
        self.compose: Callable[[Inquiry, Retrieval], Composition] = answered
        with self.uow() as tx:
            for passage in (RESTORE, PROFILE):
                text = (passage.text, (), passage.doc_version)
                tx.documents.put(Document(passage.doc_id, passage.collection, passage.title, *text), [passage])
            tx.documents.put(Document("unread", "docs", "Nobody reads this", "Text.", (), "0" * 64), [])
            tx.commit()

    def put_people(self, password_hash: str = "none") -> tuple[User, User]:
        """The agent Grace and the manager Mary."""
        grace = put_user(self, GRACE, password_hash=password_hash)
        return grace, put_user(self, MARY, Role.MANAGER, password_hash=password_hash)


class Stage:
    """What happens at the helpdesk, day by day."""

    def __init__(self, services: AuditServices, agent: User) -> None:
        self.services, self.agent = services, agent
        self.world = World(
            helpdesk=services.fake_helpdesk, store=services.store, recognizer=services.recognizer, clock=services.clock
        )
        self.world.new_id = services.new_id

    def draft(self, ticket_id: str, subject: str, text: str = "", *, answerable: bool = True) -> Draft:
        self.world.search, self.world.compose = retrieval, answered if answerable else nothing
        if not answerable:
            self.world.search = lambda inquiry: replace(retrieval(inquiry), reduced=("lexical only",))
        words = text or f"All my bookmarks are gone!\n\nYours, Ada Lovelace (ada@example.org)\n{HOSTILE}"
        first = message("Hello?", "m0", minute=0)
        reply = message("How can we help?", "a0", Author.AGENT, minute=1)
        thread = ticket(first, reply, message(words, f"m-{ticket_id}", minute=2), ticket_id=ticket_id)
        url = f"https://helpdesk.example.org/{ticket_id}"
        self.services.fake_helpdesk.add_ticket(replace(thread, subject=subject, url=url))
        return self.world.stored(self.world.draft(self.world.receive(ticket_id=ticket_id)).outcome)

    def approve(self, draft: Draft, text: str | None = None, stars: int | None = None) -> Draft:
        return approve_draft(
            draft.draft_id,
            agent=self.agent,
            text=text,
            stars=stars,
            uow=self.services.uow,
            recognizer=self.services.recognizer,
            queue=self.world.queue,
            clock=self.services.clock,
        )

    def reject(self, draft: Draft, comment: str = "", stars: int | None = None) -> Draft:
        return reject_draft(
            draft.draft_id,
            agent=self.agent,
            reason=RejectReason.OUTDATED_SOURCE,
            comment=comment,
            stars=stars,
            uow=self.services.uow,
            recognizer=self.services.recognizer,
            clock=self.services.clock,
        )

    def send(self) -> None:
        """Whatever waits in the outbox."""
        for item in self.world.outbox():
            if item.kind is DeliveryKind.REPLY and not item.receipt:
                send_reply(
                    item,
                    helpdesk=self.services.fake_helpdesk,
                    uow=self.services.uow,
                    public_replies=True,
                    clock=self.services.clock,
                )

    def month(self) -> dict[str, Draft]:
        """Drafts with every ending, by a word for it."""
        clock = self.services.clock
        drafts = {"unchanged": self.draft("1001", "Bookmarks gone after the update")}
        self.approve(drafts["unchanged"], stars=5)
        self.send()
        clock.advance(days=8)
        drafts["edited"] = self.draft("1002", "Where are my bookmarks, asks Ada Lovelace")
        text = drafts["edited"].text.replace("Ctrl+Shift+O", "the menu").replace("Hello,", "Dear Ada Lovelace,")
        self.approve(drafts["edited"], f"{text}\n\n=cmd() was my first idea.", stars=4)
        clock.advance(minutes=3)
        self.send()
        clock.advance(days=6)
        drafts["rejected"] = self.draft("1003", "=HYPERLINK of a bookmark")
        self.reject(drafts["rejected"], "Ada Lovelace has the new version", stars=2)
        clock.advance(days=9)
        drafts["abstained"] = self.draft("1004", "Invoice 2291 is wrong", answerable=False)
        clock.advance(hours=5)
        drafts["open"] = self.draft("1005", f"Restore bookmarks {HOSTILE}")
        clock.advance(hours=1)
        return {name: self.world.stored(draft.draft_id) for name, draft in drafts.items()}
