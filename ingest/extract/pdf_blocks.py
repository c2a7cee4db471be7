"""Lines of a PDF to blocks: headings by size and numbering, paragraphs, list items, code, tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ingest.extract.blocks import Block, Kind, code, heading, list_item, paragraph, table
from ingest.extract.pdf_layout import Line, Page

_NUMBERED = re.compile(r"^(?:[A-Z](?=\.)|\d{1,2})(?:\.\d{1,2})*\.?\s+(?=\S)")
_MARKER = re.compile(r"^(?:[•▪◦●○■∙·‣–—*\uf0b7\uf0a7-]|(\d{1,2})[.)])(?:\s+(?=\S)|$)")
_DOT_LEADER = re.compile(r"(?:\s?\.){4,}\s*(?:\d+|[ivxlc]+)?$")
_ENTRY = re.compile(r"(?:\s|^)(?:\d+|[ivxlc]+)$|^[ivxlc]+\s|(?:\s?\.){4,}$")
_CONTENTS_LINES = 3
_CHAPTER = re.compile(
    r"^(?:chapter|appendix|part|kapitel|anhang|teil|chapitre|annexe|cap[ií]tulo|parte)\s+\w+$", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?:;…。！？][\"'”’)\]]*$")
_HEADING_WORDS = 15
_LARGER = 1.08
_NEAR = 0.75
"""Lines of a paragraph are nearer than this share of the letter size."""
_SAME_PLACE_PT = 3.0


@dataclass(frozen=True, slots=True)
class _Style:
    """Of a whole document: the size of running text, and the larger ones from the largest down."""

    body_size: float
    heading_sizes: tuple[float, ...]


def page_blocks(pages: Sequence[Page]) -> tuple[list[Block], int]:
    """The document's blocks, and how many lines of a table of contents were left out."""
    style = _style(pages)
    blocks: list[Block] = []
    left_out = 0
    last: Line | None = None
    for page in pages:
        kept = _without_contents(page.lines)
        left_out += len(page.lines) - len(kept)
        lines = _with_header_again(kept, last)
        _append(blocks, _page(lines, page.number, style))
        last = lines[-1] if lines else None
    return blocks, left_out


def _without_contents(lines: Sequence[Line]) -> list[Line]:
    """Without dotted lines; and where there are several of them, without any line that ends in a page number."""
    dotted = [line for line in lines if _DOT_LEADER.search(line.text)]
    pattern = _ENTRY if len(dotted) >= _CONTENTS_LINES else _DOT_LEADER
    return [line for line in lines if not pattern.search(line.text)]


def _with_header_again(lines: list[Line], last: Line | None) -> list[Line]:
    """A table that goes on from the page before gets its header, unless it repeats it by itself.

    It goes on when the last thing there was a table and the first thing here is one just as wide, with as many
    columns.
    """
    if last is None or not last.rows or not lines or not lines[0].rows:
        return lines
    here, header = lines[0], last.rows[0]
    as_wide = abs(here.x0 - last.x0) < _SAME_PLACE_PT and abs(here.x1 - last.x1) < _SAME_PLACE_PT
    if not as_wide or len(here.rows[0]) != len(header) or here.rows[0] == header:
        return lines
    return [replace(here, rows=(header, *here.rows)), *lines[1:]]


def _append(blocks: list[Block], more: list[Block]) -> None:
    """Add a page's blocks; a paragraph that runs over the page break stays whole, on its first page."""
    if blocks and more and _runs_on(blocks[-1], more[0]):
        blocks[-1] = replace(blocks[-1], text=join_lines([blocks[-1].text, more[0].text]))
        more = more[1:]
    blocks += more


def _runs_on(block: Block, following: Block) -> bool:
    prose = block.kind in (Kind.PARAGRAPH, Kind.ITEM) and following.kind is Kind.PARAGRAPH
    return prose and not _SENTENCE_END.search(block.text) and following.text[:1].islower()


def _style(pages: Sequence[Page]) -> _Style:
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    body_size = max(sizes, key=lambda size: (sizes[size], size), default=1.0)
    return _Style(body_size, tuple(sorted((s for s in sizes if s > body_size * _LARGER), reverse=True)))


