"""Check digits: they tell a card number from any sixteen digits."""

from __future__ import annotations

_IBAN_COUNTRIES = {
    15: "NO",
    16: "BE",
    18: "DK FI NL",
    19: "SI",
    20: "AT BA EE LT LU",
    21: "CH HR LI LV",
    22: "BG DE GB GE IE ME RS",
    23: "AE GI IL",
    24: "AD CZ ES MD RO SA SE SK",
    25: "PT",
    26: "IS TR",
    27: "FR GR IT MC SM",
    28: "AL CY HU PL",
    29: "BR UA",
    31: "MT",
}
_IBAN_LENGTHS = {country: length for length, countries in _IBAN_COUNTRIES.items() for country in countries.split()}


def luhn_ok(digits: str) -> bool:
    """ISO/IEC 7812-1 annex B, for strings of decimal digits.

    >>> luhn_ok("4111111111111111"), luhn_ok("4111111111111112")
    (True, False)
    """
    doubled = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def iban_length(country: str) -> int | None:
    """Characters of an account number of this country (two capital letters), or None for one without."""
    return _IBAN_LENGTHS.get(country)


def iban_ok(compact: str) -> bool:
    """ISO 13616: right length for its country and remainder 1 modulo 97. Capital letters and digits, no spaces.

    >>> iban_ok("DE89370400440532013000"), iban_ok("DE89370400440532013001")
    (True, False)
    """
    if iban_length(compact[:2]) != len(compact) or not (compact.isascii() and compact.isalnum()):
        return False
    return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1


def orcid_ok(digits: str) -> bool:
    """ISO 7064 mod 11-2, for fifteen digits and a check character (a digit or X).

    >>> orcid_ok("0000000218250097"), orcid_ok("0000000218250098")
    (True, False)
    """
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return digits[-1].upper() == ("X" if check == 10 else str(check))
