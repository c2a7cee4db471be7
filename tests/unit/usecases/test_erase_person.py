"""Somebody asks to be forgotten."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import numpy as np
import pytest

from core.domain.draft import Draft, DraftState, Evidence, Sentence
from core.domain.erasure import identities_of, identity_of
from core.domain.jobs import EventKind, JobState
from core.domain.passage import Document, Passage, Run, Span
from core.domain.redaction import PlaceholderMap
from core.domain.retrieval import Inquiry, Retrieval, WeightedQuery
from core.domain.ticket import Author, Message, Person, Ticket, TicketStatus
from core.drafting.composition import Composition
from core.errors import BadInput, IndexUnavailable, PersonAmbiguous, PersonNotFound
from core.ports import EmbedderIdentity, LexicalEntry, SourceRecord, VectorEntry
from core.retrieval.documents import whole
from core.usecases.blank_draft import ERASED_TEXT
from core.usecases.erase_person import Erasure, PriorTickets, TicketKey, erase_person
from core.usecases.read_vault import vault_subject
from core.usecases.review_draft import approve_draft
from core.usecases.send_reply import send_reply
from core.usecases.solved_tickets import solved_tickets
from core.usecases.verify_ledger import verify_ledger
from tests.fakes.recognizer import FakeRecognizer
from tests.fakes.search import FakeLexicalIndex, FakeVectorIndex
from tests.unit.usecases.world import ADA, AGENT, NOON, World, composition, message, ticket

BO = Person("8", "Bo Ray", "bo@example.org")
SPACE = EmbedderIdentity("fake", "0" * 64, 3)
SOLVED = Passage(
    passage_id="tickets:fake/s1#0",
    doc_id="tickets:fake/s1",
    collection="tickets",
    title="Ada's lens",
    heading_path=(),
    text="Ada's lens was dusty. Wipe it.",
    span=Span(0, 30),
    section_span=Span(0, 30),
    doc_version="ab" * 32,
)


@dataclass
class Archive(World):
    """A world with a collection of solved tickets."""

    recognizer: FakeRecognizer = field(
        default_factory=lambda: FakeRecognizer(
            {"Ada Lovelace": "PERSON", "Bo Ray": "PERSON", "ada@example.org": "EMAIL"}
        )
    )
    lexical: FakeLexicalIndex = field(default_factory=FakeLexicalIndex)
    vectors: FakeVectorIndex = field(default_factory=FakeVectorIndex)
    purged: list[list[str]] = field(default_factory=list)

    def erase(self, who: str = "ada@example.org", tickets: Sequence[TicketKey] = (), dry_run: bool = False) -> Erasure:
        return erase_person(
            who,
            tickets=tickets,
            dry_run=dry_run,
            by="root",
            prior=PriorTickets(self.lexical, self.vectors, "{}/{}".format),
            uow=self.store.uow,
            purge=lambda collections: self.purged.append(list(collections)),
            clock=self.clock,
            new_id=self.new_id,
        )

    def write(self, who: Person, ticket_id: str, *texts: str, subject: str = "A lens") -> Draft:
        """A draft for a ticket of somebody's."""
        thread = tuple(
            Message(f"{ticket_id}m{n}", Author.CUSTOMER, text, self.clock(), person=who) for n, text in enumerate(texts)
        )
        self.helpdesk.add_ticket(Ticket("fake", ticket_id, subject, TicketStatus.OPEN, who, thread, self.clock()))
        return self.stored(self.draft(self.receive(ticket_id=ticket_id, version=thread[-1].message_id)).outcome)

    def shelve(self, passage: Passage = SOLVED, *keys: str) -> None:
        """Put the passage's document into store and indexes, as ingestion of these tickets does."""
        document = Document(passage.doc_id, passage.collection, passage.title, passage.text, (), passage.doc_version)
        with self.store.uow() as tx:
            tx.documents.put(document, [passage])
            for key in keys or ("fake/s1",):
                tx.documents.record(SourceRecord(passage.collection, key, passage.doc_id, "hash", f"https://{key}"))
                connector, _, ticket_id = key.partition("/")
                tx.people.remember(connector, ticket_id, identities_of(ADA))
            tx.commit()
        entry = LexicalEntry(passage.passage_id, passage.doc_id, {"body": ["lens"]})
        self.lexical.replace(passage.collection, [passage.doc_id], [entry])
        beside = whole(passage.collection)
        self.lexical.replace(beside, [passage.doc_id], [replace(entry, passage_id=passage.doc_id)])
        vector = np.array([1, 0, 0], np.float32)
        vectors = [VectorEntry(passage.passage_id, passage.doc_id, vector)]
        self.vectors.replace(passage.collection, [passage.doc_id], vectors, SPACE)
        self.vectors.replace(beside, [passage.doc_id], [replace(vectors[0], passage_id=passage.doc_id)], SPACE)

    def approve(self, draft: Draft, text: str | None = None) -> Draft:
        return approve_draft(
            draft.draft_id,
            agent=AGENT,
            text=text,
            stars=4,
            uow=self.store.uow,
            recognizer=self.recognizer,
            queue=self.queue,
            clock=self.clock,
        )

    def send(self) -> None:
        for item in self.outbox():
            if item.state is not JobState.DONE:
                send_reply(item, helpdesk=self.helpdesk, uow=self.store.uow, public_replies=True, clock=self.clock)

    def problems(self) -> tuple[str, ...]:
        return verify_ledger(uow=self.store.uow, keys=self.store.seal_keys()).problems

    def everything(self) -> str:
        """All that is stored, but the keyed hashes of people, which the fake keeps in clear."""
        with self.store.uow() as tx:
            return repr(replace(tx.tables, requesters=set(), erasures={}, vault={})) + repr(
                {subject: sealed.placeholders.values for subject, sealed in tx.tables.vault.items()}
            )