def _heading_level(line: Line, style: _Style) -> int:
    """1 for the outermost; 0 for a line that is no heading. Numbering tells the depth, else the size does."""
    larger = line.size in style.heading_sizes
    numbered = _NUMBERED.match(line.text)
    is_heading = (larger or (line.bold and numbered)) and any(map(str.isalpha, line.text))
    if not is_heading or line.rows or line.mono or len(line.text.split()) > _HEADING_WORDS:
        return 0
    if numbered:
        return numbered.group().strip().rstrip(".").count(".") + 1
    return style.heading_sizes.index(line.size) + 1 if larger else 0


def _page(lines: Sequence[Line], page: int, style: _Style) -> list[Block]:
    blocks: list[Block] = []
    for group in _groups(lines, style):
        blocks += _block(group, page, style)
    return blocks


def _groups(lines: Sequence[Line], style: _Style) -> Iterator[list[Line]]:
    """Lines that make one block together."""
    group: list[Line] = []
    for line in lines:
        if group and not _belongs(group, line, style):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _belongs(group: Sequence[Line], line: Line, style: _Style) -> bool:
    last = group[-1]
    if line.rows or last.rows or line.mono != last.mono:
        return False
    gap, level = line.top - last.bottom, _heading_level(line, style)
    same_column = line.x0 < last.x1 and line.x1 > last.x0 and gap > -last.size
    if line.mono:
        return same_column and gap < 3 * last.size
    if level and _CHAPTER.match(last.text):
        return True
    if level or _heading_level(last, style):
        return bool(level) and line.size == last.size and gap < last.size and not _NUMBERED.match(line.text)
    if not same_column or gap > _NEAR * last.size or _MARKER.match(line.text):
        return False
    return bool(_MARKER.match(group[0].text)) or line.x0 - last.x0 < 0.9 * last.size or len(group) == 1


def _block(lines: Sequence[Line], page: int, style: _Style) -> Iterator[Block]:
    first = lines[0]
    level = min(_heading_level(line, style) for line in lines)
    if first.rows:
        yield from table(first.rows, page)
    elif first.mono:
        yield code(_layout(lines), page)
    elif level:
        yield heading(join_lines([line.text for line in lines]), level, page)
    else:
        yield from _prose([line.text for line in lines], page)


def _prose(lines: Sequence[str], page: int) -> Iterator[Block]:
    marker = _MARKER.match(lines[0])
    if not marker:
        yield paragraph(join_lines(lines), page)
        return
    text = join_lines([lines[0][marker.end() :], *lines[1:]])
    if text:
        yield from list_item(f"{marker.group(1)}." if marker.group(1) else "-", [paragraph(text, page)])


def _layout(lines: Sequence[Line]) -> str:
    """Monospaced lines with their indentation, and an empty line where there is room for one."""
    left = min(line.x0 for line in lines)
    char_width = max(sum(line.x1 - line.x0 for line in lines) / max(sum(len(line.text) for line in lines), 1), 0.1)
    texts = [" " * round((line.x0 - left) / char_width) + line.text for line in lines]
    for index, (above, line) in enumerate(pairwise(lines), 1):
        if line.top - above.bottom > 0.9 * line.size:
            texts[index] = "\n" + texts[index]
    return "\n".join(texts)


def join_lines(lines: Sequence[str]) -> str:
    """Lines as running text; a word that was hyphenated at a line's end is whole again.

    >>> join_lines(["the doc-", "umentation of an app-by-", "app backup in UTF-", "8"])
    'the documentation of an app-by-app backup in UTF-8'
    """
    text = ""
    for line in filter(None, (line.strip() for line in lines)):
        if re.search(r"\w-$", text):
            text = text[:-1] + line if _is_hyphenated(text, line) else text + line
        else:
            text = f"{text} {line}" if text else line
    return text


def _is_hyphenated(text: str, following: str) -> bool:
    """Whether the hyphen at the end of `text` is there only because the line ended."""
    word = text.rsplit(maxsplit=1)[-1]
    return word[:-1].isalpha() and word[-2:-1].islower() and following[:1].islower()
