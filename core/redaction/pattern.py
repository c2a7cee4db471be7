"""A regular expression that finds one kind of personal data, with a test that a match must pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from core.domain.passage import Span
from core.domain.redaction import Entity


def _accept(_match: re.Match[str]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is replaced is the group `value` where the expression has one, else the whole match."""

    kind: str
    name: str
    regex: re.Pattern[str]
    accepts: Callable[[re.Match[str]], bool] = _accept
    score: float = 0.9

    def find(self, text: str) -> Iterator[Entity]:
        group: str | int = "value" if "value" in self.regex.groupindex else 0
        for match in self.regex.finditer(text):
            if self.accepts(match):
                yield Entity(self.kind, Span(*match.span(group)), self.score, f"pattern:{self.name}")


def find_all(text: str, patterns: Iterable[Pattern]) -> list[Entity]:
    return [entity for pattern in patterns for entity in pattern.find(text)]
