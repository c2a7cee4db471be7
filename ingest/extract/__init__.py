"""Bytes of a known format to a title, a text and its sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.errors import DocumentUnreadable
from ingest.extract.blocks import Extracted
from ingest.extract.from_html import extract_html
from ingest.extract.from_markdown import extract_markdown
from ingest.extract.from_pdf import extract_pdf
from ingest.extract.from_plain import extract_plain
from ingest.extract.from_rst import extract_rst
from ingest.extract.from_thread import extract_thread
from ingest.sources import Format, SourceItem

_EXTRACTORS: Mapping[Format, Callable[[bytes, str], Extracted]] = {
    Format.MARKDOWN: extract_markdown,
    Format.HTML: extract_html,
    Format.RST: extract_rst,
    Format.TEXT: extract_plain,
    Format.PDF: extract_pdf,
    Format.THREAD: extract_thread,
}


def extract(item: SourceItem) -> Extracted:
    """The item's content. A title the source gives wins over the document's own.

    Raises `DocumentUnreadable` when it is binary, encrypted, damaged, scanned, too deeply nested or without any text.
    """
    try:
        extracted = _EXTRACTORS[item.format](item.payload, item.title)
    except RecursionError as error:
        raise DocumentUnreadable("The document is nested too deeply.") from error
    if not extracted.text:
        raise DocumentUnreadable("There is no text in it.")
    return extracted
