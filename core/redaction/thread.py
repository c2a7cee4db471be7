"""A ticket becomes a redacted thread: the only form in which it goes on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from core.domain.redaction import PlaceholderMap, RedactedText
from core.domain.thread import RedactedMessage, RedactedThread
from core.domain.ticket import Message, Person, Ticket
from core.mail.clean import CleanMessage, clean
from core.ports import EntityRecognizer
from core.redaction.known import SHORTEST_CHARS
from core.redaction.people import form_of
from core.redaction.placeholders import PlaceholderBook
from core.redaction.redact import redact_all
from core.redaction.technical import ALLOWED
from core.redaction.words import ROLES

_NAMELESS = "customer"
_PARTS_OF_A_MESSAGE = 6
_EARLIER = 4
"""Which part repeats what stands in another, and so does not count."""


def redact_thread(
    ticket: Ticket, *, recognizer: EntityRecognizer, placeholders: PlaceholderMap
) -> tuple[RedactedThread, PlaceholderMap]:
    """The ticket's public messages, cleaned and redacted; internal notes are left out.

    Names and addresses the helpdesk knows are replaced first, whatever the recognizer finds: the whole name and its
    parts of three letters or more, the address and a user name that it holds. Parts that name no person ("Support") or
    a product are left alone.
    """
    public = [message for message in ticket.messages if message.public]
    cleaned = [clean(message.body, message.content_type, subject=ticket.subject) for message in public]
    people = [ticket.requester, *(message.person for message in public if message.person)]
    redacted, grown = redact_all(
        list(_texts(ticket, cleaned)),
        recognizer=recognizer,
        placeholders=placeholders,
        told=[told for person in people for told in _told(person)],
    )
    book = PlaceholderBook(grown)
    subject, *parts = redacted
    thread = RedactedThread(
        connector=ticket.connector,
        ticket_id=ticket.ticket_id,
        subject=subject.text,
        requester=_stand_in(book, ticket.requester) or _NAMELESS,
        messages=tuple(
            _message(book, message, cleaned[n], parts[n * _PARTS_OF_A_MESSAGE : (n + 1) * _PARTS_OF_A_MESSAGE])
            for n, message in enumerate(public)
        ),
        redactions=_count([subject, *(part for n, part in enumerate(parts) if n % _PARTS_OF_A_MESSAGE != _EARLIER)]),
        url=ticket.url,
    )
    return thread, grown


def _texts(ticket: Ticket, cleaned: list[CleanMessage]) -> Iterator[str]:
    """The subject, then the six parts of each message."""
    yield ticket.subject
    for mail in cleaned:
        earlier = [", ".join(filter(None, (quote.author, quote.sent))) for quote in mail.history]
        yield from (mail.text, mail.quoted, mail.signature, mail.disclaimer)
        yield "\n".join(filter(None, earlier))
        yield "\n".join(mail.attachments)


def _message(
    book: PlaceholderBook, message: Message, cleaned: CleanMessage, parts: list[RedactedText]
) -> RedactedMessage:
    text, quoted, signature, disclaimer, earlier, attachments = (part.text for part in parts)
    return RedactedMessage(
        message_id=message.message_id,
        author=message.author,
        text=text,
        sent_at=message.sent_at,
        quoted=quoted,
        signature=signature,
        author_name=_stand_in(book, message.person) if message.person else "",
        disclaimer=disclaimer,
        earlier=tuple(earlier.splitlines()),
        attachments=tuple(attachments.splitlines()),
        hidden=cleaned.dropped,
    )


def _told(person: Person) -> Iterator[tuple[str, str]]:
    """(kind, value) of what the helpdesk knows about somebody."""
    name, email = person.name.strip(), person.email.strip()
    if email:
        yield "EMAIL_ADDRESS", email
    parts = [part.strip("()[].,;\"'") for part in re.split(r"[\s,]+", name)]
    if "@" not in name and any(_names_somebody(part) for part in parts):
        yield "PERSON", name
        long_enough = (part for part in parts if sum(map(str.isalpha, part)) >= SHORTEST_CHARS)
        yield from (("PERSON", part) for part in long_enough if _names_somebody(part))
    login = email.partition("@")[0]
    if _is_login(login, name):
        yield "USERNAME", login


def _is_login(login: str, name: str) -> bool:
    """Whether the part of an address in front of the @ is nobody else's word: two names, or letters with digits."""
    words = form_of(login)
    is_name = len(words) > 1 and set(words) <= set(form_of(name))
    return is_name or bool(re.search(r"\d", login) and re.search(r"[^\W\d_]{3}", login))


def _names_somebody(part: str) -> bool:
    return bool(part) and part.lower() not in ROLES and part.casefold() not in ALLOWED


def _stand_in(book: PlaceholderBook, person: Person) -> str:
    """The placeholder of the person's name, else of the e-mail address, else nothing."""
    known = (book.find(value) for value in (person.name.strip(), person.email.strip()) if value)
    return next((placeholder for placeholder in known if placeholder), "")


def _count(redacted: list[RedactedText]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(entity.kind for text in redacted for entity in text.entities).items()))
