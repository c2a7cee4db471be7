"""Earlier tickets as evidence: only solved ones, cleaned and redacted, with no way back to a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from core.domain.fingerprint import fingerprint
from core.domain.redaction import PlaceholderMap
from core.domain.thread import RedactedThread
from core.domain.ticket import Ticket
from core.ports import EntityRecognizer, Helpdesk
from core.redaction.thread import redact_thread


@dataclass(frozen=True, slots=True)
class SolvedTicket:
    """A solved ticket that is redacted only when `redact` is called; the same `fingerprint` gives the same thread."""

    connector: str
    ticket_id: str
    fingerprint: str
    redact: Callable[[], RedactedThread]


def solved_tickets(helpdesk: Helpdesk, *, recognizer: EntityRecognizer) -> Iterator[SolvedTicket]:
    """Whatever the helpdesk lists as solved."""
    for ticket in helpdesk.list_solved_tickets():
        yield SolvedTicket(
            ticket.connector,
            ticket.ticket_id,
            fingerprint(ticket, recognizer.component),
            partial(_redact, ticket, recognizer),
        )


def _redact(ticket: Ticket, recognizer: EntityRecognizer) -> RedactedThread:
    """The placeholder map is thrown away, so that nothing can be restored."""
    return redact_thread(ticket, recognizer=recognizer, placeholders=PlaceholderMap())[0]
