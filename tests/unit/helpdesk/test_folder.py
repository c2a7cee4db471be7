"""What is particular to a helpdesk made of files: paths, half-written files, other processes, bad disks."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.helpdesk.files import STALE_AFTER_S, write_once
from connectors.helpdesk.folder import FolderHelpdesk, translated_errors
from core.domain.ticket import Author
from core.errors import HelpdeskUnavailable, InvalidPayload, StorageFull, TicketNotFound
from tests.fakes.basics import FakeClock

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def ticket_json(ticket_id: str = "17", status: str = "open") -> dict[str, object]:
    return {
        "id": ticket_id,
        "subject": "Half a page",
        "status": status,
        "requester": {"id": "p1", "name": "Maria Lopez", "email": "maria.lopez@example.org"},
        "created_at": "2026-11-03T09:00:00Z",
        "messages": [{"id": "m1", "author": "customer", "body": "Secret words", "sent_at": "2026-11-03T09:00:00Z"}],
    }


def put(root: Path, name: str, content: object) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    (root / "tickets" / name).write_text(text, encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tickets").mkdir()
    put(tmp_path, "17.json", ticket_json())
    return tmp_path


@pytest.fixture
def helpdesk(root: Path) -> FolderHelpdesk:
    return FolderHelpdesk(root, clock=FakeClock(NOW))


def test_a_reply_lies_where_the_page_says(helpdesk: FolderHelpdesk, root: Path) -> None:
    helpdesk.post_reply("17", "Fit to page.", idempotency_key="k1")
    written = json.loads((root / "replies" / "17" / "k1.json").read_text())
    assert written == {"key": "k1", "body": "Fit to page.", "posted_at": "2026-11-30T12:00:00Z"}


def test_a_note_lies_where_the_page_says(helpdesk: FolderHelpdesk, root: Path) -> None:
    helpdesk.post_internal_note("17", "A draft waits.", idempotency_key="k1")
    assert json.loads((root / "notes" / "17" / "k1.json").read_text())["body"] == "A draft waits."


def test_notes_and_replies_stand_among_the_messages_by_time(root: Path) -> None:
    clock = FakeClock(NOW)
    helpdesk = FolderHelpdesk(root, clock=clock)
    helpdesk.post_reply("17", "first", idempotency_key="z")
    clock.advance(minutes=1)
    helpdesk.post_internal_note("17", "second", idempotency_key="m")
    clock.advance(minutes=1)
    helpdesk.post_reply("17", "third", idempotency_key="a")
    bodies = [message.body for message in helpdesk.fetch_ticket("17").messages]
    assert bodies == ["Secret words", "first", "second", "third"]
    assert [message.author for message in helpdesk.fetch_ticket("17").messages][1:] == [Author.AGENT] * 3


def test_a_posted_note_makes_no_folder_outside_the_ticket(helpdesk: FolderHelpdesk, root: Path) -> None:
    for ticket_id in ("..", "../tickets", "17/../17", "/etc", "."):
        with pytest.raises(TicketNotFound):
            helpdesk.post_internal_note(ticket_id, "text", idempotency_key="k1")
    assert sorted(path.name for path in root.iterdir()) == ["tickets"]


@pytest.mark.parametrize("key", ["", "..", "../17", "a/b", ".hidden", "x" * 129, "a\0b"])
def test_a_key_that_cannot_be_a_file_name_is_refused(helpdesk: FolderHelpdesk, root: Path, key: str) -> None:
    with pytest.raises(InvalidPayload):
        helpdesk.post_reply("17", "text", idempotency_key=key)
    assert not (root / "replies").exists()


def test_the_longest_key_can_be_read_back(helpdesk: FolderHelpdesk) -> None:
    message_id = helpdesk.post_reply("17", "text", idempotency_key="x" * 128)
    assert helpdesk.fetch_ticket("17").messages[-1].message_id == message_id


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"id": "17", "subject": "Secret words',
        "[" * 100_000,
        {**ticket_json(), "status": "Secret words"},
        {**ticket_json(), "Secret words": 1},
        {**ticket_json(), "created_at": "2026-11-03T09:00:00"},
        ticket_json("18"),
        '{"subject": "\\ud800"}',
    ],
)
def test_a_malformed_file_is_named_and_its_content_is_not(
    helpdesk: FolderHelpdesk, root: Path, content: object
) -> None:
    put(root, "17.json", content)
    with pytest.raises(InvalidPayload, match=r"tickets/17\.json") as caught:
        helpdesk.fetch_ticket("17")
    assert "Secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_file_in_another_encoding_is_malformed(helpdesk: FolderHelpdesk, root: Path) -> None:
    (root / "tickets" / "17.json").write_bytes(json.dumps(ticket_json()).encode("utf-16"))
    with pytest.raises(InvalidPayload):
        helpdesk.fetch_ticket("17")


def test_a_giant_file_is_refused_unread(helpdesk: FolderHelpdesk, root: Path) -> None:
    with (root / "tickets" / "17.json").open("wb") as file:
        file.truncate(10_000_001)
    with pytest.raises(InvalidPayload, match="larger"):
        helpdesk.fetch_ticket("17")


def test_unusable_files_are_named_after_all_good_ones_were_listed(helpdesk: FolderHelpdesk, root: Path) -> None:
    put(root, "1.json", "broken")
    put(root, "2.json", ticket_json("2", "solved"))
    put(root, "3.json", ticket_json("4", "solved"))
    put(root, "5.json", ticket_json("5", "closed"))
    listed: list[str] = []
    with pytest.raises(InvalidPayload, match=r"2 ticket files cannot be used: 1\.json, 3\.json\."):
        listed.extend(ticket.ticket_id for ticket in helpdesk.list_solved_tickets())
    assert listed == ["2", "5"]


def test_files_that_are_no_tickets_are_left_alone(helpdesk: FolderHelpdesk, root: Path) -> None:
    for name in ("README.txt", "._17.json", ".18.json.swp"):
        put(root, name, "not a ticket")
    assert list(helpdesk.list_solved_tickets()) == []


def test_solved_at_counts_before_the_newest_message(helpdesk: FolderHelpdesk, root: Path) -> None:
    put(root, "17.json", {**ticket_json(status="solved"), "solved_at": "2026-11-20T00:00:00Z"})
    assert len(list(helpdesk.list_solved_tickets(datetime(2026, 11, 19, tzinfo=UTC)))) == 1
    assert list(helpdesk.list_solved_tickets(datetime(2026, 11, 20, tzinfo=UTC))) == []


@pytest.mark.parametrize("missing", ["nowhere", "tickets/17.json"])
def test_a_folder_that_is_gone_is_unavailable(root: Path, missing: str) -> None:
    helpdesk = FolderHelpdesk(root / missing)
    with pytest.raises(HelpdeskUnavailable):
        helpdesk.check()
    with pytest.raises(HelpdeskUnavailable):
        helpdesk.fetch_ticket("17")
    with pytest.raises(HelpdeskUnavailable):
        list(helpdesk.list_solved_tickets())
    with pytest.raises(HelpdeskUnavailable):
        helpdesk.post_reply("17", "text", idempotency_key="k1")


def test_a_place_that_cannot_be_written_to_is_unavailable(helpdesk: FolderHelpdesk, root: Path) -> None:
    (root / "replies").write_text("a file where a folder should be")
    with pytest.raises(HelpdeskUnavailable):
        helpdesk.post_reply("17", "text", idempotency_key="k1")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_said_to_be_full(number: int) -> None:
    with pytest.raises(StorageFull), translated_errors():
        raise OSError(number, os.strerror(number))


def test_a_forbidden_file_is_unavailable_not_missing() -> None:
    with pytest.raises(HelpdeskUnavailable), translated_errors():
        raise PermissionError(errno.EACCES, "Permission denied")


def test_what_a_killed_writer_left_is_no_message_and_goes_away(helpdesk: FolderHelpdesk, root: Path) -> None:
    folder = root / "replies" / "17"
    folder.mkdir(parents=True)
    old, young = folder / ".a.tmp", folder / ".b.tmp"
    for path in (old, young):
        path.write_text('{"key": "k1", "bo')
    long_ago = time.time() - STALE_AFTER_S - 1
    os.utime(old, (long_ago, long_ago))
    assert len(helpdesk.fetch_ticket("17").messages) == 1
    helpdesk.post_reply("17", "text", idempotency_key="k1")
    assert sorted(path.name for path in folder.iterdir()) == [".b.tmp", "k1.json"]
    assert helpdesk.fetch_ticket("17").messages[-1].body == "text"


def _die_before_the_name_appears(path: Path) -> None:
    os.link = lambda *_: os._exit(9)
    write_once(path, b"content")


def test_a_writer_killed_before_the_end_leaves_no_file_and_the_next_one_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "k1.json"
    process = multiprocessing.get_context("fork").Process(target=_die_before_the_name_appears, args=(path,))
    process.start()
    process.join()
    assert process.exitcode == 9
    assert [leftover.suffix for leftover in tmp_path.iterdir()] == [".tmp"]
    assert write_once(path, b"content")
    assert path.read_bytes() == b"content"


def _write_when_told(path: Path, content: bytes, start: float) -> None:
    time.sleep(max(0, start - time.time()))
    write_once(path, content)


def test_of_two_processes_one_writes_and_nothing_is_mixed(tmp_path: Path) -> None:
    path, start = tmp_path / "k1.json", time.time() + 0.1
    contents = (b"a" * 100_000, b"b" * 100_000)
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=_write_when_told, args=(path, content, start)) for content in contents]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert [file.name for file in tmp_path.iterdir()] == ["k1.json"]
    assert path.read_bytes() in contents


def test_the_second_to_write_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "k1.json"
    assert write_once(path, b"one")
    assert not write_once(path, b"two")
    assert path.read_bytes() == b"one"
