"""What people really do to a program: each mistake gets one clear line, and nothing else breaks."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from core.domain.jobs import JobState
from plugin.bootstrap import open_records
from plugin.settings import Settings
from tests.servers.product import DOCS, SECRET, Product, citedesk

pytestmark = [pytest.mark.models, pytest.mark.server]


def one_line(stderr: str) -> str:
    """The complaint; fails when there is more than one line or a traceback."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    assert len(lines) == 1, stderr
    assert lines[0].startswith("citedesk: ")
    return lines[0]


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("CITEDESK_PORT", "eighty", "CITEDESK_PORT"),
        ("CITEDESK_PROT", "8080", "Did you mean CITEDESK_PORT?"),
        ("CITEDESK_DENSE_WEIGHT", "7", "less than or equal to 1"),
        ("CITEDESK_SECRET_KEY", "short", "32 characters"),
        ("CITEDESK_DATABASE_URL", "oracle://nowhere", "CITEDESK_DATABASE_URL"),
        ("CITEDESK_DATABASE_URL", "postgresql+psycopg://u:pw@127.0.0.1:1/x", "CITEDESK_DATABASE_URL"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, setting: str, value: str, said: str) -> None:
    done = citedesk("user", "list", env={"CITEDESK_DATA_DIR": str(tmp_path / "data"), setting: value})
    assert done.returncode not in (0, 70)
    complaint = one_line(done.stderr)
    assert said in complaint
    assert "pw@" not in complaint


def test_a_file_where_the_data_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    done = citedesk("serve", env={"CITEDESK_DATA_DIR": str(tmp_path / "data")})
    assert done.returncode == 75
    assert "CITEDESK_DATA_DIR" in one_line(done.stderr)


def test_a_key_file_that_others_can_read_is_refused(product: Product) -> None:
    (product.data / "secret.key").chmod(0o644)
    done = citedesk("user", "list", env=product.env)
    assert done.returncode == 2
    assert "secret.key" in one_line(done.stderr)


def test_a_key_file_that_is_lost_is_not_quietly_replaced(product: Product) -> None:
    product.start()
    product.add_ticket("B3", "Password", "How do I reset a forgotten password?")
    product.announce("B3")
    product.wait_until(lambda: product.posted("notes"))
    product.stop()
    (product.data / "secret.key").rename(product.root / "elsewhere")
    for arguments in (("ledger", "verify"), ("serve",)):
        done = citedesk(*arguments, env=product.env)
        assert done.returncode == 1
        assert "secret.key is gone" in one_line(done.stderr)
    (product.root / "elsewhere").rename(product.data / "secret.key")
    assert citedesk("ledger", "verify", env=product.env).returncode == 0


def test_a_port_that_is_taken(product: Product, tmp_path: Path) -> None:
    product.start()
    env = {**product.env, "CITEDESK_DATA_DIR": str(tmp_path / "other")}
    done = citedesk("serve", env=env)
    assert done.returncode == 2
    assert "CITEDESK_PORT" in one_line(done.stderr)


def test_documents_that_cannot_be_read_are_counted_and_the_others_are_taken(product: Product, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(DOCS, docs)
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    (docs / "program.txt").write_bytes(bytes(range(256)) * 20)
    (docs / "empty.md").write_bytes(b"")
    (docs / "latin.txt").write_bytes("Die Größe der Öffnung beträgt zwölf Meter und ist fest.".encode("latin-1"))
    (docs / "bad.jsonl").write_text('{"_id": "a", "title": "A", "text": "Fine text here."}\n{oops\n')
    (docs / "picture.png").write_bytes(b"\x89PNG")
    done = citedesk("ingest", "docs", str(docs), env=product.env)
    assert done.returncode == 0, done.stderr
    for name in ("broken.pdf", "program.txt", "empty.md", "bad.jsonl", "picture.png"):
        assert f"skipped {name}" in done.stdout, done.stdout
    assert "skipped latin.txt" not in done.stdout
    assert "3 unchanged" in done.stdout


def test_a_missing_folder_and_an_empty_one_leave_the_library_as_it_is(product: Product, tmp_path: Path) -> None:
    missing = citedesk("ingest", "docs", str(tmp_path / "nowhere"), env=product.env)
    assert missing.returncode == 2
    assert "nothing at" in one_line(missing.stderr)
    (tmp_path / "empty").mkdir()
    empty = citedesk("ingest", "docs", str(tmp_path / "empty"), env=product.env)
    assert empty.returncode == 2
    assert "--allow-empty" in one_line(empty.stderr)
    records = open_records(Settings(data_dir=product.data))
    with records.uow() as tx:
        assert [size.documents for size in tx.documents.sizes()] == [3]
    records.close()


def test_a_malformed_ticket_file_is_parked_with_its_name_and_the_next_ticket_is_drafted(product: Product) -> None:
    product.start()
    (product.helpdesk / "tickets" / "B1.json").write_text('{"ticket_id": "B1", "messages": "what?"')
    product.announce("B1")
    product.add_ticket("B2", "Password", "How do I reset a forgotten password?")
    product.announce("B2")
    records = open_records(Settings(data_dir=product.data))

    def both_done() -> bool:
        with records.uow() as tx:
            counts = tx.inbox.counts()
        return counts.get(JobState.DONE) == 1 and counts.get(JobState.PARKED) == 1

    product.wait_until(both_done)
    with records.uow() as tx:
        (parked,) = tx.inbox.list(frozenset({JobState.PARKED}))
    records.close()
    assert "B1.json" in parked.error_message


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 24 MB; needs root on Linux."""
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("a small file system can only be mounted by root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_refuses_webhooks_honestly_and_goes_on_when_there_is_space(
    prepared: Product, small_disk: Path
) -> None:
    product = Product(small_disk / "product")
    product.root.mkdir()
    product.copy_of(prepared)
    product.start()
    ballast = small_disk / "ballast"
    try:
        with ballast.open("wb") as file:
            while True:
                file.write(b"\0" * 65536)
    except OSError:
        pass
    answers = {product_answer(product, number) for number in range(30)}
    assert answers & {(503, "storage_full")}, answers
    assert answers <= {(503, "storage_full"), (503, "store_unavailable"), (202, "")}
    ballast.unlink()
    product.wait_until(lambda: product_answer(product, 99)[0] in (200, 202), 30)
    product.kill()


def product_answer(product: Product, number: int) -> tuple[int, str]:
    answer = httpx.post(
        f"{product.address}/webhooks/folder",
        json={"event": "ticket.created", "ticket_id": f"F{number}", "message_id": "m" * 150},
        headers={"X-Citedesk-Secret": SECRET},
        trust_env=False,
        timeout=30,
    )
    return answer.status_code, "" if answer.status_code < 400 else str(answer.json()["code"])
