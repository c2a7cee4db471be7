"""What mail programs put above an earlier mail: an attribution, a block of headers or a separator.

An attribution ("On ... wrote:") holds a date and a name, is wrapped over four lines at most and ends with a colon. A
header block ("From: ... Sent: ... Subject: ...") names the sender and two things more. Whatever the input, finding one
looks at a bounded piece of text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.mail.words import FORWARDED, HEADER_ROLES, OPENERS, ORIGINAL, RAW_HEADERS, WROTE

MARKS = re.compile(r"[ \t]?(?:>[ \t]?)+")
"""Marks of quotation at the start of a line."""

_MOST_WRAPPED = 4
_LONGEST_ATTRIBUTION_CHARS = 400
_LONGEST_SEPARATOR_CHARS = 160
_LONGEST_HEADER_WORD_CHARS = 30
_MOST_HEADER_LINES = 16
_ROLES_NEEDED = 3

_MAIL = re.compile(
    r"[<(\[]{1,2} ?(?:mailto:)?([^<>()\[\]\s@]{1,80}@[^<>()\[\]\s@]{1,120})(?:\|[^<>]{0,120})?[>)\]]{1,2}"
)
_WROTE = re.compile(
    rf"(?<![^\W\d_])(?:{WROTE})(?![^\W\d_])|のメール|の投稿|さんは書きました|写道|寫道|님이 작성", re.IGNORECASE
)
_OPENER = re.compile(rf"[ \t*_]*(?:{OPENERS})\b[.,]{{0,2}}[ \t]|[ \t*_]*\d", re.IGNORECASE)
_TIME = re.compile(
    r"\b\d{1,2}(?:[:.]\d{2}){1,2}(?![\d./])"
    r"(?:[ \xa0\u202f]?(?:[ap]\.? ?m\b\.?|uhr\b|(?-i:[A-ZČ]{2,4}\b)(?:[+-]\d{1,4})?|[+-]\d{4}))?",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2}")
_OWN_WORDS = re.compile(r"\b(?:I|we) wrote|schrieb(?:en)? (?:ich|wir|man)\b")
_COLON_END = re.compile(r"[:：][ \t*_-]*$")
_DASHES = "-‐‑–—_=*~ \t>"
_SEPARATES = re.compile(r"[ \t>]*[-‐‑–—_=*~]{2}")
_RULE = re.compile(r"[ \t>]*[_-]{8,}[ \t]*$")
_MARKUP = "*_ \t\xa0\u202f>|"
_DIRECTIONS = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c\u202d\u202e"))


class IntroKind(StrEnum):
    ATTRIBUTION = "attribution"
    HEADERS = "headers"
    FORWARD = "forward"


@dataclass(frozen=True, slots=True)
class Intro:
    """`height` lines that introduce a mail. Author and date are as written there, empty when not told."""

    kind: IntroKind
    height: int
    author: str = ""
    sent: str = ""


def intro_at(lines: Sequence[str], index: int) -> Intro | None:
    """The introduction that starts at this line, marks of quotation apart.

    >>> intro_at(["On 3 Jun 2024 at 09:14, Ana Bell", "<ana@example.org> wrote:"], 0)
    Intro(kind=<IntroKind.ATTRIBUTION: 'attribution'>, height=2, author='Ana Bell', sent='3 Jun 2024 at 09:14')
    """
    if is_forward(lines[index]):
        return _with_headers(IntroKind.FORWARD, lines, index)
    if _is_original(lines[index]):
        return _with_headers(IntroKind.HEADERS, lines, index)
    if _RULE.match(lines[index]):
        block = _header_block(lines, _next_visible(lines, index + 1), trusted=True)
        return _grown(block, _next_visible(lines, index + 1) - index) if block else None
    return _header_block(lines, index) or _attribution(lines, index)


def is_forward(line: str) -> bool:
    """Whether the line says that a forwarded mail follows.

    >>> is_forward("---------- Forwarded message ---------"), is_forward("I got a forwarded message")
    (True, False)
    """
    if len(line) > _LONGEST_SEPARATOR_CHARS:
        return False
    words = line.strip(_DASHES).casefold()
    if not words.startswith(FORWARDED):
        return False
    return bool(_SEPARATES.match(line)) or words.rstrip().endswith((":", "："))


def ends_with_attribution(lines: Sequence[str]) -> bool:
    """Whether the last lines are an attribution, whatever its height."""
    if not lines or not _COLON_END.search(lines[-1][-_LONGEST_HEADER_WORD_CHARS:]):
        return False
    tail = list(lines[-_MOST_WRAPPED:])
    intros = ((index, _attribution(tail, index)) for index in range(len(tail)))
    return any(intro is not None and index + intro.height == len(tail) for index, intro in intros)


def bare(line: str) -> str:
    """The line without its marks of quotation."""
    marks = MARKS.match(line)
    return line[marks.end() :] if marks else line


def _is_original(line: str) -> bool:
    if len(line) > _LONGEST_SEPARATOR_CHARS or not _SEPARATES.match(line):
        return False
    words = line.strip(_DASHES).casefold()
    return words.startswith(ORIGINAL) or words.endswith((" wrote:", " schrieb:", " a écrit :"))


def _with_headers(kind: IntroKind, lines: Sequence[str], index: int) -> Intro:
    """A separator together with the headers or the attribution below it."""
    below = _next_visible(lines, index + 1)
    if below >= len(lines):
        return Intro(kind, 1)
    block = _header_block(lines, below, trusted=True) or _attribution(lines, below)
    return Intro(kind, below - index + block.height, block.author, block.sent) if block else Intro(kind, 1)


def _grown(intro: Intro, by: int) -> Intro:
    return Intro(intro.kind, intro.height + by, intro.author, intro.sent)


def _next_visible(lines: Sequence[str], index: int) -> int:
    """Index of the next line that is not blank, two lines ahead at most; len(lines) when there is none."""
    return next((n for n in range(index, min(index + 3, len(lines))) if bare(lines[n]).strip()), len(lines))


# --- header blocks ----------------------------------------------------------------------------------------------------


def _header(line: str) -> tuple[str, str]:
    """(role, value) of a header line; ("", "") of any other."""
    line = line.translate(_DIRECTIONS)
    start = line[:_LONGEST_HEADER_WORD_CHARS].replace("：", ":")
    word, colon, _ = start.partition(":")
    name = word.strip(_MARKUP).casefold().replace("-", " ") if colon else ""
    raw = name.replace(" ", "-")
    role = "raw" if raw in RAW_HEADERS else HEADER_ROLES.get(name) or HEADER_ROLES.get(raw, "")
    return (role, line[len(word) + 1 :].strip(_MARKUP)) if role else ("", "")


def _header_block(lines: Sequence[str], index: int, *, trusted: bool = False) -> Intro | None:
    """A block with a sender and two headers more. Unless a separator stands above it (`trusted`), it also needs a
    subject, an address or a date with its time: "From: Paris" and "To: Rome" are a journey."""
    if index >= len(lines) or _header(lines[index])[0] in ("", "other", "raw", "attachments"):
        return None
    found: dict[str, str] = {}
    end = index
    for at in range(index, min(index + _MOST_HEADER_LINES, len(lines))):
        role, value = _header(lines[at])
        if role and role not in found:
            found[role], end = value, at + 1
        elif not _continues(lines, at, found):
            break
    named = len(found.keys() & {"from", "sent", "to", "cc", "subject"})
    addressed = (
        "subject" in found
        or any("@" in value for value in found.values())
        or bool(_TIME.search(found.get("sent", "")) and _YEAR.search(found.get("sent", "")))
    )
    if "raw" in found or "from" not in found or named < _ROLES_NEEDED or not (trusted or addressed):
        return None
    return Intro(IntroKind.HEADERS, end - index, _person(found["from"]), found.get("sent", ""))


def _continues(lines: Sequence[str], at: int, found: dict[str, str]) -> bool:
    """Whether a line without header word belongs to the block: a wrapped list of addresses or a blank before more."""
    text = bare(lines[at])
    if not text.strip():
        return at + 1 < len(lines) and bool(_header(lines[at + 1])[0])
    last = list(found)[-1]
    return last in ("to", "cc", "attachments") and ("@" in text or ";" in text or text.startswith((" ", "\t")))


def _person(value: str) -> str:
    """The name in a sender header, else the address.

    >>> _person('"Bell, Ana" <ana@example.org>'), _person("<ana@example.org>")
    ('Bell, Ana', 'ana@example.org')
    """
    mail = re.search(r"[<\[(]", value)
    name = (value[: mail.start()] if mail else value).strip(" \"'*_")
    return name or value.strip("<>[]() ").removeprefix("mailto:")


# --- attributions -----------------------------------------------------------------------------------------------------


def _attribution(lines: Sequence[str], index: int) -> Intro | None:
    first = bare(lines[index])
    if len(first) > _LONGEST_ATTRIBUTION_CHARS or not first.strip():
        return None
    opened = bool(_OPENER.match(first))
    if not (opened or _MAIL.search(first) or _WROTE.search(first)):
        return None
    for height in range(1, _MOST_WRAPPED + 1):
        piece = [bare(line).strip() for line in lines[index : index + height]]
        if len(piece) < height or not piece[-1]:
            return None
        joined = " ".join(piece)
        if len(joined) > _LONGEST_ATTRIBUTION_CHARS:
            return None
        if _COLON_END.search(joined):
            return _read_attribution(joined, height) if _is_attribution(joined, opened) else None
    return None


def _is_attribution(joined: str, opened: bool) -> bool:
    """Whether the sentence tells who wrote when. Without a date it needs an address, without a verb both and a "
    "time."""
    if _OWN_WORDS.search(joined):
        return False
    wrote, mail = _WROTE.search(joined), _MAIL.search(joined)
    dated = bool(_YEAR.search(joined))
    if wrote and mail:
        return dated or joined.rstrip(" :：*_").endswith(wrote.group())
    if wrote:
        return dated and (opened or bool(_TIME.search(joined)))
    return bool(mail and dated and _TIME.search(joined)) and bool(re.search(r"[>)\]][ \t]*[:：][ \t]*$", joined))


