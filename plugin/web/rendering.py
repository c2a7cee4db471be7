"""From texts to what a template shows: chips for placeholders, highlighted quotations, times. All escaped by Jinja."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from urllib.parse import urlsplit

from flask import Flask

from core.domain.passage import Span
from core.domain.redaction import PLACEHOLDER, PlaceholderMap
from core.redaction.placeholders import LITERAL, kind_of
from plugin.web.state import services

NO_PLACEHOLDERS = PlaceholderMap()
"""For texts whose placeholders belong to another ticket: they are shown by their kind, never with a value."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Plain text when `kind` is empty, else personal data: its value, or nothing when the vault does not know it."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a passage and the numbers of the sentences that quote it."""

    text: str
    sentences: tuple[int, ...] = ()


def install(app: Flask) -> None:
    """The filters that templates use."""
    app.jinja_env.filters["utc"] = utc
    app.jinja_env.filters["ago"] = lambda moment: ago(moment, services().clock())


def segments(text: str, placeholders: PlaceholderMap) -> list[Segment]:
    """The text cut at its placeholders.

    >>> segments("Dear <PERSON_1>!", PlaceholderMap({"<PERSON_1>": "Ada"}))
    [Segment(text='Dear ', kind=''), Segment(text='Ada', kind='person'), Segment(text='!', kind='')]
    """
    found: list[Segment] = []
    done = 0
    for match in PLACEHOLDER.finditer(text):
        found += [Segment(text[done : match.start()]), _chip(match.group(), placeholders)]
        done = match.end()
    return [segment for segment in (*found, Segment(text[done:])) if segment.text or segment.kind]


def redacted(text: str) -> list[Segment]:
    """The text with its placeholders as chips that tell people apart by number and never by name.

    >>> redacted("Dear <PERSON_2>")
    [Segment(text='Dear ', kind=''), Segment(text='2', kind='person')]
    """
    found = [match for match in PLACEHOLDER.finditer(text) if match.group(1) != LITERAL]
    return segments(text, PlaceholderMap({match.group(): match.group(2) for match in found}))


def _chip(placeholder: str, placeholders: PlaceholderMap) -> Segment:
    kind = kind_of(placeholder)
    value = placeholders.values.get(placeholder, "")
    return Segment(value) if kind == LITERAL and value else Segment(value, kind.lower().replace("_", " "))


def highlighted(text: str, quotes: Sequence[tuple[Span, int]]) -> list[Piece]:
    """The text cut wherever a quotation starts or ends; `quotes` are (span, number of the sentence that quotes it).

    >>> highlighted("abcd", [(Span(0, 2), 1), (Span(1, 3), 2)])
    ... # doctest: +NORMALIZE_WHITESPACE
    [Piece(text='a', sentences=(1,)), Piece(text='b', sentences=(1, 2)), Piece(text='c', sentences=(2,)),
     Piece(text='d', sentences=())]
    """
    cuts = sorted({0, len(text), *(min(edge, len(text)) for span, _ in quotes for edge in (span.start, span.end))})
    return [
        Piece(text[start:end], tuple(sorted({n for span, n in quotes if span.start <= start and end <= span.end})))
        for start, end in pairwise(cuts)
    ]


def web_address(url: str) -> str:
    """The address if a browser may follow it, else nothing.

    >>> web_address("https://example.org/a"), web_address("javascript:alert(1)"), web_address("docs/a.md")
    ('https://example.org/a', '', '')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.netloc else ""


def utc(moment: datetime) -> str:
    """
    >>> utc(datetime(2026, 11, 3, 14, 2, tzinfo=UTC))
    '3 Nov 2026, 14:02 UTC'
    """
    moment = moment.astimezone(UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def ago(moment: datetime, now: datetime) -> str:
    """How long before `now`, in the largest unit that fits.

    >>> ago(datetime(2026, 11, 3, 14, 2, tzinfo=UTC), datetime(2026, 11, 3, 16, 30, tzinfo=UTC))
    '2 h ago'
    """
    seconds = (now - moment).total_seconds()
    for unit_s, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= unit_s:
            return f"{int(seconds // unit_s)} {unit} ago"
    return "just now"
