"""The queue and the review page in a real browser, by keyboard, by mouse, without a script, and as axe sees them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from core.domain.draft import Decision, DraftState, RejectReason
from core.domain.ticket import Person, Ticket, TicketStatus
from core.usecases.send_reply import send_reply
from tests.e2e.conftest import Audit, Site
from tests.fakes.scenes import (
    ABSTAINED,
    BACKUPS,
    NAME,
    NOON,
    PARTIAL,
    PROFILES,
    READY,
    put_documents,
    put_draft,
    put_job,
)
from tests.fakes.services import FakeServices

pytestmark = pytest.mark.browser


@pytest.fixture
def scene(site: Site) -> FakeServices:
    """Three drafts and a message on its way."""
    for draft in (READY, PARTIAL, ABSTAINED):
        put_draft(site.services, draft)
    put_documents(site.services)
    put_job(site.services, "1050")
    return site.services


def open_draft(site: Site, page: Page, draft_id: str) -> None:
    site.sign_in(page, then=f"/drafts/{draft_id}")
    expect(page.locator("#ticket-title")).to_be_visible()


def state_of(services: FakeServices, draft_id: str) -> DraftState:
    with services.uow() as tx:
        return tx.drafts.get(draft_id).state


def send_what_waits(services: FakeServices) -> None:
    """What the sending worker does."""
    with services.uow() as tx:
        item = tx.outbox.claim(services.clock(), lease_s=60, owner="test")
        tx.commit()
    assert item is not None
    send_reply(
        item,
        helpdesk=services.fake_helpdesk,
        uow=services.uow,
        public_replies=True,
        clock=services.clock,
    )


@pytest.mark.usefixtures("scene")
def test_the_queue_is_walked_and_opened_by_keyboard(site: Site, page: Page) -> None:
    site.sign_in(page)
    for _ in range(3):
        page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.get_by_role("link", name=READY.subject, exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.address}/drafts/ready")
    page.go_back()
    page.keyboard.press("/")
    expect(page.get_by_label("Search the queue")).to_be_focused()
    page.keyboard.type("invoice?")
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


def test_new_drafts_announce_themselves_and_nothing_moves_by_itself(
    site: Site, page: Page, scene: FakeServices
) -> None:
    page.clock.install()
    site.sign_in(page)
    expect(page.locator("[data-row]")).to_have_count(4)
    put_draft(scene, replace(READY, draft_id="new", ticket_id="1051", created_at=NOON))
    page.clock.fast_forward(16_000)
    news = page.get_by_role("link", name="Show 1 new draft")
    expect(news).to_be_visible()
    expect(page.locator("[data-row]")).to_have_count(4)
    news.click()
    expect(page.locator("[data-row]")).to_have_count(5)


@pytest.mark.usefixtures("scene")
def test_a_sentence_shows_its_passage_with_the_quotation_highlighted(site: Site, page: Page) -> None:
    open_draft(site, page, "ready")
    page.get_by_text(PROFILES).first.hover()
    expect(page.locator("#passage-2")).to_be_visible()
    expect(page.locator("#passage-1")).to_be_hidden()
    expect(page.locator("mark.active")).to_have_text(PROFILES)
    page.locator(".reply-text .marker").first.focus()
    expect(page.locator("#passage-1")).to_be_visible()
    expect(page.locator("mark.active")).to_have_text(BACKUPS)


@pytest.mark.usefixtures("scene")
def test_a_passage_shows_the_sentences_that_rest_on_it_and_leads_back(site: Site, page: Page) -> None:
    open_draft(site, page, "ready")
    page.locator(".evidence-tabs .marker").nth(0).click()
    expect(page.locator("#passage-1")).to_be_focused()
    expect(page.locator(".sentence.resting")).to_have_count(3)
    page.locator("[data-goto-sentence='3']").click()
    expect(page.locator("#sentence-3 .marker")).to_be_focused()
    expect(page.locator("#sentence-3")).to_have_class(re.compile("active"))


def test_editing_approving_and_sending_from_the_keyboard(site: Site, page: Page, scene: FakeServices) -> None:
    scene.fake_helpdesk.add_ticket(a_ticket())
    open_draft(site, page, "ready")
    page.keyboard.press("e")
    text = page.get_by_label("Text that will be sent")
    expect(text).to_be_focused()
    text.fill(f"Dear {NAME}, the backup helps.")
    expect(page.locator("#text-state")).to_have_text("Not saved yet")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#status")).to_contain_text("it is being sent")
    assert state_of(scene, "ready") is DraftState.APPROVED
    send_what_waits(scene)
    expect(page.locator("#status")).to_contain_text("Undo is not possible", timeout=10_000)
    expect(page).to_have_title(re.compile(r"\(sent\)"))
    assert [reply.body for reply in scene.fake_helpdesk.replies] == [f"Dear {NAME}, the backup helps."]
    page.get_by_role("link", name="Next draft").click()
    expect(page).to_have_url(f"{site.address}/drafts/partial")


def a_ticket() -> Ticket:
    return Ticket("fake", READY.ticket_id, READY.subject, TicketStatus.OPEN, Person("1", NAME), (), NOON)


def test_saved_text_is_marked_yours(site: Site, page: Page, scene: FakeServices) -> None:
    open_draft(site, page, "ready")
    page.get_by_label("Text that will be sent").fill(f"{BACKUPS}\n\nCall Bob.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".flash")).to_have_text("Saved.")
    expect(page.locator(".sentence.yours")).to_contain_text("Call Bob.")
    expect(page.locator(".sentence").first.locator(".marker")).to_have_text("1")


def test_in_doubt_approving_asks_once(site: Site, page: Page, scene: FakeServices) -> None:
    open_draft(site, page, "partial")
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="Send this reply?")
    expect(dialog).to_contain_text("1 sentence is struck through")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert state_of(scene, "partial") is DraftState.PARTIAL
    page.get_by_role("button", name="Approve and send").click()
    dialog.get_by_role("button", name="Send it").click()
    expect(page.locator("#status")).to_contain_text("it is being sent")


def test_rejecting_takes_one_key_for_the_reason_and_one_for_the_stars(
    site: Site, page: Page, scene: FakeServices
) -> None:
    open_draft(site, page, "ready")
    page.keyboard.press("r")
    for key in ("u", "2"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("outdated source")
    with scene.uow() as tx:
        decision = tx.drafts.get("ready").decision
    assert decision is not None
    assert (decision.reason, decision.stars) == (RejectReason.OUTDATED_SOURCE, 2)


@pytest.mark.usefixtures("scene")
def test_the_counter_question_fills_the_text(site: Site, page: Page) -> None:
    open_draft(site, page, "abstained")
    text = page.get_by_label("Text that will be sent")
    expect(text).to_have_value("")
    page.get_by_role("button", name="Use the question").click()
    expect(text).to_have_value(re.compile("Which version do you use"))
    expect(text).to_be_focused()


def test_a_draft_superseded_while_open_says_so_and_keeps_the_text(site: Site, page: Page, scene: FakeServices) -> None:
    open_draft(site, page, "ready")
    page.get_by_label("Text that will be sent").fill("My words.")
    with scene.uow() as tx:
        draft = tx.drafts.get("ready")
        tx.drafts.save(replace(draft, state=DraftState.SUPERSEDED, superseded_by="partial"))
        tx.commit()
    expect(page.locator("#status")).to_contain_text("A newer draft took its place", timeout=10_000)
    expect(page.get_by_role("button", name="Approve and send")).to_be_disabled()
    expect(page.get_by_label("Text that will be sent")).to_have_value("My words.")


def test_everything_works_without_a_script(site: Site, browser: Browser, scene: FakeServices) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    open_draft(site, page, "partial")
    page.locator(".reply-text .marker").last.click()
    expect(page).to_have_url(re.compile("#passage-2$"))
    page.locator("#text").fill("My words.")
    page.get_by_role("button", name="Reject …").click()
    expect(page.get_by_role("dialog", name="Reject this draft")).to_be_visible()
    expect(page.locator("#text")).to_have_value("My words.")
    page.get_by_role("button", name="Approve and send").click()
    page.get_by_role("button", name="Send it").click()
    expect(page.locator("#status")).to_contain_text("it is being sent")
    context.close()
    with scene.uow() as tx:
        decision = tx.drafts.get("partial").decision
    assert decision is not None
    assert decision.final_text == "My words."


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_axe_finds_nothing_serious(
    site: Site, browser: Browser, scene: FakeServices, axe: Audit, width: int, scheme: str
) -> None:
    put_draft(
        scene,
        replace(
            READY, draft_id="sent", ticket_id="1", state=DraftState.SENT, sent_at=NOON, decision=Decision("g", NOON)
        ),
    )
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{site.address}/login")
    assert axe(page) == []
    site.sign_in(page)
    for path in (
        "/queue",
        "/queue?q=zebra",
        "/nowhere",
        "/drafts/sent",
        "/drafts/ready",
        "/drafts/abstained",
        "/drafts/partial",
    ):
        page.goto(f"{site.address}{path}")
        assert axe(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} scrolls sideways"
    page.keyboard.press("r")
    assert axe(page) == []
    context.close()


@pytest.mark.usefixtures("scene")
def test_at_twice_the_size_nothing_is_cut_off(site: Site, browser: Browser) -> None:
    """1280 pixels at 200 % are 640 CSS pixels."""
    context = browser.new_context(viewport={"width": 640, "height": 400}, device_scale_factor=2)
    page = context.new_page()
    open_draft(site, page, "partial")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Draft again").scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Draft again")).to_be_in_viewport()
    context.close()