def _read_attribution(joined: str, height: int) -> Intro:
    mail, wrote = _MAIL.search(joined), _WROTE.search(joined)
    if mail:
        before = _after_last(joined[: mail.start()], wrote)
        author = before or mail.group(1)
    else:
        author = _unaddressed(joined, wrote)
    return Intro(IntroKind.ATTRIBUTION, height, author, _sent(joined, author))


_BEFORE_NAME = re.compile(
    rf"{_TIME.pattern}|(?<![^\W\d_])(?:{WROTE}|hat|heeft|odesílatel|użytkownik|przez|пользователь|от|χρήστης)(?![^\W\d_])|(?:19"
    rf"|20)\d\d,?"
    r"|[、に]|\b(?:utc|gmt)[+-]\d{1,2}\b",
    re.IGNORECASE,
)


def _after_last(text: str, wrote: re.Match[str] | None) -> str:
    """What follows the last date, time or verb of the text."""
    ends = [match.end() for match in _BEFORE_NAME.finditer(text)]
    return text[max(ends, default=0) :].strip(" ,.;:\"'*_(、・")


def _unaddressed(joined: str, wrote: re.Match[str] | None) -> str:
    """The name in an attribution without address: after the verb, or before it, whichever has no digits."""
    if wrote is None:
        return ""
    after = joined[wrote.end() :].strip(" ,.;:：*_")
    if after and not re.search(r"\d", after):
        return after
    return _after_last(joined[: wrote.start()], None)


def _sent(joined: str, author: str) -> str:
    """The date as written: from the start, or from behind the verb, to the time; "" when there is none."""
    rest = _MAIL.sub("", joined).replace(author, "", 1) if author else _MAIL.sub("", joined)
    rest = _WROTE.sub(" ", rest)
    ends = [match.end() for pattern in (_TIME, _YEAR) for match in pattern.finditer(rest)]
    if not ends:
        return ""
    opened = re.sub(
        r"^[ \t*_,]*(?:on|am|le|el|il giorno|il|em|na|no dia|op|den|w dniu|dne|hat)\b[ \t,]*",
        "",
        rest[: max(ends)],
        flags=re.IGNORECASE,
    )
    return re.sub(r"[ \t]+", " ", opened).strip(" ,*_")
