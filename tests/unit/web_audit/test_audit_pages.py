from dataclasses import replace
from datetime import timedelta

import pytest

from core.domain.passage import Document
from tests.fakes.scenes import RESTORE
from tests.unit.web_audit.conftest import Site

PAGES = ("/audit", "/audit.csv", "/audit.json", "/audit/overview", "/audit/ledger", "/audit/id000002")


def story(site: Site, name: str) -> str:
    return site.get(f"/audit/{site.drafts[name].draft_id}")


@pytest.mark.parametrize("page", [*PAGES, "/audit/id000002.json"])
def test_an_agent_may_not_audit(site: Site, page: str) -> None:
    site.sign_in(site.agent)
    site.get(page, 403)


@pytest.mark.parametrize("page", PAGES)
def test_whoever_is_not_signed_in_is_asked_to(site: Site, page: str) -> None:
    site.get(page, 303)


def test_the_table_lists_every_draft_newest_first(manager: Site) -> None:
    page = manager.get("/audit")
    newest_first = [manager.drafts[name] for name in ("open", "abstained", "rejected", "edited", "unchanged")]
    places = [page.index(f'href="/audit/{draft.draft_id}"') for draft in newest_first]
    assert places == sorted(places)
    assert "1 to 5 of 5 drafts" in page


def test_the_other_order_is_one_link_away(manager: Site) -> None:
    page = manager.get("/audit?order=oldest")
    first, last = manager.drafts["unchanged"].draft_id, manager.drafts["open"].draft_id
    assert page.index(f"/audit/{first}") < page.index(f"/audit/{last}")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("decision=edited", {"edited"}),
        ("decision=unchanged", {"unchanged"}),
        ("decision=rejected", {"rejected"}),
        ("decision=undecided", {"abstained", "open"}),
        ("state=sent", {"unchanged", "edited"}),
        ("state=sent&decision=rejected", set()),
        ("text=INVOICE", {"abstained"}),
        ("text=1003", {"rejected"}),
        ("agent=grace@example.org", {"unchanged", "edited", "rejected"}),
        ("agent=nobody", set()),
        ("collection=docs", {"unchanged", "edited", "rejected", "open"}),
        ("stars=4", {"edited"}),
        ("since=2026-11-10&until=2026-11-16", {"edited", "rejected"}),
        ("until=2026-11-02", {"unchanged"}),
        ("text=%25", set()),
    ],
)
def test_table_and_exports_show_what_the_filters_let_through(manager: Site, query: str, names: set[str]) -> None:
    page, exported = manager.get(f"/audit?{query}"), manager.client.get(f"/audit.json?{query}").json
    assert exported is not None
    assert {name for name, d in manager.drafts.items() if f'href="/audit/{d.draft_id}"' in page} == names
    assert {row["draft_id"] for row in exported} == {manager.drafts[name].draft_id for name in names}
    assert f'href="/audit.csv?{query}"'.split("%")[0].split("@")[0] in page.replace("&amp;", "&")


@pytest.mark.parametrize("query", ["stars=9", "stars=x", "state=lost", "since=yesterday", "page=0", "decision=maybe"])
def test_a_filter_that_cannot_be_is_refused(manager: Site, query: str) -> None:
    assert "Clear the filters" in manager.get(f"/audit?{query}", 400)


def test_states_are_counted_under_the_other_filters(manager: Site) -> None:
    page = " ".join(manager.get("/audit?agent=grace@example.org").split())
    assert 'sent</span> <span class="count">2</span>' in page
    assert "state=ready" not in page


def test_pages_follow_each_other_without_gap_or_overlap(manager: Site) -> None:
    with manager.services.uow() as tx:
        provenance = tx.drafts.provenance(manager.drafts["open"].draft_id)
        for number in range(60):
            at = manager.services.clock() + timedelta(minutes=number)
            draft = replace(manager.drafts["open"], draft_id=f"x{number}", ticket_id=f"x{number}", created_at=at)
            tx.drafts.add(draft, provenance)
        tx.commit()
    first, second = manager.get("/audit"), manager.get("/audit?page=2")
    assert "1 to 50 of 65 drafts" in first
    assert "51 to 65 of 65 drafts" in second
    assert 'href="/audit/x10"' in first
    assert 'href="/audit/x9"' in second
    assert 'href="/audit/x9"' not in first
    oldest_last = manager.get("/audit?order=oldest&page=2")
    assert oldest_last.index("/audit/x45") < oldest_last.index("/audit/x59")
    assert "There are only 2 pages" in manager.get("/audit?page=3")


def test_an_installation_without_drafts_says_so(manager: Site) -> None:
    with manager.services.store.uow() as tx:
        tx.tables.drafts.clear()
        tx.commit()
    assert "There is no draft yet." in manager.get("/audit")
    assert "No draft was made in this period." in manager.get("/audit/overview")


# ---------------------------------------------------------------- the story


@pytest.mark.parametrize("name", ["unchanged", "edited", "rejected", "abstained", "open"])
def test_no_story_shows_personal_data_or_runs_what_a_ticket_says(manager: Site, name: str) -> None:
    page = story(manager, name)
    assert "Lovelace" not in page
    assert "ada@example.org" not in page
    assert '<script>alert("x")' not in page
    assert "<img" not in page
    assert 'href="javascript:' not in page


