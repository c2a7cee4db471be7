"""Words on a page to lines in reading order: rows of words, running heads and feet, columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import Any

Word = Mapping[str, Any]
"""As `pdfplumber` gives it with `return_chars`: text, x0, x1, top, bottom (points, from the top left), chars."""

GUTTER_PT = 9.0
_ZONE = 0.16
"""Share of the page's height at the top and at the bottom where running heads and feet are looked for."""
_MONOSPACED = re.compile(r"courier|mono|typewriter|cmtt|consol|menlo|fixed|sfmt|lmtt|terminal", re.IGNORECASE)
_BOLD = re.compile(r"bold|black|heavy|cmbx|sfbx|-bd|demi", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """Places and sizes in points, `top` and `bottom` from the top of the page. `rows` are set for a table."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool = False
    mono: bool = False
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """`number` counts from 1."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]


# ---------------------------------------------------------------- rows


def page_lines(words: Sequence[Word], tables: Sequence[Line], width: float) -> tuple[Line, ...]:
    """Lines and tables in reading order: a page of two columns column by column, between lines over its full width."""
    rows = word_rows(words)
    gutter = _gutter(rows, width)
    if gutter is None:
        return tuple(sorted([*map(_line, rows), *tables], key=lambda line: (line.top, line.x0)))
    parts = [line for row in rows for line in _parts(row, gutter)]
    return tuple(_column_by_column([*parts, *tables], gutter))


def word_rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words whose middle lies within the height of the row so far, each row from left to right."""
    rows: list[list[Word]] = []
    bottom = top = 0.0
    for word in sorted(words, key=lambda word: (word["top"] + word["bottom"], word["x0"])):
        middle = (word["top"] + word["bottom"]) / 2
        if rows and top < middle < bottom:
            rows[-1].append(word)
            top, bottom = min(top, word["top"]), max(bottom, word["bottom"])
        else:
            rows.append([word])
            top, bottom = word["top"], word["bottom"]
    return [sorted(row, key=lambda word: word["x0"]) for row in rows]


def _line(words: Sequence[Word]) -> Line:
    chars = [char for word in words for char in word["chars"]]
    fonts = Counter(str(char["fontname"]).rpartition("+")[2] for char in chars)
    font = fonts.most_common(1)[0][0]
    mono = bool(_MONOSPACED.search(font)) or _is_monospaced(chars)
    size = median(char["size"] for char in chars)
    text = _spaced(words, _char_width(chars)) if mono else " ".join(word["text"] for word in words)
    return Line(
        text=text,
        x0=words[0]["x0"],
        x1=max(word["x1"] for word in words),
        top=min(word["top"] for word in words),
        bottom=max(word["bottom"] for word in words),
        size=round(size * 2) / 2,
        bold=bool(_BOLD.search(font)),
        mono=mono,
    )


def _is_monospaced(chars: Sequence[Word]) -> bool:
    """Whether letters of at least six kinds are all as wide as each other."""
    widths = {char["text"]: char["x1"] - char["x0"] for char in chars if char["text"].isalpha()}
    return len(widths) >= 6 and max(widths.values()) - min(widths.values()) < 0.02 * max(widths.values())


def _char_width(chars: Sequence[Word]) -> float:
    return median(char["x1"] - char["x0"] for char in chars) or 1.0


def _spaced(words: Sequence[Word], char_width: float) -> str:
    """Words of a monospaced line with as many spaces as there is room for."""
    text, end = "", words[0]["x0"]
    for word in words:
        spaces = round((word["x0"] - end) / char_width)
        text += " " * max(spaces, 1 if text else 0) + word["text"]
        end = word["x1"]
    return text


# ---------------------------------------------------------------- columns


def _gutter(rows: Sequence[Sequence[Word]], width: float) -> float | None:
    """Where two columns of running text part, if the page is set in two; else None.

    Hardly a row may cross the gutter, and on both sides most rows must fill their column: that tells running text
    from a list of names with explanations.
    """
    if len(rows) < 12:
        return None
    places = [width * share / 100 for share in range(38, 63)]
    best = min(places, key=lambda x: (sum(_crosses(row, x) for row in rows), abs(x - width / 2)))
    crossing = sum(_crosses(row, best) for row in rows)
    if crossing > len(rows) * 0.25:
        return None
    split = [row for row in rows if not _crosses(row, best)]
    left = [[word for word in row if word["x1"] <= best] for row in split]
    right = [[word for word in row if word["x0"] >= best] for row in split]
    return best if _is_filled(left) and _is_filled(right) else None


def _crosses(row: Sequence[Word], x: float) -> bool:
    """Whether the row runs over `x`: a word lies on it, or the space there is that between two words."""
    before = [word["x1"] for word in row if word["x0"] < x]
    after = [word["x0"] for word in row if word["x0"] >= x]
    if before and max(before) > x:
        return True
    return bool(before and after) and min(after) - max(before) < GUTTER_PT


def _is_filled(column: Sequence[Sequence[Word]]) -> bool:
    """At least eight rows, of which most are nearly as long as the column is wide and hold several words."""
    rows = [row for row in column if row]
    if len(rows) < 8:
        return False
    left, right = min(row[0]["x0"] for row in rows), max(row[-1]["x1"] for row in rows)
    full = [row for row in rows if len(row) >= 4 and row[-1]["x1"] - row[0]["x0"] > 0.8 * (right - left)]
    return len(full) > len(rows) / 2


def _parts(row: Sequence[Word], gutter: float) -> list[Line]:
    if _crosses(row, gutter):
        return [_line(row)]
    left = [word for word in row if word["x0"] < gutter]
    right = [word for word in row if word["x0"] >= gutter]
    return [_line(part) for part in (left, right) if part]


def _column_by_column(lines: Sequence[Line], gutter: float) -> Iterator[Line]:
    """Full-width lines part the page into bands; in each the left column is read first."""
    ordered = sorted(lines, key=lambda line: line.top)
    for full, group in groupby(ordered, key=lambda line: line.x0 < gutter < line.x1):
        band = list(group)
        yield from band if full else sorted(band, key=lambda line: (line.x0 >= gutter, line.top))


# ---------------------------------------------------------------- running heads and feet


def without_furniture(pages: Sequence[Page]) -> list[Page]:
    """Pages without running heads, feet and page numbers.

    A line at the very top or bottom is one when the same words stand at the same height on half of the pages
    (numbers may differ), or when it starts or ends with a number that counts with the pages.
    """
    at_edges = [(page, line) for page in pages for line in _edge_lines(page)]
    signatures = Counter(_signature(line) for _, line in at_edges)
    offsets = Counter(offset for page, line in at_edges for offset in _offsets(page, line))
    often = max(3, len(pages) / 2)
    counting = {offset for offset, count in offsets.items() if count >= often}
    furniture = {
        (page.number, line)
        for page, line in at_edges
        if signatures[_signature(line)] >= often or counting & set(_offsets(page, line))
    }
    return [
        Page(
            page.number,
            page.width,
            page.height,
            tuple(line for line in page.lines if (page.number, line) not in furniture),
        )
        for page in pages
    ]


def _edge_lines(page: Page) -> list[Line]:
    """The two topmost and the two lowest lines, if they are near the page's edges."""
    ordered = sorted((line for line in page.lines if not line.rows), key=lambda line: line.top)
    upper = [line for line in ordered[:2] if line.bottom < page.height * _ZONE]
    lower = [line for line in ordered[-2:] if line.top > page.height * (1 - _ZONE)]
    return [*upper, *lower]


def _signature(line: Line) -> tuple[str, int]:
    return re.sub(r"\d+", "#", line.text.casefold()), round(line.top / 4)


def _offsets(page: Page, line: Line) -> set[int]:
    """How far the numbers at the line's ends are ahead of the page's own."""
    return {int(number) - page.number for number in re.findall(r"^\d{1,4}(?=\s|$)|(?<!\S)\d{1,4}$", line.text)}
