import csv
import io
import json
from dataclasses import fields, replace

import pytest

from plugin.web.audit_export import Row, as_csv, as_json
from tests.fakes.scenes import READY
from tests.unit.web_audit.conftest import Site


def test_the_csv_has_a_header_and_one_row_a_draft(manager: Site) -> None:
    response = manager.client.get("/audit.csv")
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert response.headers["Content-Disposition"] == 'attachment; filename="citedesk-audit-2026-11-25.csv"'
    assert len(rows) == 5
    edited = next(row for row in rows if row["ticket_id"] == "1002")
    assert (edited["agent"], edited["stars"], edited["changed_by_agent"]) == ("grace@example.org", "4", "True")
    assert edited["sources"] == "Restore bookmarks from a backup; Recover user data missing after an update"
    assert edited["sent_at"] == "2026-11-10T12:03:00+00:00"


def test_no_export_holds_personal_data(manager: Site) -> None:
    draft_id = manager.drafts["edited"].draft_id
    for address in ("/audit.csv", "/audit.json", f"/audit/{draft_id}.json"):
        text = manager.get(address)
        assert "<PERSON_1>" in text
        assert "Lovelace" not in text
        assert "ada@example.org" not in text


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_that_a_spreadsheet_would_run_is_text(start: str) -> None:
    draft = replace(READY, subject=f"{start}HYPERLINK()", edited_text=f"{start}1")
    (row,) = csv.DictReader(io.StringIO("".join(as_csv([draft])), newline=""))
    assert row["subject"] == f"'{start}HYPERLINK()"
    assert row["reply"] == f"'{start}1"


def test_quotes_commas_and_line_ends_survive() -> None:
    draft = replace(READY, subject='He said "no", then\nleft')
    (row,) = csv.DictReader(io.StringIO("".join(as_csv([draft])), newline=""))
    assert row["subject"] == 'He said "no", then\nleft'


def test_without_drafts_the_csv_is_a_header_and_the_json_an_empty_array() -> None:
    assert "".join(as_csv([])).strip() == ",".join(field.name for field in fields(Row))
    assert json.loads("".join(as_json([]))) == []


def test_exports_are_written_while_the_drafts_are_read() -> None:
    def drafts() -> object:
        yield READY
        raise AssertionError("read further than asked")

    pieces = as_csv(drafts())  # type: ignore[arg-type]
    assert next(pieces).startswith("draft_id")
    assert next(pieces).startswith("ready")


def test_a_long_export_is_complete_and_has_nothing_twice(manager: Site) -> None:
    with manager.services.uow() as tx:
        provenance = tx.drafts.provenance(manager.drafts["open"].draft_id)
        for number in range(450):
            tx.drafts.add(replace(manager.drafts["open"], draft_id=f"x{number}", ticket_id=f"x{number}"), provenance)
        tx.commit()
    exported = manager.client.get("/audit.json").json
    assert exported is not None
    assert len(exported) == len({row["draft_id"] for row in exported}) == 455


def test_a_draft_that_comes_in_during_an_export_does_not_shift_it(manager: Site) -> None:
    response = manager.client.get("/audit.json", buffered=False)
    manager.services.clock.advance(minutes=1)
    late = manager.stage.draft("2000", "Too late for this export")
    assert late.draft_id not in response.text


def test_the_full_export_of_a_draft_holds_evidence_runs_changes_and_ledger(manager: Site) -> None:
    whole = json.loads(manager.get(f"/audit/{manager.drafts['edited'].draft_id}.json"))
    assert whole["verified"] is True
    assert [entry["event"] for entry in whole["ledger"]] == [
        "DraftCreated",
        "VaultRead",
        "DraftApproved",
        "VaultRead",
        "ReplySent",
    ]
    assert whole["provenance"]["runs"][0]["items"][0]["score"] == 11.42
    assert whole["draft"]["evidence"][0]["passage"]["doc_version"].startswith("7d1f00c4")
    assert any(change["kind"] == "removed" for change in whole["changes"])
