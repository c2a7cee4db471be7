"""What every helpdesk does, asked of the fake, the folder, and the REST contract over a real socket."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest

from connectors.helpdesk.folder import FolderHelpdesk
from connectors.helpdesk.generic import GenericHelpdesk
from core.domain.ticket import Author, ContentType, Message, Person, Ticket, TicketStatus
from core.errors import HelpdeskUnavailable, InvalidPayload, InvalidSettings, PermissionDenied, TicketNotFound
from core.ports import Helpdesk
from tests.fakes.generic_server import Fault, GenericServer, ticket_as_json
from tests.fakes.helpdesk import FakeHelpdesk

START = datetime(2026, 11, 3, 9, 0, tzinfo=UTC)
MARIA = Person("p1", "Maria Lopez", "maria.lopez@example.org")


def make_ticket(ticket_id: str = "17", status: TicketStatus = TicketStatus.OPEN, *, hours: int = 0) -> Ticket:
    """A thread of three messages, the newest `hours` and 20 minutes after START."""
    begin = START + timedelta(hours=hours)
    return Ticket(
        connector="ignored",
        ticket_id=ticket_id,
        subject="Printer – größer als „A4“ 🖨",
        status=status,
        requester=MARIA,
        messages=(
            Message("m1", Author.CUSTOMER, "Only half a page.\n\nWhy?", begin, person=MARIA),
            Message("m2", Author.AGENT, "Seen before.", begin + timedelta(minutes=10), public=False),
            Message("m3", Author.CUSTOMER, "<p>Still <b>half</b></p>", begin + timedelta(minutes=20), ContentType.HTML),
        ),
        created_at=begin,
        url="https://helpdesk.example.org/17",
    )


@dataclass(frozen=True)
class Bench:
    """A helpdesk under test, and how to put a ticket into it."""

    helpdesk: Helpdesk
    add: Callable[[Ticket], object]


@contextmanager
def fake_bench(_root: Path) -> Iterator[Bench]:
    helpdesk = FakeHelpdesk()
    yield Bench(helpdesk, helpdesk.add_ticket)


@contextmanager
def folder_bench(root: Path) -> Iterator[Bench]:
    tickets = root / "tickets"
    tickets.mkdir()

    def add(ticket: Ticket) -> None:
        (tickets / f"{ticket.ticket_id}.json").write_text(json.dumps(ticket_as_json(ticket)), encoding="utf-8")

    yield Bench(FolderHelpdesk(root), add)


@contextmanager
def generic_bench(_root: Path) -> Iterator[Bench]:
    with GenericServer() as server:
        helpdesk = GenericHelpdesk(server.url, server.token, timeout_s=5)
        yield Bench(helpdesk, server.add_ticket)
        helpdesk.close()


@pytest.fixture(
    params=[
        pytest.param(fake_bench, id="fake"),
        pytest.param(folder_bench, id="folder"),
        pytest.param(generic_bench, id="generic", marks=pytest.mark.server),
    ]
)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with request.param(tmp_path) as made:
        yield made


def test_a_ticket_comes_back_as_it_was_put_in(bench: Bench) -> None:
    ticket = make_ticket()
    bench.add(ticket)
    fetched = bench.helpdesk.fetch_ticket("17")
    assert fetched.connector == bench.helpdesk.name
    assert fetched.messages == ticket.messages
    assert (fetched.subject, fetched.requester, fetched.status) == (ticket.subject, MARIA, TicketStatus.OPEN)
    assert (fetched.created_at, fetched.url) == (ticket.created_at, ticket.url)


@pytest.mark.parametrize("ticket_id", ["99", "", "..", "../17", "a/b", "17\n", "17|2", "x" * 300, "täglich"])
def test_a_ticket_that_cannot_be_there_is_not_found(bench: Bench, ticket_id: str) -> None:
    bench.add(make_ticket())
    with pytest.raises(TicketNotFound):
        bench.helpdesk.fetch_ticket(ticket_id)


def test_a_reply_is_the_newest_public_message_of_the_thread(bench: Bench) -> None:
    bench.add(make_ticket())
    message_id = bench.helpdesk.post_reply("17", "Choose “fit to page” 📄\n\nBye", idempotency_key="k1")
    newest = bench.helpdesk.fetch_ticket("17").messages[-1]
    assert (newest.message_id, newest.author, newest.public) == (message_id, Author.AGENT, True)
    assert newest.body == "Choose “fit to page” 📄\n\nBye"
    assert bench.helpdesk.fetch_ticket("17").is_answered


def test_a_note_is_not_public_and_answers_nothing(bench: Bench) -> None:
    bench.add(make_ticket())
    message_id = bench.helpdesk.post_internal_note("17", "A draft waits.", idempotency_key="k1")
    ticket = bench.helpdesk.fetch_ticket("17")
    note = ticket.messages[-1]
    assert (note.message_id, note.author, note.public) == (message_id, Author.AGENT, False)
    assert not ticket.is_answered
    assert ticket.newest_customer_message is not None
    assert ticket.newest_customer_message.message_id == "m3"


def test_the_same_key_posts_once_and_gives_the_same_id(bench: Bench) -> None:
    bench.add(make_ticket())
    for post in (bench.helpdesk.post_reply, bench.helpdesk.post_internal_note):
        first = post("17", "one", idempotency_key="k1")
        assert post("17", "another text", idempotency_key="k1") == first
    assert [m.body for m in bench.helpdesk.fetch_ticket("17").messages[3:]] == ["one", "one"]


def test_another_key_posts_again(bench: Bench) -> None:
    bench.add(make_ticket())
    ids = {bench.helpdesk.post_reply("17", "text", idempotency_key=key) for key in ("k1", "k2")}
    assert len(ids) == 2
    assert len(bench.helpdesk.fetch_ticket("17").messages) == 5


def test_nothing_is_posted_to_a_ticket_that_is_not_there(bench: Bench) -> None:
    bench.add(make_ticket())
    with pytest.raises(TicketNotFound):
        bench.helpdesk.post_reply("18", "text", idempotency_key="k1")
    with pytest.raises(TicketNotFound):
        bench.helpdesk.post_internal_note("18", "text", idempotency_key="k1")


def test_eight_threads_with_one_key_post_once(bench: Bench) -> None:
    bench.add(make_ticket())
    barrier, ids = Barrier(8), []

    def post() -> None:
        barrier.wait()
        ids.append(bench.helpdesk.post_reply("17", "text", idempotency_key="k1"))

    threads = [Thread(target=post) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(ids), len(set(ids))) == (8, 1)
    assert len(bench.helpdesk.fetch_ticket("17").messages) == 4


def test_only_finished_tickets_are_listed(bench: Bench) -> None:
    for number, status in enumerate(TicketStatus):
        bench.add(make_ticket(str(number), status))
    listed = {ticket.ticket_id: ticket for ticket in bench.helpdesk.list_solved_tickets()}
    assert {ticket.status for ticket in listed.values()} == {TicketStatus.SOLVED, TicketStatus.CLOSED}
    assert len(listed) == 2


def test_a_long_list_is_complete(bench: Bench) -> None:
    for number in range(7):
        bench.add(make_ticket(str(number), TicketStatus.SOLVED))
    assert sorted(ticket.ticket_id for ticket in bench.helpdesk.list_solved_tickets()) == list("0123456")


def test_since_leaves_out_what_was_solved_by_then(bench: Bench) -> None:
    for number in range(3):
        bench.add(make_ticket(str(number), TicketStatus.SOLVED, hours=number))
    solved = START + timedelta(hours=1, minutes=20)
    assert [ticket.ticket_id for ticket in bench.helpdesk.list_solved_tickets(solved)] == ["2"]
    just_before = (solved - timedelta(microseconds=1)).astimezone()
    assert {ticket.ticket_id for ticket in bench.helpdesk.list_solved_tickets(just_before)} == {"1", "2"}


def test_a_check_is_one_line(bench: Bench) -> None:
    assert bench.helpdesk.check().count("\n") == 0


# ---------------------------------------------------------------- the generic contract when things go wrong


@pytest.fixture
def server() -> Iterator[GenericServer]:
    with GenericServer() as made:
        made.add_ticket(make_ticket())
        yield made


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def generic(server: GenericServer, waits: list[float]) -> Iterator[GenericHelpdesk]:
    helpdesk = GenericHelpdesk(
        server.url, server.token, timeout_s=0.8, max_response_bytes=50_000, sleep=lambda wait_s: waits.append(wait_s)
    )
    yield helpdesk
    helpdesk.close()


@pytest.mark.server
@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=500),
        Fault(status=503),
        Fault(delay_s=1.2),
        Fault(drip_s=0.01),
        Fault(cut_off=True),
    ],
    ids=["500", "503", "slow", "dripping", "cut off"],
)
def test_one_failure_is_retried(generic: GenericHelpdesk, server: GenericServer, fault: Fault) -> None:
    server.misbehave(fault)
    assert generic.fetch_ticket("17").ticket_id == "17"
    assert len(server.seen) == 2


@pytest.mark.server
def test_lasting_failure_ends_after_three_tries(generic: GenericHelpdesk, server: GenericServer) -> None:
    server.misbehave(*[Fault(status=503)] * 5)
    with pytest.raises(HelpdeskUnavailable, match="503"):
        generic.fetch_ticket("17")
    assert len(server.seen) == 3


@pytest.mark.server
@pytest.mark.parametrize("lost", [Fault(status=500, after_effect=True), Fault(cut_off=True), Fault(delay_s=1.2)])
def test_a_reply_whose_receipt_was_lost_is_posted_once(
    generic: GenericHelpdesk, server: GenericServer, lost: Fault
) -> None:
    server.misbehave(lost)
    generic.post_reply("17", "text", idempotency_key="k1")
    assert [seen.idempotency_key for seen in server.seen] == ["k1", "k1"]
    assert len(server.tickets["17"]["messages"]) == 4


@pytest.mark.server
def test_retry_after_is_waited_for(generic: GenericHelpdesk, server: GenericServer, waits: list[float]) -> None:
    server.misbehave(Fault(status=429, headers=(("Retry-After", "7"),)))
    generic.fetch_ticket("17")
    assert waits == [7.0]


@pytest.mark.server
def test_a_long_retry_after_is_left_to_the_queue(
    generic: GenericHelpdesk, server: GenericServer, waits: list[float]
) -> None:
    server.misbehave(Fault(status=429, headers=(("Retry-After", "3600"),)))
    with pytest.raises(HelpdeskUnavailable, match="429"):
        generic.fetch_ticket("17")
    assert (waits, len(server.seen)) == ([], 1)


@pytest.mark.server
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_token_is_not_retried(generic: GenericHelpdesk, server: GenericServer, status: int) -> None:
    server.misbehave(Fault(status=status))
    with pytest.raises(PermissionDenied):
        generic.fetch_ticket("17")
    assert len(server.seen) == 1


@pytest.mark.server
def test_a_wrong_token_is_refused(server: GenericServer) -> None:
    helpdesk = GenericHelpdesk(server.url, "another", timeout_s=1)
    with pytest.raises(PermissionDenied):
        helpdesk.check()
    helpdesk.close()


@pytest.mark.server
def test_a_redirect_is_not_followed(generic: GenericHelpdesk, server: GenericServer) -> None:
    with GenericServer() as elsewhere:
        server.misbehave(Fault(status=302, headers=(("Location", f"{elsewhere.url}/tickets/17"),)))
        with pytest.raises(HelpdeskUnavailable, match="redirects"):
            generic.fetch_ticket("17")
        assert elsewhere.seen == []


@pytest.mark.server
def test_an_oversized_answer_is_given_up(generic: GenericHelpdesk, server: GenericServer) -> None:
    server.misbehave(Fault(body=b" " * 60_000))
    with pytest.raises(HelpdeskUnavailable, match="larger than 50000 bytes"):
        generic.fetch_ticket("17")
    assert len(server.seen) == 1


@pytest.mark.server
def test_a_page_that_is_not_json_may_be_better_next_time(generic: GenericHelpdesk, server: GenericServer) -> None:
    server.misbehave(Fault(body=b"<html>Please log in, Maria</html>"))
    with pytest.raises(HelpdeskUnavailable) as caught:
        generic.fetch_ticket("17")
    assert caught.value.retryable
    assert "Maria" not in str(caught.value)


@pytest.mark.server
@pytest.mark.parametrize(
    "body", [b"{}", b"[]", b'"Maria"', b'{"tickets": [], "next_page": 1}', b'{"tickets": [], "next_page": "Maria"}']
)
def test_json_that_breaks_the_contract_is_not_retried(
    generic: GenericHelpdesk, server: GenericServer, body: bytes
) -> None:
    server.misbehave(Fault(body=body))
    with pytest.raises(InvalidPayload) as caught:
        list(generic.list_solved_tickets())
    assert "Maria" not in str(caught.value)
    assert len(server.seen) == 1


@pytest.mark.server
def test_another_ticket_than_the_one_asked_for_is_refused(generic: GenericHelpdesk, server: GenericServer) -> None:
    server.tickets["18"] = server.tickets["17"]
    with pytest.raises(InvalidPayload):
        generic.fetch_ticket("18")


@pytest.mark.server
def test_an_open_ticket_among_the_solved_ones_is_refused(generic: GenericHelpdesk, server: GenericServer) -> None:
    page = {"tickets": [ticket_as_json(make_ticket())], "next_page": None}
    server.misbehave(Fault(body=json.dumps(page).encode()))
    with pytest.raises(InvalidPayload, match="not solved"):
        list(generic.list_solved_tickets())


@pytest.mark.server
def test_a_wrong_address_is_told_from_a_missing_ticket(server: GenericServer) -> None:
    helpdesk = GenericHelpdesk(f"{server.url}/api/", server.token, timeout_s=1)
    with pytest.raises(HelpdeskUnavailable):
        helpdesk.check()
    assert server.seen[0].path == "/api/tickets"
    helpdesk.close()


@pytest.mark.server
def test_a_server_that_is_down_is_unavailable(server: GenericServer, waits: list[float]) -> None:
    with GenericServer() as gone:
        url = gone.url
    helpdesk = GenericHelpdesk(url, "token", timeout_s=1, sleep=lambda wait_s: waits.append(wait_s))
    with pytest.raises(HelpdeskUnavailable) as caught:
        helpdesk.fetch_ticket("17")
    assert len(waits) == 2
    assert caught.value.__cause__ is not None
    helpdesk.close()


@pytest.mark.parametrize(
    "url", ["", "helpdesk", "ftp://host", "https://", "https://user:secret@host", "https://h/?a=b"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        GenericHelpdesk(url, "token", timeout_s=1)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "schlüssel"])
def test_a_token_that_no_header_can_carry_is_refused(token: str) -> None:
    with pytest.raises(InvalidSettings):
        GenericHelpdesk("https://helpdesk.example.org", token, timeout_s=1)
