"""All patterns together, and a recognizer made of nothing else."""

from __future__ import annotations

from core.domain.provenance import Component
from core.domain.redaction import NO_LISTS, Entity, RedactionLists
from core.redaction.account_patterns import ACCOUNT_PATTERNS
from core.redaction.address_patterns import ADDRESS_PATTERNS, find_announced_addresses
from core.redaction.contact_patterns import CONTACT_PATTERNS, find_ibans
from core.redaction.id_patterns import ID_PATTERNS
from core.redaction.lists import digest
from core.redaction.name_patterns import NAME_PATTERNS
from core.redaction.pattern import find_all
from core.redaction.phones import find_phones
from core.redaction.secret_patterns import SECRET_PATTERNS, find_private_keys
from core.redaction.technical import is_allowed

VERSION = "3"
"""Raised with every change of what the patterns find; written in the provenance."""

_PATTERNS = (
    *SECRET_PATTERNS,
    *CONTACT_PATTERNS,
    *ID_PATTERNS,
    *ADDRESS_PATTERNS,
    *ACCOUNT_PATTERNS,
    *NAME_PATTERNS,
)


def find_patterns(text: str, *, allow: frozenset[str] = frozenset()) -> list[Entity]:
    """Everything the patterns find, overlaps included; persons whose names are in `allow` (case-folded) left out."""
    found = [
        *find_all(text, _PATTERNS),
        *find_phones(text),
        *find_ibans(text),
        *find_announced_addresses(text),
        *find_private_keys(text),
    ]
    return [entity for entity in found if entity.kind != "PERSON" or not is_allowed(text[entity.span.slice], allow)]


class PatternRecognizer:
    """Needs no model. Finds what has a shape; of names only those where mails put them."""

    def __init__(self, *, lists: RedactionLists = NO_LISTS) -> None:
        self._lists = lists

    @property
    def component(self) -> Component:
        return Component(role="recognizer", name="patterns", version=VERSION, sha256=digest(self._lists))

    @property
    def lists(self) -> RedactionLists:
        return self._lists

    def recognize(self, text: str) -> list[Entity]:
        return find_patterns(text, allow=self._lists.allow)
