"""A person is erased from a real installation: not one byte of what they wrote is left in the data folder."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from core.domain.draft import DraftState
from plugin.bootstrap import open_services
from plugin.settings import Settings
from tests.integration.test_ticket_path import add_user, drafts_of, records_of, signed_in, token_in
from tests.servers.product import Product, citedesk

pytestmark = [pytest.mark.models, pytest.mark.server]

ADDRESS = "maria.lopez@example.org"
MISSED = "whiskerwobb"
"""A word of Maria's that no recognizer takes for personal data: it stays in drafts, passages and both indexes."""

KEPT = "gobblefrotz"
"""A word of somebody else's."""

AGENT = {"id": "s", "name": "Support", "email": "helpdesk@example.com"}
MARIA = {"id": "p1", "name": "Maria Lopez", "email": ADDRESS}
BO = {"id": "p2", "name": "Bo Raymond", "email": "bo.raymond@example.org"}


def add_solved(product: Product, ticket_id: str, person: dict[str, str], body: str, answer: str) -> None:
    at = "2026-10-01T0{}:00:00+00:00"
    ticket = {
        "id": ticket_id,
        "subject": f"Sign-in with the {body.split()[-1]}",
        "status": "solved",
        "created_at": at.format(1),
        "solved_at": at.format(3),
        "requester": person,
        "messages": [
            {"id": "m1", "author": "customer", "body": body, "sent_at": at.format(1), "person": person},
            {"id": "m2", "author": "agent", "body": answer, "sent_at": at.format(2), "person": AGENT},
        ],
    }
    (product.helpdesk / "tickets" / f"{ticket_id}.json").write_text(json.dumps(ticket))


def held(product: Product, *canaries: bytes) -> list[str]:
    """The files of the data folder that hold one of these."""
    files = (path for path in product.data.rglob("*") if path.is_file())
    return sorted(path.relative_to(product.data).as_posix() for path in files if _has(path, canaries))


def _has(path: Path, canaries: tuple[bytes, ...]) -> bool:
    content = path.read_bytes().lower()
    return any(canary.lower() in content for canary in canaries)


def vector_of(product: Product, ticket_id: str) -> bytes:
    """The middle of the vector of a solved ticket's first passage, as it lies in memory and on disk."""
    services = open_services(Settings(_env_file=None, data_dir=product.data, folder_dir=product.helpdesk))
    try:
        with services.uow() as tx:
            (record,) = (r for key, r in tx.documents.manifest("tickets").items() if key.endswith(ticket_id))
            passage = tx.documents.passages_of(record.doc_id)[0]
        vector = services.vectors.vectors("tickets", [passage.passage_id])[passage.passage_id]
    finally:
        services.close()
    return np.asarray(vector, np.float32)[100:110].tobytes()


def segments_of(product: Product) -> set[str]:
    """The names of the lexical index's data files: a file is never changed, only replaced by one of another name."""
    folders = (product.data / "indexes" / "lexical").glob("tickets*")
    files = (path for folder in folders for path in folder.iterdir())
    return {path.name for path in files if path.stem.isalnum() and len(path.stem) == 32}


def erase(product: Product, *arguments: str, code: int = 0) -> str:
    done = citedesk("person", "erase", *arguments, env=product.env)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(900)
def test_nothing_of_an_erased_person_is_left_and_nothing_brings_them_back(product: Product) -> None:
    question = "I forgot my password and cannot sign in. How can I reset it?"
    add_solved(product, "S1", MARIA, f"{question} I call it {MISSED}", f"Reset {MISSED} on the sign-in page, Maria.")
    add_solved(product, "S2", BO, f"{question} I call it {KEPT}", f"Reset {KEPT} on the sign-in page of the portal.")
    assert citedesk("ingest", "tickets", "folder", env=product.env).returncode == 0
    draft_two_tickets(product, question)
    vectors = {name: vector_of(product, name) for name in ("S1", "S2")}
    stored = held(product, MISSED.encode())
    assert "citedesk.db" in stored
    assert any("indexes/lexical/" in name for name in stored)
    assert held(product, vectors["S1"])
    segments = segments_of(product)

    dry = erase(product, ADDRESS, "--dry-run")
    assert "2  tickets of this person" in dry
    assert "1  drafts emptied" in dry
    assert held(product, MISSED.encode())

    printed = erase(product, ADDRESS)
    canaries = (MISSED.encode(), b"Maria", b"Lopez", ADDRESS.encode(), vectors["S1"])
    assert held(product, *canaries) == []
    assert segments
    assert not segments & segments_of(product), "compressed files cannot be searched: none of the old ones is left"
    check_what_is_left(product, printed, vectors["S2"])
    come_back(product)
    assert held(product, *canaries) == []
    assert "this was done on" in erase(product, ADDRESS)
    erase(product, "nobody@example.org", code=4)


