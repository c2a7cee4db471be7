"""Addresses of people and machines, account numbers with check digits, public researcher ids."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from core.domain.passage import Span
from core.domain.redaction import Entity
from core.redaction.account_patterns import SSH
from core.redaction.checksums import iban_length, iban_ok, luhn_ok, orcid_ok
from core.redaction.pattern import Pattern

_FEWEST_IPV6_GROUPS = 3
_VERSION_BEFORE = re.compile(
    r"\b(?:v\.?|(?:version|versión|versione|versão|ver\.|release|build|firmware|driver|patch|revision)\w*"
    r"|(?:firefox|thunderbird|nightly|chrome|chromium|crios|edge?|opera|opr|safari|vivaldi|brave|python|pipeline)"
    r")[ :/\"'=]*\Z",
    re.IGNORECASE,
)
_THIS_NETWORK = ipaddress.IPv4Network("0.0.0.0/8")
_CARD_LENGTHS = {"4": (13, 16), "5": (16,), "2": (16,), "6": (16,), "3": (14, 15, 16)}
_IBAN_START = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{2})\d\d")
_CREDENTIALS_BEFORE = re.compile(r"://[^\s/@:]{0,100}:\Z")
_LOGIN_BEFORE = re.compile(rf"(?:://|{SSH})\Z")
_CARD_WORD = re.compile(
    r"\b(?:cards?|visa|mastercard|amex|karten?(?:nummer)?|carte|tarjeta|carta|cartão)\b[^\n]{0,30}\Z", re.I
)


def find_ibans(text: str) -> Iterator[Entity]:
    """As many characters after the country code as that country's numbers have, if the check digits agree."""
    for start in _IBAN_START.finditer(text):
        length = iban_length(start.group(1).upper())
        body = re.compile(rf"[A-Za-z0-9](?:[ ]?[A-Za-z0-9]){{{length - 1}}}(?![A-Za-z0-9])") if length else None
        match = body.match(text, start.start()) if body else None
        if match and iban_ok(match.group().replace(" ", "").upper()):
            yield Entity("IBAN_CODE", Span(*match.span()), 1.0, "pattern:iban")


def _is_card(match: re.Match[str]) -> bool:
    """Right check digit and a length that its network uses; any length from 12 to 19 after a word such as "card"."""
    digits = re.sub(r"\D", "", match.group())
    named = _CARD_WORD.search(match.string, max(0, match.start() - 50), match.start())
    return (bool(named) or len(digits) in _CARD_LENGTHS.get(digits[0], ())) and len(set(digits)) > 1 and luhn_ok(digits)


def _is_ipv4(match: re.Match[str]) -> bool:
    """A valid address that is not loopback, unspecified or a netmask, and not a version number."""
    try:
        address = ipaddress.IPv4Address(match.group("value"))
    except ValueError:
        return False
    is_version = _VERSION_BEFORE.search(match.string, max(0, match.start() - 30), match.start())
    is_mask = match.group().startswith("255.255.")
    return not (is_version or is_mask or address.is_loopback or address in _THIS_NETWORK)


def _is_ipv6(match: re.Match[str]) -> bool:
    try:
        address = ipaddress.IPv6Address(match.group("value"))
    except ValueError:
        return False
    groups = [group for group in match.group("value").split(":") if group]
    long_enough = len(groups) >= _FEWEST_IPV6_GROUPS or len(groups[0] if groups else "") == len("fe80")
    return long_enough and any(map(str.isdigit, match.group("value"))) and not address.is_loopback


def _is_orcid(match: re.Match[str]) -> bool:
    """With a right check character, or named as one."""
    before = match.string[max(0, match.start() - 20) : match.start()].lower()
    return "orcid" in before or orcid_ok(re.sub("-", "", match.group()))


def _is_ssn(match: re.Match[str]) -> bool:
    """With blanks between its groups only after a word that says so."""
    before = match.string[max(0, match.start() - 40) : match.start()].lower()
    return match.group("sep") == "-" or "social" in before or "ssn" in before


def _is_mailbox(match: re.Match[str]) -> bool:
    """Not the address of a repository or a machine, and not the password and host of `scheme://user:password@host`."""
    before = match.string[max(0, match.start() - 120) : match.start()]
    is_login = _CREDENTIALS_BEFORE.search(before) or _LOGIN_BEFORE.search(before)
    return not (match.group().startswith(("git@git", "hg@")) or is_login)


_AT = r"\s?[\[({<]\s?(?:at|@|ät|a|arobase|arroba|chiocciola|klammeraffe)\s?[\])}>]\s?"
_DOT = r"\s?[\[({<]\s?(?:dot|punkt|point|punto|ponto|\.)\s?[\])}>]\s?"
_DOT_WORD = r"[ ](?:dot|punkt|point|punto|ponto)[ ]"

