"""All patterns together, and a recognizer made of nothing else."""

from __future__ import annotations

from core.domain.provenance import Component
from core.domain.redaction import Entity
from core.redaction.account_patterns import ACCOUNT_PATTERNS
from core.redaction.contact_patterns import CONTACT_PATTERNS, find_ibans
from core.redaction.name_patterns import NAME_PATTERNS
from core.redaction.pattern import find_all
from core.redaction.phones import find_phones
from core.redaction.secret_patterns import SECRET_PATTERNS
from core.redaction.technical import is_allowed

VERSION = "1"
"""Raised with every change of what the patterns find; written in the provenance."""

_PATTERNS = (*SECRET_PATTERNS, *CONTACT_PATTERNS, *ACCOUNT_PATTERNS, *NAME_PATTERNS)


def find_patterns(text: str, *, allow: frozenset[str] = frozenset()) -> list[Entity]:
    """Everything the patterns find, overlaps included; persons whose names are in `allow` (case-folded) left out."""
    found = [*find_all(text, _PATTERNS), *find_phones(text), *find_ibans(text)]
    return [entity for entity in found if entity.kind != "PERSON" or not is_allowed(text[entity.span.slice], allow)]


class PatternRecognizer:
    """Needs no model. Finds what has a shape; of names only those where mails put them."""

    component = Component(role="recognizer", name="patterns", version=VERSION)

    def __init__(self, *, allow: frozenset[str] = frozenset()) -> None:
        self._allow = allow

    def recognize(self, text: str) -> list[Entity]:
        return find_patterns(text, allow=self._allow)
