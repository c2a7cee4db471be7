"""Cuts a passage or section into the units a reply can be made of, with exact character spans.

The text is what ingestion leaves: paragraphs (possibly hard-wrapped), list items that start with a marker, table
rows with bars, headings, code. A unit's span never includes a list marker, heading marks or outer white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from core.domain.passage import Span


class UnitKind(StrEnum):
    SENTENCE = "sentence"
    STEP = "step"
    ROW = "row"
    HEADING = "heading"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of the text that stands for itself; `numbered` says that a STEP had a number in front."""

    span: Span
    kind: UnitKind
    numbered: bool = False


_MARKER = re.compile(r"\s*(?:[-*+•–]|(\d{1,3}[.)]|[a-z]\)))\s+(?=\S)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?=\S)")
_RULE = re.compile(r"\s*([=\-~^\"'*#])\1{2,}\s*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_CODE = re.compile(r"\s*(?:>>>|\.\.\.|\$)\s|(?: {4}|\t)\s*\S")
_ROW_RULE = re.compile(r"[\s|:+=-]+$")
_END = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s)|[。！？]+")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"“])(?:e\.g|i\.e|etc|cf|vs|approx|resp|incl|esp|mr|mrs|ms|dr|prof|st|no|nr|fig|sec|vol|pp?|eq|"
    r"bzw|usw|ca|\w|\w\.\w)\.$",
    re.IGNORECASE,
)
_STARTS_SENTENCE = re.compile(r"[\"'“‘(\[*_<]*[^\W_a-zß-öø-ÿ]")
_TERMINAL = re.compile(r"[.!?…:;,。！？][\"'”’)\]*_]*$")

_SHORT_LINE_CHARS = 50
_HEADING_WORDS = 10


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def indented(self) -> bool:
        return self.text[:2].isspace() and not self.blank


def units_of(text: str) -> list[Unit]:
    """Units in text order; they do not overlap, and only white space, markers and rules lie between them.

    >>> text = "## Quit\\nDo it, e.g. now.  Use v1.2. Then:\\n1. Open about:config.\\n2. Press OK"
    >>> [(str(unit.kind), text[unit.span.slice]) for unit in units_of(text)]  # doctest: +NORMALIZE_WHITESPACE
    [('heading', 'Quit'), ('sentence', 'Do it, e.g. now.'), ('sentence', 'Use v1.2.'), ('sentence', 'Then:'),
     ('step', 'Open about:config.'), ('step', 'Press OK')]
    """
    return [unit for block in _blocks(_lines(text)) for unit in _units(text, block)]


def _lines(text: str) -> list[_Line]:
    lines, start = [], 0
    for raw in text.split("\n"):
        lines.append(_Line(start, raw))
        start += len(raw) + 1
    return lines


def _blocks(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Lines that belong together: a fence, an item with its continuation, a row, a heading, a paragraph."""
    at = 0
    while at < len(lines):
        end = _block_end(lines, at)
        if not lines[at].blank:
            yield lines[at:end]
        at = end


def _block_end(lines: list[_Line], at: int) -> int:
    """Index of the first line after the block that starts at `at`."""
    kind = _kind(lines[at])
    if _FENCE.match(lines[at].text):
        closing = (i for i in range(at + 1, len(lines)) if _FENCE.match(lines[i].text))
        return next(closing, len(lines) - 1) + 1
    if lines[at].blank or kind in (UnitKind.HEADING, UnitKind.ROW):
        return at + 1
    end = at + 1
    while end < len(lines) and not lines[end].blank and _continues(kind, lines[end - 1], lines[end]):
        end += 1
    return end


def _kind(line: _Line) -> UnitKind:
    if _FENCE.match(line.text):
        return UnitKind.CODE
    if _HEADING.match(line.text):
        return UnitKind.HEADING
    if _MARKER.match(line.text) and not _RULE.match(line.text):
        return UnitKind.STEP
    if line.text.lstrip().startswith("|") or " | " in line.text:
        return UnitKind.ROW
    return UnitKind.CODE if _CODE.match(line.text) else UnitKind.SENTENCE


def _continues(kind: UnitKind, before: _Line, line: _Line) -> bool:
    """Whether `line` still belongs to the block of this kind that `before` is part of."""
    this = _kind(line)
    if kind is UnitKind.CODE:
        return this is UnitKind.CODE and not _FENCE.match(line.text)
    if kind is UnitKind.STEP:
        return this in (UnitKind.SENTENCE, UnitKind.CODE) and (line.indented or line.text[:1].islower())
    if this is not UnitKind.SENTENCE:
        return bool(this is UnitKind.CODE and not _FENCE.match(line.text) and not _TERMINAL.search(before.text))
    short = len(before.text) < _SHORT_LINE_CHARS and not _TERMINAL.search(before.text.rstrip())
    return bool(_RULE.match(line.text)) or not (short and _STARTS_SENTENCE.match(line.text.lstrip()))


def _units(text: str, block: list[_Line]) -> list[Unit]:
    kind = _kind(block[0])
    whole = Span(block[0].start, block[-1].end)
    if kind is UnitKind.STEP:
        marker = _MARKER.match(block[0].text)
        assert marker
        return [Unit(_trim(text, whole.start + marker.end(), whole.end), kind, marker.group(1) is not None)]
    if kind is UnitKind.HEADING:
        heading = _HEADING.match(block[0].text)
        assert heading
        return [Unit(_trim(text, whole.start + heading.end(), whole.end), kind)]
    if kind is UnitKind.ROW:
        return [] if _ROW_RULE.match(block[0].text) else [Unit(_trim(text, whole.start, whole.end), kind)]
    if kind is UnitKind.CODE:
        return _code(text, block)
    return _paragraph(text, block)


def _code(text: str, block: list[_Line]) -> list[Unit]:
    inner = [line for line in block if not _FENCE.match(line.text) and not line.blank]
    return [Unit(_trim(text, inner[0].start, inner[-1].end), UnitKind.CODE)] if inner else []


def _paragraph(text: str, block: list[_Line]) -> list[Unit]:
    """Sentences; or one heading, when a rule underlines the line or it is a few words without an end."""
    ruled = len(block) > 1 and bool(_RULE.match(block[-1].text))
    lines = [line for line in block if not _RULE.match(line.text)]
    if not lines:
        return []
    span = _trim(text, lines[0].start, lines[-1].end)
    content = text[span.slice]
    if ruled or (len(content.split()) <= _HEADING_WORDS and not _TERMINAL.search(content)):
        return [Unit(span, UnitKind.HEADING)]
    return [Unit(part, UnitKind.SENTENCE) for part in _sentences(text, span)]


def _sentences(text: str, span: Span) -> list[Span]:
    parts, start = [], span.start
    for match in _END.finditer(text, span.start, span.end):
        if _ends_sentence(text, match, start, span.end):
            parts.append(_trim(text, start, match.end()))
            start = match.end()
    if text[start : span.end].strip():
        parts.append(_trim(text, start, span.end))
    return parts


def _ends_sentence(text: str, match: re.Match[str], start: int, end: int) -> bool:
    if match.group()[0] in "。！？":
        return True
    if _ABBREVIATION.search(text[max(start, match.start() - 12) : match.start() + 1]):
        return False
    return bool(_STARTS_SENTENCE.match(text[match.end() : end].lstrip()))


def _trim(text: str, start: int, end: int) -> Span:
    content = text[start:end]
    left = len(content) - len(content.lstrip())
    return Span(start + left, max(start + left, start + len(content.rstrip())))
