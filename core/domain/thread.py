"""A ticket after mail cleaning and redaction: the only form of a ticket that is ever stored or searched with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.domain.ticket import Author


@dataclass(frozen=True, slots=True)
class RedactedMessage:
    """`text` is what the author wrote; `quoted`, `signature` and `disclaimer` are what was folded away.

    `earlier` are the mails that `quoted` repeats ("author, date"), `attachments` names of files; all of it is redacted.
    `hidden` counts what HTML held and nobody would have seen, by kind.
    """

    message_id: str
    author: Author
    text: str
    sent_at: datetime
    quoted: str = ""
    signature: str = ""
    author_name: str = ""
    disclaimer: str = ""
    earlier: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    hidden: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class RedactedThread:
    """Oldest message first. `requester` is a placeholder such as `<PERSON_1>`.

    `redactions` counts what was replaced, by kind.
    """

    connector: str
    ticket_id: str
    subject: str
    requester: str
    messages: tuple[RedactedMessage, ...]
    redactions: tuple[tuple[str, int], ...]
    url: str = ""

    @property
    def customer_messages(self) -> tuple[RedactedMessage, ...]:
        return tuple(m for m in self.messages if m.author is Author.CUSTOMER)