def quoting(_inquiry: Inquiry, _retrieval: Retrieval) -> Composition:
    """A draft that quotes Ada's solved ticket beside the documentation."""
    base = composition()
    sentence = base.sentences[0]
    text = "Ada's lens was dusty."
    citation = replace(sentence.citations[0], marker=2, passage_id=SOLVED.passage_id, quoted_text=text)
    quotation = Sentence(text, sentence.kind, (citation,))
    return replace(base, sentences=(sentence, quotation), evidence=(*base.evidence, Evidence(2, SOLVED, 0.5)))


def finding(_inquiry: Inquiry) -> Retrieval:
    return Retrieval((WeightedQuery("lens"),), (), Run("fusion", "", (), 10), {SOLVED.passage_id: SOLVED})


SECRET = "my cat is called Whiskers"
"""Something about Ada that no recognizer finds."""


def test_nothing_that_the_person_wrote_is_left_and_the_ledger_is_whole() -> None:
    world = Archive()
    draft = world.write(ADA, "t1", f"Ada Lovelace here, {SECRET}", subject=SECRET)
    world.approve(draft, f"Dear Ada Lovelace, {SECRET}")
    world.send()
    other = world.write(BO, "t2", "Where is the lamp?")
    world.clock.advance(days=1)
    erasure = world.erase()
    assert SECRET not in world.everything()
    assert "Lovelace" not in world.everything()
    assert world.problems() == ()
    erased = world.stored(draft.draft_id)
    assert (erased.state, erased.text, erased.subject) == (DraftState.ERASED, "", "")
    assert erasure.receipt is not None
    assert erased.receipt == erasure.receipt.receipt_id
    assert erased.decision is not None
    assert (erased.decision.agent, erased.decision.stars) == (AGENT.login, 4)
    assert world.stored(other.draft_id) == other
    assert world.purged == [[]]


def test_the_receipt_counts_and_names_nobody_and_the_ledger_vouches_for_it() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    world.shelve()
    world.clock.advance(days=1)
    receipt = world.erase().receipt
    assert receipt is not None
    assert receipt.counts == {
        "tickets": 2,
        "drafts": 1,
        "drafts_that_quoted": 0,
        "maps": 1,
        "mentions": 0,
        "solved_tickets": 1,
        "passages": 1,
        "jobs": 1,
    }
    assert (receipt.at, receipt.by) == (world.clock(), "root")
    entry = world.ledger()[-1]
    assert (entry.event, entry.subject, entry.actor) == ("PersonErased", receipt.receipt_id, "root")
    assert entry.details == {**receipt.counts, "sha256": receipt.sha256}
    assert "Ada" not in repr(receipt) + repr(world.ledger()[1:])


