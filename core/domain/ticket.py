"""Tickets as a helpdesk tells them: raw, untrusted, full of personal data. Never stored as they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Author(StrEnum):
    CUSTOMER = "customer"
    AGENT = "agent"
    SYSTEM = "system"


class TicketStatus(StrEnum):
    OPEN = "open"
    PENDING = "pending"
    SOLVED = "solved"
    CLOSED = "closed"


class ContentType(StrEnum):
    TEXT = "text/plain"
    HTML = "text/html"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who wrote a message. `email` may be empty."""

    person_id: str
    name: str
    email: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a thread. `public` is False for notes that only agents see."""

    message_id: str
    author: Author
    body: str
    sent_at: datetime
    content_type: ContentType = ContentType.TEXT
    person: Person | None = None
    public: bool = True


@dataclass(frozen=True, slots=True)
class Ticket:
    """A thread, oldest message first."""

    connector: str
    ticket_id: str
    subject: str
    status: TicketStatus
    requester: Person
    messages: tuple[Message, ...]
    created_at: datetime
    url: str = ""

    @property
    def newest_customer_message(self) -> Message | None:
        """The message a draft answers; None when the customer has not written (yet)."""
        customers = [m for m in self.messages if m.author is Author.CUSTOMER and m.public]
        return customers[-1] if customers else None

    @property
    def is_answered(self) -> bool:
        """Whether an agent's public message is newer than the customer's newest one."""
        public = [m for m in self.messages if m.public and m.author is not Author.SYSTEM]
        return bool(public) and public[-1].author is Author.AGENT

    @property
    def is_finished(self) -> bool:
        return self.status in (TicketStatus.SOLVED, TicketStatus.CLOSED)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a helpdesk lets us do; pages and use cases adapt to it."""

    internal_notes: bool = True
    public_replies: bool = True
    solved_tickets: bool = True
