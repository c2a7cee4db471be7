"""A ticket as JSON: what the folder helpdesk keeps in files and the generic REST contract sends.

Unknown fields are refused: a misspelled `public` would otherwise turn a note among agents into a public message.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from core.domain.ticket import Author, ContentType, Message, Person, Ticket, TicketStatus
from core.errors import InvalidPayload

TICKET_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
MAX_TOKEN_CHARS = 200
MAX_PROBLEMS = 3

_CONTENT_TYPES = {"text": ContentType.TEXT, "html": ContentType.HTML}


def is_ticket_id(text: str) -> bool:
    """Whether it is safe as a file name and as a part of an address, and free of `|`.

    >>> [is_ticket_id(text) for text in ("1017", "INC-2026.4", "..", "a/b", "a|b", "")]
    [True, True, False, False, False, False]
    """
    return TICKET_ID.fullmatch(text) is not None


def is_token(text: str) -> bool:
    """Whether it can be a message's, a person's or a delivery's id: 1 to 200 printable characters, no space, no `|`."""
    return 1 <= len(text) <= MAX_TOKEN_CHARS and text.isprintable() and not set(" |") & set(text)


def number_as_text(value: object) -> object:
    """Helpdesks count their tickets: 17 is as good an id as "17"."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _ticket_id(text: str) -> str:
    if not is_ticket_id(text):
        raise ValueError("not a ticket id: 1 to 128 letters, digits, dots, colons, hyphens and underscores")
    return text


def _token(text: str) -> str:
    if not is_token(text):
        raise ValueError("not an id: 1 to 200 printable characters without spaces and bars")
    return text


TicketId = Annotated[str, BeforeValidator(number_as_text), AfterValidator(_ticket_id)]
Token = Annotated[str, BeforeValidator(number_as_text), AfterValidator(_token)]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class PersonRecord(Record):
    id: Token
    name: str
    email: str = ""

    def to_person(self) -> Person:
        return Person(self.id, self.name, self.email)


class MessageRecord(Record):
    id: Token
    author: Author
    body: str
    sent_at: AwareDatetime
    content_type: Literal["text", "html"] = "text"
    person: PersonRecord | None = None
    public: bool = True

    def to_message(self) -> Message:
        person = self.person.to_person() if self.person else None
        kind = _CONTENT_TYPES[self.content_type]
        return Message(self.id, self.author, self.body, self.sent_at, kind, person, self.public)


class TicketRecord(Record):
    """`solved_at` matters only for finished tickets; without it they count as solved when last written to."""

    id: TicketId
    subject: str
    status: TicketStatus
    requester: PersonRecord
    created_at: AwareDatetime
    messages: tuple[MessageRecord, ...]
    solved_at: AwareDatetime | None = None
    url: str = Field("", pattern=r"^(https?://\S+)?$")

    @model_validator(mode="after")
    def _message_ids_differ(self) -> Self:
        if len({message.id for message in self.messages}) < len(self.messages):
            raise ValueError("two messages have the same id")
        return self

    def to_ticket(self, connector: str) -> Ticket:
        """Messages by `sent_at`, oldest first; those of the same moment in the order of the record."""
        messages = tuple(sorted((record.to_message() for record in self.messages), key=lambda m: m.sent_at))
        requester = self.requester.to_person()
        return Ticket(connector, self.id, self.subject, self.status, requester, messages, self.created_at, url=self.url)

    def solved_after(self, since: datetime | None) -> bool:
        """Whether the ticket is finished, and if `since` is given, was solved later than that."""
        if self.status not in (TicketStatus.SOLVED, TicketStatus.CLOSED):
            return False
        newest = max((message.sent_at for message in self.messages), default=self.created_at)
        return since is None or (self.solved_at or newest) > since


class PageRecord(Record):
    """One page of a list of tickets. `next_page` is null on the last one."""

    tickets: tuple[TicketRecord, ...]
    next_page: int | None = None


class ReceiptRecord(Record):
    """What comes back for a note or reply: its id in the helpdesk."""

    id: Token


R = TypeVar("R", bound=Record)


def parse(kind: type[R], raw: bytes, *, what: str) -> R:
    """The record in this UTF-8 JSON. Raises `InvalidPayload`, which names fields of the schema and never a value."""
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        # The chain is cut on purpose: pydantic repeats unknown field names, and those are the sender's words.
        raise InvalidPayload(f"{what} is not as documented: {_explain(error)}.") from None


def _explain(error: ValidationError) -> str:
    problems = error.errors(include_input=False, include_url=False, include_context=False)
    told = [_explain_one(problem["type"], problem["loc"], problem["msg"]) for problem in problems[:MAX_PROBLEMS]]
    more = len(problems) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


def _explain_one(kind: str, place: tuple[int | str, ...], message: str) -> str:
    if kind == "extra_forbidden":
        place, message = place[:-1], "an unknown field"
    where = ".".join(str(part) for part in place)
    return f"{where}: {message}" if where else message
