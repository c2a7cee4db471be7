"""Every reading of personal data leaves an entry: who, why and about what, with numbers and never a value."""

import pytest

from core.domain.draft import Draft, RejectReason
from core.domain.redaction import PlaceholderMap
from core.errors import DraftStateConflict, PersonalDataGone
from core.usecases.forget_maps import BATCH, forget_maps
from core.usecases.read_vault import vault_subject
from core.usecases.review_draft import approve_draft, edit_draft, reject_draft, view_draft
from core.usecases.send_reply import send_reply
from tests.unit.usecases.world import AGENT, NOON, World, message, ticket


def view(world: World, draft: Draft) -> str:
    return view_draft(draft.draft_id, agent=AGENT, uow=world.store.uow, clock=world.clock).text


def approve(world: World, draft: Draft, text: str | None, seen: int | None = None) -> Draft:
    return approve_draft(
        draft.draft_id,
        agent=AGENT,
        text=text,
        stars=None,
        uow=world.store.uow,
        recognizer=world.recognizer,
        queue=world.queue,
        clock=world.clock,
        seen=seen,
    )


def edit(world: World, draft: Draft, text: str, seen: int | None = None) -> Draft:
    return edit_draft(
        draft.draft_id,
        text,
        agent=AGENT,
        uow=world.store.uow,
        recognizer=world.recognizer,
        clock=world.clock,
        seen=seen,
    )


def send(world: World) -> None:
    send_reply(world.outbox()[-1], helpdesk=world.helpdesk, uow=world.store.uow, public_replies=True, clock=world.clock)


def forget(world: World, days: float = 30) -> int:
    return forget_maps(uow=world.store.uow, clock=world.clock, days=days)


def test_each_opening_of_the_page_is_one_entry_with_the_agents_name() -> None:
    world = World()
    draft = world.drafted()
    view(world, draft)
    world.clock.advance(minutes=1)
    view(world, draft)
    assert world.readings() == [(AGENT.login, "review", draft.draft_id)] * 2
    newest = world.ledger()[-1]
    assert (newest.at, newest.details) == (world.clock(), {"purpose": "review", "values": len(world.placeholders())})


def test_an_action_reads_once_and_says_which_it_was() -> None:
    world = World()
    draft = world.drafted()
    edit(world, draft, "Dear Ada Lovelace")
    approve(world, draft, "Dear Ada Lovelace, bye")
    send(world)
    who = [(who, why) for who, why, _ in world.readings()]
    assert who == [(AGENT.login, "edit"), (AGENT.login, "approve"), ("citedesk", "sending")]
    assert "Lovelace" not in repr(world.ledger())


def test_a_rejection_reads_only_when_there_is_a_comment_to_redact() -> None:
    world = World()
    for number, comment in enumerate(("", "Ada Lovelace asked else")):
        world.helpdesk.add_ticket(ticket(ticket_id=f"t{number}"))
        name = world.draft(world.receive(ticket_id=f"t{number}")).outcome
        reject_draft(
            name,
            agent=AGENT,
            reason=RejectReason.OTHER,
            comment=comment,
            stars=None,
            uow=world.store.uow,
            recognizer=world.recognizer,
            clock=world.clock,
        )
    assert world.readings() == [(AGENT.login, "reject", name)]


def test_drafting_again_reads_the_map_under_the_machines_name() -> None:
    world = World()
    world.drafted()
    assert world.readings() == [], "a new ticket has no map yet"
    world.helpdesk.add_ticket(ticket(message("How?"), message("Hello?", "m2", minute=5)))
    world.draft(world.receive(version="m2"))
    assert world.readings() == [("citedesk", "drafting", "fake|t1")]


def test_a_change_made_since_the_page_was_opened_is_a_conflict_unless_the_text_is_the_same() -> None:
    world = World()
    draft = world.drafted()
    edited = edit(world, draft, "Mine.", seen=draft.ledger_number)
    with pytest.raises(DraftStateConflict, match="Somebody else changed"):
        edit(world, draft, "Yours.", seen=draft.ledger_number)
    assert edit(world, draft, " Mine.\r\n", seen=draft.ledger_number).text == "Mine."
    assert edit(world, draft, "Newer.", seen=edited.ledger_number).text == "Newer."


# ---------------------------------------------------------------- retention


