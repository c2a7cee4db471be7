"""Plain text to blocks, by the conventions people keep: blank lines, underlined headings, dashes, indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from ingest.extract.blocks import Block, Extracted, Kind, assemble, clean, code, heading, paragraph, tidy
from ingest.extract.encoding import decode

_RULE = re.compile(r"^([=\-~^*#])\1{2,}$")
_RULE_LEVELS = {"=": 1, "-": 2}
_MARKER = re.compile(r"^(\s*)(?:[-*•+–]|(\d{1,3})[.)])\s+(?=\S)")
_INDENTED = re.compile(r"^(?: {4,}|\t)")
_WRAPPED_CHARS = 45


def extract_plain(payload: bytes, title: str = "") -> Extracted:
    decoded = decode(payload)
    notes = [decoded.note] if decoded.note else []
    return assemble(plain_blocks(decoded.text), title=title, notes=notes)


def plain_blocks(text: str) -> Iterator[Block]:
    lines = [line.rstrip() for line in clean(text).split("\n")]
    for filled, group in groupby(lines, key=bool):
        if filled:
            yield from _chunk(list(group))


def _chunk(lines: Sequence[str]) -> Iterator[Block]:
    """The blocks of lines without a blank one between them."""
    if len(lines) > 1 and (rule := _RULE.match(lines[1])) and len(lines[1]) * 2 >= len(lines[0]):
        yield heading(lines[0], _RULE_LEVELS.get(rule.group(1), 3))
        lines = lines[2:]
    if lines and all(map(_INDENTED.match, lines)) and not _MARKER.match(lines[0]):
        yield code("\n".join(lines))
        return
    for part in _split_at_markers(lines):
        yield _paragraph_or_item(part)


def _split_at_markers(lines: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in lines:
        if part and _MARKER.match(line):
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def _paragraph_or_item(lines: Sequence[str]) -> Block:
    match = _MARKER.match(lines[0])
    if not match:
        return paragraph(_unwrap(lines))
    marker = f"{match.group(2)}." if match.group(2) else "-"
    text = _unwrap([lines[0][match.end() :], *lines[1:]]).replace("\n", "\n  ")
    return Block(Kind.ITEM, f"{'  ' * (len(match.group(1)) // 2)}{marker} {text}")


def _unwrap(lines: Sequence[str]) -> str:
    """Lines that were broken to a width as one; short lines (an address, a log) stay lines."""
    wrapped = all(len(line) >= _WRAPPED_CHARS for line in lines[:-1])
    return tidy((" " if wrapped else "\n").join(lines))
