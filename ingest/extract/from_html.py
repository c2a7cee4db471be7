"""HTML to blocks: what a reader of the page sees of its main part."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.extract.blocks import (
    Block,
    Extracted,
    assemble,
    clean,
    code,
    heading,
    list_item,
    paragraph,
    table,
    without_headings,
)
from ingest.extract.encoding import decode

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import PageElement, Tag


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = _names(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "header hgroup hr html legend li main ol p pre search section summary table tbody td tfoot th thead tr ul"
) | frozenset(_HEADINGS)
_INLINE = _names(
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label link mark meta q rp rt ruby s "
    "samp small span strike strong sub sup time tt u var wbr"
)
_DROPPED = _names(
    "script style template nav noscript head title iframe object embed applet svg canvas audio video map "
    "button input select textarea datalist progress meter"
)
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0+)?(?:\s*;|\s*$)"
    r"|font-size\s*:\s*0(?:\.0+)?[a-z%]*(?:\s*;|\s*$)",
    re.IGNORECASE,
)
_DECLARED = re.compile(rb"charset\s*=\s*[\"']?([\w-]+)|<\?xml[^>]*encoding\s*=\s*[\"']([\w-]+)", re.IGNORECASE)
_CELLS = ("td", "th")


def extract_html(payload: bytes, title: str = "") -> Extracted:
    """Scripts, navigation, forms and hidden elements are dropped; of several parts the main one is taken."""
    declared = _DECLARED.search(payload[:4096])
    decoded = decode(payload, next(filter(None, declared.groups())).decode() if declared else "")
    soup = _parse(decoded.text)
    page_title = soup.title.get_text() if soup.title else ""
    notes = [decoded.note] if decoded.note else []
    blocks = _walk(_main_part(_visible(soup)))
    return assemble(blocks, title=title, fallback_title=page_title, notes=notes)


def html_blocks(text: str) -> Iterator[Block]:
    """The blocks of a fragment."""
    return _walk(_visible(_parse(text)))


def is_html_tag(name: str) -> bool:
    return name.lower() in _BLOCKS | _INLINE | _DROPPED


def _parse(text: str) -> BeautifulSoup:
    from bs4 import BeautifulSoup, UnusualUsageWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusualUsageWarning)  # XHTML, or a text that looks like a path
        return BeautifulSoup(clean(text), "lxml")


def _visible(soup: BeautifulSoup) -> BeautifulSoup:
    for tag in soup.find_all(_is_dropped):
        tag.extract()
    return soup


def _is_dropped(tag: Tag) -> bool:
    return (
        tag.name in _DROPPED
        or tag.has_attr("hidden")
        or tag.get("aria-hidden") == "true"
        or tag.get("role") in ("navigation", "search", "banner", "contentinfo")
        or "headerlink" in (tag.get("class") or ())
        or bool(_HIDDEN_STYLE.search(str(tag.get("style", ""))))
    )


def _main_part(soup: BeautifulSoup) -> Tag:
    """The page's `main`, or its only `article`, else everything but headers and footers of the site."""
    articles = soup.find_all("article")
    for part in (soup.find("main"), soup.find(role="main"), articles[0] if len(articles) == 1 else None):
        if part is not None and part.get_text(strip=True):
            return part
    for footer in soup.find_all("footer"):
        footer.extract()
    return soup


def _walk(parent: Tag) -> Iterator[Block]:
    """Blocks in page order; text between block elements is a paragraph of its own."""
    line = ""
    for child in parent.children:
        if _holds_blocks(child):
            yield paragraph(line)
            line = ""
            yield from _blocks(child)
        else:
            line += _inline(child)
    yield paragraph(line)


def _holds_blocks(element: PageElement) -> bool:
    from bs4.element import Tag

    return isinstance(element, Tag) and (element.name in _BLOCKS or element.find(_BLOCKS) is not None)


def _blocks(element: PageElement) -> Iterator[Block]:
    from bs4.element import Tag

    assert isinstance(element, Tag)
    if element.name in _HEADINGS:
        yield heading(_inline(element), _HEADINGS[element.name])
    elif element.name == "pre":
        yield code(_verbatim(element))
    elif element.name in ("ul", "ol"):
        yield from _list(element)
    elif element.name == "table":
        yield from _table(element)
    elif element.name == "blockquote":
        yield from without_headings(_walk(element))
    elif element.name == "dd":
        yield from list_item("-", _walk(element))
    else:
        yield from _walk(element)


def _list(element: Tag) -> Iterator[Block]:
    number = _whole_number(element.get("start"), 1)
    for child in element.find_all(True, recursive=False):
        if child.name in ("ul", "ol"):
            yield from list_item("-", _list(child))
            continue
        yield from list_item("-" if element.name == "ul" else f"{number}.", _walk(child))
        number += 1


def _table(element: Tag) -> Iterator[Block]:
    """Cells as rows; a table that only lays out the page (with headings, lists or tables inside) is walked."""
    if element.find(["table", "ul", "ol", "pre", *_HEADINGS]) is not None:
        for cell in element.find_all(["caption", *_CELLS]):
            if cell.find_parent("table") is element:
                yield from _walk(cell)
        return
    if caption := element.find("caption"):
        yield paragraph(_inline(caption))
    yield from table(_grid(element))


def _grid(element: Tag) -> list[list[str]]:
    """The table's cells; one that spans rows is repeated in each, one that spans columns stands in the first."""
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    for row in element.find_all("tr"):
        cells: list[str] = []
        for cell in row.find_all(_CELLS, recursive=False):
            _hang(cells, hanging)
            text, rows = _inline(cell), _whole_number(cell.get("rowspan"), 1)
            if rows > 1:
                hanging[len(cells)] = (rows, text)
            cells += [text] + [""] * (min(_whole_number(cell.get("colspan"), 1), 50) - 1)
        _hang(cells, hanging)
        grid.append(cells)
        hanging = {column: (left - 1, text) for column, (left, text) in hanging.items() if left > 1}
    return grid


def _hang(cells: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    while len(cells) in hanging:
        cells.append(hanging[len(cells)][1])


def _whole_number(value: object, default: int) -> int:
    return int(str(value)) if str(value).isdecimal() and int(str(value)) > 0 else default


def _inline(element: PageElement) -> str:
    """Readable text; white space as a browser shows it, `<br>` as a newline."""
    from bs4.element import NavigableString, PreformattedString, Tag

    if isinstance(element, PreformattedString):  # comments, declarations
        return ""
    if isinstance(element, NavigableString):
        return re.sub(r"\s+", " ", element)
    assert isinstance(element, Tag)
    if element.name == "br":
        return "\n"
    if element.name == "img":
        return f" {element.get('alt') or ''} "
    inner = "".join(map(_inline, element.children))
    return f" {inner} " if element.name in _BLOCKS else inner


def _verbatim(element: Tag) -> str:
    for line_break in element.find_all("br"):
        line_break.replace_with("\n")
    return element.get_text()
