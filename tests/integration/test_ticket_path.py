"""One ticket's life in the real product: webhook, draft, approval, reply, ledger; and nothing personal left behind."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from core.domain.draft import Draft, DraftState
from core.domain.jobs import JobState
from core.ports import DraftFilter
from plugin.bootstrap import Records, open_records
from plugin.settings import Settings
from tests.servers.product import Product, citedesk

pytestmark = [pytest.mark.models, pytest.mark.server]

PASSWORD = "correct horse battery staple"
CANARIES = {
    "maria.lopez@example.org": "her address",
    "Maria Lopez": "her name",
    "+49 89 3200 6354": "her phone",
    "DE89370400440532013000": "her account",
    "hunter2-but-longer": "her password",
    "10.42.17.99": "her machine",
}
BODY = """Hello,

I forgot my password and cannot sign in. How can I reset it?
My password was: hunter2-but-longer, I work on 10.42.17.99 and my account for the invoice is DE89370400440532013000.
You reach me at maria.lopez@example.org or +49 89 3200 6354.

Kind regards,
Maria Lopez
"""


def records_of(product: Product) -> Records:
    return open_records(Settings(data_dir=product.data, folder_dir=product.helpdesk))


def drafts_of(product: Product) -> list[Draft]:
    records = records_of(product)
    try:
        with records.uow() as tx:
            return tx.drafts.list(DraftFilter())
    finally:
        records.close()


@contextmanager
def signed_in(product: Product, login: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=product.address, follow_redirects=True, trust_env=False, timeout=30) as client:
        page = client.get("/login")
        done = client.post("/login", data={"csrf_token": token_in(page), "login": login, "password": PASSWORD})
        assert done.status_code == 200
        assert "/login" not in str(done.url)
        yield client


def token_in(page: httpx.Response) -> str:
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.text)
    assert found, page.text
    return found.group(1)


def add_user(product: Product, login: str, role: str) -> None:
    done = citedesk("user", "add", login, "--role", role, env=product.env, input=PASSWORD + "\n")
    assert done.returncode == 0, done.stderr


def test_a_ticket_goes_from_webhook_to_sent_reply_and_leaves_nothing_personal(product: Product) -> None:
    add_user(product, "agent@example.org", "agent")
    add_user(product, "boss@example.org", "manager")
    product.start()
    product.add_ticket("T1", "Cannot sign in", BODY)

    started = time.perf_counter()
    first = product.announce("T1")
    print(f"webhook answered {first.status_code} after {(time.perf_counter() - started) * 1000:.1f} ms")
    assert first.status_code == 202
    assert product.announce("T1").status_code == 200

    product.wait_until(lambda: drafts_of(product))
    (draft,) = drafts_of(product)
    assert draft.state in (DraftState.READY, DraftState.PARTIAL)
    assert "Forgot password" in draft.text
    assert draft.evidence[0].passage.doc_id == "docs:accounts.md"

    with signed_in(product, "agent@example.org") as client:
        page = client.get(f"/drafts/{draft.draft_id}")
        assert "Maria Lopez" in page.text, "the agent sees the real name"
        form = {"csrf_token": token_in(page), "text": "Dear Maria Lopez,\n" + draft.text, "stars": "5"}
        for _ in range(2):
            assert client.post(f"/drafts/{draft.draft_id}/approve", data=form).status_code == 200
        assert client.get("/audit").status_code == 403
    product.wait_until(lambda: drafts_of(product)[0].state is DraftState.SENT)
    (reply,) = product.posted("replies")
    assert "Dear Maria Lopez," in json.loads(reply.read_text())["body"]
    assert len(product.posted("notes")) == 1

    with signed_in(product, "boss@example.org") as manager:
        story = manager.get(f"/audit/{draft.draft_id}").text
    assert "agent@example.org" in story
    assert not [what for canary, what in CANARIES.items() if canary in story]

    assert product.stop() == 0
    verified = citedesk("ledger", "verify", env=product.env)
    assert verified.returncode == 0, verified.stdout
    assert leaks(product) == []


def leaks(product: Product) -> list[str]:
    """Which canary lies where, outside the helpdesk itself: database, indexes, key file, logs."""
    found = []
    for path in [product.log, *(p for p in product.data.rglob("*") if p.is_file())]:
        content = path.read_bytes()
        found += [f"{what} in {path.name}" for canary, what in CANARIES.items() if canary.encode() in content]
    return found


def test_an_unrelated_question_is_declined_with_what_is_missing(product: Product) -> None:
    product.start()
    product.add_ticket("T2", "Sourdough", "My sourdough bread does not rise in the oven. Which flour should I buy?")
    product.announce("T2")
    product.wait_until(lambda: drafts_of(product))
    (draft,) = drafts_of(product)
    assert draft.state is DraftState.ABSTAINED
    assert draft.abstention is not None
    assert draft.abstention.question_back
    assert draft.abstention.searched_for


def test_an_unknown_ticket_is_ignored_with_a_reason_and_the_next_one_is_drafted(product: Product) -> None:
    product.start()
    assert product.announce("T404").status_code == 202
    product.add_ticket("T5", "Error P2-1042", "What does error P2-1042 mean?")
    product.announce("T5")
    product.wait_until(lambda: drafts_of(product))
    records = records_of(product)
    with records.uow() as tx:
        (ignored,) = tx.inbox.list(frozenset({JobState.IGNORED}))
    records.close()
    assert ignored.event.ticket_id == "T404"
    assert ignored.outcome


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"\xff\xfe\x00binary\x00", "application/json", 400),
        (b"[1, 2]", "application/json", 400),
        (b'{"event": "ticket.created"}', "application/json", 400),
        (b'{"event": "ticket.created", "ticket_id": "../../etc/passwd"}', "application/json", 400),
        (b"[" * 200_000, "application/json", 400),
        (b"x" * 2_000_000, "application/json", 413),
        (b'{"event": "somebody.sneezed", "ticket_id": "T1"}', "application/json", 200),
        (b"event=ticket.created&ticket_id=T1&message_id=T1-1", "application/x-www-form-urlencoded", 202),
    ],
)
@pytest.mark.usefixtures("shared_product")
def test_rubbish_in_a_webhook_is_refused_with_a_clear_message(
    shared_product: Product, body: bytes, content_type: str, status: int
) -> None:
    answer = httpx.post(
        f"{shared_product.address}/webhooks/folder",
        content=body,
        headers={"Content-Type": content_type, "X-Citedesk-Secret": "a-secret-for-the-folder-webhook"},
        trust_env=False,
        timeout=30,
    )
    assert answer.status_code == status, answer.text
    if status >= 400:
        assert answer.json()["message"]
        assert "Traceback" not in answer.text


@pytest.mark.parametrize("secret", ["", "wrong", "a-secret-for-the-folder-webhoo"])
def test_a_wrong_secret_is_refused_and_makes_no_work(shared_product: Product, secret: str) -> None:
    assert shared_product.announce("T9", secret=secret).status_code == 401


@pytest.fixture(scope="module")
def shared_product(prepared: Product, tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    mine = Product(tmp_path_factory.mktemp("shared") / "product")
    mine.root.mkdir()
    mine.copy_of(prepared)
    mine.start()
    yield mine
    mine.kill()


def test_a_second_process_on_the_data_folder_is_told_what_to_do(shared_product: Product) -> None:
    second = citedesk("ask", "How?", env=shared_product.env)
    assert second.returncode == 5
    assert second.stderr.startswith("citedesk: Another Citedesk process is using")
    assert len(second.stderr.strip().splitlines()) == 1


def test_doctor_works_beside_a_running_server(shared_product: Product) -> None:
    done = citedesk("doctor", env=shared_product.env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "docs: 3 documents" in done.stdout


def test_doctor_checks_models_and_indexes_for_real(prepared: Product) -> None:
    done = citedesk("doctor", env=prepared.env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "MiniLM" in done.stdout
    assert "lexical and dense hold" in done.stdout


def test_a_killed_server_works_on_its_tickets_after_the_restart(product: Product) -> None:
    product.start()
    product.add_ticket("K1", "Password", "How do I reset a forgotten password?")
    product.announce("K1")
    product.kill()
    product.start()
    product.wait_until(lambda: drafts_of(product))
    assert [draft.ticket_id for draft in drafts_of(product)] == ["K1"]


def test_the_log_names_tickets_but_not_what_they_say(product: Product) -> None:
    product.start()
    product.add_ticket("L1", "Zyzzyva subject", "A quokka ate my zyzzyva. How do I reset my password?")
    product.announce("L1")
    product.wait_until(lambda: drafts_of(product))
    product.stop()
    log = Path(product.log).read_text()
    assert "L1" in log
    assert not re.search("quokka|zyzzyva", log, re.IGNORECASE)