def test_a_story_says_what_kinds_of_data_were_replaced_and_how_many(manager: Site) -> None:
    assert "2 × name, 1 × email" in " ".join(story(manager, "edited").split())


def test_a_story_shows_rank_and_score_of_each_stage(manager: Site) -> None:
    page = " ".join(story(manager, "edited").split())
    assert '<strong>2</strong> <span class="muted small score">9.87</span>' in page
    assert '<strong>1</strong> <span class="muted small score">1.92</span>' in page


def test_a_story_shows_the_collections_weights(manager: Site) -> None:
    page = " ".join(story(manager, "edited").split())
    assert '<td>tickets</td> <td class="number">0.8</td>' in page


def test_a_sentence_without_source_is_shown_struck_through_with_its_reason(manager: Site) -> None:
    page = story(manager, "open")
    assert "<s>You can also call us on Sundays.</s>" in page
    assert "no source is cited" in page


def test_the_diff_says_in_words_what_was_added_and_removed(manager: Site) -> None:
    page = story(manager, "edited")
    assert '<del><span class="visually-hidden">[removed:] </span>Hello,' in page
    assert '<ins><span class="visually-hidden">[added:] </span>' in page
    assert "the text is as the system wrote it" in story(manager, "unchanged")


def test_a_story_says_by_whom_and_when_it_was_sent(manager: Site) -> None:
    page = story(manager, "edited")
    assert "Reply sent to the customer" in page
    assert 'datetime="2026-11-10T12:03:00+00:00"' in page
    assert "<strong>grace@example.org</strong>" in page


def test_a_rejected_draft_says_that_nothing_was_sent_and_why(manager: Site) -> None:
    page = story(manager, "rejected")
    assert "Nothing was sent. Reason: <strong>outdated source</strong>" in page
    assert "has the new version" in page


def test_an_untouched_story_names_its_ledger_entries(manager: Site) -> None:
    page = " ".join(story(manager, "edited").split())
    with manager.services.uow() as tx:
        entries = tx.ledger.about(manager.drafts["edited"].draft_id)
    told = ", ".join(str(entry.number) for entry in entries if entry.event != "VaultRead")
    assert f"<strong>Ledger verified</strong>, entries {told}." in page
    assert "personal values read (approve)" in page
    assert "personal values read (sending)" in page
    assert 'role="alert"' not in page


def test_a_rewritten_story_is_an_alarm(manager: Site) -> None:
    with manager.services.uow() as tx:
        tx.drafts.save(replace(manager.drafts["edited"], confidence=0.99))
        tx.commit()
    page = story(manager, "edited")
    assert 'role="alert"' in page
    with manager.services.uow() as tx:
        created = tx.ledger.about(manager.drafts["edited"].draft_id)[0]
    assert f"not what entry {created.number} says it was" in page
    assert "Ledger verified" not in page


def test_evidence_says_what_became_of_its_document(manager: Site) -> None:
    with manager.services.uow() as tx:
        tx.documents.put(Document(RESTORE.doc_id, "docs", RESTORE.title, "New text", (), "1" * 64), [])
        tx.documents.delete("profile")
        tx.commit()
    page = story(manager, "edited")
    assert "changed since" in page
    assert "no longer in the collection" in page
    assert "version <code>7d1f00c4</code>" in page


def test_an_unknown_draft_is_not_found(manager: Site) -> None:
    manager.get("/audit/nothing", 404)
    manager.get("/audit/nothing.json", 404)


# ---------------------------------------------------------------- overview and ledger


def test_the_overview_counts_endings_weeks_and_documents(manager: Site) -> None:
    page = " ".join(manager.get("/audit/overview?weeks=4").split())
    assert "5 drafts, 3 decided, 1 made in a reduced mode" in page
    assert page.count('<td class="number">33 % <span class="muted">(1)</span></td>') == 3
    assert "3.7 on average, 3 ratings" in page
    assert '1 <span class="muted">of 3</span>' in page
    assert "Invoice 2291 is wrong" in page


def test_the_overview_looks_no_further_back_than_asked(manager: Site) -> None:
    manager.services.clock.advance(weeks=1)
    manager.sign_in(manager.manager)
    assert "4 drafts" in manager.get("/audit/overview?weeks=4")
    manager.get("/audit/overview?weeks=3", 400)


def test_the_ledger_page_shows_the_head_to_write_down(manager: Site) -> None:
    page = manager.get("/audit/ledger")
    head = manager.stage.world.ledger()[-1]
    assert f"<code>{head.number}</code>" in page
    assert head.seal in page


def test_verifying_says_that_the_ledger_is_whole(manager: Site) -> None:
    head = manager.stage.world.ledger()[2]
    page = manager.post("/audit/ledger", number=str(head.number), seal=head.seal.upper())
    assert "The ledger is whole" in page
    assert "Entry 3, which was written down, is still there" in page


def test_verifying_against_another_head_is_an_alarm(manager: Site) -> None:
    assert "written down is not in the ledger" in manager.post("/audit/ledger", number="3", seal="f" * 64)


@pytest.mark.parametrize(("number", "seal"), [("3", ""), ("", "f" * 64), ("x", "f" * 64), ("3", "f")])
def test_half_a_head_is_refused(manager: Site, number: str, seal: str) -> None:
    manager.post("/audit/ledger", 400, number=number, seal=seal)


def test_verifying_needs_the_forms_token(manager: Site) -> None:
    assert manager.client.post("/audit/ledger").status_code == 400
