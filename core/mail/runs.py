"""Ranges of neighbouring lines."""

from __future__ import annotations

from collections.abc import Sequence


def runs(chosen: Sequence[bool]) -> list[tuple[int, int]]:
    """Half-open ranges of consecutive chosen lines.

    >>> runs([True, True, False, True])
    [(0, 2), (3, 4)]
    """
    edges = [n for n in range(len(chosen) + 1) if (n < len(chosen) and chosen[n]) != (n > 0 and chosen[n - 1])]
    return list(zip(edges[::2], edges[1::2], strict=True))


def paragraphs(lines: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    """Half-open ranges of consecutive lines in the range that are not blank.

    >>> paragraphs(["a", "", "b", "c"], 0, 4)
    [(0, 1), (2, 4)]
    """
    return [(start + first, start + last) for first, last in runs([bool(line.strip()) for line in lines[start:end]])]
