"""Earlier tickets as evidence: only solved ones, cleaned and redacted, with no way back to a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from core.domain.erasure import identities_of
from core.domain.fingerprint import fingerprint
from core.domain.redaction import PlaceholderMap
from core.domain.thread import RedactedThread
from core.domain.ticket import Ticket
from core.ports import EntityRecognizer, Helpdesk, UnitOfWorkFactory
from core.redaction.thread import redact_thread
from core.usecases.erased_people import since_erasure

BLOCK = 100
"""Tickets whose requesters are remembered in one transaction."""


@dataclass(frozen=True, slots=True)
class SolvedTicket:
    """A solved ticket that is redacted only when `redact` is called; the same `fingerprint` gives the same thread."""

    connector: str
    ticket_id: str
    fingerprint: str
    redact: Callable[[], RedactedThread]


def solved_tickets(
    helpdesk: Helpdesk, *, recognizer: EntityRecognizer, uow: UnitOfWorkFactory
) -> Iterator[SolvedTicket]:
    """Whatever the helpdesk lists as solved, but for what people wrote who were erased since.

    Who asked is remembered by keyed hashes apart from the collection, so that a person can be erased later.
    """
    for ticket in _of_present_people(helpdesk.list_solved_tickets(), uow):
        yield SolvedTicket(
            ticket.connector,
            ticket.ticket_id,
            fingerprint(ticket, recognizer.component),
            partial(_redact, ticket, recognizer),
        )


def _of_present_people(tickets: Iterator[Ticket], uow: UnitOfWorkFactory) -> Iterator[Ticket]:
    while block := list(islice(tickets, BLOCK)):
        with uow() as tx:
            kept = [left for ticket in block if (left := since_erasure(ticket, tx)).messages]
            for ticket in kept:
                tx.people.remember(ticket.connector, ticket.ticket_id, identities_of(ticket.requester))
            tx.commit()
        yield from kept


def _redact(ticket: Ticket, recognizer: EntityRecognizer) -> RedactedThread:
    """The placeholder map is thrown away, so that nothing can be restored."""
    return redact_thread(ticket, recognizer=recognizer, placeholders=PlaceholderMap())[0]
