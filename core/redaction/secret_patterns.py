"""Keys, tokens and passwords: they must not reach a model or an index even once."""

from __future__ import annotations

import re

from core.redaction.account_patterns import is_state
from core.redaction.pattern import Pattern

_LONGEST_KEY_BLOCK_CHARS = 20_000
_PHRASE = (
    r"(?:pass[ -]?(?:word|phrase|code|wd)?|pwd|pw|pin(?:[ -]?code)?|(?:kenn|pass)wort|mot de passe|mdp|contraseña|clave"
    r"|senha|palavra[ -]passe|parola d['’]ordine)"
)
_COPULA = r"(?:is|was|ist|lautet|war|est|es|è|é|era)"
_KEY_NAMES = (
    r"(?:api|secret|access|private|client|auth|account|shared|license|licence|recovery|activation|encryption|signing)"
    r"[ _-]?(?:key|token|secret|code)s?(?:[ _-]?id)?"
    r"|secret|token|credential|lizenzschlüssel|aktivierungscode|wiederherstellungsschlüssel|x-[\w-]{1,30}-(?:token|key)"
    r"|(?:php)?sess(?:ion)?[ _-]?id|jsessionid|xsrf-token|csrf-?token|sig(?:nature)?|aws_\w{1,30}|sas"
)


def _has_digit(match: re.Match[str]) -> bool:
    return any(map(str.isdigit, match.group("value")))


def _is_mixed(match: re.Match[str]) -> bool:
    return _has_digit(match) and any(map(str.isalpha, match.group("value")))


def _is_password(match: re.Match[str]) -> bool:
    return not is_state(match.group("value").strip(".,;!?"))


def _is_stated_password(match: re.Match[str]) -> bool:
    """After "is": quoted, or no plain word, or a plain word that does not tell how the password is."""
    value = match.group("value")
    if re.fullmatch(r"\d+%", value):
        return False
    if match.group("quote") or re.search(r"[\d_!@#$%^&*+=?]|\w-\w|[a-z][A-Z]", value):
        return True
    return not is_state(value) and not re.search(
        r"(?:ed|ing|ble|tig|lich|ent|ect|ado|ada|ato|ata|é|ée)\Z", value.lower()
    )


def _token(name: str, expression: str) -> Pattern:
    """A token that is known by its own shape."""
    return Pattern("SECRET", name, re.compile(rf"(?<![A-Za-z0-9])(?:{expression})"), score=1.0)


SECRET_PATTERNS = (
    Pattern(
        "SECRET",
        "private_key",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            rf"(?:[\s\S]{{0,{_LONGEST_KEY_BLOCK_CHARS}}}?-----END [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?:\s*[>|]*\s*[A-Za-z0-9+/=:, -]{16,})+)"
        ),
        score=1.0,
    ),
    _token("openai_key", r"sk-[A-Za-z0-9_-]{16,}"),
    _token("stripe_key", r"(?:sk|pk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}"),
    _token("aws_key_id", r"(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Z0-9])"),
    _token("github_token", r"gh[opusr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"),
    _token("gitlab_token", r"gl(?:pat|rt|dt)-[A-Za-z0-9_-]{16,}"),
    _token("slack_token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    _token("slack_hook", r"hooks\.slack\.com/services/[\w/]{20,}"),
    _token("google_key", r"AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}"),
    _token("package_token", r"npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}"),
    _token("sendgrid_key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    _token("jwt", r"eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?"),
    Pattern(
        "SECRET",
        "bearer",
        re.compile(r"\b(?:bearer|basic|token)[ ]+(?P<value>[\w.~+/=-]{8,})", re.IGNORECASE),
        _is_mixed,
    ),
    Pattern(
        "SECRET",
        "cookie",
        re.compile(
            r"\b(?:set-)?cookies?:[ ]*(?P<value>(?:[^\s=;,]{1,80}=[^\s;]{1,4000}(?:;[ ]?|(?=\s|\Z)))+)", re.IGNORECASE
        ),
    ),
    Pattern(
        "SECRET",
        "url_credentials",
        re.compile(r"\b[a-z][a-z0-9+.-]{1,30}://(?P<value>[^\s/:@\"'<>]{0,100}:[^\s/@\"'<>]{1,100})@", re.IGNORECASE),
        score=1.0,
    ),
    Pattern(
        "SECRET",
        "named_key",
        re.compile(
            rf"(?<![A-Za-z])(?:{_KEY_NAMES})[\"']?\s*(?:[:=]|\s{_COPULA}\s)\s*[\"'„“«]?(?P<value>[^\s\"',;&<>]{{6,}})",
            re.IGNORECASE,
        ),
        _has_digit,
    ),
    Pattern(
        "SECRET",
        "one_time_code",
        re.compile(
            r"\b(?:verification|security|confirmation|one[ -]time|2fa|otp|backup|login|bestätigungs|sicherheits)[ -]?"
            r"(?:code|pin|token|password)?s?\s*(?:is|was|ist|lautet|:|=)\s*(?P<value>\d{4,8})(?!\w)",
            re.IGNORECASE,
        ),
    ),
    Pattern(
        "PASSWORD",
        "password_given",
        re.compile(
            rf"(?<![A-Za-z]){_PHRASE}[\"']?[ \t]*[:=][ \t]*[\"'„“«]?(?P<value>[^\s\"'“”»;<>]{{3,}}[^\s\"'“”»;<>.,)])",
            re.I,
        ),
        _is_password,
    ),
    Pattern(
        "PASSWORD",
        "password_stated",
        re.compile(
            rf"\b{_PHRASE}\b[^\n:=.]{{0,20}}?\s{_COPULA}(?:[ ]?:)?\s+(?P<quote>[\"'„“«`]?)"
            r"(?P<value>[^\s\"'“”»`<>]{3,}[^\s\"'“”»`<>.,;:)])",
            re.IGNORECASE,
        ),
        _is_stated_password,
    ),
)
