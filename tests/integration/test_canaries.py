"""Invented people go through the whole product; afterwards nothing of theirs is found anywhere but in the helpdesk."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.ports import DraftFilter
from tests.canaries.drive import Drive, Sink, signed_in
from tests.canaries.people import Canary, tickets
from tests.canaries.search import Searcher
from tests.integration.test_ticket_path import records_of
from tests.servers.product import Product

pytestmark = [pytest.mark.models, pytest.mark.server]


def test_nothing_of_anybody_is_left_anywhere(product: Product) -> None:
    people = list(tickets(18))
    new, solved, asking, failing = people[:9], people[9:12], people[12:15], people[15:]
    drive = Drive(product, Searcher([canary for person in people for canary in person.canaries]))
    sink = Sink()
    drive.prepare(sink.port)
    drive.ingest_solved(solved)
    product.start()
    drive.deliver(new, kills=1)
    drafts = [(draft_id, person) for person in new for draft_id in draft_ids(product, person.ticket_id)]
    assert len(drafts) == len(new)
    with signed_in(product, "agent@desk.example", "agent") as agent:
        drive.review(agent, drafts)
        drive.ask(agent, asking)
        drive.stumble(agent, failing)
    with signed_in(product, "boss@desk.example", "manager") as manager:
        drive.read_what_managers_read(manager, [draft_id for draft_id, _ in drafts])
    assert product.stop() == 0
    leaks = Counter(drive.leaks())
    assert not leaks, "\n".join(f"{count} x {leak.kind} in {leak.where}" for leak, count in leaks.most_common())
    assert bytes(sink.received) == b""
    assert not drive.egress.exists()
    assert not [path.name for path in drive.temporary.iterdir()], "no library keeps a session of its own"
    assert product.posted("replies"), "what an agent typed reaches the customer"


def draft_ids(product: Product, ticket_id: str) -> list[str]:
    records = records_of(product)
    try:
        with records.uow() as tx:
            return [draft.draft_id for draft in tx.drafts.list(DraftFilter(text=ticket_id), depth=1)]
    finally:
        records.close()


@pytest.mark.parametrize(
    "hidden",
    [
        b"Averhanbach".lower(),
        b"AVERHANBACH",
        "Averhanbach".encode("utf-16-le"),
        b"x" * (1 << 24) + b"Averhanbach",
        b"x" * ((1 << 24) - 5) + b"Averhanbach",
    ],
)
def test_a_leak_would_be_found(hidden: bytes, tmp_path: Path) -> None:
    """The search above can fail: in any case, in UTF-16, and across the blocks a file is read in."""
    (tmp_path / "index.bin").write_bytes(b"\x00\x01" + hidden + b"\xff")
    (leak, *others) = Searcher([Canary("name", "Averhanbach")]).in_folder(tmp_path)
    assert (leak.kind, leak.where) == ("name", "index.bin")
    assert not others


@pytest.mark.parametrize(
    ("written", "value"),
    [("m%C3%BCller%40x.example", "müller@x.example"), ('{"a": "m\\u00fcller@x.example"}', "müller@x.example")],
)
def test_an_encoded_leak_would_be_found(written: str, value: str) -> None:
    assert list(Searcher([Canary("email", value)]).in_text(written, "log"))
