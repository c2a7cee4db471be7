"""Lines that are code, a traceback, a console session or a log: never taken for quoted mail or a signature."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FENCE = re.compile(r"\s*+(```|~~~)")
_PROMPT = re.compile(r">>>( |$)|\.\.\. ")
_HTTP_DUMP = re.compile(r"> (GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH|CONNECT) \S+ HTTP/")
_TRACE = re.compile(
    r"\s*+(Traceback \(most recent call last\)|File \"[^\"]+\", line \d+|Caused by:|at [\w$.<>]+\([^)]*\)"
    r"|[\w.]*(Error|Exception|Warning)(:|$))"
)
_STATEMENT = re.compile(
    r"\s*+(import [\w.]+|from [\w.]+ import |def \w+\(|class \w+[(:]|#include\b|[\w.\[\]\"']+ = \S.*[\])]$"
    r"|[$#%] (\./)?[a-z][\w-]+|[A-Za-z_][\w.]*\([^)]*\);?$|[{}]\s*$|.*[;{]$)"
)
_LOG = re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S* .*\b(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b")
_INDENT = re.compile(r"( {4,}|\t+)\S")


def verbatim_lines(lines: Sequence[str]) -> list[bool]:
    """For each line, whether it is code, traceback, console or log."""
    fenced = _fenced(lines)
    prompts = _console(lines)
    return [
        inside
        or prompt
        or bool(_INDENT.match(line) or _TRACE.match(line) or _STATEMENT.match(line) or _LOG.match(line))
        for line, inside, prompt in zip(lines, fenced, prompts, strict=True)
    ]


def _fenced(lines: Sequence[str]) -> list[bool]:
    """Lines from a fence to its partner, both included. A fence without partner fences nothing."""
    marks = [index for index, line in enumerate(lines) if _FENCE.match(line)]
    inside = [False] * len(lines)
    for first, last in zip(marks[::2], marks[1::2], strict=False):
        inside[first : last + 1] = [True] * (last + 1 - first)
    return inside


def _console(lines: Sequence[str]) -> list[bool]:
    """Runs of `>` lines that are a Python session (every line `>>> `) or the head of an HTTP request."""
    result = [False] * len(lines)
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and lines[end].startswith((">", "... ")):
            end += 1
        run = lines[start:end]
        if run and (all(_PROMPT.match(line) for line in run) or _HTTP_DUMP.match(run[0])):
            result[start:end] = [True] * len(run)
        start = max(end, start + 1)
    return result