def draft_two_tickets(product: Product, question: str) -> None:
    """Maria's is approved with her name and sent; Bo's mentions her."""
    add_user(product, "agent@example.org", "agent")
    product.start()
    product.add_ticket("T1", f"Locked out of {MISSED}", f"{question} It is about {MISSED}.\n\nMaria Lopez")
    product.add_ticket("T2", "Locked out", f"{question} About {KEPT}. Maria Lopez ({ADDRESS}) knows me.", **BO)
    for ticket_id in ("T1", "T2"):
        product.announce(ticket_id)
    product.wait_until(lambda: len(drafts_of(product)) == 2)
    draft = next(draft for draft in drafts_of(product) if draft.ticket_id == "T1")
    with signed_in(product, "agent@example.org") as client:
        page = client.get(f"/drafts/{draft.draft_id}")
        form = {"csrf_token": token_in(page), "text": f"Dear Maria Lopez, {MISSED} is fine.", "confirmed": "1"}
        assert client.post(f"/drafts/{draft.draft_id}/approve", data=form).status_code == 200
    product.wait_until(lambda: next(d for d in drafts_of(product) if d.ticket_id == "T1").state is DraftState.SENT)
    assert product.stop() == 0


def check_what_is_left(product: Product, printed: str, kept_vector: bytes) -> None:
    """Somebody else's data, a whole ledger, and a receipt that it vouches for."""
    receipt = json.loads(printed[printed.index("{") :])
    (file,) = (product.data / "receipts").iterdir()
    assert json.loads(file.read_text()) == receipt
    assert file.stat().st_mode & 0o777 == 0o600
    assert (receipt["counts"]["drafts"], receipt["counts"]["solved_tickets"]) == (1, 1)
    assert receipt["counts"]["mentions"] >= 2
    names = held(product, KEPT.encode())
    assert "citedesk.db" in names
    assert any("indexes/lexical/" in name for name in names)
    assert held(product, kept_vector)
    verified = citedesk("ledger", "verify", env=product.env)
    assert verified.returncode == 0, verified.stdout
    records = records_of(product)
    with records.uow() as tx:
        (entry,) = tx.ledger.about(receipt["receipt_id"])
        states = {draft.ticket_id: draft.state for draft in tx.drafts.for_ticket("folder", "T1")}
    records.close()
    assert entry.details["sha256"] == receipt["sha256"]
    assert states == {"T1": DraftState.ERASED}
    with closing(sqlite3.connect(product.data / "citedesk.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def come_back(product: Product) -> None:
    """The webhook is delivered again and the solved tickets are ingested again, as the helpdesk still has them."""
    product.start()
    for ticket_id in ("T1", "S1"):
        product.announce(ticket_id)
    with signed_in(product, "agent@example.org") as client:
        draft = next(draft for draft in drafts_of(product) if draft.ticket_id == "T1")
        page = client.get(f"/drafts/{draft.draft_id}").text
        assert "Erased with everything its author wrote" in page
        assert draft.receipt in page
    assert product.stop() == 0
    done = citedesk("ingest", "tickets", "folder", env=product.env)
    assert done.returncode == 0, done.stderr
    assert "0 added" in done.stdout


def test_values_past_their_days_are_forgotten_when_the_server_starts(product: Product) -> None:
    product.add_ticket("T1", "Locked out", "I forgot my password. How can I reset it?\n\nMaria Lopez")
    product.start()
    product.announce("T1")
    product.wait_until(lambda: drafts_of(product))
    product.stop()
    assert "1 tickets with personal values" in citedesk("vault", "status", env=product.env).stdout
    product.extra["CITEDESK_VAULT_DAYS"] = "0.000001"
    product.start()
    product.wait_until(lambda: "0 tickets" in citedesk("vault", "status", env=product.env).stdout)
    product.stop()
    assert citedesk("ledger", "verify", env=product.env).returncode == 0
