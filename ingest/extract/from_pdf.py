"""PDF to blocks, with tables, page numbers and reading order."""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.errors import DocumentUnreadable
from ingest.extract.blocks import Block, Extracted, Kind, assemble
from ingest.extract.pdf_blocks import join_lines, page_blocks
from ingest.extract.pdf_layout import Line, Page, Word, page_lines, without_furniture, word_rows

_WORDS = {"x_tolerance_ratio": 0.15, "y_tolerance": 3, "keep_blank_chars": False}
_DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    OSError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What the parser lets through, beside its own errors, when a file is damaged."""
_UNMAPPED = re.compile(r"\(cid:\d+\)")
_FILE_NAME = re.compile(r"\.\w{2,4}$|^untitled|^microsoft word|^document\d*$", re.IGNORECASE)


def extract_pdf(payload: bytes, title: str = "") -> Extracted:
    """Running heads and tables of contents are left out, tables become rows, each section lies on one page.

    Raises `DocumentUnreadable` when the file is encrypted, damaged, or scanned pages without text.
    """
    from pdfminer.pdfdocument import PDFPasswordIncorrect
    from pdfminer.psexceptions import PSException
    from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

    try:
        pages, own_title = _read(payload)
    except (PdfminerException, MalformedPDFException, PSException, *_DAMAGE) as error:
        if any(isinstance(cause, PDFPasswordIncorrect) for cause in (error, *error.args)):
            raise DocumentUnreadable("The PDF is encrypted: it needs a password.") from error
        raise DocumentUnreadable("The PDF is damaged.") from error
    blank = sum(not page.lines for page in pages)
    if blank == len(pages):
        raise DocumentUnreadable("The PDF has pages but no text: it was scanned. Run it through OCR first.")
    blocks, left_out = page_blocks(without_furniture(pages))
    return assemble(blocks, title=title or own_title, fallback_title=_cover(blocks), notes=_notes(blank, left_out))


def _cover(blocks: Sequence[Block]) -> str:
    """The first heading, if it is on the first page and has no number, as a chapter would."""
    first = next((block for block in blocks if block.kind is Kind.HEADING), None)
    return first.text if first and first.page == 1 and not re.match(r"\d", first.text) else ""


def _notes(blank: int, left_out: int) -> list[str]:
    notes = []
    if blank:
        notes.append(f"pages without text: {blank}")
    if left_out:
        notes.append(f"lines of a table of contents left out: {left_out}")
    return notes


def _read(payload: bytes) -> tuple[list[Page], str]:
    import pdfplumber

    with pdfplumber.open(io.BytesIO(payload)) as pdf:
        title = str(pdf.metadata.get("Title") or "")
        pages = [_page(page) for page in pdf.pages]
    return pages, "" if _FILE_NAME.search(title.strip()) else title


def _page(page: Any) -> Page:
    words = [{**word, "text": _mapped(word["text"])} for word in page.extract_words(return_chars=True, **_WORDS)]
    tables = [_table(found, words) for found in _tables(page)]
    outside = [word for word in words if not any(_is_inside(word, table) for table in tables)]
    lines = page_lines(outside, tables, float(page.width))
    number, width, height = page.page_number, float(page.width), float(page.height)
    page.close()
    return Page(number, width, height, lines)


def _mapped(text: str) -> str:
    """Without glyphs that the font gives no character for; one that stands alone is a bullet or an icon."""
    return _UNMAPPED.sub("", text) or "•"


def _tables(page: Any) -> list[Any]:
    """Ruled tables of at least two columns.

    A page break may leave a table's first or last row without its outer rule: one is added where the upright rules
    end.
    """
    upright = [edge for edge in page.edges if edge["orientation"] == "v"]
    if not upright:
        return []
    ends = [min(edge["top"] for edge in upright), max(edge["bottom"] for edge in upright)]
    found = page.find_tables({"explicit_horizontal_lines": ends})
    return [table for table in found if max(len(row.cells) for row in table.rows) > 1]


def _table(found: Any, words: Sequence[Word]) -> Line:
    x0, top, x1, bottom = found.bbox
    line = Line(text="", x0=x0, x1=x1, top=top, bottom=bottom, size=0.0)
    inside = [word for word in words if _is_inside(word, line)]
    return replace(line, rows=tuple(tuple(_cell(cell, inside) for cell in row.cells) for row in found.rows))


def _cell(box: tuple[float, float, float, float] | None, words: Sequence[Word]) -> str:
    """The words that start in the cell: a long one may run over into the next."""
    if box is None:
        return ""
    x0, top, x1, bottom = box
    inside = [
        word for word in words if x0 <= word["x0"] + 1 < x1 and top <= (word["top"] + word["bottom"]) / 2 < bottom
    ]
    return join_lines([" ".join(word["text"] for word in row) for row in word_rows(inside)])


def _is_inside(word: Word, box: Line) -> bool:
    x, y = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return bool(box.x0 <= x <= box.x1 and box.top <= y <= box.bottom)
