"""Personal data found in a text, and the placeholders that stand for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.domain.passage import Span

PLACEHOLDER = re.compile(r"<([A-Z]+(?:_[A-Z]+)*)_([1-9][0-9]*)(?:_([B-Z][A-Z]?))?>")
"""What a placeholder looks like, here and nowhere else: kind, and number, counted from 1 for each kind in a ticket.

From the second way of writing the same person on, a letter follows: `<PERSON_1>` "Maria Lopez", `<PERSON_1_B>` "Maria".
"""


@dataclass(frozen=True, slots=True)
class Entity:
    """A span of personal data. `reason` says which recognizer or pattern found it; `score` is 0..1."""

    kind: str
    span: Span
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class PlaceholderMap:
    """Which placeholder stands for which value, within one ticket. It is personal data: vault only.

    `spent` are placeholders whose values were forgotten: they stay blank and are never given out again, because
    earlier drafts of the ticket may still show them. Printing it shows how many entries it has, never what they are.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    spent: frozenset[str] = frozenset()

    def without(self, placeholders: Iterable[str]) -> PlaceholderMap:
        """The map after the values of some placeholders were forgotten.

        >>> PlaceholderMap({"<PERSON_1>": "Ada", "<PERSON_2>": "Bo"}).without(["<PERSON_2>"]).spent
        frozenset({'<PERSON_2>'})
        """
        gone = frozenset(placeholders) & self.values.keys()
        kept = {placeholder: value for placeholder, value in self.values.items() if placeholder not in gone}
        return PlaceholderMap(kept, self.spent | gone)

    def __repr__(self) -> str:
        return f"PlaceholderMap({len(self.values)} values)"

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class RedactedText:
    """A text that may be stored, indexed, logged and sent to a model. `entities` refer to the *original* text."""

    text: str
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class RedactionLists:
    """What an installation never and always replaces. Phrases are lower-case with single spaces between their words.

    `deny` holds (phrase, kind). `core.redaction.lists` reads and applies them.
    """

    allow: frozenset[str] = frozenset()
    deny: frozenset[tuple[str, str]] = frozenset()

    def __len__(self) -> int:
        return len(self.allow) + len(self.deny)


NO_LISTS = RedactionLists()
