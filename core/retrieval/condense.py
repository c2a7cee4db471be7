"""Logs and tracebacks in a ticket, reduced to the lines that tell what went wrong.

A traceback of fifty frames drowns the one sentence the customer wrote, in both kinds of search. What tells is the
exception and its message, the error lines of a log, each once; frames, timestamps and repetitions tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from core.mail.verbatim import verbatim_lines

SHORTEST = 5
"""Stretches of fewer lines of code, log or traceback are left as they are."""

MOST_TELLING = 6
"""So many of a stretch's telling lines are kept: the last ones, since the cause is named at the end."""

_TELLING = re.compile(
    r"\b[A-Za-z_][\w.]*(?:Error|Exception|Warning|Failure)\b|\b(?:ERROR|FATAL|CRITICAL|SEVERE|panic|Caused by)\b"
    r"|\b[A-Z]{2,}(?:_[A-Z0-9]+)+\b|\b0x[0-9a-fA-F]{4,}\b|\bHTTP(?:/\d\.\d)? [45]\d\d\b"
)
_STAMP = re.compile(r"^\W*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*\s*")


def condensed(text: str) -> str:
    """The text with each long stretch of code, log or traceback replaced by its telling lines.

    A stretch without any telling line is code the customer asks about: it stays whole.

    >>> print(condensed("It fails:\\n" + "    at x.py\\n" * 5 + "    KeyError: 'ra'\\n    KeyError: 'ra'\\nWhy?"))
    It fails:
    KeyError: 'ra'
    Why?
    """
    lines = text.split("\n")
    stretches = groupby(zip(lines, verbatim_lines(lines), strict=True), key=lambda pair: pair[1])
    return "\n".join(line for verbatim, pairs in stretches for line in _kept([line for line, _ in pairs], verbatim))


def _kept(lines: Sequence[str], verbatim: bool) -> Sequence[str]:
    if not verbatim or len(lines) < SHORTEST:
        return lines
    telling = list(dict.fromkeys(_telling(lines)))
    return telling[-MOST_TELLING:] if telling else lines


def _telling(lines: Sequence[str]) -> Iterator[str]:
    return (_STAMP.sub("", line).strip() for line in lines if _TELLING.search(line))
