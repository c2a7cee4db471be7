from dataclasses import replace

import pytest

from core.domain.draft import Draft, DraftState, RejectReason
from core.domain.jobs import DeliveryKind, EventKind
from core.domain.redaction import Entity, PlaceholderMap
from core.errors import BadInput, DraftNotFound, DraftStateConflict, VaultSealed
from core.usecases.review_draft import (
    MAX_REPLY_CHARS,
    DraftView,
    approve_draft,
    edit_draft,
    reject_draft,
    request_another,
    view_draft,
)
from tests.fakes.recognizer import FakeRecognizer
from tests.unit.usecases.world import AGENT, QUOTE, World, abstained


def edit(world: World, draft: Draft, text: str) -> Draft:
    return edit_draft(
        draft.draft_id, text, agent=AGENT, uow=world.store.uow, recognizer=world.recognizer, clock=world.clock
    )


def approve(world: World, draft: Draft, text: str | None = None, stars: int | None = None) -> Draft:
    return approve_draft(
        draft.draft_id,
        agent=AGENT,
        text=text,
        stars=stars,
        uow=world.store.uow,
        recognizer=world.recognizer,
        queue=world.queue,
        clock=world.clock,
    )


def reject(world: World, draft: Draft, comment: str = "", stars: int | None = None) -> Draft:
    return reject_draft(
        draft.draft_id,
        agent=AGENT,
        reason=RejectReason.WRONG,
        comment=comment,
        stars=stars,
        uow=world.store.uow,
        recognizer=world.recognizer,
        clock=world.clock,
    )


def another(world: World, draft: Draft) -> None:
    request_another(
        draft.draft_id,
        agent=AGENT,
        uow=world.store.uow,
        queue=world.queue,
        clock=world.clock,
        new_id=world.new_id,
    )


def view(world: World, draft: Draft) -> DraftView:
    return view_draft(draft.draft_id, agent=AGENT, uow=world.store.uow, clock=world.clock)


def test_an_agent_sees_the_real_values() -> None:
    world = World()
    draft = edit(world, world.drafted(), "Dear Ada Lovelace, hold the key.")
    assert view(world, draft).text == "Dear Ada Lovelace, hold the key."
    assert "Ada Lovelace" in view(world, draft).placeholders.values.values()


def test_a_draft_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(DraftNotFound):
        view_draft("nothing", agent=AGENT, uow=World().store.uow, clock=World().clock)


def test_a_draft_whose_vault_is_sealed_is_not_shown() -> None:
    world = World()
    draft = world.drafted()
    world.store = world.store.reopen(vault_key=b"x" * 32)
    with pytest.raises(VaultSealed):
        view(world, draft)


def test_an_edit_is_stored_redacted_and_recorded_with_its_author() -> None:
    world = World()
    edited = edit(world, world.drafted(), "Write to ada@example.org.")
    assert "ada@example.org" not in world.stored(edited.draft_id).text
    assert edited.state is DraftState.READY
    entry = world.ledger()[-1]
    assert (entry.event, entry.actor, entry.number) == ("DraftEdited", AGENT.login, edited.ledger_number)


def test_personal_data_that_an_agent_types_in_comes_back_in_the_view() -> None:
    world = World()
    edited = edit(world, world.drafted(), "Call +44 20 7946 0000.")
    assert "7946" not in edited.text
    assert view(world, edited).text == "Call +44 20 7946 0000."


def test_saving_the_text_as_it_stands_is_no_edit() -> None:
    world = World()
    edited = edit(world, world.drafted(), f"  {QUOTE}\r\n")
    assert edited.edited_text is None
    assert world.events() == ["DraftCreated"]


def test_saving_the_same_edit_twice_is_recorded_once() -> None:
    world = World()
    draft = world.drafted()
    edit(world, draft, "Mine.")
    edit(world, draft, "Mine.")
    assert world.events() == ["DraftCreated", "DraftEdited"]


