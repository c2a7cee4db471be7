"""PDFs made here, read back: the faults that make table and column texts useless elsewhere."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from pypdf import PdfReader, PdfWriter

from core.errors import DocumentUnreadable
from ingest.extract.blocks import Extracted
from ingest.extract.from_pdf import extract_pdf

Draw = Callable[[Any], None]


def pdf(*pages: Draw, title: str = "Manual") -> bytes:
    """A page of 595 x 842 points for each function, which draws with the origin at the bottom left."""
    from reportlab.pdfgen.canvas import Canvas

    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(595, 842), invariant=True)
    canvas.setTitle(title)
    for draw in pages:
        canvas.setFont("Helvetica", 10)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def write(
    canvas: Any, lines: list[str], *, x: float = 60, y: float = 740, size: float = 10, font: str = "Helvetica"
) -> None:
    canvas.setFont(font, size)
    for number, line in enumerate(lines):
        canvas.drawString(x, y - number * size * 1.2, line)


def grid(canvas: Any, rows: list[list[str]], *, top: float, close: bool = True) -> None:
    """A ruled table with rows of 20 points; `close` draws its first and last rule."""
    canvas.setFont("Helvetica", 10)
    bottom = top - 20 * len(rows)
    for column in range(len(rows[0]) + 1):
        canvas.line(60 + 120 * column, top, 60 + 120 * column, bottom)
    for number, row in enumerate(rows):
        if close or number:
            canvas.line(60, top - 20 * number, 60 + 120 * len(row), top - 20 * number)
        for column, cell in enumerate(row):
            canvas.drawString(64 + 120 * column, top - 20 * number - 14, cell)
    if close:
        canvas.line(60, bottom, 60 + 120 * len(rows[0]), bottom)


def sections(extracted: Extracted) -> list[tuple[int | None, tuple[str, ...], str]]:
    return [(s.page, s.path, extracted.text[s.span.slice]) for s in extracted.sections]


def test_headings_paragraphs_and_pages_are_found() -> None:
    def first(canvas: Any) -> None:
        write(canvas, ["1 Setting up"], size=18)
        write(canvas, ["The device is config-", "ured over the net-work, or by", "hand."], y=700)
        write(canvas, ["1.1 Ports"], y=640, size=14)
        write(canvas, ["Use port 80."], y=610)

    def second(canvas: Any) -> None:
        write(canvas, ["Or port 443."])

    result = extract_pdf(pdf(first, second))
    assert result.title == "Manual"
    assert sections(result) == [
        (1, ("1 Setting up",), "The device is configured over the net-work, or by hand."),
        (1, ("1 Setting up", "1.1 Ports"), "Use port 80."),
        (2, ("1 Setting up", "1.1 Ports"), "Or port 443."),
    ]


def test_a_paragraph_over_a_page_break_stays_whole_on_its_first_page() -> None:
    result = extract_pdf(
        pdf(lambda c: write(c, ["It goes on to the"], y=100), lambda c: write(c, ["next page.", "", "Then ends."]))
    )
    assert sections(result) == [(1, (), "It goes on to the next page."), (2, (), "Then ends.")]


def test_running_heads_feet_and_page_numbers_are_removed() -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Any) -> None:
            write(canvas, [f"Handbook {number + 40}/90"], y=800)
            write(canvas, [f"Text of page number {'abcd'[number]}."], y=500)
            write(canvas, [f"{('The', 'first', 'two', 'of')[number]} chapter {number + 7}"], y=40)

        return draw

    assert extract_pdf(pdf(*map(page, range(4)))).text == "\n\n".join(f"Text of page number {c}." for c in "abcd")


def test_what_stands_at_the_top_of_one_page_only_is_kept() -> None:
    pages = [["Start here."], ["Go on."], ["12 apples are enough."], ["End."]]
    drawn = [lambda c, lines=lines: write(c, lines, y=800) for lines in pages]
    assert extract_pdf(pdf(*drawn)).text == "Start here.\n\nGo on.\n\n12 apples are enough.\n\nEnd."


def test_a_table_becomes_rows_and_gets_its_header_again_on_the_next_page() -> None:
    header, mumble, ssh, dns = (
        ["Service", "Port", "Default"],
        ["Mumble", "64378/udp", ""],
        ["SSH", "22", "on"],
        ["DNS", "53", ""],
    )

    def first(canvas: Any) -> None:
        write(canvas, ["These are all:"])
        grid(canvas, [header, mumble], top=700)

    def second(canvas: Any) -> None:
        grid(canvas, [ssh, dns], top=760, close=False)
        write(canvas, ["That is all."], y=600)

    assert extract_pdf(pdf(first, second)).text == (
        "These are all:\n\nService | Port | Default\nMumble | 64378/udp\n\n"
        "Service | Port | Default\nSSH | 22 | on\nDNS | 53\n\nThat is all."
    )


def test_another_table_on_the_next_page_keeps_its_own_header() -> None:
    result = extract_pdf(
        pdf(
            lambda c: grid(c, [["Service", "Port"], ["SSH", "22"]], top=700),
            lambda c: grid(c, [["Name", "Value", "Unit"], ["Height", "3", "m"]], top=760),
        )
    )
    assert result.text == "Service | Port\nSSH | 22\n\nName | Value | Unit\nHeight | 3 | m"


def test_two_columns_are_read_one_after_the_other() -> None:
    left = [f"Left column line {n} with running text" for n in range(12)]
    right = [f"right column line {n} with running text" for n in range(12)]

    def page(canvas: Any) -> None:
        write(
            canvas, ["A title that runs over the full width of the whole page, as titles do in papers, in small"], y=780
        )
        write(canvas, left, x=60, y=740)
        write(canvas, right, x=320, y=740)

    text = extract_pdf(pdf(page)).text
    assert text.index("A title") < text.index("Left column line 0")
    assert text.index("Left column line 11") < text.index("right column line 0")


def test_names_with_explanations_are_not_taken_for_columns() -> None:
    def page(canvas: Any) -> None:
        for number in range(14):
            write(canvas, [f"option{number}"], x=60, y=740 - 30 * number)
            write(canvas, [f"explains what number {number} does"], x=330, y=740 - 30 * number)

    text = extract_pdf(pdf(page)).text
    assert "option3 explains what number 3 does" in text


def test_list_items_and_monospaced_lines_keep_their_shape() -> None:
    def page(canvas: Any) -> None:
        write(canvas, ["• Open the", "   settings.", "• Close them."])
        write(canvas, ["if x:", "    go  ()"], y=680, font="Courier")

    assert extract_pdf(pdf(page)).text == "- Open the settings.\n- Close them.\n\n    if x:\n        go  ()"


def test_a_table_of_contents_is_left_out_and_said_so() -> None:
    def contents(canvas: Any) -> None:
        write(canvas, [f"1.{n} Something . . . . . . . . . {n}" for n in range(4)] + ["2 Other things 17"])

    result = extract_pdf(pdf(contents, lambda c: write(c, ["Real text."])))
    assert result.text == "Real text."
    assert result.notes == ("lines of a table of contents left out: 5",)


def test_a_file_name_in_the_metadata_is_no_title() -> None:
    def cover(canvas: Any) -> None:
        write(canvas, ["The Guide"], size=24)
        write(canvas, ["Text of it."], y=600)

    assert extract_pdf(pdf(cover, title="guide_v2.docx")).title == "The Guide"


def test_an_encrypted_file_is_refused() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(lambda c: write(c, ["x"])))))
    writer.encrypt("secret")
    target = io.BytesIO()
    writer.write(target)
    with pytest.raises(DocumentUnreadable, match="password"):
        extract_pdf(target.getvalue())


def test_a_damaged_file_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="damaged"):
        extract_pdf(b"%PDF-1.7\nthis is not one")


def test_a_scanned_file_is_refused_with_the_way_out() -> None:
    with pytest.raises(DocumentUnreadable, match="OCR"):
        extract_pdf(pdf(lambda c: c.rect(60, 60, 400, 600, fill=1)))


def test_scanned_pages_between_others_are_noted() -> None:
    result = extract_pdf(pdf(lambda c: write(c, ["Text."]), lambda c: c.rect(60, 60, 400, 600, fill=1)))
    assert result.notes == ("pages without text: 1",)
