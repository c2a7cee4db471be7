"""A recognizer that finds the strings it was told about."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.domain.passage import Span
from core.domain.provenance import Component
from core.domain.redaction import NO_LISTS, Entity, RedactionLists


class FakeRecognizer:
    """`values` maps a string to its kind. Every occurrence is found, also inside words; case counts."""

    component = Component(role="recognizer", name="fake", version="1")

    def __init__(self, values: Mapping[str, str], lists: RedactionLists = NO_LISTS) -> None:
        self.values = dict(values)
        self.lists = lists

    def recognize(self, text: str) -> list[Entity]:
        return [
            Entity(kind, Span(match.start(), match.end()), 1.0, "fake")
            for value, kind in self.values.items()
            for match in re.finditer(re.escape(value), text)
        ]