def test_solved_tickets_leave_store_and_both_indexes() -> None:
    world = Archive()
    world.shelve()
    world.erase()
    with world.store.uow() as tx:
        assert tx.documents.manifest("tickets") == {}
        assert tx.documents.get(SOLVED.doc_id) is None
    for name in ("tickets", whole("tickets")):
        assert (world.lexical.count(name), world.vectors.count(name)) == (0, 0)
    assert world.purged == [["tickets"]]


def test_solved_tickets_of_every_tenant_are_found() -> None:
    world = Archive()
    world.shelve(replace(SOLVED, collection="acme/internal/tickets"))
    world.erase()
    assert world.purged == [["acme/internal/tickets"]]
    assert world.lexical.count("acme/internal/tickets") == 0


def test_a_solved_ticket_that_another_one_equals_stays_that_ones() -> None:
    world = Archive()
    world.shelve(SOLVED, "fake/s1", "fake/s2")
    with world.store.uow() as tx:
        tx.people.forget("fake", "s2")
        tx.people.remember("fake", "s2", identities_of(BO))
        tx.commit()
    world.erase()
    with world.store.uow() as tx:
        document = tx.documents.get(SOLVED.doc_id)
        assert set(tx.documents.manifest("tickets")) == {"fake/s2"}
    assert document is not None
    assert document.addresses == ("https://fake/s2",)
    assert world.lexical.count("tickets") == 1


# ---------------------------------------------------------------- in other people's tickets


def test_where_others_mention_the_person_only_those_values_are_forgotten() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    draft = world.write(BO, "t2", "Ask Ada Lovelace <ada@example.org>. Yours, Bo Ray")
    before = world.placeholders("t2")
    world.erase()
    after = world.placeholders("t2")
    assert "Ada Lovelace" not in after.values.values()
    assert "ada@example.org" not in after.values.values()
    assert "Bo Ray" in after.values.values()
    assert after.spent == before.values.keys() - after.values.keys()
    assert world.stored(draft.draft_id) == draft


def test_somebody_who_never_asked_but_is_mentioned_is_found_too() -> None:
    world = Archive()
    world.write(BO, "t2", "Ask Ada Lovelace. Yours, Bo Ray")
    erasure = world.erase("Lovelace, Ada")
    assert erasure.plan.counts["mentions"] == 1
    assert erasure.plan.counts["tickets"] == 0
    assert "Ada Lovelace" not in world.placeholders("t2").values.values()


def test_a_namesakes_own_ticket_keeps_the_name() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    world.write(replace(ADA, email="ada@elsewhere.example"), "t3", "Yours, Ada Lovelace")
    world.erase()
    assert "Ada Lovelace" in world.placeholders("t3").values.values()
    assert world.drafts("t3")[0].state is DraftState.READY


def test_a_draft_that_quotes_the_persons_solved_ticket_loses_the_quotation_and_nothing_else() -> None:
    world = Archive(search=finding, compose=quoting)
    world.shelve()
    draft = world.write(BO, "t2", "My lens?")
    assert "dusty" in draft.text
    world.erase()
    left = world.stored(draft.draft_id)
    assert "dusty" not in world.everything()
    assert "Ada's lens" not in world.everything()
    assert left.state is DraftState.READY
    assert left.text == draft.sentences[0].text
    assert [(s.text, s.grounded) for s in left.sentences][1] == (ERASED_TEXT, False)
    assert world.problems() == ()


def test_a_reply_that_was_sent_with_the_quotation_loses_it_in_our_records() -> None:
    world = Archive(search=finding, compose=quoting)
    world.shelve()
    draft = world.approve(world.write(BO, "t2", "My lens?"), "Dear Bo Ray, Ada's lens was dusty. Bye")
    world.send()
    world.erase()
    left = world.stored(draft.draft_id)
    assert "dusty" not in world.everything()
    assert left.decision is not None
    assert left.decision.final_text.endswith(f", {ERASED_TEXT} Bye")
    assert world.problems() == ()


