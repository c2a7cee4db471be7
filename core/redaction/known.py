"""Values known to be personal, found again wherever they stand as whole words, also where a recognizer misses them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.domain.passage import Span
from core.domain.redaction import Entity, PlaceholderMap
from core.redaction.placeholders import LITERAL, kind_of
from core.redaction.words import EVERYDAY

AGAIN = 0.01
"""Score of what is found again: the reason of whoever found it on its own counts more."""

SHORTEST_CHARS = 3
"""Shorter values would be found in too many places that mean something else."""


def known_values(text: str, placeholders: PlaceholderMap) -> list[Entity]:
    """Where the values of the map stand in `text`."""
    kinds = {value: kind_of(placeholder) for placeholder, value in placeholders.values.items()}
    return find_values(text, {value: kind for value, kind in kinds.items() if kind != LITERAL})


def find_values(text: str, kinds: Mapping[str, str]) -> list[Entity]:
    """Where the strings `kinds` (string -> kind) stand in `text` as whole words, in any case and with any white space
    between their words. Those shorter than `SHORTEST_CHARS` are not looked for. Linear in text times values."""
    return [
        Entity(kind, Span(*match.span()), AGAIN, "known value")
        for value, kind in kinds.items()
        if len(value.strip()) >= SHORTEST_CHARS
        for match in re.finditer(_whole_words(value), text)
    ]


def _whole_words(value: str) -> str:
    words = value.split()
    spelled = r"\s+".join(re.escape(word) for word in words)
    if len(words) == 1 and value.strip().lower() in EVERYDAY:
        any_case = "|".join(re.escape(form) for form in (value.strip().capitalize(), value.strip().upper()))
    else:
        any_case = f"(?i:{spelled})"
    before = r"(?<!\w)" if re.match(r"\w", words[0]) else ""
    after = r"(?!\w)" if re.search(r"\w\Z", words[-1]) else ""
    return f"{before}(?:{any_case}){after}"
