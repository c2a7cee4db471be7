from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from html import unescape

from core.domain.draft import Decision, DraftState
from core.domain.jobs import DeliveryKind, JobState, OutboxItem
from core.errors import HelpdeskUnavailable
from tests.fakes.scenes import ABSTAINED, HOSTILE, NAME, NOON, PARTIAL, READY, put_draft, put_job
from tests.fakes.services import FakeServices
from tests.unit.web.conftest import Answer, Visitor


def titles(answer: Answer) -> list[str]:
    found = re.findall(r"<h2>(.*?)</h2>", answer.text, re.DOTALL)
    return [unescape(re.sub("<[^>]+>", "", title)).strip() for title in found if "Keys" not in title]


def news_address(answer: Answer) -> str:
    found = re.search(r'data-news="([^"]+)"', answer.text)
    assert found
    return unescape(found.group(1))


def parked_reply(services: FakeServices, draft_id: str) -> OutboxItem:
    item = OutboxItem(
        f"reply-{draft_id}",
        DeliveryKind.REPLY,
        "fake",
        READY.ticket_id,
        draft_id,
        "body",
        services.clock(),
        JobState.PARKED,
        attempts=5,
        error_code="helpdesk_unavailable",
        error_message="The helpdesk does not answer.",
    )
    with services.uow() as tx:
        tx.outbox.add(item)
        tx.commit()
    return item


def test_the_root_leads_to_the_queue(grace: Visitor) -> None:
    assert grace.get("/").headers["Location"] == "/queue"


def test_a_row_tells_state_subject_person_strength_sources_and_first_line(
    grace: Visitor, services: FakeServices
) -> None:
    put_draft(services, READY)
    page = grace.get("/queue").text
    assert "state-ready" in page
    assert READY.subject in page
    assert NAME not in page, "a list shows no personal value"
    assert "<PERSON_1>" not in unescape(page)
    with services.uow() as tx:
        assert [entry.event for entry in tx.ledger.entries()] == ["DraftCreated"], "so it reads none"
    assert "strong evidence" in page
    assert "2 sources: Restore bookmarks from a backup; Recover user data" in page
    assert "Firefox automatically creates backups" in page
    assert "4 min ago" in page


def test_an_abstention_shows_what_is_missing_and_no_strength(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, ABSTAINED)
    page = grace.get("/queue").text
    assert "Missing: invoice, charged twice" in page
    assert "weak evidence" not in page


def test_a_reduced_mode_is_a_badge_on_the_row(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, PARTIAL)
    assert "lexical only" in grace.get("/queue").text