def test_a_reply_that_waits_to_be_sent_goes_out_as_it_was_approved_and_is_counted() -> None:
    world = Archive(search=finding, compose=quoting)
    world.shelve()
    world.approve(world.write(BO, "t2", "My lens?"))
    first = world.erase()
    assert (first.plan.waiting, first.plan.counts["drafts_that_quoted"]) == (1, 0)
    world.send()
    assert "dusty" in world.helpdesk.replies[-1].body
    assert world.problems() == ()


# ---------------------------------------------------------------- who is meant


def test_a_name_that_two_addresses_share_is_not_erased_by_name() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    world.write(replace(ADA, email="ada@elsewhere.example"), "t3", "How?")
    with pytest.raises(PersonAmbiguous, match="2 people"):
        world.erase("Ada Lovelace")
    assert world.drafts("t1")[0].state is DraftState.READY


def test_a_name_of_one_person_only_finds_their_tickets_and_keeps_them_away_later() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    assert world.erase("ada   LOVELACE").plan.tickets == (("fake", "t1"),)
    world.draft(world.receive(EventKind.DRAFT_REQUESTED, ticket_id="t1", version="again"))
    assert [draft.state for draft in world.drafts("t1")] == [DraftState.ERASED]


def test_only_the_tickets_that_are_named_are_erased() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    kept = world.write(ADA, "t2", "What?")
    world.erase(tickets=[("fake", "t1")])
    assert world.drafts("t1")[0].state is DraftState.ERASED
    assert world.stored(kept.draft_id) == kept
    assert world.placeholders("t2").values


def test_a_dry_run_counts_and_changes_nothing() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    world.shelve()
    before = world.everything().replace("VaultSearched", "")
    erasure = world.erase(dry_run=True)
    assert erasure.receipt is None
    assert erasure.plan.counts["drafts"] == 1
    assert world.drafts("t1")[0].state is DraftState.READY
    assert (world.lexical.count("tickets"), world.purged) == (1, [])
    assert world.ledger()[-1].event == "VaultSearched"
    assert len(before) > 0


def test_nobody_by_that_name_is_an_error_and_so_is_no_name() -> None:
    world = Archive()
    with pytest.raises(PersonNotFound):
        world.erase("nobody@example.org")
    with pytest.raises(BadInput):
        world.erase(" ?! ")


@pytest.mark.parametrize("who", ["ada@example.org", "Ada Lovelace"])
def test_tickets_drafted_before_requesters_were_remembered_are_found_by_their_map(who: str) -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    with world.store.uow() as tx:
        tx.people.forget("fake", "t1")
        tx.commit()
    world.erase(who)
    assert world.drafts("t1")[0].state is DraftState.ERASED


def test_solved_tickets_that_do_not_say_whose_they_are_are_counted() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    world.shelve()
    with world.store.uow() as tx:
        tx.people.forget("fake", "s1")
        tx.commit()
    assert world.erase().plan.untraced == 1


# ---------------------------------------------------------------- coming back


def test_open_jobs_are_cancelled_and_their_texts_go() -> None:
    world = Archive()
    world.approve(world.write(ADA, "t1", "How?"))
    waiting = world.receive(EventKind.DRAFT_REQUESTED, ticket_id="t1", version="more")
    world.erase()
    assert {item.body for item in world.outbox()} == {""}
    assert {item.state for item in world.outbox()} == {JobState.IGNORED}
    stored = world.inbox_item(waiting.item_id)
    assert stored is not None
    assert (stored.state, stored.outcome) == (JobState.IGNORED, "the person who asked was erased")


def test_a_repeated_webhook_or_a_request_brings_nothing_back() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    world.clock.advance(minutes=1)
    world.erase()
    for kind in EventKind:
        world.draft(world.receive(kind, ticket_id="t1", version="again"))
    assert [draft.state for draft in world.drafts("t1")] == [DraftState.ERASED]
    assert not world.placeholders("t1").values


