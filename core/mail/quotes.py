"""Which lines of a mail repeat an earlier mail, and where a forwarded one starts.

Four habits: the mail program's own marks in HTML; lines that start with `>`; an attribution ("On ... wrote:") with the
earlier mail below it; Outlook's block of header lines or separator, with the earlier mail below. A forwarded mail is no
quote: it is what the mail is about. Answers written between quoted lines are the author's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.mail.html_marks import Hint
from core.mail.intros import Intro, IntroKind, bare, intro_at, is_forward

_MARKED = re.compile(r" ?>")


@dataclass(frozen=True, slots=True)
class Quotes:
    """For each line whether it is quoted; `forward` is the index where a forwarded mail starts, else None."""

    quoted: tuple[bool, ...]
    forward: int | None = None


def find_quotes(
    lines: Sequence[str], verbatim: Sequence[bool], hints: Sequence[Hint | None], *, forwards: bool = False
) -> Quotes:
    """Sort the lines. `verbatim` lines never start a quote. With `forwards` (the subject says so), the first block of
    headers is a forwarded mail, not an earlier one.

    >>> find_quotes(["Yes.", "> Sure?"], [False, False], [None, None]).quoted
    (False, True)
    """
    quoted = [
        hint is Hint.QUOTE or (bool(_MARKED.match(line)) and not code)
        for line, code, hint in zip(lines, verbatim, hints, strict=True)
    ]
    index = 0
    while index < len(lines):
        step = _step(lines, index, quoted, verbatim, hints)
        if step.forwards or (forwards and step.to_end and step.headers):
            return Quotes((*quoted[:index], *[False] * (len(lines) - index)), index)
        quoted[index : index + step.height] = [True] * step.height
        if step.to_end:
            return Quotes((*quoted[:index], *[True] * (len(lines) - index)))
        index += step.height or 1
    return Quotes(tuple(quoted))


@dataclass(frozen=True, slots=True)
class _Step:
    """What starts at a line: an introduction of `height` lines, followed by an earlier mail that goes on `to_end`."""

    height: int = 0
    to_end: bool = False
    headers: bool = False
    forwards: bool = False


def _step(
    lines: Sequence[str],
    index: int,
    quoted: Sequence[bool],
    verbatim: Sequence[bool],
    hints: Sequence[Hint | None],
) -> _Step:
    if quoted[index]:
        opens = (index == 0 or not _quoted_above(lines, quoted, index)) and hints[index] is not Hint.QUOTE
        return _Step(forwards=opens and is_forward(bare(lines[index])))
    if hints[index] is Hint.EARLIER_MAIL:
        return _Step(to_end=True, headers=True)
    if verbatim[index] or not lines[index].strip():
        return _Step()
    intro = intro_at(lines, index)
    return _Step() if intro is None else _introduced(lines, index, quoted, intro)


def _introduced(lines: Sequence[str], index: int, quoted: Sequence[bool], intro: Intro) -> _Step:
    if intro.kind is IntroKind.FORWARD:
        return _Step(forwards=True)
    below = index + intro.height
    marked = next((quoted[n] for n in range(below, len(lines)) if lines[n].strip()), True)
    return _Step(intro.height, to_end=not marked, headers=intro.kind is IntroKind.HEADERS)


def _quoted_above(lines: Sequence[str], quoted: Sequence[bool], index: int) -> bool:
    """Whether the line before this one that is not blank is quoted."""
    above = index - 1
    while above > 0 and not lines[above].strip():
        above -= 1
    return quoted[above]
