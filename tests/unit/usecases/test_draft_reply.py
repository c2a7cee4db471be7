from collections.abc import Callable
from dataclasses import replace

import pytest

from core.domain.draft import Draft, DraftState
from core.domain.jobs import DeliveryKind, EventKind, InboxItem, JobState
from core.domain.redaction import PlaceholderMap
from core.domain.retrieval import Inquiry, Retrieval
from core.domain.ticket import Author, TicketStatus
from core.errors import HelpdeskUnavailable, IndexUnavailable, TicketNotFound, Unavailable, VaultSealed
from core.usecases.draft_reply import draft_fingerprint
from core.usecases.read_vault import vault_subject
from tests.unit.usecases.world import NOON, PASSAGE, QUOTE, World, abstained, message, retrieval, ticket


def test_a_ticket_becomes_a_ready_draft_and_the_inbox_item_names_it() -> None:
    world = World()
    draft = world.drafted()
    assert draft.state is DraftState.READY
    assert draft.text == QUOTE
    item = world.inbox_item("id000001")
    assert item is not None
    assert (item.state, item.outcome, item.lease_owner, item.step) == (JobState.DONE, draft.draft_id, "", "")


def test_the_draft_knows_what_it_answers_and_what_it_cites() -> None:
    draft = World().drafted()
    assert (draft.connector, draft.ticket_id, draft.message_id, draft.revision) == ("fake", "t1", "m1", 1)
    assert draft.collections == ("docs",)


def test_personal_data_is_in_the_vault_and_nowhere_else() -> None:
    world = World()
    draft = world.drafted()
    with world.store.uow() as tx:
        stored = repr(
            (tx.drafts.get(draft.draft_id), tx.drafts.provenance(draft.draft_id), tx.outbox.list(frozenset()))
        )
        stored += repr(list(tx.ledger.entries()))
    assert "Lovelace" not in stored
    assert "Ada Lovelace" in world.placeholders().values.values()


def test_search_and_composer_see_only_redacted_text() -> None:
    seen: list[Inquiry] = []

    def search(inquiry: Inquiry) -> Retrieval:
        seen.append(inquiry)
        return retrieval()

    World(search=search).drafted()
    assert "reset" in seen[0].newest
    assert "Lovelace" not in repr(seen)


def test_placeholders_of_an_earlier_draft_are_used_again() -> None:
    world = World()
    world.drafted()
    before = dict(world.placeholders().values)
    world.helpdesk.add_ticket(ticket(message("Hello again, Ada Lovelace", "m2")))
    world.draft(world.receive(version="m2"))
    assert before.items() <= world.placeholders().values.items()


def test_an_abstention_is_a_draft_in_state_abstained() -> None:
    draft = World(compose=abstained).drafted()
    assert draft.state is DraftState.ABSTAINED
    assert draft.abstention is not None


def test_provenance_keeps_every_run_and_the_passages_in_fused_order() -> None:
    world = World()
    draft = world.drafted()
    with world.store.uow() as tx:
        provenance = tx.drafts.provenance(draft.draft_id)
    assert [run.stage for run in provenance.runs] == ["lexical", "dense", "fusion"]
    assert provenance.passages[0] == PASSAGE
    assert provenance.queries == ("How do I reset it?",)


def test_seconds_are_the_sum_of_the_steps() -> None:
    world = World()
    draft = world.drafted()
    with world.store.uow() as tx:
        timings = tx.drafts.provenance(draft.draft_id).timings
    assert timings == (
        ("reading the ticket", 0.25),
        ("redacting", 0.25),
        ("searching", 0.25),
        ("writing", 0.25),
    )
    assert draft.seconds == 1.0


def test_each_step_is_announced_as_it_starts() -> None:
    world = World()
    world.drafted()
    assert world.steps == ["reading the ticket", "redacting", "searching", "writing", "storing the draft"]


def test_the_ledger_seals_what_the_draft_says_and_what_it_rests_on() -> None:
    world = World()
    draft = world.drafted()
    (entry,) = world.ledger()
    with world.store.uow() as tx:
        provenance = tx.drafts.provenance(draft.draft_id)
    assert (entry.event, entry.subject, entry.number) == ("DraftCreated", draft.draft_id, draft.ledger_number)
    assert entry.details["sha256"] == draft_fingerprint(draft, provenance)


