"""Lines that are code, a traceback, a console session, configuration or a log: never taken for quoted mail or a
signature, and shown as they are.

Cost: linear in the text; every pattern is anchored at the start of its line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.domain.passage import Span
from core.mail.runs import paragraphs

_FENCE = re.compile(r"\s*+(```|~~~)")
_PROMPT = re.compile(r">>>( |$)|\.\.\. ")
_HTTP_DUMP = re.compile(r"> (GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH|CONNECT) \S+ HTTP/")
_TRACE = re.compile(
    r"\s*+(Traceback \(most recent call last\)|File \"[^\"]+\", line \d+|Caused by:|at [\w$.<>]+\([^)]*\)"
    r"|Exception in thread |[\w.]*(Error|Exception|Warning)(:|$))"
)
_STATEMENT = re.compile(
    r"\s*+(import [\w.]+|from [\w.]+ import |def \w+\(|class \w+[(:]|#include\b|#!/|[\w.\[\]\"']+ = \S.*[\])]$"
    r"|[A-Za-z_][\w.]*\([^)]*\);?$|[{}\[\]],?\s*$|(?=[^;{]*[=(.\w]).*[=()\]\"'\w]\s?[;{]$"
    r"|(?:SELECT|INSERT INTO|DELETE FROM|CREATE TABLE|ALTER TABLE)\s)"
)
_COMMAND = re.compile(
    r"\s*+([$#%] (\./|/)?[a-z][\w-]+|\w+@[\w.-]+:[~/]\S*[$#] "
    r"|PS [A-Z]:\\[^>]*>|[A-Z]:\\[^>\"]*>|(sudo|systemctl|docker|kubectl|pip|apt"
    r"|apt-get|git|npm|curl|ssh) [a-z-])"
)
_LOG = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S* .*\b(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ [\w./-]+(\[\d+\])?: |\[?(TRACE|DEBUG|INFO|WARN|WARNING|ERROR"
    r"|FATAL)\]?[: ]"
    r"|[\d.:a-f]+ - \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:"
)
_SETTING = re.compile(
    r"\s*+(\[[\w .:-]+\]$|[A-Za-z_][\w.-]* ?= ?\S*$|[A-Za-z_][\w.-]* = \S.{0,80}$"
    r"|[{\[]?\s?\"[^\"]+\"\s*: ?[\[{\"\dtfn-]|</?[a-z][\w:-]*[ />])"
)
_DIFF = re.compile(r"(@@ -\d+(,\d+)? \+\d+|diff --git |\+\+\+ [ab]/|--- [ab]/)")
_INDENT = re.compile(r"( {4,}|\t+)\S")
_LOOKS_LIKE_CODE = re.compile(r"[=(){}\[\]<>;$|\\_\"'/:]|\d")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def verbatim_lines(lines: Sequence[str]) -> list[bool]:
    """For each line, whether it is code, traceback, console, configuration or log.

    An indented line is when the lines of its paragraph that are not code by themselves look like code.

    >>> verbatim_lines(["It says", "OSError: no space left", "and stops."])
    [False, True, False]
    """
    fenced, prompts = _fenced(lines), _console(lines)
    surely = [inside or prompt or _is_code(line) for line, inside, prompt in zip(lines, fenced, prompts, strict=True)]
    for start, end in paragraphs(lines, 0, len(lines)):
        if any(surely[start:end]) or any(_is_indented_code(line) for line in lines[start:end]):
            surely[start:end] = [
                code or bool(_INDENT.match(line))
                for code, line in zip(surely[start:end], lines[start:end], strict=True)
            ]
    return surely


def verbatim_spans(text: str) -> tuple[Span, ...]:
    """The same as spans of characters, neighbouring lines joined, in order. The last line break is not included.

    >>> [text[span.slice] for text in ["See:\\n$ ls -l\\n$ cat x\\nThanks"] for span in verbatim_spans(text)]
    ['$ ls -l\\n$ cat x']
    """
    pieces = [match for match in _LINE.finditer(text) if match.group()]
    bare = [match.group().rstrip("\r\n") for match in pieces]
    spans: list[Span] = []
    joined = False
    for match, line, code in zip(pieces, bare, verbatim_lines(bare), strict=True):
        if code:
            start = spans.pop().start if joined else match.start()
            spans.append(Span(start, match.start() + len(line)))
        joined = code
    return tuple(span for span in spans if span.end > span.start)


def _is_code(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_TRACE, _STATEMENT, _COMMAND, _LOG, _SETTING, _DIFF))


def _is_indented_code(line: str) -> bool:
    return bool(_INDENT.match(line) and _LOOKS_LIKE_CODE.search(line))


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