def test_approving_sends_what_the_agent_saw_under_the_agents_name() -> None:
    world = World()
    approved = approve(world, world.drafted(), "My words for Ada Lovelace.", stars=4)
    assert approved.state is DraftState.APPROVED
    assert approved.decision is not None
    assert (approved.decision.agent, approved.decision.stars) == (AGENT.login, 4)
    reply = world.outbox()[-1]
    assert (reply.kind, reply.item_id) == (DeliveryKind.REPLY, f"reply-{approved.draft_id}")
    assert reply.body == approved.decision.final_text
    assert reply.body.startswith("My words for <")


def test_approving_without_a_text_sends_the_draft_as_it_stands() -> None:
    world = World()
    approved = approve(world, world.drafted())
    assert approved.decision is not None
    assert approved.decision.final_text == QUOTE
    assert world.ledger()[-1].details["changed_by_agent"] == 0


def test_an_approval_with_other_words_says_that_the_agent_changed_them() -> None:
    world = World()
    approve(world, world.drafted(), "Mine.")
    assert world.ledger()[-1].details["changed_by_agent"] == 1


def test_approving_twice_sends_once_and_keeps_the_first_text() -> None:
    world = World()
    draft = world.drafted()
    approve(world, draft, "First.")
    assert approve(world, draft, "First.") == world.stored(draft.draft_id)
    with pytest.raises(DraftStateConflict, match="approved this draft already"):
        approve(world, draft, "Second.")
    assert world.stored(draft.draft_id).text == "First."
    assert [item.kind for item in world.outbox()].count(DeliveryKind.REPLY) == 1
    assert world.events().count("DraftApproved") == 1


def test_the_workers_are_woken_by_an_approval() -> None:
    world = World()
    approve(world, world.drafted())
    assert world.queue.woken == 1


@pytest.mark.parametrize("state", [DraftState.REJECTED, DraftState.SUPERSEDED])
def test_a_closed_draft_can_be_neither_approved_nor_edited(state: DraftState) -> None:
    world = World()
    draft = replace(world.drafted(), state=state)
    with world.store.uow() as tx:
        tx.drafts.save(draft)
        tx.commit()
    with pytest.raises(DraftStateConflict):
        approve(world, draft)
    with pytest.raises(DraftStateConflict):
        edit(world, draft, "Mine.")
    assert world.stored(draft.draft_id) == draft
    assert [item.kind for item in world.outbox()] == [DeliveryKind.NOTE]


def test_an_abstained_draft_can_be_answered_in_the_agents_own_words() -> None:
    approved = approve(world := World(compose=abstained), world.drafted(), "It is the red one.")
    assert approved.decision is not None
    assert approved.decision.final_text == "It is the red one."


@pytest.mark.parametrize("text", ["", " \r\n "])
def test_an_emptied_reply_is_not_sent(text: str) -> None:
    world = World()
    draft = world.drafted()
    with pytest.raises(BadInput):
        approve(world, draft, text)


@pytest.mark.parametrize("stars", [0, 6, -1])
def test_stars_go_from_one_to_five(stars: int) -> None:
    world = World()
    draft = world.drafted()
    with pytest.raises(BadInput):
        approve(world, draft, stars=stars)
    with pytest.raises(BadInput):
        reject(world, draft, stars=stars)
    assert world.stored(draft.draft_id).state is DraftState.READY


def test_an_oversized_text_is_refused_wherever_it_comes_from() -> None:
    world = World()
    draft, text = world.drafted(), "x" * (MAX_REPLY_CHARS + 1)
    for action in (edit, approve, reject):
        with pytest.raises(BadInput):
            action(world, draft, text)


def test_a_rejection_keeps_reason_stars_and_redacted_comment() -> None:
    world = World()
    rejected = reject(world, world.drafted(), "Ada Lovelace asked something else", stars=1)
    assert rejected.state is DraftState.REJECTED
    assert rejected.decision is not None
    assert (rejected.decision.reason, rejected.decision.stars) == (RejectReason.WRONG, 1)
    assert "Lovelace" not in rejected.decision.comment
    assert world.ledger()[-1].details == {"reason": "wrong", "stars": 1}


def test_rejecting_twice_is_recorded_once() -> None:
    world = World()
    draft = world.drafted()
    reject(world, draft)
    reject(world, draft)
    assert world.events() == ["DraftCreated", "DraftRejected"]


