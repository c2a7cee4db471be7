from __future__ import annotations

import pytest

from core.errors import DocumentUnreadable
from ingest.extract.encoding import decode
from ingest.extract.from_plain import extract_plain


def extracted_text(text: str) -> str:
    return extract_plain(text.encode()).text


def test_underlined_lines_are_headings() -> None:
    result = extract_plain(b"Manual\n======\n\nHello.\n\nPorts\n-----\nUse 80.\n")
    assert (result.title, result.text) == ("Manual", "Hello.\n\nUse 80.")
    assert [section.path for section in result.sections] == [(), ("Ports",)]


def test_lines_broken_to_a_width_are_joined_and_short_lines_are_not() -> None:
    wide = "This paragraph was broken by an editor at a fixed\nwidth, as one sees.\n\nMain Street 1\nSpringfield"
    assert extracted_text(wide) == (
        "This paragraph was broken by an editor at a fixed width, as one sees.\n\nMain Street 1\nSpringfield"
    )


def test_list_items_are_found_after_their_introduction() -> None:
    assert (
        extracted_text("Do this:\n* one\n  more\n2) two\n    - deep") == "Do this:\n\n- one\n  more\n2. two\n    - deep"
    )


def test_indented_text_is_code() -> None:
    assert extracted_text("Run\n\n    a\n      b\n\nnow") == "Run\n\n    a\n      b\n\nnow"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_unicode_is_read_with_or_without_mark(encoding: str) -> None:
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    decoded = decode(mark + "grüße €".encode(encoding))
    assert (decoded.text, decoded.note) == ("grüße €", "")


def test_other_text_is_read_as_windows_1252_and_said_so() -> None:
    assert decode("grüße €".encode("cp1252")).text == "grüße €"
    assert extract_plain("grüße".encode("cp1252")).notes == ("not UTF-8: read as Windows-1252",)


def test_what_windows_1252_lacks_is_read_as_latin_1() -> None:
    assert decode(b"caf\xe9 \x81").note == "not UTF-8: read as Latin-1"


@pytest.mark.parametrize("payload", [b"\x7fELF\0\0", b"\xff\xfea"])
def test_binary_content_is_refused(payload: bytes) -> None:
    with pytest.raises(DocumentUnreadable):
        decode(payload)


def test_a_declared_encoding_that_would_read_anything_is_not_believed() -> None:
    assert decode("größer".encode("cp1252"), "utf-16").text == "größer"


def test_all_kinds_of_line_ends_count() -> None:
    assert extracted_text("a\r\n\r\nb\rc\f\u2028d") == "a\n\nb\nc\n\nd"
