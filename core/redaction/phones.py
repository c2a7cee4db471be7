"""Telephone numbers as people write them, and not dates, versions, coordinates or ids.

Four shapes: international (`+49 ...`, `0049 ...`), North American (`303-296-0335`), with a trunk zero in groups
(`02 58 64 41 15`), and any run of digits after a word such as "phone".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.domain.passage import Span
from core.domain.redaction import Entity

_FEWEST_DIGITS = 7
_MOST_DIGITS = 15
_MOST_EXTENSION_DIGITS = 6

_SEPARATOR = r"(?:[ \xa0]?\(0?\)[ \xa0]?|[ \xa0]?\(|\)[ \xa0-]?|[ \xa0][-/–][ \xa0]|[ \xa0./\-–])"
_GROUPS = rf"(?:{_SEPARATOR}?\d++)"
_EXTENSION = r"(?:[ ]?(?:x|ext\.?|extension|durchwahl)[ ]?\d{1,6})?"
_BEFORE = r"(?<![\w.:/=#@+,-])"
_AFTER = r"(?![\w@]|[:/=,.-]\d)"
_INTERNATIONAL = re.compile(rf"(?<![\w.:/=#@+-])(?:\+|00)[1-9]\d*+{_GROUPS}*+{_EXTENSION}{_AFTER}", re.IGNORECASE)
_AMERICAN = re.compile(
    rf"{_BEFORE}(?:1[-. ])?(?:\([2-9]\d\d\)[ -]?|[2-9]\d\d[-. ])\d{{3}}[-. ]\d{{4}}{_EXTENSION}{_AFTER}", re.IGNORECASE
)
_TRUNK = re.compile(rf"{_BEFORE}(?:\(0\d++\)|0\d++){_GROUPS}++{_EXTENSION}{_AFTER}", re.IGNORECASE)
_WORDS = (
    r"tele(?:ph|f)on\w*|télé?phone|teléfono|tel\.?|phone|mobile|mobil|móvil|handy\w*|cell(?:phone|ulare)?|portable|cellulare"
    r"|telemóvel|celular|fax|whatsapp|call me|ring me|reach me|text me|hotline|rufnummer|rückruf\w*|erreich\w*"
)
_NAMED = re.compile(
    rf"\b(?:{_WORDS})\b[^\d\n+(]{{0,40}}(?P<value>[+(]?\d++{_GROUPS}*+{_EXTENSION}){_AFTER}", re.IGNORECASE
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d\d)(?!\d)")
_DATE_INSIDE = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_SEXAGESIMAL = re.compile(r"[+-]?\d{1,3} \d\d \d\d(?:\.\d+)?$")
_DECIMAL = re.compile(r"\+?\d{1,3}\.\d+$")
_FOUR_BYTES = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}$")


def find_phones(text: str) -> Iterator[Entity]:
    for name, regex, fewest in (
        ("phone_international", _INTERNATIONAL, _FEWEST_DIGITS + 1),
        ("phone_american", _AMERICAN, _FEWEST_DIGITS),
        ("phone_trunk", _TRUNK, _FEWEST_DIGITS + 1),
        ("phone_named", _NAMED, _FEWEST_DIGITS),
    ):
        for match in regex.finditer(text):
            span = _trim(text, match)
            if _is_phone(text[span.slice], fewest):
                yield Entity("PHONE_NUMBER", span, 0.8, f"pattern:{name}")


def _trim(text: str, match: re.Match[str]) -> Span:
    """The match without the last groups of digits that are too many for one number (ITU-T E.164 allows fifteen)."""
    start, end = match.span("value" if "value" in match.re.groupindex else 0)
    number = re.split(r"[ ]?[xXeEdD]", text[start:end], maxsplit=1)[0]
    while sum(map(str.isdigit, number)) > _MOST_DIGITS:
        shorter = re.sub(r"\D*\d+\Z", "", number)
        if not shorter:
            break
        number, end = shorter, start + len(shorter)
    return Span(start, end)


def _is_phone(number: str, fewest: int) -> bool:
    looks_else = any(shape.match(number) for shape in (_DATE, _SEXAGESIMAL, _DECIMAL, _FOUR_BYTES))
    enough = fewest <= sum(map(str.isdigit, number)) <= _MOST_DIGITS + _MOST_EXTENSION_DIGITS
    return enough and not (looks_else or _DATE_INSIDE.search(number))
