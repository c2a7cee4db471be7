"""Names where mails put them: greetings, introductions, closings, headers, and with a title in front.

English, German, French, Spanish, Italian, Portuguese. A language model finds the rest.
"""

from __future__ import annotations

import re

from core.mail.phrases import CLOSING_PHRASES, FULL_NAME, NAME
from core.redaction.pattern import Pattern
from core.redaction.technical import ALLOWED, is_allowed, is_everyday

_GREETING = (
    r"(?:hi|hiya|hello|hey|dear|good (?:morning|afternoon|evening)|thanks|thank you|thx|welcome"
    r"|hallo|liebe[rs]?|sehr geehrte[rs]?|guten (?:tag|morgen|abend)|moin|servus|danke|vielen dank"
    r"|bonjour|bonsoir|salut|chers?|chères?|merci"
    r"|hola|buen[oa]s (?:días|tardes|noches)|estimad[oa]s?|querid[oa]s?|gracias"
    r"|ciao|buongiorno|buonasera|salve|gentil[ei]|car[oai]|egregi[oa]|spett(?:abile|\.le)|grazie"
    r"|olá|oi|bom dia|boa (?:tarde|noite)|prezad[oa]s?|obrigad[oa])"
)
_TITLE = (
    r"(?:Mrs?|Ms|Miss|Mx|Dra?|Prof(?:ª|\.ª|essora|essoressa)?|Engª?|Herrn?|Frau|Mme|Mlle|Madame|Monsieur|Señora?|Sra?|Srta|Signora?|Sig(?:\.ra)?"
    r"|Dott(?:\.?ssa|or|oressa)?|Senhora?|Dona|Professor|Doctor|Ing)\.?"
)
_TITLES = rf"(?:{_TITLE}[ ]){{0,3}}"
_INTRODUCTION = (
    r"(?:my name(?:'s| is)|mein name (?:ist|lautet)|ich hei(?:ß|ss)e|je m['’]appelle|mon nom est|me llamo|mi nombre es"
    r"|mi chiamo|il mio nome è|(?:o )?meu nome é|me chamo|chamo-me)"
)
_PRESENCE = r"(?:i am|i['’]m|this is|ich bin|hier (?:ist|spricht|schreibt)|je suis|soy|sono|sou)"
_LOWER_NAME = (
    r"[a-zà-ÿ]{2,20}(?:[ ](?!(?:and|but|from|with|und|ich|et|je|de)\b)[a-zà-ÿ]{2,20}"
    r"(?=[ ]?[,.\n]|[ ]and|\Z))?"
)
_FIELD = (
    r"(?:name|full name|first name|last name|surname|vorname|nachname|ansprechpartner|kontakt|contact|nom|prénom|nombre"
    r"|apellidos?|nome|cognome|sobrenome|from|von|de|da|to|an|à|para|a|cc|reporter|reported by|requester|submitted by"
    r"|author)"
)
_LINE_START = r"(?m:^)[>|* \t]*"


def _is_name(match: re.Match[str]) -> bool:
    """No greeting word or technical word at either end of what was taken for a name."""
    words = match.group("value").split()
    return not (
        is_allowed(match.group("value")) or is_everyday(words[0].strip(",.")) or is_everyday(words[-1].strip(",."))
    )


def _is_stated_name(match: re.Match[str]) -> bool:
    """Stricter, for words that more often announce something else: no technical word at all, not shouted."""
    value = match.group("value")
    return _is_name(match) and not value.isupper() and not any(word.casefold() in ALLOWED for word in value.split())


def _pattern(name: str, expression: str, score: float = 0.8) -> Pattern:
    return Pattern("PERSON", name, re.compile(expression), _is_name, score)


_LINE_END = r"(?=[ \t.]*(?:[,|·–—(]|\n|\Z))"
_CLOSING = rf"{_LINE_START}(?i:{CLOSING_PHRASES})[ ]*"

NAME_PATTERNS = (
    _pattern("greeting", rf"{_LINE_START}(?i:{_GREETING})[ ,]+{_TITLES}(?P<value>{NAME})(?=\s*(?:[,!:;.?–-]|\n|\Z))"),
    _pattern(
        "greeting_lower",
        rf"{_LINE_START}(?i:hi|hello|hey|dear|hallo|hola|ciao|olá|salut)[ ](?P<value>[a-zà-ÿ]{{3,20}})(?=[,!])",
    ),
    _pattern("title", rf"(?<![\w.]){_TITLE}[ ]{_TITLES}(?P<value>{NAME})"),
    _pattern("introduction", rf"\b(?i:{_INTRODUCTION})[ ]{_TITLES}(?P<value>{NAME}|{_LOWER_NAME})"),
    Pattern(
        "PERSON",
        "presence",
        re.compile(rf"\b(?i:{_PRESENCE})[ ]{_TITLES}(?P<value>{FULL_NAME})"),
        _is_stated_name,
        0.7,
    ),
    _pattern(
        "closing",
        rf"{_CLOSING}[,.!–-]*[ ]*(?:\n[>|* \t]*){{1,3}}{_TITLES}(?P<value>{NAME}|[a-zà-ÿ]{{2,20}}){_LINE_END}",
    ),
    _pattern("closing_inline", rf"{_CLOSING}[,.!–-]+[ ]*{_TITLES}(?P<value>{NAME})(?=[ \t.]*(?:\n|\Z))"),
    _pattern("signature_block", rf"(?m:^)--[ \t]*\n{_TITLES}(?P<value>{NAME}){_LINE_END}"),
    _pattern(
        "last_block",
        rf"\n[ \t]*\n{_TITLES}(?P<value>{NAME})(?:[ ][—–|·-][ ][^\n]{{1,60}})?(?:\n[^\n]{{1,60}}){{0,3}}\s*\Z",
        0.6,
    ),
    _pattern("mail_header", rf"(?<!\w)(?P<value>{NAME}(?:,[ ]{NAME})?)[\"']?[ ]*[<(\[][^<>()\[\]\s]+@"),
    _pattern(
        "attribution",
        r"(?<=[\d,;] )(?:(?i:[ap]\.?m\.?|uhr),? )?"
        rf"(?P<value>{NAME})[ ](?:wrote|a écrit|escribió|ha scritto|escreveu)[ ]?:",
    ),
    _pattern("attribution_verb_first", rf"\b(?:schrieb|escribió|escreveu)[ ](?P<value>{NAME})[ ]?:"),
    _pattern(
        "field",
        rf"{_LINE_START}(?i:{_FIELD})[ ]?:\**[ ]+{_TITLES}(?P<value>{NAME})"
        r"(?=[ \t]*(?:[<(\[;,]|\n(?![>|* \t]{0,8}(?:Version|Type|Enabled|ID|Creator|Path)\b)|\Z))",
    ),
)
