"""Which labels of data sets and which kinds of recognizers mean the same: one table for every measurement."""

from __future__ import annotations

_FAMILIES = {
    "PERSON": "PERSON PER NAME FIRST_NAME LAST_NAME GIVEN_NAME SURNAME",
    "ADDRESS": "ADDRESS STREET_ADDRESS STREET LOCATION LOC GPE CITY STATE COUNTRY ZIP_CODE POSTAL_CODE POSTCODE",
    "EMAIL_ADDRESS": "EMAIL_ADDRESS EMAIL",
    "PHONE_NUMBER": "PHONE_NUMBER PHONE",
    "CREDIT_CARD": "CREDIT_CARD CREDIT_CARD_NUMBER CARD",
    "BANK_ACCOUNT": "BANK_ACCOUNT IBAN IBAN_CODE US_BANK_NUMBER",
    "NETWORK_ADDRESS": "IP_ADDRESS MAC_ADDRESS",
    "USERNAME": "USERNAME USER_NAME USER LOGIN",
    "DATE_OF_BIRTH": "DATE_OF_BIRTH BIRTHDAY",
    "ORCID": "ORCID",
    "DOMAIN_NAME": "DOMAIN_NAME URL",
    "SECRET": "SECRET PASSWORD API_KEY TOKEN",
    "PASSPORT": "PASSPORT US_PASSPORT PASSPORT_NUMBER",
    "DRIVER_LICENSE": "DRIVER_LICENSE US_DRIVER_LICENSE DRIVERS_LICENSE",
    "NATIONAL_ID": "NATIONAL_ID US_SSN SSN US_ITIN TAX_ID GOVERNMENT_ID UK_NHS UK_NINO ES_NIF ES_NIE IT_FISCAL_CODE",
}

NEUTRAL = frozenset(
    [
        "ORG",
        "ORGANIZATION",
        "ORGANISATION",
        "DATE",
        "TIME",
        "DATE_TIME",
        "AGE",
        "NRP",
        "NORP",
        "TITLE",
        "LITERAL",
        "CUSTOM",
    ],
)
"""What is neither missed nor false: organisations, dates, ages, nationalities, titles; and text that only looks like a
placeholder."""

_FAMILY_OF = {label: family for family, labels in _FAMILIES.items() for label in labels.split()}


def family(label: str) -> str:
    """The family a label belongs to; itself when the table does not have it.

    >>> family("STREET_ADDRESS"), family("gpe"), family("US_SSN"), family("DE_TAX_ID")
    ('ADDRESS', 'ADDRESS', 'NATIONAL_ID', 'DE_TAX_ID')
    """
    return _FAMILY_OF.get(label.upper(), label.upper())


def is_neutral(label: str) -> bool:
    """
    >>> is_neutral("ORG"), is_neutral("PERSON")
    (True, False)
    """
    return label.upper() in NEUTRAL
