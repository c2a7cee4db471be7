"""Placeholders that a language model, a translator or a person wrote down wrongly: put right, or reported."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from core.domain.redaction import PLACEHOLDER
from core.redaction.lists import KINDS

_OPEN = r"(?:&lt;|&\#60;|\\?<|＜|‹|⟨|«|\[|\{)"
_CLOSE = r"(?:&gt;|&\#62;|\\?>|＞|›|⟩|»|\]|\})"
_WORD = r"[A-Za-zÀ-ÿ]{1,20}"
_NUMBER = r"(?P<number>[1-9]\d{0,4})(?!\d)(?:\\?[_ .-]?(?P<form>[B-Zb-z][A-Za-z]?)(?![A-Za-z]))?"
_BRACKETED = re.compile(
    rf"{_OPEN}\s{{0,2}}(?P<kind>{_WORD}(?:(?:\\?_|[ -]){_WORD}){{0,3}})\s?\\?[_ :#-]?\s?{_NUMBER}\s{{0,2}}{_CLOSE}"
)
_BARE = re.compile(
    rf"(?<![\w/.-]){_OPEN}?(?P<kind>{_WORD}(?:\\?_{_WORD}){{0,3}})\\?_{_NUMBER}(?:{_CLOSE}|(?![\w(]|[.=]\w))"
)
_TRANSLATED = {
    "PERSONA": "PERSON",
    "PERSONNE": "PERSON",
    "PESSOA": "PERSON",
    "NAME": "PERSON",
    "CORREO": "EMAIL_ADDRESS",
    "COURRIEL": "EMAIL_ADDRESS",
    "E_MAIL": "EMAIL_ADDRESS",
    "E_MAIL_ADRESSE": "EMAIL_ADDRESS",
    "ADRESSE_E_MAIL": "EMAIL_ADDRESS",
    "TELEFON": "PHONE_NUMBER",
    "TELEFONNUMMER": "PHONE_NUMBER",
    "TELEFONO": "PHONE_NUMBER",
    "TELEFONE": "PHONE_NUMBER",
    "TELEPHONE": "PHONE_NUMBER",
    "ADRESSE": "ADDRESS",
    "DIRECCION": "ADDRESS",
    "INDIRIZZO": "ADDRESS",
    "ENDERECO": "ADDRESS",
    "ORT": "LOCATION",
    "BENUTZERNAME": "USERNAME",
    "BENUTZER": "USERNAME",
    "UTILISATEUR": "USERNAME",
    "USUARIO": "USERNAME",
    "UTENTE": "USERNAME",
    "PASSWORT": "PASSWORD",
    "CONTRASENA": "PASSWORD",
    "MOT_DE_PASSE": "PASSWORD",
    "SENHA": "PASSWORD",
    "GEHEIMNIS": "SECRET",
    "SECRETO": "SECRET",
    "SEGRETO": "SECRET",
    "SEGREDO": "SECRET",
}


def repair_placeholders(
    text: str, known: Collection[str], *, bare: bool = True, verbatim: str = ""
) -> tuple[str, tuple[str, ...]]:
    """The text with mangled placeholders put right where only one of `known` can be meant, and those left over.

    Left over is what looks like a placeholder and is none of `known`, as it is written: whoever gets it must not let
    the text pass. With `bare` also forms without brackets are looked at, of kinds that `known` has. What stands in
    `verbatim`, the text that is quoted, is no placeholder.

    >>> repair_placeholders("Dear &lt;person 1&gt;, [PERSONA_2] and EMAIL_1", {"<PERSON_1>", "<EMAIL_ADDRESS_1>"})
    ('Dear <PERSON_1>, [PERSONA_2] and <EMAIL_ADDRESS_1>', ('[PERSONA_2]',))
    """
    kinds = frozenset(match.group(1) for match in map(PLACEHOLDER.fullmatch, known) if match)
    left: list[str] = []

    def repaired(match: re.Match[str]) -> str:
        written = match.group()
        kind = _kind(match.group("kind"), kinds)
        is_other = not kind or (match.re is _BARE and kind not in kinds) or bool(verbatim and written in verbatim)
        if is_other or written in known:
            return written
        meant = _meant(kind, match)
        if meant not in known:
            left.append(written)
        return meant if meant in known else written

    text = _BRACKETED.sub(repaired, text)
    if bare:
        text = _BARE.sub(repaired, text)
    return text, tuple(dict.fromkeys(left))


def placeholders_in(*texts: str) -> frozenset[str]:
    """
    >>> placeholders_in("<PERSON_1> and", "<IP_ADDRESS_2>") == {"<PERSON_1>", "<IP_ADDRESS_2>"}
    True
    """
    return frozenset(match.group() for text in texts for match in PLACEHOLDER.finditer(text))


def _meant(kind: str, match: re.Match[str]) -> str:
    form = (match.group("form") or "").upper()
    return f"<{kind}_{match.group('number')}{'_' + form if form else ''}>"


def _kind(written: str, kinds: Collection[str]) -> str:
    """The kind that is meant: by its name, its translation, or the only one of `kinds` that it is a part of."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", written) if not unicodedata.combining(c))
    name = re.sub(r"[^A-Z]+", "_", bare.upper()).strip("_")
    name = _TRANSLATED.get(name, name)
    if name in kinds:
        return name
    parts = [kind for kind in kinds if kind.startswith(f"{name}_") or kind.endswith(f"_{name}")]
    if len(parts) == 1:
        return parts[0]
    return name if name in KINDS else ""
