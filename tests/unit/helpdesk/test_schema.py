"""The JSON of a ticket: what is let in, and what an error says about what is not."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from connectors.helpdesk.schema import TicketRecord, parse
from core.domain.ticket import ContentType, Ticket
from core.errors import InvalidPayload

Json = dict[str, object]


def message(**changes: object) -> Json:
    return {"id": "m1", "author": "customer", "body": "text", "sent_at": "2026-11-03T09:00:00Z", **changes}


def ticket(*messages: Json, **changes: object) -> Json:
    return {
        "id": 17,
        "subject": "Printer",
        "status": "open",
        "requester": {"id": 5, "name": "Maria Lopez"},
        "created_at": "2026-11-03T09:00:00+00:00",
        "messages": list(messages) or [message()],
        **changes,
    }


def read(content: Json) -> Ticket:
    return parse(TicketRecord, json.dumps(content).encode(), what="The ticket").to_ticket("desk")


def test_numbers_are_good_ids() -> None:
    made = read(ticket(message(id=3)))
    assert (made.ticket_id, made.requester.person_id, made.messages[0].message_id) == ("17", "5", "3")


def test_a_message_is_public_text_unless_it_says_otherwise() -> None:
    plain, html = read(ticket(message(), message(id="m2", content_type="html", public=False))).messages
    assert (plain.content_type, plain.public) == (ContentType.TEXT, True)
    assert (html.content_type, html.public) == (ContentType.HTML, False)


def test_messages_come_oldest_first_whatever_their_time_zone() -> None:
    late = message(id="late", sent_at="2026-11-03T09:30:00+00:00")
    early = message(id="early", sent_at="2026-11-03T11:00:00+02:00")
    assert [m.message_id for m in read(ticket(late, early)).messages] == ["early", "late"]


def test_messages_of_the_same_moment_stay_in_order() -> None:
    same = [message(id=name) for name in ("b", "a", "c")]
    assert [m.message_id for m in read(ticket(*same)).messages] == ["b", "a", "c"]


def test_times_are_aware() -> None:
    assert read(ticket()).created_at == datetime(2026, 11, 3, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (ticket(message(publik=False)), r"messages\.0: an unknown field"),
        (ticket(extra=1), "an unknown field"),
        (ticket(message(), message()), "two messages have the same id"),
        (ticket(message(sent_at="2026-11-03T09:00:00")), r"messages\.0\.sent_at: .*timezone"),
        (ticket(message(author="robot")), r"messages\.0\.author"),
        (ticket(message(content_type="text/html")), r"messages\.0\.content_type"),
        (ticket(id="../17"), "id: .*not a ticket id"),
        (ticket(id=True), "id: "),
        (ticket(message(id="a|b")), r"messages\.0\.id: .*not an id"),
        (ticket(url="javascript:alert(1)"), "url: "),
        ({}, "id: Field required; subject: Field required; status: Field required; and 3 more"),
    ],
)
def test_an_error_names_the_field(content: Json, told: str) -> None:
    with pytest.raises(InvalidPayload, match=f"^The ticket is not as documented: .*{told}"):
        read(content)
