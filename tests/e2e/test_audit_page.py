"""The manager's way through the audit in a real browser, and what anybody sees who asks the docs."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import structlog
from playwright.sync_api import Browser, Page, expect

from core.domain.draft import Draft
from plugin.web.app import create_app
from plugin.web.rendering import utc
from tests.e2e.conftest import PASSWORD, Audit, served
from tests.unit.web_audit.stage import GRACE, MARY, AuditServices, Stage, nothing

pytestmark = pytest.mark.browser

SHOTS = os.environ.get("SHOTS", "")


@dataclass(frozen=True, slots=True)
class AuditSite:
    """The application at `address`, with a month of drafts."""

    address: str
    services: AuditServices
    drafts: dict[str, Draft]

    def open(self, page: Page, path: str, login: str = MARY) -> None:
        """Through the sign-in form."""
        page.goto(f"{self.address}/login?next={path}")
        page.get_by_label("Login").fill(login)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"**{path}")


@pytest.fixture
def site(password_hash: str) -> Iterator[AuditSite]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    services = AuditServices()
    agent, _ = services.put_people(password_hash)
    drafts = Stage(services, agent).month()
    with served(create_app(services.as_services())) as address:
        yield AuditSite(address, services, drafts)
    structlog.reset_defaults()


def shoot(page: Page, name: str) -> None:
    """A picture of the whole page where SHOTS names a folder, for people who want to look."""
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=True)


def test_a_manager_finds_out_why_we_told_the_customer_this(site: AuditSite, page: Page) -> None:
    site.open(page, "/audit")
    page.get_by_label("Decision").select_option("edited")
    page.get_by_label("Decided by").select_option(GRACE)
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("table.drafts tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Where are my bookmarks").click()
    expect(page.get_by_role("status").filter(has_text="Ledger verified")).to_contain_text("entries 6, 8, 10")
    sentence = page.locator(".sentences > li", has_text="To restore a backup").first
    expect(sentence.locator("figure")).to_contain_text("Restore bookmarks from a backup")
    expect(sentence.locator("figure")).to_contain_text("version 7d1f00c4")
    expect(page.locator(".diff del").first).to_contain_text("Hello,")
    expect(page.get_by_role("group", name="Passages")).to_contain_text("11.4")
    assert "Lovelace" not in page.content()
    page.go_back()
    expect(page.get_by_label("Decision")).to_have_value("edited")


def test_hostile_text_in_a_ticket_stays_text(site: AuditSite, page: Page) -> None:
    site.open(page, f"/audit/{site.drafts['open'].draft_id}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>")
    assert page.locator("main script, main img, main a[href^='javascript']").count() == 0


def test_the_export_downloads_what_the_filters_show(site: AuditSite, page: Page) -> None:
    site.open(page, "/audit")
    page.get_by_role("link", name="rejected").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert download.value.suggested_filename == "citedesk-audit-2026-11-25.csv"
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["subject"] for row in rows] == ["'=HYPERLINK of a bookmark"]


def test_a_rewritten_record_raises_an_alarm(site: AuditSite, page: Page) -> None:
    draft_id = site.drafts["unchanged"].draft_id
    with site.services.store.uow() as tx:
        tx.drafts.save(replace(tx.drafts.get(draft_id), confidence=0.99))
        tx.commit()
    site.open(page, f"/audit/{draft_id}")
    expect(page.get_by_role("alert")).to_contain_text("was changed after the fact")
    shoot(page, "alarm")
    page.goto(f"{site.address}/audit/ledger")
    page.get_by_role("button", name="Verify now").click()
    expect(page.get_by_role("alert")).to_contain_text("not what it should be")
    shoot(page, "ledger-broken")


def test_the_ledger_is_verified_against_a_head_that_was_written_down(site: AuditSite, page: Page) -> None:
    site.open(page, "/audit/ledger")
    number, seal = page.locator(".terms code").all_text_contents()
    page.get_by_label("Number").fill(number)
    page.get_by_label("Seal").fill(seal)
    page.get_by_role("button", name="Verify now").click()
    expect(page.get_by_role("status").filter(has_text="whole")).to_contain_text(f"Entry {number}")
    shoot(page, "ledger")


def test_an_agent_asks_and_opens_the_source(site: AuditSite, page: Page) -> None:
    site.open(page, "/ask", GRACE)
    page.get_by_label("Ask the docs").fill("How do I restore my bookmarks?")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    expect(page.get_by_label("Ask the docs")).to_have_value("How do I restore my bookmarks?")
    page.locator(".answer").get_by_role("link", name="Source 2").click()
    passage = page.locator("#passage-2")
    expect(passage).to_be_visible()
    expect(passage.locator("mark")).to_have_text(
        "Open about:profiles to see all profiles and start the one with your data."
    )
    shoot(page, "ask")


def test_a_question_without_an_answer_gets_the_nearest_passages(site: AuditSite, page: Page) -> None:
    site.services.compose = nothing
    site.open(page, "/ask", GRACE)
    page.get_by_label("Ask the docs").fill("Why was I charged twice?")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("heading", name="No answer found")).to_be_visible()
    expect(page.locator(".found-passages article")).to_have_count(3)
    expect(page.locator(".answer")).to_contain_text("Could you tell us which invoice you mean?")
    shoot(page, "ask-abstained")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_every_page_is_accessible(site: AuditSite, browser: Browser, axe: Audit, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    site.open(page, "/audit")
    pages = {"audit": "/audit", "overview": "/audit/overview?weeks=4", "ledger": "/audit/ledger", "ask": "/ask"}
    pages |= {name: f"/audit/{site.drafts[name].draft_id}" for name in ("edited", "rejected", "abstained", "open")}
    for name, path in pages.items():
        page.goto(site.address + path)
        if name == "ask":
            page.get_by_label("Ask the docs").fill("How?")
            page.get_by_role("button", name="Ask").click()
        assert axe(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        shoot(page, f"{name}-{width}-{scheme}")
    context.close()


def test_a_story_is_told_in_the_viewers_zone(site: AuditSite, browser: Browser) -> None:
    context = browser.new_context(timezone_id="Asia/Tokyo", locale="en-GB")
    page = context.new_page()
    draft = site.drafts["edited"]
    site.open(page, f"/audit/{draft.draft_id}")
    shown = page.locator("#written ~ .facts time")
    assert shown.inner_text() != utc(draft.created_at)
    assert "21:" in shown.inner_text()
    context.close()
