from core.domain.ticket import TicketStatus
from core.usecases.solved_tickets import solved_tickets
from tests.unit.usecases.world import World, message, ticket


def world_with_tickets() -> World:
    world = World()
    world.helpdesk.add_ticket(ticket(message("Thanks, Ada Lovelace"), ticket_id="t1", status=TicketStatus.SOLVED))
    world.helpdesk.add_ticket(ticket(message("Still broken"), ticket_id="t2"))
    world.helpdesk.add_ticket(ticket(message("Done"), ticket_id="t3", status=TicketStatus.CLOSED))
    return world


def test_only_finished_tickets_are_used() -> None:
    world = world_with_tickets()
    tickets = solved_tickets(world.helpdesk, recognizer=world.recognizer, uow=world.store.uow)
    assert {ticket.ticket_id for ticket in tickets} == {"t1", "t3"}


def test_they_hold_no_personal_data() -> None:
    world = world_with_tickets()
    threads = [
        ticket.redact() for ticket in solved_tickets(world.helpdesk, recognizer=world.recognizer, uow=world.store.uow)
    ]
    assert "<PERSON_1>" in repr(threads)
    assert "Lovelace" not in repr(threads)


def test_the_vault_learns_nothing_from_them() -> None:
    world = world_with_tickets()
    for solved in solved_tickets(world.helpdesk, recognizer=world.recognizer, uow=world.store.uow):
        solved.redact()
    assert len(world.placeholders("t1")) == 0


def test_the_fingerprint_changes_with_what_was_written() -> None:
    first, again = World(), World()
    first.helpdesk.add_ticket(ticket(message("It works"), ticket_id="t1", status=TicketStatus.SOLVED))
    again.helpdesk.add_ticket(ticket(message("It works!"), ticket_id="t1", status=TicketStatus.SOLVED))
    prints = [
        next(solved_tickets(world.helpdesk, recognizer=world.recognizer, uow=world.store.uow)).fingerprint
        for world in (first, first, again)
    ]
    assert prints[0] == prints[1] != prints[2]
