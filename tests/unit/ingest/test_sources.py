from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.domain.thread import RedactedMessage, RedactedThread
from core.domain.ticket import Author
from core.errors import DocumentUnreadable
from ingest.extract import extract
from ingest.sources import Format, Skipped, SourceItem, folder_items, jsonl_items, solved_ticket_item

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that a user without rights can reach, which pytest's own cannot be."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def keys(items: Iterator[SourceItem | Skipped]) -> list[str]:
    return [item.source_key for item in items if isinstance(item, SourceItem)]


def reasons(items: Iterator[SourceItem | Skipped]) -> dict[str, str]:
    return {item.source_key: item.reason for item in items if isinstance(item, Skipped)}


# ---------------------------------------------------------------- a folder


def test_documents_are_found_recursively_in_order_with_their_formats(folder: Path) -> None:
    (folder / "b").mkdir()
    for name in ("z.MD", "a.rst", "b/x.htm", "b/y.pdf", "b/a.txt", "c.markdown", "d.html"):
        (folder / name).write_bytes(name.encode())
    items = [item for item in folder_items(folder, max_bytes=100) if isinstance(item, SourceItem)]
    assert [(item.source_key, item.format) for item in items] == [
        ("a.rst", Format.RST),
        ("b/a.txt", Format.TEXT),
        ("b/x.htm", Format.HTML),
        ("b/y.pdf", Format.PDF),
        ("c.markdown", Format.MARKDOWN),
        ("d.html", Format.HTML),
        ("z.MD", Format.MARKDOWN),
    ]
    assert {item.payload.decode() for item in items} == {item.source_key for item in items}


def test_what_is_not_read_is_said_with_the_reason(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "a.md").write_text("x")
    (folder / "photo.PNG").write_text("x")
    (folder / "LICENSE").write_text("x")
    (folder / "big.md").write_bytes(b"x" * 11)
    (folder / "fits.md").write_bytes(b"x" * 10)
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "again").symlink_to(folder)
    os.mkfifo(folder / "pipe.txt")
    found = reasons(folder_items(folder, max_bytes=10))
    assert found.pop("loop.md").startswith("cannot be read: ")
    assert found == {
        ".git": "hidden",
        "photo.PNG": "files of type .png are not read",
        "LICENSE": "files without a type are not read",
        "big.md": "larger than 10 bytes",
        "again/": "a link to a folder",
        "pipe.txt": "not an ordinary file",
    }
    assert keys(folder_items(folder, max_bytes=10)) == ["fits.md"]


def test_what_may_not_be_opened_is_skipped_and_the_rest_goes_on(folder: Path) -> None:
    for name in ("closed", "listed", "open"):
        (folder / name).mkdir()
        (folder / name / "a.md").write_text("x")
    (folder / "secret.md").write_text("x")
    (folder / "secret.md").chmod(0)
    (folder / "closed").chmod(0)
    (folder / "listed").chmod(0o444)
    own_id = os.geteuid()
    os.seteuid(own_id or NOBODY)
    try:
        items = list(folder_items(folder, max_bytes=10))
    finally:
        os.seteuid(own_id)
        (folder / "closed").chmod(0o755)
        (folder / "listed").chmod(0o755)
    assert keys(iter(items)) == ["open/a.md"]
    assert list(reasons(iter(items))) == ["closed/", "listed/a.md", "secret.md"]
    assert Skipped("closed/", "x").covers("closed/a.md")


@pytest.mark.parametrize("name", ["nowhere", "file.md"])
def test_a_root_that_is_no_folder_is_an_error_at_once(folder: Path, name: str) -> None:
    (folder / "file.md").write_text("x")
    with pytest.raises(DocumentUnreadable, match=name):
        folder_items(folder / name, max_bytes=10)


def test_an_address_is_given_only_where_the_folder_is_published(folder: Path) -> None:
    (folder / "a b.md").write_text("x")
    [bare] = folder_items(folder, max_bytes=10)
    [published] = folder_items(folder, max_bytes=10, base_url="https://docs.test/v1/")
    assert isinstance(bare, SourceItem)
    assert isinstance(published, SourceItem)
    assert (bare.address, published.address) == ("", "https://docs.test/v1/a%20b.md")


def test_rows_of_a_jsonl_file_in_a_folder_carry_its_name(folder: Path) -> None:
    (folder / "kb.jsonl").write_text('{"_id": "1", "text": "x"}\n{"_id": 2}\n')
    items = list(folder_items(folder, max_bytes=1000))
    assert [item.source_key for item in items] == ["kb.jsonl#1", "kb.jsonl:2"]
    assert Skipped("kb.jsonl", "larger").covers("kb.jsonl#1")


