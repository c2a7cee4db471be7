"""A ticket becomes a redacted thread: the only form in which it goes on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from core.domain.redaction import PlaceholderMap, RedactedText
from core.domain.thread import RedactedMessage, RedactedThread
from core.domain.ticket import Message, Person, Ticket
from core.mail.clean import clean
from core.ports import EntityRecognizer
from core.redaction.known import SHORTEST_CHARS
from core.redaction.placeholders import PlaceholderBook
from core.redaction.redact import redact_all
from core.redaction.technical import ALLOWED
from core.redaction.words import ROLES

_NAMELESS = "customer"
_PARTS_OF_A_MESSAGE = 3


def redact_thread(
    ticket: Ticket, *, recognizer: EntityRecognizer, placeholders: PlaceholderMap
) -> tuple[RedactedThread, PlaceholderMap]:
    """The ticket's public messages, cleaned and redacted; internal notes are left out.

    Names and addresses the helpdesk knows are replaced first, whatever the recognizer finds: the whole name and its
    parts of three letters or more. Parts that name no person ("Support") or a product are left alone.
    """
    public = [message for message in ticket.messages if message.public]
    book = PlaceholderBook(placeholders)
    for person in [ticket.requester, *(message.person for message in public if message.person)]:
        _seed(book, person)
    redacted, grown = redact_all(list(_texts(ticket, public)), recognizer=recognizer, placeholders=book.close())
    subject, *parts = redacted
    thread = RedactedThread(
        connector=ticket.connector,
        ticket_id=ticket.ticket_id,
        subject=subject.text,
        requester=_stand_in(book, ticket.requester) or _NAMELESS,
        messages=tuple(
            _message(book, message, parts[n * _PARTS_OF_A_MESSAGE : (n + 1) * _PARTS_OF_A_MESSAGE])
            for n, message in enumerate(public)
        ),
        redactions=_count(redacted),
        url=ticket.url,
    )
    return thread, grown


def _texts(ticket: Ticket, public: list[Message]) -> Iterator[str]:
    """The subject, then text, quoted and signature of each message."""
    yield ticket.subject
    for message in public:
        cleaned = clean(message.body, message.content_type)
        yield from (cleaned.text, cleaned.quoted, cleaned.signature)


def _message(book: PlaceholderBook, message: Message, parts: list[RedactedText]) -> RedactedMessage:
    text, quoted, signature = (part.text for part in parts)
    return RedactedMessage(
        message_id=message.message_id,
        author=message.author,
        text=text,
        sent_at=message.sent_at,
        quoted=quoted,
        signature=signature,
        author_name=_stand_in(book, message.person) if message.person else "",
    )


def _seed(book: PlaceholderBook, person: Person) -> None:
    name, email = person.name.strip(), person.email.strip()
    if email:
        book.placeholder("EMAIL_ADDRESS", email)
    parts = [part.strip("()[].,;\"'") for part in re.split(r"[\s,]+", name)]
    if "@" in name or not any(_names_somebody(part) for part in parts):
        return
    book.placeholder("PERSON", name)
    for part in parts:
        if _names_somebody(part) and sum(map(str.isalpha, part)) >= SHORTEST_CHARS:
            book.placeholder("PERSON", part)


def _names_somebody(part: str) -> bool:
    return bool(part) and part.lower() not in ROLES and part.casefold() not in ALLOWED


def _stand_in(book: PlaceholderBook, person: Person) -> str:
    """The placeholder of the person's name, else of the e-mail address, else nothing."""
    known = (book.find(value) for value in (person.name.strip(), person.email.strip()) if value)
    return next((placeholder for placeholder in known if placeholder), "")


def _count(redacted: list[RedactedText]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(entity.kind for text in redacted for entity in text.entities).items()))