def other_sentences(draft: Draft) -> Draft:
    return replace(draft, sentences=())


def other_evidence(draft: Draft) -> Draft:
    return replace(draft, evidence=())


def other_abstention(draft: Draft) -> Draft:
    return replace(draft, abstention=abstained().abstention)


def other_confidence(draft: Draft) -> Draft:
    return replace(draft, confidence=0.1)


@pytest.mark.parametrize("other", [other_sentences, other_evidence, other_abstention, other_confidence])
def test_the_fingerprint_changes_with_whatever_the_draft_says(other: Callable[[Draft], Draft]) -> None:
    world = World()
    draft = world.drafted()
    with world.store.uow() as tx:
        provenance = tx.drafts.provenance(draft.draft_id)
    assert draft_fingerprint(other(draft), provenance) != draft_fingerprint(draft, provenance)


def test_the_fingerprint_does_not_change_with_what_happens_to_a_draft_later() -> None:
    world = World()
    draft = world.drafted()
    with world.store.uow() as tx:
        provenance = tx.drafts.provenance(draft.draft_id)
    later = replace(draft, state=DraftState.SENT, edited_text="Other words.", ledger_number=9)
    assert draft_fingerprint(later, provenance) == draft_fingerprint(draft, provenance)


def test_a_note_with_the_address_of_the_draft_waits_in_the_outbox() -> None:
    world = World()
    draft = world.drafted()
    (note,) = world.outbox()
    assert (note.item_id, note.kind) == (f"note-{draft.draft_id}", DeliveryKind.NOTE)
    assert f"https://citedesk.example.org/drafts/{draft.draft_id}" in note.body


def test_no_note_is_written_where_notes_are_turned_off() -> None:
    world = World(announce=False)
    world.drafted()
    assert world.outbox() == []


@pytest.mark.parametrize(
    ("thread", "status", "why"),
    [
        ([("m1", Author.CUSTOMER)], TicketStatus.SOLVED, "solved"),
        ([("m1", Author.CUSTOMER)], TicketStatus.CLOSED, "closed"),
        ([("m1", Author.CUSTOMER), ("m2", Author.AGENT)], TicketStatus.OPEN, "answered"),
        ([("m2", Author.AGENT)], TicketStatus.OPEN, "no public message"),
    ],
)
def test_a_ticket_that_needs_no_draft_is_ignored_with_the_reason(
    thread: list[tuple[str, Author]], status: TicketStatus, why: str
) -> None:
    world = World()
    messages = [message("Text", message_id, author, minute=n) for n, (message_id, author) in enumerate(thread)]
    world.helpdesk.add_ticket(ticket(*messages, status=status))
    item = world.draft()
    assert item.state is JobState.IGNORED
    assert why in item.outcome
    assert world.inbox_item(item.item_id) == item
    assert world.drafts() == []


def test_a_message_that_has_a_draft_gets_no_second_one() -> None:
    world = World()
    first = world.drafted()
    item = world.draft(world.receive(version="another delivery"))
    assert item.state is JobState.IGNORED
    assert first.draft_id in item.outcome
    assert [draft.draft_id for draft in world.drafts()] == [first.draft_id]


def test_an_agent_who_asks_gets_a_draft_even_of_an_answered_ticket() -> None:
    world = World()
    answered = ticket(message("How?", "m1"), message("So.", "m2", Author.AGENT, minute=1), status=TicketStatus.SOLVED)
    world.helpdesk.add_ticket(answered)
    item = world.draft(world.receive(EventKind.DRAFT_REQUESTED, version=""))
    assert world.stored(item.outcome).message_id == "m1"


def test_another_draft_for_the_same_message_supersedes_the_open_one() -> None:
    world = World()
    first = world.drafted()
    second = world.stored(world.draft(world.receive(EventKind.DRAFT_REQUESTED, version="")).outcome)
    first = world.stored(first.draft_id)
    assert second.revision == 2
    assert (first.state, first.superseded_by) == (DraftState.SUPERSEDED, second.draft_id)
    assert world.events() == ["DraftCreated", "DraftCreated", "DraftSuperseded"]
    assert first.ledger_number == world.ledger()[-1].number


