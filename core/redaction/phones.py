"""Telephone numbers as people write them, and not dates, versions, coordinates or ids.

Four shapes: international (`+49 ...`, `0049 ...`), North American (`303-296-0335`), with a trunk zero in groups
(`02 58 64 41 15`), and any run of digits after a word such as "phone".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import phonenumbers

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
_INTERNATIONAL = re.compile(rf"(?<![\w.:/=#@+-])(?:\+|00)[1-9]\d*+{_GROUPS}{{0,8}}+{_EXTENSION}{_AFTER}", re.IGNORECASE)
_AMERICAN = re.compile(
    rf"{_BEFORE}(?:1[-. ])?(?:\([2-9]\d\d\)[ -]?|[2-9]\d\d[-. ])\d{{3}}[-. ]\d{{4}}{_EXTENSION}{_AFTER}", re.IGNORECASE
)
_TRUNK = re.compile(rf"{_BEFORE}(?:\(0\d++\)|0\d++){_GROUPS}{{1,8}}+{_EXTENSION}{_AFTER}", re.IGNORECASE)
_WORDS = (
    r"tele(?:ph|f)on\w*|télé?phone|teléfono|tel\.?|phone|joindre|ring|dial|(?:my|registered|contact|mobile)"
    r"(?: \w{1,12})?(?= \d{3}[ -]?\d)|mobile|mobil|móvil|handy\w*|cell(?:phone|ulare)?|portable|cellulare"
    r"|telemóvel|celular|fax|whatsapp|call me|ring me|reach me|text me|hotline|rufnummer|rückruf\w*|erreich\w*"
)
_NAMED = re.compile(
    rf"\b(?:{_WORDS})\b[^\d\n+(]{{0,40}}(?P<value>[+(]?\d++{_GROUPS}{{0,8}}+{_EXTENSION}){_AFTER}", re.IGNORECASE
)
_FOLLOWED = re.compile(
    rf"(?<![\w.:/=#@+-])(?P<value>\+?\d++{_GROUPS}{{0,8}}+)"
    r"(?=[ ]?-?[ ]?(?:office|fax|mobile|cell|home|work|phone|tel|handy"
    rf"|mobil)\b)",
    re.IGNORECASE,
)
_GROUPED = re.compile(
    r"(?<![\w.:/=#@+,-])(?<!\d[ ])(?:\(\d{2,3}\)[ ]?)?\d{2,5}(?:[ .-]\d{2,4}){2,4}(?![ ]\d)(?![\w@%°\"']|[:/=,.-]\d"
    r"|[ ](?:bytes|rows|[KMGT]i?B)\b)"
)
_REGIONS = ("ES", "PT", "IT", "FR", "DE", "GB", "US", "BR", "MX", "AT", "CH")
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
        ("phone_followed", _FOLLOWED, _FEWEST_DIGITS),
    ):
        for match in regex.finditer(text):
            span = _trim(text, match)
            if _is_phone(text[span.slice], fewest):
                yield Entity("PHONE_NUMBER", span, 0.8, f"pattern:{name}")
    for match in _GROUPED.finditer(text):
        if _is_phone(match.group(), _FEWEST_DIGITS) and _is_valid(match.group()):
            yield Entity("PHONE_NUMBER", Span(*match.span()), 0.6, "pattern:phone_grouped")


def _is_valid(number: str) -> bool:
    """Whether a country's numbering plan has the number, written as people there group it: with separators that are all
    the same, nine to eleven digits."""
    separators = set(re.findall(r"(?<=\d)[ .-](?=\d)", number))
    digits = re.sub(r"\D", "", number)
    return len(separators) == 1 and 9 <= len(digits) <= 11 and any(_in_plan(digits, region) for region in _REGIONS)


def _in_plan(digits: str, region: str) -> bool:
    try:
        parsed = phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return False
    grouped = phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.NATIONAL)
    return phonenumbers.is_valid_number(parsed) and len(re.findall(r"\d+", grouped)) > 1


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
