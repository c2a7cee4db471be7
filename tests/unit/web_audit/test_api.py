from plugin.web.webhook import TALLY, Tally
from tests.unit.web_audit.conftest import Site


def test_whoever_is_not_signed_in_gets_no_data(site: Site) -> None:
    for address in ("/api/status", "/api/drafts"):
        response = site.client.get(address)
        assert response.status_code == 401
        assert response.json is not None
        assert response.json["code"] == "login_failed"


def test_status_counts_jobs_drafts_and_what_can_be_searched(site: Site) -> None:
    site.sign_in(site.agent)
    status = site.client.get("/api/status").json
    assert status is not None
    assert status["inbox"]["done"] == 5
    assert (status["outbox"]["done"], status["outbox"]["pending"]) == (2, 5)
    assert status["drafts"]["sent"] == 2
    assert status["collections"] == [{"collection": "docs", "documents": 3, "passages": 2}]


def test_status_counts_webhook_deliveries(site: Site) -> None:
    site.sign_in(site.agent)
    tally = site.client.application.extensions[TALLY] = Tally()
    tally.add("fake", "accepted")
    status = site.client.get("/api/status").json
    assert status is not None
    assert status["webhooks"] == {"fake:accepted": 1}


def test_drafts_are_listed_newest_first_with_their_sources(site: Site) -> None:
    site.sign_in(site.agent)
    drafts = site.client.get("/api/drafts").json
    assert drafts is not None
    assert [draft["ticket_id"] for draft in drafts] == ["1005", "1004", "1003", "1002", "1001"]
    assert drafts[0] == {
        "draft_id": site.drafts["open"].draft_id,
        "ticket_id": "1005",
        "connector": "fake",
        "state": "ready",
        "strength": "strong",
        "confidence": 0.71,
        "seconds": 1.0,
        "sources": [
            {
                "title": "Restore bookmarks from a backup",
                "url": "https://support.example.org/kb/restore-bookmarks",
            },
            {
                "title": "Recover user data missing after an update",
                "url": "https://support.example.org/kb/recover-user-data",
            },
        ],
        "address": site.services.address_of(site.drafts["open"].draft_id),
    }
