"""Placeholders such as `<PERSON_1>`: giving them out, finding them, turning them back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from core.domain.redaction import PLACEHOLDER, PlaceholderMap
from core.redaction.people import form_of, same_people

LITERAL = "LITERAL"
"""Kind of a text that only looks like a placeholder; it is replaced too, so that restoring is exact."""

PERSON = "PERSON"

_UNNAMED = "PERSONAL"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOGINS = frozenset({"USERNAME"})
_FEWEST_WORDS_OF_A_NAME = 2
_MOST_FORMS = len(_LETTERS) ** 2


def restore(text: str, placeholders: PlaceholderMap) -> str:
    """Put the values back. Placeholders that are not in the map stay as they are; values are not looked into again."""
    return PLACEHOLDER.sub(lambda match: placeholders.values.get(match.group(), match.group()), text)


def unknown(text: str, placeholders: PlaceholderMap) -> list[str]:
    """The placeholders in a redacted text that have no value (any more), in order of appearance.

    >>> unknown("Dear <PERSON_1>, ask <PERSON_2>", PlaceholderMap({"<PERSON_1>": "Ada"}))
    ['<PERSON_2>']
    """
    found = dict.fromkeys(match.group() for match in PLACEHOLDER.finditer(text))
    return [placeholder for placeholder in found if placeholder not in placeholders.values]


def kind_of(placeholder: str) -> str:
    """
    >>> kind_of("<EMAIL_ADDRESS_2>")
    'EMAIL_ADDRESS'
    """
    match = PLACEHOLDER.fullmatch(placeholder)
    return match.group(1) if match else _UNNAMED


def fold(text: str) -> str:
    """The text with every person under one placeholder, whichever way the name was written. It cannot be restored.

    >>> fold("<PERSON_1_B>, that is <PERSON_1>")
    '<PERSON_1>, that is <PERSON_1>'
    """
    return PLACEHOLDER.sub(lambda match: f"<{match.group(1)}_{match.group(2)}>", text)


class PlaceholderBook:
    """Gives out placeholders: the same string always gets the same one, a new string the next number of its kind.

    Another way of writing a person's name gets the person's number and a letter, so that restoring stays exact.
    """

    def __init__(self, placeholders: PlaceholderMap) -> None:
        self._values = dict(placeholders.values)
        self._by_value = {value: placeholder for placeholder, value in placeholders.values.items()}
        self._spent = placeholders.spent
        self._newest: dict[str, int] = {}
        self._forms: dict[int, int] = {}
        for placeholder in [*placeholders.values, *placeholders.spent]:
            self._take(placeholder)

    def add(self, values: Iterable[tuple[str, str]]) -> None:
        """Give placeholders to the new ones among these (kind, value), in their order.

        Names are compared with each other and with those known, so what belongs together should come together. The
        first kind of a value counts.
        """
        fresh: dict[str, str] = {}
        for kind, value in values:
            if value not in self._by_value:
                fresh.setdefault(value, kind)
        self._add_people([value for value, kind in fresh.items() if kind == PERSON])
        logins = [value for value, kind in fresh.items() if kind in _LOGINS and _is_whole_name(value)]
        owners = same_people(logins, self._people())
        for value, kind in fresh.items():
            owner = owners.get(value)
            if kind != PERSON:
                self._give(value, self._next_form(owner) if isinstance(owner, int) else self._next(kind))

    def placeholder(self, kind: str, value: str) -> str:
        """The placeholder of `value`; `kind` only matters when it is new."""
        self.add([(kind, value)])
        return self._by_value[value]

    def find(self, value: str) -> str | None:
        return self._by_value.get(value)

    def close(self) -> PlaceholderMap:
        """The map with everything given out so far."""
        return PlaceholderMap(dict(self._values), self._spent)

    def _add_people(self, names: Sequence[str]) -> None:
        numbers: dict[str, int] = {}
        for name, meant in same_people(names, self._people()).items():
            number = meant if isinstance(meant, int) else numbers.get(meant)
            placeholder = self._next(PERSON) if number is None else self._next_form(number)
            self._give(name, placeholder)
            if isinstance(meant, str):
                numbers.setdefault(meant, _parsed(placeholder)[1])

    def _people(self) -> dict[str, int]:
        """The number of each name that was given out."""
        parsed = ((value, _parsed(placeholder)) for value, placeholder in self._by_value.items())
        return {value: number for value, (kind, number, _) in parsed if kind == PERSON}

    def _next(self, kind: str) -> str:
        name = re.sub("[^A-Z]+", "_", kind.upper()).strip("_") or _UNNAMED
        return f"<{name}_{self._newest.get(name, 0) + 1}>"

    def _next_form(self, number: int) -> str:
        """Another way of writing the name of a person; once all letters are used, another person."""
        form = self._forms.get(number, 0) + 1
        return f"<{PERSON}_{number}_{_letters(form)}>" if form < _MOST_FORMS else self._next(PERSON)

    def _give(self, value: str, placeholder: str) -> None:
        self._values[placeholder] = value
        self._by_value[value] = placeholder
        self._take(placeholder)

    def _take(self, placeholder: str) -> None:
        """Never give this placeholder out again."""
        kind, number, form = _parsed(placeholder)
        self._newest[kind] = max(self._newest.get(kind, 0), number)
        if kind == PERSON:
            self._forms[number] = max(self._forms.get(number, 0), form)


def _is_whole_name(login: str) -> bool:
    """Whether a user name is made of two names at least, as in "maria.lopez"."""
    return all(len(word) > 1 for word in form_of(login)) and len(form_of(login)) >= _FEWEST_WORDS_OF_A_NAME


def _letters(form: int) -> str:
    """
    >>> _letters(1), _letters(25), _letters(26), _letters(27), _letters(675)
    ('B', 'Z', 'BA', 'BB', 'ZZ')
    """
    high, low = divmod(form, len(_LETTERS))
    return (_LETTERS[high] if high else "") + _LETTERS[low]


def _parsed(placeholder: str) -> tuple[str, int, int]:
    """Kind, number and form, which counts from 0; what is no placeholder is of no kind."""
    match = PLACEHOLDER.fullmatch(placeholder)
    if match is None:
        return _UNNAMED, 0, 0
    form = 0
    for letter in match.group(3) or "":
        form = form * len(_LETTERS) + _LETTERS.index(letter)
    return match.group(1), int(match.group(2)), form