def test_open_shows_what_waits_for_a_person_or_is_on_its_way(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    put_draft(services, replace(PARTIAL, state=DraftState.SENT))
    put_job(services, "9001")
    put_job(services, "9002", JobState.DONE)
    assert titles(grace.get("/queue")) == ["Ticket 9001", READY.subject]
    assert titles(grace.get("/queue?state=sent")) == [PARTIAL.subject]
    assert titles(grace.get("/queue?state=waiting")) == ["Ticket 9001"]
    assert titles(grace.get("/queue?state=all")) == ["Ticket 9001", READY.subject, PARTIAL.subject]


def test_filters_carry_their_counts(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    put_draft(services, replace(PARTIAL, state=DraftState.SENT))
    put_job(services, "9001", JobState.WORKING, step="searching")
    counts = dict(re.findall(r'>(\w+) <span class="count">(\d+)</span>', grace.get("/queue").text))
    assert counts == {"open": "2", "all": "3", "drafting": "1", "ready": "1", "sent": "1"}


def test_an_unknown_filter_is_refused(grace: Visitor) -> None:
    assert grace.get("/queue?state=nonsense").status == 400


def test_searching_looks_in_subject_and_ticket_number(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    put_draft(services, ABSTAINED)
    put_job(services, "9001")
    assert titles(grace.get("/queue?q=INVOICE")) == [ABSTAINED.subject]
    assert titles(grace.get("/queue?q=1041")) == [READY.subject]
    assert titles(grace.get("/queue?q=9001")) == ["Ticket 9001"]
    assert "Nothing here matches “zebra”" in grace.get("/queue?q=zebra").text


def test_what_is_typed_into_the_search_is_escaped(grace: Visitor) -> None:
    answer = grace.get('/queue?q="><script>alert(1)</script>')
    assert "<script>alert" not in answer.text


def test_a_hostile_subject_is_only_text(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, replace(READY, subject=HOSTILE))
    page = grace.get("/queue").text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert HOSTILE in unescape(page)


def test_fifty_rows_make_a_page(grace: Visitor, services: FakeServices) -> None:
    for number in range(51):
        at = NOON - timedelta(minutes=number)
        put_draft(services, replace(READY, draft_id=f"d{number}", ticket_id=f"T{number}", created_at=at))
    put_job(services, "9001")
    first, second = grace.get("/queue"), grace.get("/queue?page=2")
    assert len(titles(first)) == 51
    assert "Page 1 of 2" in first.text
    assert len(titles(second)) == 1
    assert 'rel="prev"' in second.text


def test_a_failed_job_says_what_happened_and_what_to_do_and_can_be_retried(
    grace: Visitor, services: FakeServices
) -> None:
    message = "The helpdesk does not answer."
    put_job(services, "9001", JobState.PARKED, error_code="helpdesk_unavailable", error_message=message)
    page = grace.get("/queue?state=failed").text
    assert message in page
    assert HelpdeskUnavailable.default_hint in page
    assert grace.post("/queue/inbox/job-9001/retry").status == 303
    with services.uow() as tx:
        item = tx.inbox.get("job-9001")
    assert item is not None
    assert (item.state, item.attempts, item.error_message) == (JobState.PENDING, 0, "")
    assert services.queue.wakes == 1


def test_a_reply_that_could_not_be_sent_is_a_failure_with_a_retry(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, replace(READY, state=DraftState.APPROVED, decision=Decision("grace@example.org", NOON)))
    parked_reply(services, "ready")
    assert "The approved reply could not be posted" in grace.get("/queue").text
    assert grace.post("/queue/outbox/reply-ready/retry").status == 303
    with services.uow() as tx:
        item = tx.outbox.get("reply-ready")
    assert item is not None
    assert item.state is JobState.PENDING


def test_only_a_job_that_waits_for_a_person_is_retried(grace: Visitor, services: FakeServices) -> None:
    put_job(services, "9001", JobState.WORKING)
    assert grace.post("/queue/inbox/job-9001/retry").status == 409
    assert grace.post("/queue/inbox/nothing/retry").status == 404
    assert grace.get("/queue/inbox/job-9001/retry").status == 405


def test_a_job_shows_the_step_it_is_at(grace: Visitor, services: FakeServices) -> None:
    put_job(services, "9001", JobState.WORKING, step="searching")
    assert "Searching …" in grace.get("/queue").text


def test_a_job_of_a_known_ticket_bears_its_subject(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, replace(READY, state=DraftState.SENT))
    put_job(services, READY.ticket_id)
    assert titles(grace.get("/queue")) == [READY.subject]


def test_an_empty_queue_says_so_and_when_the_last_ticket_came(grace: Visitor, services: FakeServices) -> None:
    assert "No ticket has come yet." in grace.get("/queue").text
    put_job(services, "9001", JobState.DONE)
    services.clock.advance(minutes=7)
    page = grace.get("/queue").text
    assert "Nothing waits for you." in page
    assert "7 min ago" in page


def test_news_count_the_drafts_made_since_the_page_was_made(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    address = news_address(grace.get("/queue"))
    assert grace.get(address).json == {"count": 0, "text": ""}
    put_draft(services, replace(PARTIAL, created_at=NOON))
    assert grace.get(address).json == {"count": 1, "text": "1 new draft"}


def test_deciding_on_a_draft_hides_no_news(grace: Visitor, services: FakeServices) -> None:
    stored = put_draft(services, READY)
    address = news_address(grace.get("/queue"))
    put_draft(services, replace(PARTIAL, created_at=NOON))
    with services.uow() as tx:
        tx.drafts.save(replace(stored, state=DraftState.SENT))
        tx.commit()
    assert grace.get(address).json["count"] == 1


def test_new_failures_are_news_too(grace: Visitor, services: FakeServices) -> None:
    address = news_address(grace.get("/queue"))
    put_job(services, "9001", JobState.PARKED, error_code="x", error_message="y")
    assert grace.get(address).json == {"count": 1, "text": "1 new failure"}


def test_news_asked_wrongly_are_refused(grace: Visitor) -> None:
    assert grace.get("/queue/news").status == 400
    assert grace.get("/queue/news?since=yesterday&have=0&failed=0").status == 400
    assert grace.get("/queue/news?since=2026-11-30T12:00:00&have=0&failed=0").status == 400