def test_a_newer_message_starts_again_with_revision_one() -> None:
    world = World()
    first = world.drafted()
    world.helpdesk.add_ticket(ticket(message("How?", "m1"), message("Hello?", "m2", minute=5)))
    second = world.stored(world.draft(world.receive(version="m2")).outcome)
    assert (second.message_id, second.revision) == ("m2", 1)
    assert world.stored(first.draft_id).state is DraftState.SUPERSEDED


def test_a_rejected_draft_stays_rejected_when_a_newer_one_comes() -> None:
    world = World()
    first = world.drafted()
    with world.store.uow() as tx:
        tx.drafts.save(replace(first, state=DraftState.REJECTED))
        tx.commit()
    world.draft(world.receive(EventKind.DRAFT_REQUESTED, version=""))
    assert world.stored(first.draft_id).state is DraftState.REJECTED


def test_when_placeholders_changed_meanwhile_nothing_is_stored_and_the_job_is_tried_again() -> None:
    world = World()
    world.helpdesk.add_ticket(ticket())

    def interfere(_inquiry: Inquiry) -> Retrieval:
        with world.store.uow() as tx:
            tx.vault.save(vault_subject("fake", "t1"), PlaceholderMap({"<PERSON_1>": "Somebody Else"}), at=NOON)
            tx.commit()
        return retrieval()

    world.search = interfere
    with pytest.raises(Unavailable):
        world.draft()
    assert world.drafts() == []
    assert world.ledger() == []
    assert dict(world.placeholders().values) == {"<PERSON_1>": "Somebody Else"}


def test_two_workers_on_one_message_make_one_draft() -> None:
    """The message brings no new placeholder, so that the vault looks the same to both."""
    world = World()
    world.drafted()
    world.helpdesk.add_ticket(ticket(message("How do I reset it?"), message("Hello?", "m2", minute=5)))
    slow = world.receive(version="m2")

    def overtaken(_inquiry: Inquiry) -> Retrieval:
        world.search = retrieval
        world.draft(world.receive(version="a ping without the message's id"))
        return retrieval()

    world.search = overtaken
    world.draft(slow)
    assert [draft.message_id for draft in world.drafts()].count("m2") == 1


def test_an_index_that_is_down_leaves_the_item_as_it_was() -> None:
    def down(_inquiry: Inquiry) -> Retrieval:
        raise IndexUnavailable("No index answers.")

    world = World(search=down)
    world.helpdesk.add_ticket(ticket())
    item = world.receive()
    with pytest.raises(IndexUnavailable):
        world.draft(item)
    assert world.inbox_item(item.item_id) == item
    assert (world.drafts(), world.outbox(), len(world.placeholders())) == ([], [], 0)


def test_a_helpdesk_that_is_down_is_reported() -> None:
    world = World()
    world.helpdesk.fail()
    with pytest.raises(HelpdeskUnavailable):
        world.draft()


def test_a_ticket_that_is_gone_is_reported() -> None:
    with pytest.raises(TicketNotFound):
        World().draft()


def test_a_sealed_vault_makes_no_draft() -> None:
    world = World()
    world.drafted()
    world.store = world.store.reopen(vault_key=b"x" * 32)
    world.helpdesk.add_ticket(ticket(message("Hello?", "m2")))
    with pytest.raises(VaultSealed):
        world.draft(world.receive(version="m2"))


def test_a_reduced_mode_is_written_on_the_draft() -> None:
    world = World(search=lambda _: replace(retrieval(), reduced=("lexical only",)))
    assert world.drafted().reduced == ("lexical only",)


def test_an_item_that_failed_before_is_clean_when_it_is_done() -> None:
    world = World()
    world.helpdesk.add_ticket(ticket())
    item: InboxItem = replace(world.receive(), error_code="x", error_message="y", step="searching")
    done = world.draft(item)
    assert (done.error_code, done.error_message, done.step, done.lease_until) == ("", "", "", None)