def test_a_skipped_file_covers_nothing_beside_it() -> None:
    assert Skipped("a.md", "x").covers("a.md")
    assert not Skipped("a.md", "x").covers("a.md2")
    assert not Skipped("sub/", "x").covers("sub2/a.md")


def test_a_payload_is_never_printed() -> None:
    assert "private" not in repr(SourceItem("k", "", "", b"private"))


# ---------------------------------------------------------------- JSON lines


def test_each_line_is_a_markdown_document(tmp_path: Path) -> None:
    row = {"_id": "kb:1", "title": "Näme", "text": "## A\n\nb", "url": "https://x.test", "products": ["f"]}
    (tmp_path / "kb.jsonl").write_bytes(b"\xef\xbb\xbf" + json.dumps(row).encode() + b"\r\n\n")
    assert list(jsonl_items(tmp_path / "kb.jsonl")) == [SourceItem("kb:1", "https://x.test", "Näme", b"## A\n\nb")]


def test_bad_lines_are_skipped_with_their_number_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = [b'{"_id": "1", "text": "a"}', b"{oops", b"[]", b'{"text": "no id"}', b'{"_id": "5", "text": 7}', b"\xff"]
    (tmp_path / "kb.jsonl").write_bytes(b"\n".join([*lines, b'{"_id": "7", "title": null}']))
    items = list(jsonl_items(tmp_path / "kb.jsonl"))
    assert keys(iter(items)) == ["1", "7"]
    assert reasons(iter(items)) == {
        "kb.jsonl:2": "not JSON",
        "kb.jsonl:3": "not an object with an _id",
        "kb.jsonl:4": "not an object with an _id",
        "5": "kb.jsonl:5: title, text and url must be strings",
        "kb.jsonl:6": "not JSON",
    }


def test_half_a_character_pair_does_not_stop_the_reading(tmp_path: Path) -> None:
    (tmp_path / "kb.jsonl").write_text(r'{"_id": "a\ud83d", "title": "t\udc00", "text": "x\ud800y"}')
    assert list(jsonl_items(tmp_path / "kb.jsonl")) == [SourceItem("a?", "", "t?", b"x?y")]


def test_a_missing_jsonl_file_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(DocumentUnreadable, match=r"nowhere\.jsonl"):
        jsonl_items(tmp_path / "nowhere.jsonl")


# ---------------------------------------------------------------- solved tickets


def thread(*messages: tuple[Author, str]) -> RedactedThread:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    parts = [RedactedMessage(str(n), author, text, at, author_name="Ada") for n, (author, text) in enumerate(messages)]
    return RedactedThread("deskpro", "7", "No sound", "<PERSON_1>", tuple(parts), (), "https://desk.test/7")


def test_a_solved_ticket_is_questions_and_answers_in_turns() -> None:
    ticket = thread(
        (Author.CUSTOMER, "No sound, says <PERSON_1>."),
        (Author.CUSTOMER, "Still none."),
        (Author.AGENT, "Do:\n1. unmute\n2. restart"),
        (Author.SYSTEM, "Ticket merged."),
        (Author.CUSTOMER, "Works."),
    )
    item = solved_ticket_item(ticket)
    assert isinstance(item, SourceItem)
    assert (item.source_key, item.title, item.address) == ("deskpro/7", "No sound", "https://desk.test/7")
    extracted = extract(item)
    assert [(section.path, extracted.text[section.span.slice]) for section in extracted.sections] == [
        (("Question",), "No sound, says <PERSON_1>.\n\nStill none."),
        (("Answer",), "Do:\n\n1. unmute\n2. restart"),
        (("Question",), "Works."),
    ]


def test_nobodys_name_is_taken_over() -> None:
    item = solved_ticket_item(thread((Author.CUSTOMER, "Hi"), (Author.AGENT, "Hello")))
    assert isinstance(item, SourceItem)
    assert b"Ada" not in item.payload


def test_a_ticket_that_nobody_answered_is_skipped() -> None:
    item = solved_ticket_item(thread((Author.CUSTOMER, "Hi"), (Author.AGENT, " ")))
    assert item == Skipped("deskpro/7", "has no question or no answer")


def test_a_solved_ticket_tells_which_pages_its_answers_linked_to() -> None:
    link = "https://help.org/kb/proxy"
    item = solved_ticket_item(
        thread(
            (Author.CUSTOMER, "I read https://help.org/kb/other and it did not help."),
            (Author.AGENT, f"See {link}#linux, and <{link}/>."),
            (Author.AGENT, "Also https://help.org/kb/cache?page=2."),
        )
    )
    assert isinstance(item, SourceItem)
    assert item.solved_by == (link, "https://help.org/kb/cache")