def test_values_are_forgotten_some_days_after_the_last_work_and_the_ledger_counts_them() -> None:
    world = World()
    world.drafted()
    world.clock.advance(days=30)
    assert forget(world) == 0
    world.clock.advance(seconds=1)
    before = world.placeholders()
    assert forget(world) == 1
    assert world.placeholders() == PlaceholderMap({}, frozenset(before.values))
    assert [(e.event, dict(e.details)) for e in world.ledger()[1:]] == [
        ("VaultSearched", {"purpose": "retention", "tickets": 1}),
        ("VaultForgotten", {"tickets": 1, "days": 30}),
    ]
    assert forget(world) == 0
    assert len(world.ledger()) == 3


def test_no_days_keep_everything() -> None:
    world = World()
    world.drafted()
    world.clock.advance(days=9999)
    assert forget(world, days=0) == 0
    assert world.placeholders().values


@pytest.mark.parametrize("work", ["edit", "approve_and_send"])
def test_work_on_a_ticket_keeps_its_values_longer(work: str) -> None:
    world = World()
    draft = world.drafted()
    world.clock.advance(days=29)
    if work == "edit":
        edit(world, draft, "Mine.")
    else:
        approve(world, draft, None)
        send(world)
    world.clock.advance(days=29)
    assert forget(world) == 0


def test_values_stay_while_a_reply_waits_to_be_sent() -> None:
    world = World(announce=False)
    approve(world, world.drafted(), "Dear Ada Lovelace")
    world.clock.advance(days=99)
    assert forget(world) == 0
    send(world)
    assert world.helpdesk.replies[-1].body == "Dear Ada Lovelace"


def test_more_tickets_than_fit_in_a_batch_are_all_forgotten_past_those_at_work() -> None:
    world = World(announce=False)
    approve(world, world.drafted(), "Dear Ada Lovelace")
    with world.store.uow() as tx:
        for number in range(BATCH + 3):
            tx.vault.save(vault_subject("fake", f"x{number}"), PlaceholderMap({"<PERSON_1>": "Bo"}), at=NOON)
        tx.commit()
    world.clock.advance(days=99)
    assert forget(world) == BATCH + 3


def forgotten(world: World) -> Draft:
    """A draft that greets Ada, whose values were forgotten since."""
    draft = edit(world, world.drafted(), "Dear Ada Lovelace")
    world.clock.advance(days=99)
    assert forget(world) == 1
    return world.stored(draft.draft_id)


def test_the_page_of_a_forgotten_ticket_shows_blanks_says_so_and_reads_nothing() -> None:
    world = World()
    draft = forgotten(world)
    read = len(world.readings())
    seen = view_draft(draft.draft_id, agent=AGENT, uow=world.store.uow, clock=world.clock)
    assert seen.forgotten
    assert "Lovelace" not in seen.text
    assert len(world.readings()) == read


def test_a_ticket_whose_values_are_there_is_not_called_forgotten() -> None:
    world = World()
    draft = edit(world, world.drafted(), "Dear Ada Lovelace")
    assert not view_draft(draft.draft_id, agent=AGENT, uow=world.store.uow, clock=world.clock).forgotten


@pytest.mark.parametrize("text", [None, "Dear {}", "Dear {}, hold the key."])
def test_a_reply_with_a_blank_in_it_is_not_approved(text: str | None) -> None:
    world = World()
    draft = forgotten(world)
    blank = draft.text.removeprefix("Dear ")
    with pytest.raises(PersonalDataGone, match="no longer in the vault"):
        approve(world, draft, text and text.format(blank))
    assert world.stored(draft.draft_id) == draft


def test_an_agent_may_write_the_words_again_and_send_them() -> None:
    world = World(announce=False)
    approve(world, forgotten(world), "Dear Ada Lovelace")
    send(world)
    assert world.helpdesk.replies[-1].body == "Dear Ada Lovelace"


def test_what_was_forgotten_is_never_given_to_somebody_else() -> None:
    world = World()
    draft = forgotten(world)
    blank = draft.text.removeprefix("Dear ")
    approve(world, draft, "Dear Ada Lovelace")
    assert blank not in world.placeholders().values


def test_a_customer_never_reads_a_placeholder() -> None:
    """However it came about: here the map was deleted while the reply was on its way."""
    world = World(announce=False)
    approve(world, world.drafted(), "Dear Ada Lovelace")
    with world.store.uow() as tx:
        tx.vault.forget("fake|t1")
        tx.commit()
    with pytest.raises(PersonalDataGone):
        send(world)
    assert world.helpdesk.replies == []
