"""Numbers that states give to people, and dates of birth.

A number with a shape and a check digit of its own is found anywhere; any other only after a word that announces it,
right check digit or not: people mistype.
"""

from __future__ import annotations

import re
from types import ModuleType

import stdnum.at.vnr
import stdnum.br.cpf
import stdnum.ch.ssn
import stdnum.de.idnr
import stdnum.es.dni
import stdnum.es.nie
import stdnum.fr.nir
import stdnum.it.codicefiscale
import stdnum.us.itin

from core.redaction.pattern import Pattern

_BEFORE, _AFTER = r"(?<![\w.,/+-])", r"(?![\w/]|[-.]\w)"
_NUMBER_WORD = (
    r"(?:[ ]?(?:-[ ]?)?(?:number|nummer|numéro|número|numero|num\.?|no\.?|nr\.?|#|n[°º]\.?|n\.[°º]|n\.?|id|code))?"
    r"(?!\w)"
)
_FILLER = (
    r"(?:[ ]?[(][^()\n]{1,20}[)])?[ ]?"
    r"(?::|=|#|-|\b(?:is|was|ist|lautet|est|es|è|é|on file is)\b)?[ ]{0,3}(?::[ ]{0,2})?"
)


def _announced(words: str, value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?i:(?:{words}){_NUMBER_WORD}{_FILLER})(?<![^\W\d_])(?P<value>{value})(?!\w)")


_CODE = r"(?:[A-Z0-9](?:[ ./-]?[A-Z0-9]){4,21}|[a-z]{0,6}\d[a-z0-9]{4,15})"
_PASSPORT_CODE = r"(?:[A-Z0-9](?:[ -]?[A-Z0-9]){5,11}|[a-z]{1,3}\d{5,9})"
_FEWEST_DIGITS = 4
_MONTH = (
    r"(?:jan|feb|fév|mar|mär|mrz|apr|avr|abr|may|mai|mag|jun|juin|giu|jul|juil|lug|aug|aoû|ago|sep|set|oct|okt|ott|out"
    r"|nov|dec|dez|déc|dic|ene|gen|fev)[a-zéûç]{0,8}\.?"
)
_DATE = (
    r"(?:\d{1,2}[ ]?[./-][ ]?\d{1,2}[ ]?[./-][ ]?(?:\d{4}|\d\d)|\d{4}[-./]\d{1,2}[-./]\d{1,2}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er|º|°|\.)?[ -](?:of |de )?{_MONTH}(?:,?[ -](?:de |del )?\d{{2,4}})?"
    rf"|{_MONTH}[ ]\d{{1,2}}(?:st|nd|rd|th)?,?[ ]\d{{4}}|\d{{1,2}}[ ]\d{{1,2}}[ ]\d{{4}})"
)
_BIRTH = (
    r"born(?: on(?: the)?)?|date of birth|birth ?date|birth ?day|d\.?o\.?b\.?|geboren(?: am| wurde ich am)?|geb\."
    r"(?: am)?"
    r"|geburtsdatum|geburtstag|date de naissance|naissance|née?(?:\(e\))?(?: le)?|anniversaire|fecha de nacimiento"
    r"|f\. ?nac\.?|nac[íi](?:do|da)?(?: el)?|cumpleaños|data di nascita|nat[oa](?: il)?|compleanno|data de nascimento"
    r"|nascid[oa](?: a| em)?|nasci(?: a| em| no dia)?|aniversário"
)
_NATIONAL = (
    r"social (?:security|insurance)|ssn|itin|national (?:id|identity|identification|insurance)(?: card)?|nino"
    r"|identity card|id card|tax(?:payer)?[ ](?:id|identification|reference|file)|nhs"
    r"|(?-i:NI(?= n)|TIN|UTR|SV|NIE|NIR|RG|CNI|CF|NSS|DNI|NISS)"
    r"|steuer-?(?:id|identifikations)\w*|steuerliche identifikations\w*|identifikations|idnr|steuer|st\.?-?nr"
    r"|sozialversicherungs"
    r"|rentenversicherungs|versicherten|personalausweis|ausweis|ahv|krankenversicherten"
    r"|dni|nif|documento nacional de identidad|documento de identidad|identificación fiscal|seguridad social|nss"
    r"|curp|cédula|sécurité sociale|sécu|insee|carte (?:nationale )?d['’]identité|cni|numéro fiscal"
    r"|fiscal de référence"
    r"|codice fiscale|cod\. ?fisc\.?|c\.f\.|carta d['’]identità|tessera sanitaria|contribuinte|identificação fiscal"
    r"|cartão d[eo] cidadão|bilhete de identidade|segurança social|niss|cpf|identidade"
)
_PASSPORT = r"passports?|reisepass(?:es|-?nummer)?|pass(?=-?(?:nr|nummer))|passeport|pasaporte|passaporto|passaporte"
_LICENCE = (
    r"driv(?:er['’]?s?|ing)[ ]?licen[cs]e|driver licen[cs]e|\bdl(?=[ ]?(?:no|number|#|:))|führerschein\w*"
    r"|fahrerlaubnis\w*"
    r"|permis de conduire|permiso de conduc\w+|licencia de conduc\w+|carn[eé]t? de conducir|patente(?: di guida)?"
    r"|carta de condução|carteira de motorista|cnh|habilitação"
)
_ACCOUNT = (
    r"bank account|account number|sort code|routing|bic|swift(?: code)?|kontonummer|konto(?=-?nr)|blz|bankleitzahl"
    r"|compte bancaire"
    r"|cuenta bancaria|conto corrente|conta bancária|nib|abn|bsb"
)


