"""What every format is reduced to: a flat sequence of blocks, from which a document's text and sections are written.

The text that comes out is plain but keeps its shape: paragraphs stand between blank lines, list items start
with `- ` or `1. `, table rows have ` | ` between their cells, and code is indented by four spaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, groupby, pairwise
from textwrap import dedent, indent

from core.domain.passage import Section, Span

CODE_INDENT = "    "
_BETWEEN = "\n\n"
TABLE_WORDS = 80
"""A longer table is written as several, each with the header row, so that no passage shows cells without names."""

_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")


class Kind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Block:
    """`level` is a heading's, 1 the outermost; `page` counts from 1 where the format has pages."""

    kind: Kind
    text: str
    level: int = 0
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """A document's content. Sections lie in text order; only white space is between them.

    `notes` say what was guessed or left out (an encoding, a table of contents).
    """

    title: str
    text: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()


def clean(text: str) -> str:
    """NFC with plain line ends, without control, zero-width, direction and tag characters (which hide text)."""
    text = _CONTROL.sub("", _LINE_END.sub("\n", text))
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text))


def tidy(text: str) -> str:
    """Each line with single spaces, without empty lines.

    >>> tidy(" a   b \\n\\n c ")
    'a b\\nc'
    """
    lines = (" ".join(line.split()) for line in clean(text).split("\n"))
    return "\n".join(line for line in lines if line)


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def heading(text: str, level: int, page: int | None = None) -> Block:
    return Block(Kind.HEADING, one_line(text), level, page)


def paragraph(text: str, page: int | None = None) -> Block:
    return Block(Kind.PARAGRAPH, tidy(text), page=page)


def code(text: str, page: int | None = None) -> Block:
    """Verbatim but for the common indentation, tabs (four columns) and trailing spaces."""
    lines = [line.rstrip() for line in clean(text).expandtabs(4).split("\n")]
    inner = dedent("\n".join(lines)).strip("\n")
    return Block(Kind.CODE, indent(inner, CODE_INDENT), page=page)


def list_item(marker: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks of one list item: its first paragraph after the marker, what is nested indented by two spaces."""
    lead, inside = f"{marker} ", False
    for block in (block for block in blocks if block.text):
        if block.kind is Kind.ITEM:
            yield replace(block, text=indent(block.text, "  "))
        elif block.kind not in (Kind.PARAGRAPH, Kind.HEADING):
            yield block
        elif lead or inside:
            yield replace(block, kind=Kind.ITEM, level=0, text=(lead or "  ") + block.text.replace("\n", "\n  "))
            lead = ""
        else:
            yield replace(block, kind=Kind.PARAGRAPH, level=0)
        inside = block.kind not in (Kind.CODE, Kind.TABLE)


def table(rows: Iterable[Sequence[str]], page: int | None = None) -> Iterator[Block]:
    """Rows as lines; the first row is the header and is repeated in every part of a long table."""
    lines = [line for line in map(_row, rows) if line]
    for part in _parts(lines[1:]) or [[]]:
        yield Block(Kind.TABLE, "\n".join([*lines[:1], *part]), page=page)


def _row(cells: Sequence[str]) -> str:
    return " | ".join(one_line(cell) for cell in cells).rstrip(" |")


def _parts(lines: Sequence[str]) -> list[list[str]]:
    """The lines in order, in as few parts of about equal length as `TABLE_WORDS` allows."""
    ends = list(accumulate(len(line.split()) for line in lines))
    part_words = ends[-1] / -(-ends[-1] // TABLE_WORDS) if ends else 1
    by_part = groupby(zip(ends, lines, strict=True), key=lambda pair: int((pair[0] - 1) // part_words))
    return [[line for _, line in part] for _, part in by_part]


def without_headings(blocks: Iterable[Block]) -> Iterator[Block]:
    """Headings as paragraphs: inside a quotation or a table they open no section."""
    for block in blocks:
        yield replace(block, kind=Kind.PARAGRAPH, level=0) if block.kind is Kind.HEADING else block


def assemble(
    blocks: Iterable[Block], *, title: str = "", fallback_title: str = "", notes: Sequence[str] = ()
) -> Extracted:
    """Write the text and its sections.

    The title is `title`, else the one outermost heading, else `fallback_title`. That heading opens no section when
    it says what the title says. A heading without anything beneath it becomes the text of its own section: else
    it could not be found.
    """
    content = [block for block in blocks if block.text.strip()]
    found = _title_heading(content)
    name = one_line(title) or (found.text if found else one_line(fallback_title))
    if found and found.text.casefold() == name.casefold():
        content.remove(found)
    texts: list[str] = []
    sections: list[Section] = []
    start = 0
    for (path, page), group in groupby(_with_paths(content), key=lambda placed: (placed[0], placed[1].page)):
        texts.append(_join([block for _, block in group]))
        sections.append(Section(path, Span(start, start + len(texts[-1])), page))
        start = sections[-1].span.end + len(_BETWEEN)
    return Extracted(name, _BETWEEN.join(texts), tuple(sections), tuple(notes))


def _title_heading(blocks: Sequence[Block]) -> Block | None:
    """The first heading, when no other is as high."""
    headings = [block for block in blocks if block.kind is Kind.HEADING]
    if headings and all(headings[0].level < other.level for other in headings[1:]):
        return headings[0]
    return None


def _with_paths(blocks: Sequence[Block]) -> Iterator[tuple[tuple[str, ...], Block]]:
    """Every block that is not a heading with the headings above it; a heading with nothing beneath as a paragraph."""
    above: list[Block] = []
    for block, following in pairwise([*blocks, None]):
        assert block is not None
        if block.kind is Kind.HEADING:
            above = [*(outer for outer in above if outer.level < block.level), block]
        path = tuple(outer.text for outer in above)
        if block.kind is not Kind.HEADING:
            yield path, block
        elif following is None or (following.kind is Kind.HEADING and following.level <= block.level):
            yield path, replace(block, kind=Kind.PARAGRAPH, level=0)


def _join(blocks: Sequence[Block]) -> str:
    """Items of a list follow each other line by line, everything else after a blank line."""
    parts = [blocks[0].text]
    for before, block in pairwise(blocks):
        together = before.kind is Kind.ITEM and block.kind is Kind.ITEM
        parts += ["\n" if together else _BETWEEN, block.text]
    return "".join(parts)
