"""Who was erased does not come back by a repeated webhook or ingestion; what they write later is a new matter."""

from __future__ import annotations

from dataclasses import replace

from core.domain.erasure import identities_of, ticket_identity
from core.domain.ticket import Ticket
from core.ports import UnitOfWork


def since_erasure(ticket: Ticket, tx: UnitOfWork) -> Ticket:
    """The ticket without what was written before its requester, or the ticket itself, was erased.

    Messages sent later stay; the subject line goes with the message that brought it.
    """
    known = (ticket_identity(ticket.connector, ticket.ticket_id), *identities_of(ticket.requester))
    burial = tx.people.burial(known)
    if burial is None:
        return ticket
    later = tuple(message for message in ticket.messages if message.sent_at > burial.at)
    return replace(ticket, messages=later, subject=ticket.subject if later == ticket.messages else "")