def test_an_approved_draft_cannot_be_rejected() -> None:
    world = World()
    draft = world.drafted()
    approve(world, draft)
    with pytest.raises(DraftStateConflict):
        reject(world, draft)


def test_asking_for_another_draft_puts_a_request_into_the_inbox_and_leaves_the_present_one_open() -> None:
    world = World()
    draft = world.drafted()
    another(world, draft)
    with world.store.uow() as tx:
        item = tx.inbox.list(frozenset())[0]
    assert (item.event.kind, item.event.ticket_id) == (EventKind.DRAFT_REQUESTED, "t1")
    assert world.stored(draft.draft_id).state is DraftState.READY
    assert world.events()[-1] == "AnotherDraftRequested"


def test_asking_twice_makes_two_requests() -> None:
    world = World()
    draft = world.drafted()
    another(world, draft)
    another(world, draft)
    with world.store.uow() as tx:
        assert len(tx.inbox.list(frozenset())) == 3


def test_a_decided_draft_is_not_drafted_again() -> None:
    world = World()
    draft = world.drafted()
    reject(world, draft)
    with pytest.raises(DraftStateConflict):
        another(world, draft)


def test_the_draft_knows_the_entry_of_a_request_for_another() -> None:
    world = World()
    draft = world.drafted()
    another(world, draft)
    assert world.stored(draft.draft_id).ledger_number == world.ledger()[-1].number


class BusyRecognizer(FakeRecognizer):
    """While it works somebody else uses the store, as a webhook would."""

    def __init__(self, world: World) -> None:
        super().__init__({"Grace Hopper": "PERSON"})
        self._world = world
        self.meanwhile: dict[str, str] = {}
        self.calls = 0

    def recognize(self, text: str) -> list[Entity]:
        self.calls += 1
        with self._world.store.uow() as tx:
            subject = "fake|t1"
            if self.meanwhile:
                kept = {**tx.vault.load(subject).values, **self.meanwhile}
                tx.vault.save(subject, PlaceholderMap(kept), at=self._world.clock())
            tx.commit()
        return super().recognize(text)


def test_nobody_waits_for_the_store_while_a_text_is_redacted() -> None:
    world = World()
    draft = world.drafted()
    world.recognizer = BusyRecognizer(world)
    edited = edit(world, draft, "Grace Hopper says hello.")
    assert "Grace" not in edited.text
    assert approve(world, edited, "Grace Hopper says good-bye.").state is DraftState.APPROVED


def test_approving_what_is_there_looks_for_nothing() -> None:
    world = World()
    draft = world.drafted()
    world.recognizer = recognizer = BusyRecognizer(world)
    assert approve(world, draft, QUOTE).edited_text is None
    assert recognizer.calls == 0


def test_placeholders_that_changed_meanwhile_are_not_overwritten() -> None:
    world = World()
    draft = world.drafted()
    world.recognizer = recognizer = BusyRecognizer(world)
    recognizer.meanwhile = {"<PHONE_NUMBER_1>": "+44 20 7946 0000"}
    with pytest.raises(DraftStateConflict):
        edit(world, draft, "Grace Hopper says hello.")
    assert "<PHONE_NUMBER_1>" in world.placeholders("t1").values
    assert world.stored(draft.draft_id).edited_text is None


@pytest.mark.parametrize("damaged", ["<PERSON_99>", "<person 99>", "&lt;EMAIL_ADDRESS_99&gt;"])
def test_an_agent_who_damages_a_placeholder_is_told(damaged: str) -> None:
    world = World()
    draft = world.drafted()
    with pytest.raises(BadInput, match="stands for nothing"):
        edit(world, draft, f"Dear {damaged}, it is fixed.")
    assert world.stored(draft.draft_id).edited_text is None


def test_a_placeholder_that_is_only_written_wrongly_is_put_right() -> None:
    world = World()
    draft = world.drafted()
    placeholder = next(iter(world.placeholders("t1").values))
    mangled = placeholder.lower().replace("_", " ")
    edit(world, draft, f"Dear {mangled}, it is fixed.")
    assert world.stored(draft.draft_id).edited_text == f"Dear {placeholder}, it is fixed."
