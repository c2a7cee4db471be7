"""Personal data found in a text, and the placeholders that stand for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.domain.passage import Span


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

    Printing it shows how many entries it has, never what they are.
    """

    values: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"PlaceholderMap({len(self.values)} values)"

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class RedactedText:
    """A text that may be stored, indexed, logged and sent to a model. `entities` refer to the *original* text."""

    text: str
    entities: tuple[Entity, ...]
