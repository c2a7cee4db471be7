"""What an installation adds: phrases that are never replaced (allow) and phrases that always are (deny).

A list is text with one entry a line; empty lines and those that start with `#` do not count. An entry of the deny list
may start with its kind: `PERSON:Maria Lopez`. Entries are found as whole words, in any case, with any white space
between their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from core.domain.fingerprint import fingerprint
from core.domain.passage import Span
from core.domain.provenance import Component
from core.domain.redaction import Entity, RedactionLists
from core.errors import BadInput
from core.redaction.words import listed

PLAIN_KIND = "CUSTOM"
"""Kind of what a deny list names without a kind."""

KINDS = listed(
    """
    ADDRESS BANK_ACCOUNT CREDIT_CARD CUSTOM DATE_OF_BIRTH DRIVER_LICENSE EMAIL_ADDRESS IBAN_CODE IP_ADDRESS LOCATION
    MAC_ADDRESS NATIONAL_ID ORCID ORDER_NUMBER ORGANIZATION PASSPORT PASSWORD PERSON PHONE_NUMBER SECRET USERNAME
    """
)
_NAMES = frozenset({"PERSON", "LOCATION", "ADDRESS"})
_KIND = re.compile(r"([A-Z][A-Z_]+):\s*(.*)")
_WORD = re.compile(r"\w+")


def read_lists(allow: str = "", deny: str = "") -> RedactionLists:
    """The lists in two texts. Raises `BadInput` for an unknown kind, or for a phrase that stands in both.

    >>> read_lists("Nova\\n# a comment", "PERSON: Maria  Lopez").deny
    frozenset({('maria lopez', 'PERSON')})
    """
    allowed = frozenset(map(plain, _entries(allow)))
    denied = frozenset(map(_denied, _entries(deny)))
    if both := allowed & {phrase for phrase, _ in denied}:
        raise BadInput(f"The phrase {min(both)!r} stands in the allow list and in the deny list.")
    return RedactionLists(allowed, denied)


def _entries(text: str) -> Iterator[str]:
    lines = (line.strip() for line in text.splitlines())
    return (line for line in lines if line and not line.startswith("#"))


def _denied(entry: str) -> tuple[str, str]:
    match = _KIND.fullmatch(entry)
    kind, phrase = match.groups() if match else (PLAIN_KIND, entry)
    if kind not in KINDS or not phrase:
        raise BadInput(f"The deny list has the unknown kind {kind}.", hint=f"Kinds are: {', '.join(sorted(KINDS))}.")
    return plain(phrase), kind


def plain(phrase: str) -> str:
    """
    >>> plain(" Maria\\n LOPEZ")
    'maria lopez'
    """
    return " ".join(phrase.lower().split())


def digest(lists: RedactionLists) -> str:
    """Hex SHA-256 of what is listed, empty for empty lists."""
    return fingerprint(lists.allow, lists.deny) if len(lists) else ""


def components(lists: RedactionLists) -> list[Component]:
    """The lists as they are shown among what had a say in a draft: how long they are and what they hash to."""
    both = (("allow list", lists.allow), ("deny list", lists.deny))
    return [Component(name, "redaction", _size(entries), fingerprint(entries)) for name, entries in both if entries]


def _size(entries: frozenset[str] | frozenset[tuple[str, str]]) -> str:
    return "1 entry" if len(entries) == 1 else f"{len(entries)} entries"


def apply_lists(text: str, entities: Sequence[Entity], lists: RedactionLists) -> list[Entity]:
    """The entities without what is allowed, and everything that is denied."""
    return [*without_allowed(text, entities, lists), *_denied_in(text, lists)] if len(lists) else list(entities)


def is_allowed_phrase(value: str, lists: RedactionLists) -> bool:
    return plain(value) in lists.allow


def without_allowed(text: str, entities: Iterable[Entity], lists: RedactionLists) -> list[Entity]:
    """The entities that no allowed phrase covers. A name or place that is longer than the phrase keeps its rest; of
    anything else, such as an e-mail address, a part cannot be shown."""
    allowed = list(_found(text, _index(lists.allow))) if lists.allow else []
    kept: list[Entity] = []
    for entity in entities:
        over = [span for _, span in allowed if span.overlaps(entity.span)]
        if entity.kind in _NAMES:
            kept += [Entity(entity.kind, rest, entity.score, entity.reason) for rest in _rests(text, entity.span, over)]
        elif not any(span.start <= entity.span.start and entity.span.end <= span.end for span in over):
            kept.append(entity)
    return kept


def _rests(text: str, span: Span, over: Sequence[Span]) -> Iterator[Span]:
    """What is left of the span beside those over it, where it has a letter or a digit."""
    start = span.start
    for gone in [*sorted(over, key=lambda s: s.start), Span(span.end, span.end)]:
        piece = text[start : max(start, gone.start)]
        if not over or any(map(str.isalnum, piece)):
            trimmed = piece.strip(" \t\r\n,;") if over else piece
            at = start + piece.find(trimmed)
            yield Span(at, at + len(trimmed))
        start = max(start, gone.end)


def _denied_in(text: str, lists: RedactionLists) -> Iterator[Entity]:
    kinds = dict(sorted(lists.deny))
    for phrase, span in _found(text, _index(frozenset(kinds))):
        yield Entity(kinds[phrase], span, 1.0, "deny list")


_Index = Mapping[str, Sequence[tuple[str, int, re.Pattern[str]]]]
"""By the first word of a phrase: the phrase, how many characters stand before that word, and what finds it."""


@lru_cache(maxsize=8)
def _index(phrases: frozenset[str]) -> _Index:
    index: dict[str, list[tuple[str, int, re.Pattern[str]]]] = {}
    for phrase in sorted(phrases):
        first = _WORD.search(phrase)
        if first:
            spelled = r"\s+".join(map(re.escape, phrase.split()))
            before = r"(?<!\w)" if first.start() == 0 else ""
            after = r"(?!\w)" if re.search(r"\w\Z", phrase) else ""
            regex = re.compile(f"{before}{spelled}{after}", re.IGNORECASE)
            index.setdefault(first.group(), []).append((phrase, first.start(), regex))
    return index


def _found(text: str, index: _Index) -> Iterator[tuple[str, Span]]:
    """Each phrase wherever it stands. Linear in the text for lists of any length."""
    for word in _WORD.finditer(text):
        for phrase, before, regex in index.get(word.group().lower(), ()):
            match = regex.match(text, max(0, word.start() - before))
            if match:
                yield phrase, Span(*match.span())
