"""Placeholders such as `<PERSON_1>`: giving them out, finding them, turning them back."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.domain.redaction import PlaceholderMap

PLACEHOLDER = re.compile(r"<([A-Z]+(?:_[A-Z]+)*)_([1-9][0-9]*)>")
"""What a placeholder looks like: kind and number, which counts from 1 for each kind within a ticket."""

LITERAL = "LITERAL"
"""Kind of a text that only looks like a placeholder; it is replaced too, so that restoring is exact."""

_UNNAMED = "PERSONAL"


def restore(text: str, placeholders: PlaceholderMap) -> str:
    """Put the values back. Placeholders that are not in the map stay as they are; values are not looked into again."""
    return PLACEHOLDER.sub(lambda match: placeholders.values.get(match.group(), match.group()), text)


def kind_of(placeholder: str) -> str:
    """
    >>> kind_of("<EMAIL_ADDRESS_2>")
    'EMAIL_ADDRESS'
    """
    match = PLACEHOLDER.fullmatch(placeholder)
    return match.group(1) if match else _UNNAMED


class PlaceholderBook:
    """Gives out placeholders: the same string always gets the same one, a new string the next number of its kind.

    Another spelling is another string: restoring exactly matters more than telling that both mean one person.
    """

    def __init__(self, placeholders: PlaceholderMap) -> None:
        self._values = dict(placeholders.values)
        self._by_value = {value: placeholder for placeholder, value in placeholders.values.items()}
        self._newest = _newest_numbers(placeholders.values)

    def placeholder(self, kind: str, value: str) -> str:
        """The placeholder of `value`; `kind` only matters when it is new."""
        if value not in self._by_value:
            name = re.sub("[^A-Z]+", "_", kind.upper()).strip("_") or _UNNAMED
            self._newest[name] = self._newest.get(name, 0) + 1
            placeholder = f"<{name}_{self._newest[name]}>"
            self._values[placeholder] = value
            self._by_value[value] = placeholder
        return self._by_value[value]

    def find(self, value: str) -> str | None:
        return self._by_value.get(value)

    def close(self) -> PlaceholderMap:
        """The map with everything given out so far."""
        return PlaceholderMap(dict(self._values))


def _newest_numbers(values: Mapping[str, str]) -> dict[str, int]:
    newest: dict[str, int] = {}
    for match in filter(None, map(PLACEHOLDER.fullmatch, values)):
        newest[match.group(1)] = max(newest.get(match.group(1), 0), int(match.group(2)))
    return newest