CONTACT_PATTERNS = (
    Pattern(
        "EMAIL_ADDRESS",
        "email",
        re.compile(r"(?<![\w.+%&-])[\w+%-][\w.+%'&-]{0,63}@(?:[\w-]{1,63}\.)+[\w-]{2,63}"),
        _is_mailbox,
        1.0,
    ),
    Pattern(
        "EMAIL_ADDRESS",
        "email_spelled_out",
        re.compile(
            rf"(?<![\w.+-])[\w+-][\w.+-]{{0,63}}(?:{_DOT}[\w+-]{{1,40}}){{0,3}}{_AT}[\w-]+(?:(?:\.|{_DOT}"
            rf"|{_DOT_WORD})[\w-]+)+",
            re.IGNORECASE,
        ),
    ),
    Pattern(
        "EMAIL_ADDRESS",
        "email_in_words",
        re.compile(
            r"(?<![\w.+-])[\w+-][\w.+-]{0,63}(?:[ ](?:dot|punkt|point|punto|ponto)[ ][\w+-]{1,40}){0,3}"
            r"[ ](?:at|@|ät|arobase|arroba|chiocciola)[ ][\w-]{1,63}(?:\.[\w-]{1,63}){0,3}"
            r"(?:[ ](?:dot|punkt|point|punto|ponto)[ ](?:[\w-]{1,40}))+",
            re.IGNORECASE,
        ),
    ),
    Pattern(
        "EMAIL_ADDRESS",
        "email_spaced",
        re.compile(
            r"(?<![\w.+-])[\w+-][\w.+-]{0,63}(?:[ ]@[ ]?|@[ ])[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?<=[a-z]{2})(?![\w(])"
        ),
        _is_mailbox,
    ),
    Pattern(
        "DOMAIN_NAME",
        "own_site",
        re.compile(
            r"\b(?:(?:my|our|his|her)[ ](?:\w+[ ])?(?:web ?site|site|home ?page|blog|portfolio|shop|page|domain)"
            r"|(?:posted|shared|uploaded)[ ](?:a|my|the)[ ](?:\w+[ ])?(?:photo|picture|video|post)s?"
            r"|(?:meine|unsere)[ ](?:web ?seite|homepage|seite)|mon[ ](?:site|blog)|mi[ ](?:sitio|página|web|blog)"
            r"|il mio[ ](?:sito|blog)|(?:o )?meu[ ](?:site|blog))(?:[ ](?:is|at|on|ist|unter|est|es|è"
            r"|é))?[ ]?:?[ ]{1,2}"
            r"(?P<value>(?:https?://)?(?:[\w-]{1,63}\.)+[a-z]{2,12})(?![\w])",
            re.IGNORECASE,
        ),
        score=0.6,
    ),
    Pattern("IP_ADDRESS", "ipv4", re.compile(r"(?<![\w.-])(?P<value>\d{1,3}(?:\.\d{1,3}){3})(?![\w-]|\.\d)"), _is_ipv4),
    Pattern(
        "IP_ADDRESS", "ipv6", re.compile(r"(?<![\w:.])(?P<value>[0-9A-Fa-f:]{2,39}(?:\.\d+){0,3})(?![\w:])"), _is_ipv6
    ),
    Pattern(
        "MAC_ADDRESS",
        "mac",
        re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])"),
    ),
    Pattern("CREDIT_CARD", "card", re.compile(r"(?<![\w.-])\d(?:[ -]?\d){11,18}(?![\w-]|\.\d)"), _is_card, 1.0),
    Pattern("ORCID", "orcid", re.compile(r"(?<![\w-])\d{4}-\d{4}-\d{4}-\d{3}[\dXx](?![\w-])"), _is_orcid, 1.0),
    Pattern(
        "US_SSN",
        "us_ssn",
        re.compile(r"(?<![\w./-])(?!000|666|9\d\d)\d{3}(?P<sep>[- ])(?!00)\d\d(?P=sep)(?!0000)\d{4}(?![\w/-]|[.]\d)"),
        _is_ssn,
    ),
    Pattern(
        "ORDER_NUMBER",
        "order_number",
        re.compile(
            r"(?:\b(?:order|invoice|customer|contract|account|serial|bestell|rechnungs|kunden|auftrags|vertrags|konto)"
            r"[ -]?(?:number|no\.?|nr\.?|id|#|nummer)"
            r"|\b(?:commande|facture|client|contrat) n[°o]\.?|\b(?:numéro|n[°º]|número|numero)"
            r" (?:de |d'|di )?(?:commande|facture|client|contrat|pedido|factura|cliente|ordine|fattura|conto))"
            r"\s*(?:is|was|ist|lautet|est|es|è|é|:|=|#)?\s*(?P<value>[A-Za-z]{0,6}[-/#]?\d[\w/-]{3,24})",
            re.IGNORECASE,
        ),
    ),
)