def test_an_old_message_in_another_ticket_of_theirs_is_not_drafted_either() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    world.helpdesk.add_ticket(replace(ticket(message("Old")), ticket_id="t9"))
    world.clock.advance(minutes=1)
    world.erase()
    world.draft(world.receive(ticket_id="t9"))
    assert world.drafts("t9") == []


def test_what_they_write_later_is_a_new_matter_without_the_old_one() -> None:
    world = Archive()
    world.write(ADA, "t1", SECRET, subject=SECRET)
    world.clock.advance(minutes=1)
    world.erase()
    world.clock.advance(minutes=1)
    old = Message("t1m0", Author.CUSTOMER, SECRET, world.clock() - timedelta(minutes=2), person=ADA)
    new = Message("t1m1", Author.CUSTOMER, "And the lamp?", world.clock(), person=ADA)
    world.helpdesk.add_ticket(Ticket("fake", "t1", SECRET, TicketStatus.OPEN, ADA, (old, new), NOON))
    world.draft(world.receive(ticket_id="t1", version="t1m1"))
    assert [draft.state for draft in world.drafts("t1")] == [DraftState.READY, DraftState.ERASED]
    assert SECRET not in world.everything()


def test_solved_tickets_of_theirs_are_not_taken_in_again() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    solved = replace(ticket(message("Solved")), ticket_id="s1", status=TicketStatus.SOLVED)
    world.helpdesk.add_ticket(solved)
    world.helpdesk.add_ticket(replace(solved, ticket_id="s2", requester=BO))
    world.clock.advance(minutes=1)
    world.erase()
    taken = solved_tickets(world.helpdesk, recognizer=world.recognizer, uow=world.store.uow)
    assert [found.ticket_id for found in taken] == ["s2"]


def test_ingestion_remembers_whose_a_solved_ticket_is_outside_the_collection() -> None:
    world = Archive()
    world.helpdesk.add_ticket(replace(ticket(message("Solved")), status=TicketStatus.SOLVED))
    list(solved_tickets(world.helpdesk, recognizer=world.recognizer, uow=world.store.uow))
    with world.store.uow() as tx:
        assert tx.people.tickets_of(identity_of(ADA.email)) == [("fake", "t1")]


# ---------------------------------------------------------------- again


def test_running_it_again_shows_the_same_receipt_and_purges_once_more() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    world.shelve()
    receipt = world.erase().receipt
    length = len(world.ledger())
    again = world.erase()
    assert again.again
    assert again.receipt == receipt
    assert again.receipt is not None
    assert world.purged == [["tickets"], []], "the collection is gone"
    assert [entry.event for entry in world.ledger()[length:]] == ["VaultSearched"]


def test_an_index_that_is_down_leaves_everything_for_the_next_run() -> None:
    world = Archive()
    draft = world.write(ADA, "t1", "How?")
    world.shelve()
    world.vectors.down = True
    with pytest.raises(IndexUnavailable):
        world.erase()
    assert world.stored(draft.draft_id) == draft
    world.vectors.down = False
    assert world.erase().plan.counts["solved_tickets"] == 1
    assert world.vectors.count("tickets") == 0


@pytest.mark.parametrize(
    "tamper",
    [
        lambda draft: replace(draft, confidence=0.123),
        lambda draft: replace(draft, state=DraftState.SENT),
        lambda draft: replace(draft, edited_text="Something that nobody wrote."),
    ],
)
def test_an_erased_draft_that_somebody_rewrites_is_named(tamper: Callable[[Draft], Draft]) -> None:
    world = Archive()
    draft = world.write(ADA, "t1", "How?")
    world.erase()
    with world.store.uow() as tx:
        tx.drafts.save(tamper(tx.drafts.get(draft.draft_id)))
        tx.commit()
    assert any(draft.draft_id in problem for problem in world.problems())


def test_a_map_without_values_still_counts_as_the_tickets() -> None:
    world = Archive()
    world.write(ADA, "t1", "How?")
    with world.store.uow() as tx:
        subject = vault_subject("fake", "t1")
        tx.vault.save(subject, PlaceholderMap({}, frozenset({"<PERSON_1>"})), at=NOON)
        tx.commit()
    world.erase()
    with world.store.uow() as tx:
        assert tx.vault.subjects() == []