def _has_digits(match: re.Match[str]) -> bool:
    return sum(map(str.isdigit, match.group("value"))) >= _FEWEST_DIGITS


def _is_passport(match: re.Match[str]) -> bool:
    return _has_digits(match) and not re.fullmatch(_DATE, match.group("value"), re.IGNORECASE)


def _checked(name: str, shape: str, *checks: ModuleType) -> Pattern:
    def accepts(match: re.Match[str]) -> bool:
        return any(bool(check.is_valid(match.group())) for check in checks)

    return Pattern("NATIONAL_ID", name, re.compile(f"{_BEFORE}(?:{shape}){_AFTER}"), accepts, 0.95)


ID_PATTERNS = (
    _checked("codice_fiscale", r"(?i:[a-z]{6}\d\d[a-ehlmprst]\d\d[a-z]\d{3}[a-z])", stdnum.it.codicefiscale),
    _checked("dni", r"\d{8}-?[A-Z]|\d{1,2}\.\d{3}\.\d{3}[- ]?[A-Za-z]", stdnum.es.dni),
    _checked("nie", r"(?i:[xyz]-?\d{7}-?[a-z])", stdnum.es.nie),
    _checked("nir", r"[12][ ]?\d\d[ ]?(?:0\d|1[0-2])[ ]?(?:\d\d|2[AB])[ ]?\d{3}[ ]?\d{3}[ ]?\d\d", stdnum.fr.nir),
    _checked("steuer_id", r"\d\d \d{3} \d{3} \d{3}", stdnum.de.idnr),
    _checked("ahv", r"756\.\d{4}\.\d{4}\.\d\d", stdnum.ch.ssn),
    _checked("cpf", r"\d{3}\.\d{3}\.\d{3}-\d\d", stdnum.br.cpf),
    _checked("itin", r"9\d\d-\d\d-\d{4}", stdnum.us.itin),
    Pattern(
        "NATIONAL_ID",
        "sozialversicherung",
        re.compile(rf"{_BEFORE}\d\d ?(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d ?[A-Z] ?\d{{3}}{_AFTER}"),
    ),
    Pattern(
        "NATIONAL_ID",
        "nino",
        re.compile(
            rf"{_BEFORE}(?!BG|GB|KN|NK|NT|TN|ZZ|[DFIQUV]|.[DFIQUVO])[A-Z]{{2}}[ ]?\d\d[ ]?\d\d[ ]?\d\d[ ]?[A-D]{_AFTER}"
        ),
    ),
    Pattern("NATIONAL_ID", "national_id_announced", _announced(_NATIONAL, _CODE), _has_digits, 0.85),
    Pattern("PASSPORT", "passport", _announced(_PASSPORT, _PASSPORT_CODE), _is_passport, 0.96),
    Pattern("DRIVER_LICENSE", "driver_license", _announced(_LICENCE, _CODE), _has_digits, 0.96),
    Pattern("BANK_ACCOUNT", "bank_account", _announced(_ACCOUNT, _CODE), _has_digits, 0.85),
    Pattern(
        "DATE_OF_BIRTH",
        "date_of_birth",
        re.compile(
            rf"(?<!\w)(?:{_BIRTH})(?![\w/]){_FILLER}(?:[ ]?(?:am|le|el|il|a|em|on)[ ])?(?P<value>{_DATE})(?!\w)",
            re.IGNORECASE,
        ),
        score=0.95,
    ),
)
