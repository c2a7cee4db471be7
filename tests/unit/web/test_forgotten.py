"""Pages of tickets whose personal values are gone, and who is seen to have read those that are there."""

from dataclasses import replace

from core.domain.draft import DraftState
from core.domain.redaction import PlaceholderMap
from tests.fakes.scenes import NAME, PERSONAL, READY, put_draft, put_user
from tests.fakes.services import FakeServices
from tests.unit.web.conftest import Visitor


def readings(services: FakeServices) -> list[tuple[str, object]]:
    with services.uow() as tx:
        return [(e.actor, e.details["purpose"]) for e in tx.ledger.entries() if e.event == "VaultRead"]


def test_opening_a_draft_is_one_reading_under_the_agents_name(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    assert NAME in grace.get("/drafts/ready").text
    assert len(readings(services)) == 1
    assert readings(services)[0][1] == "review"


def test_watching_a_draft_and_listing_the_queue_read_nothing(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    for address in ("/drafts/ready/status", "/queue", "/api/drafts", "/api/status"):
        assert grace.get(address).status == 200
    assert readings(services) == []


def test_using_the_question_reads_once(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    grace.post("/drafts/ready/question")
    assert [purpose for _, purpose in readings(services)] == ["review"]


def test_a_page_whose_values_were_forgotten_says_so_and_shows_kinds(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY, PERSONAL.without(PERSONAL.values))
    page = grace.get("/drafts/ready").text
    assert "Personal values of this ticket are no longer kept" in page
    assert NAME not in page
    assert readings(services) == []


def test_a_page_with_its_values_says_nothing_of_the_kind(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    assert "no longer kept" not in grace.get("/drafts/ready").text


def test_a_reply_with_a_blank_is_refused_with_the_reason(grace: Visitor, services: FakeServices) -> None:
    draft = replace(READY, edited_text="Dear <PERSON_1>, it is done.")
    put_draft(services, draft, PlaceholderMap({}, frozenset({"<PERSON_1>"})))
    answer = grace.post("/drafts/ready/approve", text="Dear <PERSON_1>, it is done.", confirmed="1")
    assert answer.status == 409
    assert "no longer in the vault" in answer.text
    with services.uow() as tx:
        assert tx.drafts.get("ready").state is DraftState.READY


def test_an_erased_draft_shows_its_receipt_and_no_form(grace: Visitor, services: FakeServices) -> None:
    put_user(services, "boss@example.org")
    erased = replace(
        READY, state=DraftState.ERASED, subject="", requester="", sentences=(), evidence=(), receipt="r-77"
    )
    put_draft(services, erased, PlaceholderMap())
    page = grace.get("/drafts/ready").text
    assert "Receipt r-77" in page
    assert "Approve and send" not in page
    assert "state-erased" in grace.get("/queue?state=all").text
