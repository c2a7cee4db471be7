from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from core.domain.draft import Decision, Draft, DraftState, RejectReason
from core.domain.jobs import JobState
from core.usecases.review_draft import approve_draft, edit_draft
from tests.fakes.scenes import (
    ABSTAINED,
    BACKUPS,
    HOSTILE,
    MAIL,
    NAME,
    NOON,
    PARTIAL,
    READY,
    RESTORE,
    put_documents,
    put_draft,
    put_job,
    put_user,
)
from tests.fakes.services import FakeServices
from tests.unit.web.conftest import Visitor
from tests.unit.web.test_queue import parked_reply


def stored(services: FakeServices, draft_id: str = "ready") -> Draft:
    with services.uow() as tx:
        return tx.drafts.get(draft_id)


def seen(draft: Draft) -> str:
    return str(draft.ledger_number)


# ---------------------------------------------------------------- what is shown


def test_the_agent_sees_real_values_as_chips_with_their_kind(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    page = grace.get("/drafts/ready").text
    assert re.search(rf'<span class="chip-kind">email address</span> <span class="chip-value">{MAIL}</span>', page)
    assert NAME in page
    assert "EMAIL_ADDRESS_1" not in page


def test_placeholders_of_another_ticket_never_get_this_tickets_values(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    page = grace.get("/drafts/ready").text
    solved = page[page.index("All my bookmarks vanished overnight") :].partition("</li>")[0]
    assert '<span class="chip-kind">person</span>' in solved
    assert NAME not in solved


def test_hostile_text_is_only_text(grace: Visitor, services: FakeServices) -> None:
    hostile = replace(
        READY,
        subject=HOSTILE,
        requester=HOSTILE,
        unanswered=(HOSTILE,),
        sentences=(replace(READY.sentences[1], text=HOSTILE, grounded=False, reason=HOSTILE),),
        evidence=(replace(READY.evidence[0], passage=replace(RESTORE, title=HOSTILE, text=HOSTILE, url=HOSTILE)),),
        state=DraftState.PARTIAL,
    )
    put_draft(services, hostile)
    page = grace.get("/drafts/ready").text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert 'href="javascript' not in page
    assert unescape(re.sub("<[^>]+>", "", page)).count(HOSTILE) >= 6


def test_the_title_names_ticket_and_state(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    assert f"<title>{READY.subject} (ready) · Citedesk</title>" in grace.get("/drafts/ready").text


def test_a_sentence_is_linked_to_its_passage_and_the_passage_back(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    page = grace.get("/drafts/ready").text
    assert 'id="sentence-2" data-sentence="2" data-markers="1"' in page
    assert 'href="#passage-1"' in page
    assert 'id="passage-1"' in page
    assert f'<mark data-sentences="2">{BACKUPS}</mark>' in page
    assert 'href="#sentence-2"' in page


def test_a_passage_tells_heading_page_version_and_links_to_the_web_only(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    page = grace.get("/drafts/ready").text
    assert "Your data is in another profile" in page
    assert "page 3" in page
    assert "<code>7d1f00c4</code>" in page
    assert f'<a href="{RESTORE.url}" rel="noopener noreferrer" target="_blank">' in page


def test_a_source_that_changed_or_went_since_says_so(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    assert "no longer in the sources" in grace.get("/drafts/ready").text
    put_documents(services)
    assert "no longer in the sources" not in grace.get("/drafts/ready").text
    with services.uow() as tx:
        document = tx.documents.get("restore")
        assert document is not None
        tx.documents.put(replace(document, content_hash="0" * 64), [RESTORE])
        tx.commit()
    assert "changed since this draft" in grace.get("/drafts/ready").text


def test_an_ungrounded_sentence_is_struck_with_its_reason_and_not_sent(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, PARTIAL)
    answer = grace.get("/drafts/partial")
    assert "<s>You can also call us on Sundays.</s>" in answer.text
    assert "no source is cited" in answer.text
    assert "Sundays" not in answer.typed
    assert "“Does it also work on Android?”" in answer.text
    assert "reduced: lexical only" in answer.text


def test_an_abstention_shows_search_gap_question_and_nearest_passage_with_an_empty_text(
    grace: Visitor, services: FakeServices
) -> None:
    put_draft(services, ABSTAINED)
    answer = grace.get("/drafts/abstained")
    assert "the amount was charged twice to" in answer.text
    assert '<span class="term">charged twice</span>' in answer.text
    assert "Which version do you use?" in answer.text
    assert 'id="passage-1"' in answer.text
    assert answer.typed == ""


def test_the_counter_question_can_be_taken_over_without_a_script(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, ABSTAINED)
    answer = grace.post("/drafts/abstained/question")
    assert answer.typed == "Hello,\n\nWhich version do you use?\n\nKind regards,\nYour support team"


def test_an_unknown_draft_is_a_404(grace: Visitor) -> None:
    assert grace.get("/drafts/nothing").status == 404
    assert grace.get("/drafts/nothing/status", Accept="application/json").json["code"] == "draft_not_found"


# ---------------------------------------------------------------- editing


def test_saved_text_is_stored_redacted_and_shown_with_real_values(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    assert grace.post("/drafts/ready/text", text=f"Hello {NAME},\r\n\r\n{BACKUPS}").status == 303
    assert stored(services).edited_text == f"Hello <PERSON_1>,\n\n{BACKUPS}"
    answer = grace.get("/drafts/ready")
    assert answer.typed == f"Hello {NAME},\n\n{BACKUPS}"


def test_a_changed_sentence_is_marked_yours_and_loses_what_no_longer_supports_it(
    grace: Visitor, services: FakeServices
) -> None:
    put_draft(services, READY)
    grace.post("/drafts/ready/text", text=f"{BACKUPS}\n- Open the Library window with Ctrl+Shift+O.\n\nCall Bob at 5.")
    page = grace.get("/drafts/ready").text
    sentences = re.findall(r'<span class="sentence([^"]*)" id="sentence-(\d)"[^>]*?(data-markers="1")?>', page)
    assert sentences == [("", "1", 'data-markers="1"'), (" yours", "2", 'data-markers="1"'), (" yours", "3", "")]
    assert page.count("no source says so") == 1
    assert "<li><span" in re.sub(r">\s+<", "><", page)


def test_an_empty_text_is_neither_saved_nor_sent(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    for path in ("text", "approve"):
        answer = grace.post(f"/drafts/ready/{path}", text=" \n ")
        assert answer.status == 400
        assert "There is nothing to send yet." in answer.text
    assert stored(services).state is DraftState.READY


def test_saving_over_a_colleagues_edit_is_refused_and_keeps_both_texts(grace: Visitor, services: FakeServices) -> None:
    opened = put_draft(services, READY)
    colleague = put_user(services, "ada@example.org")
    edit_draft(
        "ready",
        "Her words.",
        agent=colleague,
        uow=services.uow,
        recognizer=services.recognizer,
        clock=services.clock,
    )
    answer = grace.post("/drafts/ready/text", text="My words.", seen=seen(opened))
    assert answer.status == 409
    assert answer.typed == "My words."
    assert stored(services).edited_text == "Her words."
    again = grace.post("/drafts/ready/text", text="My words.", seen=seen(stored(services)))
    assert again.status == 303
    assert stored(services).edited_text == "My words."


def test_pressing_save_twice_is_no_conflict(grace: Visitor, services: FakeServices) -> None:
    opened = put_draft(services, READY)
    for _ in range(2):
        assert grace.post("/drafts/ready/text", text="My words.", seen=seen(opened)).status == 303


# ---------------------------------------------------------------- approving


def test_approving_puts_the_text_into_the_outbox_redacted(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    answer = grace.post("/drafts/ready/approve", text=f"Dear {NAME}, done.", stars="4")
    assert answer.status == 303
    draft = stored(services)
    assert draft.state is DraftState.APPROVED
    assert draft.decision is not None
    assert (draft.decision.agent, draft.decision.stars) == ("grace@example.org", 4)
    with services.uow() as tx:
        item = tx.outbox.get("reply-ready")
    assert item is not None
    assert item.body == "Dear <PERSON_1>, done."
    page = grace.get("/drafts/ready").text
    assert "Approved, it will be sent." in page
    assert "Approved by grace@example.org; it is being sent." in page


def test_approving_twice_sends_once_and_is_no_error(grace: Visitor, services: FakeServices) -> None:
    opened = put_draft(services, READY)
    for _ in range(2):
        assert grace.post("/drafts/ready/approve", text="Done.", seen=seen(opened)).status == 303
    with services.uow() as tx:
        assert sum(tx.outbox.counts().values()) == 1
        assert [e.event for e in tx.ledger.about("ready")].count("DraftApproved") == 1


def test_when_a_colleague_approved_first_the_agent_learns_whose_text_is_sent(
    grace: Visitor, services: FakeServices
) -> None:
    put_draft(services, READY)
    approve_draft(
        "ready",
        agent=put_user(services, "ada@example.org"),
        text="Her words.",
        stars=None,
        uow=services.uow,
        recognizer=services.recognizer,
        queue=services.queue,
        clock=services.clock,
    )
    answer = grace.post("/drafts/ready/approve", text="My words.")
    assert answer.status == 409
    assert "ada@example.org approved this draft already" in answer.text
    assert answer.typed == "My words."


@pytest.mark.parametrize("path", ["text", "approve", "another"])
def test_a_draft_superseded_meanwhile_keeps_what_was_typed(grace: Visitor, services: FakeServices, path: str) -> None:
    put_draft(services, replace(READY, state=DraftState.SUPERSEDED, superseded_by="newer"))
    answer = grace.post(f"/drafts/ready/{path}", text="My words.", confirmed="yes")
    assert answer.status == 409
    assert "This draft is superseded" in answer.text
    assert answer.typed == "My words."
    assert 'href="/drafts/newer"' in answer.text
    assert "Approve and send" not in answer.text


@pytest.mark.parametrize(
    ("draft", "doubt"),
    [(PARTIAL, "1 sentence is struck through"), (ABSTAINED, "found no sufficient evidence")],
)
def test_in_doubt_the_page_asks_once_before_sending(
    grace: Visitor, services: FakeServices, draft: Draft, doubt: str
) -> None:
    put_draft(services, draft)
    asked = grace.post(f"/drafts/{draft.draft_id}/approve", text="My words.")
    assert asked.status == 200
    assert '<dialog id="confirm" aria-labelledby="confirm-title" open>' in asked.text
    assert doubt in asked.text
    assert asked.typed == "My words."
    assert stored(services, draft.draft_id).state is draft.state
    assert grace.post(f"/drafts/{draft.draft_id}/approve", text="My words.", confirmed="yes").status == 303
    assert stored(services, draft.draft_id).state is DraftState.APPROVED


def test_a_newer_message_on_its_way_is_a_doubt(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    assert '<dialog id="confirm"' not in grace.get("/drafts/ready").text
    put_job(services, READY.ticket_id, JobState.WORKING, step="searching")
    page = grace.post("/drafts/ready/approve", text="My words.").text
    assert "The customer wrote again" in page
    assert "(searching)" in page
    assert stored(services).state is DraftState.READY


def test_a_new_message_in_another_ticket_is_no_doubt(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    put_job(services, "another")
    assert grace.post("/drafts/ready/approve", text="My words.").status == 303


@pytest.mark.parametrize("stars", ["6", "0", "-1", "many"])
def test_stars_go_from_one_to_five(grace: Visitor, services: FakeServices, stars: str) -> None:
    put_draft(services, READY)
    answer = grace.post("/drafts/ready/approve", text="My words.", stars=stars)
    assert answer.status == 400
    assert answer.typed == "My words."


def test_a_sent_draft_says_when_and_that_undo_is_not_possible_and_leads_on(
    grace: Visitor, services: FakeServices
) -> None:
    decision = Decision("grace@example.org", NOON, "text")
    put_draft(services, replace(READY, state=DraftState.SENT, decision=decision, sent_at=NOON))
    put_draft(services, ABSTAINED)
    page = grace.get("/drafts/ready").text
    assert "Sent by grace@example.org. Undo is not possible." in page
    assert "30 Nov 2026, 12:00 UTC" in page
    assert '<a class="button primary" href="/drafts/abstained" data-next>Next draft</a>' in page
    assert "<textarea" not in page


def test_a_reply_that_cannot_be_sent_says_so_and_offers_a_retry(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, replace(READY, state=DraftState.APPROVED, decision=Decision("grace@example.org", NOON)))
    parked_reply(services, "ready")
    page = grace.get("/drafts/ready").text
    assert "but it could not be sent: The helpdesk does not answer. The text is kept." in page
    assert 'action="/queue/outbox/reply-ready/retry"' in page


# ---------------------------------------------------------------- rejecting, drafting again


def test_rejecting_stores_reason_stars_and_the_redacted_comment(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    answer = grace.post("/drafts/ready/reject", reason="outdated source", stars="2", comment=f"Told {NAME} so.")
    assert answer.status == 303
    decision = stored(services).decision
    assert decision is not None
    assert (decision.reason, decision.stars) == (RejectReason.OUTDATED_SOURCE, 2)
    assert decision.comment == "Told <PERSON_1> so."
    assert "Rejected by grace@example.org: outdated source." in grace.get("/drafts/ready").text


def test_without_a_reason_the_dialog_opens_again_and_nothing_is_lost(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    answer = grace.post("/drafts/ready/reject", text="My words.")
    assert answer.status == 400
    assert '<dialog id="reject" aria-labelledby="reject-title" open>' in answer.text
    assert answer.typed == "My words."
    assert stored(services).state is DraftState.READY


def test_the_reject_dialog_opens_without_a_script(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    answer = grace.post("/drafts/ready/rejecting", text="My words.")
    assert '<dialog id="reject" aria-labelledby="reject-title" open>' in answer.text
    assert 'name="text" value="My words."' in answer.text
    assert all(f'value="{reason.value}"' in answer.text for reason in RejectReason)


def test_another_draft_is_asked_for_and_shown_as_on_its_way(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    assert grace.post("/drafts/ready/another").status == 303
    with services.uow() as tx:
        (job,) = tx.inbox.list(frozenset({JobState.PENDING}))
    assert job.event.ticket_id == READY.ticket_id
    page = grace.get("/drafts/ready").text
    assert "Another draft is being made" in page
    assert '<dialog id="confirm"' not in page


# ---------------------------------------------------------------- where it stands, for the page's script


def test_the_status_follows_the_draft_from_open_to_sent(grace: Visitor, services: FakeServices) -> None:
    draft = put_draft(services, READY)
    now = grace.get("/drafts/ready/status").json
    assert (now["state"], now["open"], now["settled"], now["line"]) == ("ready", True, False, "")
    with services.uow() as tx:
        decision = Decision("grace@example.org", NOON, "x")
        tx.drafts.save(replace(draft, state=DraftState.SENT, decision=decision, sent_at=NOON))
        tx.commit()
    later = grace.get("/drafts/ready/status").json
    assert (later["state"], later["open"], later["settled"]) == ("sent", False, True)
    assert "Undo is not possible" in str(later["html"])


def test_a_reply_handed_over_as_a_note_does_not_claim_to_be_sent(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, replace(READY, state=DraftState.SENT, decision=Decision("g", NOON, "x"), sent_at=NOON))
    with services.uow() as tx:
        tx.ledger.append(at=NOON, actor="g", event="ReplyHandedOver", subject="ready", details={})
        tx.commit()
    assert "to be sent by hand" in grace.get("/drafts/ready").text
