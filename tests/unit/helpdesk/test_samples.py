"""The demo's tickets and documents are there, readable, and nobody's personal data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import plugin
from connectors.helpdesk.folder import FolderHelpdesk
from core.domain.ticket import Author, ContentType, Ticket, TicketStatus

SAMPLES = Path(plugin.__file__).parent / "samples"
OPEN_IDS = [str(number) for number in range(1001, 1013)]


@pytest.fixture(scope="module")
def open_tickets() -> list[Ticket]:
    helpdesk = FolderHelpdesk(SAMPLES / "helpdesk")
    return [helpdesk.fetch_ticket(ticket_id) for ticket_id in OPEN_IDS]


@pytest.fixture(scope="module")
def solved_tickets() -> list[Ticket]:
    return list(FolderHelpdesk(SAMPLES / "helpdesk").list_solved_tickets())


def test_every_sample_loads(open_tickets: list[Ticket], solved_tickets: list[Ticket]) -> None:
    assert {ticket.status for ticket in open_tickets} == {TicketStatus.OPEN}
    assert len(solved_tickets) == 100
    files = len(list((SAMPLES / "helpdesk" / "tickets").iterdir()))
    assert len(open_tickets) + len(solved_tickets) == files


def test_the_open_ones_wait_for_an_answer_and_the_solved_ones_have_one(
    open_tickets: list[Ticket], solved_tickets: list[Ticket]
) -> None:
    assert not any(ticket.is_answered for ticket in open_tickets)
    assert all(ticket.is_answered and ticket.newest_customer_message for ticket in solved_tickets)


def test_every_requester_is_at_an_example_domain(open_tickets: list[Ticket], solved_tickets: list[Ticket]) -> None:
    for ticket in open_tickets + solved_tickets:
        assert ticket.requester.email.partition("@")[2] in ("example.org", "example.com", "example.net")
        for message in ticket.messages:
            assert message.author is not Author.CUSTOMER or message.person == ticket.requester


def test_no_open_ticket_is_among_the_solved_ones(open_tickets: list[Ticket], solved_tickets: list[Ticket]) -> None:
    assert not {ticket.url for ticket in open_tickets} & {ticket.url for ticket in solved_tickets}
    assert not {ticket.subject for ticket in open_tickets} & {ticket.subject for ticket in solved_tickets}
    solved_texts = {message.body for ticket in solved_tickets for message in ticket.messages}
    assert not {message.body for ticket in open_tickets for message in ticket.messages} & solved_texts


def test_the_open_ones_are_of_every_kind(open_tickets: list[Ticket]) -> None:
    newest = [ticket.messages[-1] for ticket in open_tickets]
    assert sum(message.content_type is ContentType.HTML for message in newest) == 1
    assert sum("\n> > " in message.body for message in newest) == 2
    assert sum("\nTel. " in message.body for message in newest) == 5
    assert sum(ticket.url == "" for ticket in open_tickets) == 1


def test_the_documents_are_complete_and_small() -> None:
    lines = (SAMPLES / "docs.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    documents = [json.loads(line) for line in lines]
    assert len(documents) == len({document["_id"] for document in documents}) == 711
    assert all(set(document) == {"_id", "title", "text", "url"} and all(document.values()) for document in documents)


def test_the_samples_fit_into_a_wheel() -> None:
    sizes = [path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file()]
    assert max(sizes) < 3_000_000
    assert sum(sizes) < 3_500_000
