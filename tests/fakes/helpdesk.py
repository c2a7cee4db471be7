"""A helpdesk in memory that can be told to fail, before or after a write took effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from core.domain.ticket import Author, Capabilities, Message, Ticket
from core.errors import CitedeskError, HelpdeskUnavailable, TicketNotFound
from core.ports import Clock
from tests.fakes.basics import FakeClock


@dataclass(frozen=True, slots=True)
class Posted:
    """A note or reply that took effect."""

    ticket_id: str
    body: str
    idempotency_key: str
    message_id: str


class FakeHelpdesk:
    """Tickets are put in with `add_ticket`; what was posted is in `notes` and `replies`, oldest first."""

    def __init__(
        self, name: str = "fake", *, capabilities: Capabilities | None = None, clock: Clock | None = None
    ) -> None:
        self.name = name
        self.capabilities = capabilities or Capabilities()
        self.notes: list[Posted] = []
        self.replies: list[Posted] = []
        self.fetched: list[str] = []
        self._clock = clock or FakeClock()
        self._tickets: dict[str, Ticket] = {}
        self._failures_before: list[CitedeskError] = []
        self._failures_after: list[CitedeskError] = []

    def add_ticket(self, ticket: Ticket) -> Ticket:
        """Store or replace the ticket; the stored one, which bears this helpdesk's name."""
        stored = replace(ticket, connector=self.name)
        self._tickets[ticket.ticket_id] = stored
        return stored

    def fail(self, times: int = 1, *, after_write: bool = False, error: CitedeskError | None = None) -> None:
        """Let the next `times` calls fail. With `after_write`: the next `times` posts, after they took effect."""
        failures = self._failures_after if after_write else self._failures_before
        failures += [error or HelpdeskUnavailable("The helpdesk does not answer.")] * times

    def fetch_ticket(self, ticket_id: str) -> Ticket:
        _raise_next(self._failures_before)
        self.fetched.append(ticket_id)
        return self._find(ticket_id)

    def list_solved_tickets(self, since: datetime | None = None) -> Iterator[Ticket]:
        _raise_next(self._failures_before)
        for ticket in list(self._tickets.values()):
            if ticket.is_finished and (since is None or _newest(ticket) > since):
                yield ticket

    def post_internal_note(self, ticket_id: str, body: str, *, idempotency_key: str) -> str:
        return self._post(self.notes, ticket_id, body, idempotency_key, public=False)

    def post_reply(self, ticket_id: str, body: str, *, idempotency_key: str) -> str:
        return self._post(self.replies, ticket_id, body, idempotency_key, public=True)

    def check(self) -> str:
        _raise_next(self._failures_before)
        return f"{len(self._tickets)} tickets in memory"

    def _find(self, ticket_id: str) -> Ticket:
        try:
            return self._tickets[ticket_id]
        except KeyError as error:
            raise TicketNotFound("There is no such ticket.") from error

    def _post(self, posted: list[Posted], ticket_id: str, body: str, key: str, *, public: bool) -> str:
        _raise_next(self._failures_before)
        ticket = self._find(ticket_id)
        message_id = f"{'reply' if public else 'note'}-{key}"
        if not any(p.message_id == message_id and p.ticket_id == ticket_id for p in posted):
            posted.append(Posted(ticket_id, body, key, message_id))
            message = Message(message_id, Author.AGENT, body, self._clock(), public=public)
            self._tickets[ticket_id] = replace(ticket, messages=(*ticket.messages, message))
        _raise_next(self._failures_after)
        return message_id


def _newest(ticket: Ticket) -> datetime:
    return max((message.sent_at for message in ticket.messages), default=ticket.created_at)


def _raise_next(failures: list[CitedeskError]) -> None:
    if failures:
        raise failures.pop(0)
