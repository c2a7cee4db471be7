"""Keys, tokens and passwords: they must not reach a model or an index even once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from core.domain.passage import Span
from core.domain.redaction import Entity
from core.redaction.account_patterns import is_state
from core.redaction.pattern import Pattern

_LONGEST_KEY_BLOCK_CHARS = 20_000
_PHRASE = (
    r"(?:pass[ -]?(?:word|phrase|code|wd|key)?|pwd|psw|pw|pin(?:[ -]?code)?|(?:kenn|pass)wort|zugangscode"
    r"|mot de passe|mdp|code secret|contraseña|clave|senha|palavra[ -]passe|parola d['’]ordine|parola chiave)"
)
_COPULA = r"(?:is|was|will be|should be|ist|lautet|war|est|était|es|è|é|era|fue|foi|sarebbe)"
_KEY_NAMES = (
    r"(?:api|app|secret|access|private|client|auth|account|shared|license|licence|recovery|activation|encryption"
    r"|signing"
    r"|master|storage|deploy|refresh|bearer|id|session|bot|webhook|service)"
    r"[ _-]?(?:key|token|secret|code)s?(?:[ _-]?id)?"
    r"|secret|token|credentials?|api[ -]?schlüssel|zugangsschlüssel|lizenzschlüssel|aktivierungscode"
    r"|wiederherstellungsschlüssel|clé (?:api|secrète|d['’]api)|jeton|clave (?:api|secreta|de api)|ficha|chiave "
    r"(?:api|segreta)"
    r"|chave (?:api|secreta|de api)|x-[\w-]{1,30}-(?:token|key)|(?:php)?sess(?:ion)?[ _-]?id|jsessionid|sitzungs-?id"
    r"|id de sess?ion|id di sessione|identifiant de session|id de sessão|asp\.net_sessionid|connect\.sid|sid|xsrf-token"
    r"|csrf-?token|csrfmiddlewaretoken|sig(?:nature)?|aws_\w{1,30}|sas|otp|totp"
)
_ENVIRONMENT = (
    r"[A-Z][A-Z0-9_]{0,40}?(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PWD|PASS|DSN"
    r"|CREDENTIALS?)[A-Z0-9_]{0,12}"
)
_NO_VALUE = re.compile(
    r"(?:your|my|some|the|an?|insert|enter|replace|change|example|placeholder|redacted|hidden|none|null|nil|true"
    r"|false|undefined"
    r"|empty|unset)(?:[_\W]|\Z)|[x*.•_#-]+\Z"
    r"|[$%{<\[(]|os\.|env\b|process\.|getenv|config|settings|self\.|get_|input\(|getpass|\d{1,3}\Z",
    re.IGNORECASE,
)


def _has_digit(match: re.Match[str]) -> bool:
    return any(map(str.isdigit, match.group("value")))


def _is_mixed(match: re.Match[str]) -> bool:
    return _has_digit(match) and any(map(str.isalpha, match.group("value")))


def _is_secret(value: str) -> bool:
    """Letters and digits, or long and in mixed case: no word, no number alone, no stand-in such as `your-key`."""
    if _NO_VALUE.match(value):
        return False
    has_digit, has_letter = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    is_mixed = value.lower() != value and value.upper() != value
    return (has_digit and (has_letter or len(value) >= 6)) or (is_mixed and len(value) >= 16) or len(value) >= 32


def _holds_secret(match: re.Match[str]) -> bool:
    return _is_secret(match.group("value"))


def _is_assigned(match: re.Match[str]) -> bool:
    """Of a variable that is named after a secret any value counts that is no stand-in and no code."""
    value = match.group("value")
    return not (_NO_VALUE.match(value) or "(" in value or is_state(value))


def _is_parameter(match: re.Match[str]) -> bool:
    """Of the parameters of an address, those called `key`, `code` or `id` only when they are long and mixed."""
    value = match.group("value")
    long_enough = 16 if match.group("name").lower() in ("key", "code", "auth", "state", "sid") else 4
    return len(value) >= long_enough and not _NO_VALUE.match(value) and (long_enough < 16 or _is_secret(value))


def _is_password(match: re.Match[str]) -> bool:
    value = match.group("value").strip(".,;!?")
    return not (is_state(value) or _NO_VALUE.match(value) or re.fullmatch(r"[\w.]+\(.*", value))


def _is_lone_password(match: re.Match[str]) -> bool:
    """On a line of its own: with a digit or a mark, or nothing but lower-case letters."""
    value = match.group("value")
    if re.fullmatch(r"\d+(?:[.,:/-]\d+)+\.?", value):
        return False
    odd = re.search(r"[\d!@#$%^&*+=?~]|[a-z][A-Z]", value) or re.fullmatch(r"[a-z]{6,}", value)
    return bool(odd) and _is_password(match) and not re.match(r"(?:https?:|[\w.+-]+@[\w-]+\.)", value)


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
    _token("openai_key", r"sk-[A-Za-z0-9_-]{16,}"),
    _token("stripe_key", r"(?:sk|pk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}"),
    _token("twilio_key", r"(?:AC|SK)[0-9a-f]{32}(?![0-9a-f])"),
    _token("square_key", r"sq0[a-z]{3}-[\w-]{22,}"),
    _token("shop_token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _token("cloud_token", r"dop_v1_[0-9a-f]{32,}|dckr_pat_[\w-]{20,}|hvs\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,}"),
    _token(
        "service_token",
        r"(?:glsa|gsk|lin_api|figd|sntrys|r8|ntn|key|tvly|pplx|nvapi|PMAK|xkeysib|rubygems)[-_][A-Za-z0-9_-]{24,}",
    ),
    _token("atlassian_token", r"ATATT3[\w=-]{20,}|ATCTT3[\w=-]{20,}"),
    _token("telegram_token", r"\d{8,10}:AA[\w-]{30,}"),
    _token("age_key", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}"),
    _token("aws_key_id", r"(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Z0-9])"),
    _token("github_token", r"gh[opusr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"),
    _token("gitlab_token", r"gl(?:pat|rt|dt)-[A-Za-z0-9_-]{16,}"),
    _token("slack_token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}"),
    _token("web_hook", r"hooks\.slack\.com/services/[\w/]{20,}|discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"),
    _token("google_key", r"AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}"),
    _token("package_token", r"npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}"),
    _token("sendgrid_key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    _token("jwt", r"eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?"),
    Pattern(
        "SECRET",
        "bearer",
        re.compile(r"\b(?:bearer|token)[ ]+[\"'`]?(?P<value>[\w.~+/=-]{7,}[\w~+/=-])", re.IGNORECASE),
        _is_mixed,
    ),
    Pattern(
        "SECRET",
        "authorization",
        re.compile(
            r"\b(?:proxy-)?authorization[\"']?[ ]?[:=][ ]?[\"']?(?:(?:basic|digest|negotiate|token|apikey|ntlm"
            r"|bearer)[ ]+)?"
            r"(?P<value>[\w.~+/=-]{5,}[\w~+/=-])",
            re.IGNORECASE,
        ),
    ),
    Pattern("SECRET", "basic", re.compile(r"\bBasic[ ]+(?P<value>[A-Za-z0-9+/]{8,}={0,2})(?![\w])"), _is_mixed),
    Pattern(
        "SECRET",
        "cookie",
        re.compile(
            r"\b(?:set-)?cookies?[\"']?[ ]?[:=][ ]*[\"']?(?P<value>(?:[^\s=;,]{1,80}=[^\s;]{1,4000}(?:;[ ]?|(?=\s"
            r"|\Z)))+)",
            re.IGNORECASE,
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
        "cookie_option",
        re.compile(
            r"(?:--cookie|-b|-H)[ =]?[\"'](?:cookie:[ ]?)?(?P<value>[\w.-]{1,60}=[^\"'\n]{4,2000})[\"']", re.IGNORECASE
        ),
    ),
    Pattern(
        "SECRET",
        "named_key",
        re.compile(
            rf"(?<![A-Za-z])(?:{_KEY_NAMES})[\"'`]?[ \t]{{0,3}}(?:[:=]>?"
            rf"|[ \t]{_COPULA}[ \t:])[ \t]{{0,3}}\n?[ \t]{{0,3}}[\"'„“«`]?"
            r"(?P<value>[^\s\"'`,;&<>“”»]{6,})",
            re.IGNORECASE,
        ),
        _holds_secret,
    ),
    Pattern(
        "SECRET",
        "assigned",
        re.compile(rf"(?<![A-Za-z0-9_])(?:{_ENVIRONMENT})[\"']?[ ]?[:=][ ]?[\"']?(?P<value>[^\s\"'`,;&<>]{{6,}})"),
        _is_assigned,
    ),
    Pattern(
        "SECRET",
        "url_parameter",
        re.compile(
            r"[?&;](?P<name>(?:access_|auth_|id_|refresh_|session_?|reset_|csrf_?)?token|api_?key|apikey|key|sig"
            r"|signature|auth|code|pass"
            r"|passwd|password|pwd|secret|client_secret|session|session_?id|sid|jwt|x-amz-signature|x-amz-credential"
            r"|ticket)"
            r"=(?P<value>[^\s&#;\"'<>]{4,})",
            re.IGNORECASE,
        ),
        _is_parameter,
    ),
    Pattern(
        "SECRET",
        "command_option",
        re.compile(
            r"(?<![\w-])(?:--?(?:pass(?:word|wd|phrase)?|pwd|token|api-?key|secret|client-secret|auth-token)[ =]"
            r"|sshpass -p ?)"
            r"[\"']?(?P<value>[^\s\"'`-][^\s\"'`]{2,})",
            re.IGNORECASE,
        ),
        _is_assigned,
    ),
    Pattern(
        "SECRET",
        "command_credentials",
        re.compile(r"(?<![\w-])(?:-u|--user|--proxy-user)[ =][\"']?(?P<value>[\w.@+-]{1,64}:[^\s\"'`]{3,})"),
    ),
    Pattern(
        "PASSWORD",
        "mysql_option",
        re.compile(r"\bmysql(?:dump|admin)?\b[^\n]{0,80}?[ ]-p(?P<value>[^\s\"'-][^\s\"']{3,})"),
    ),
    Pattern(
        "PASSWORD",
        "netrc",
        re.compile(r"\blogin[ \t\n]+\S{1,80}[ \t\n]+password[ \t\n]+(?P<value>\S{3,})"),
    ),
    Pattern(
        "PASSWORD",
        "pair_given",
        re.compile(
            rf"(?<![A-Za-z])(?:(?:user(?:name)?|login|id|account|benutzer(?:name)?|identifiant|usuario|utente"
            rf"|utilizador|usuário)[ ]?"
            rf"(?:/|&|\+|and|und|et|y|e)[ ]?{_PHRASE}|credentials|zugangsdaten|identifiants|credenciales|credenziali"
            rf"|credenciais|logins?)"
            r"[ ]?(?::|=|\bare\b|\bsind\b|\bsont\b|\bson\b|\bsono\b|\bsão\b)[ ]?(?P<value>[^\s/]{2,64}[ ]?(?:/|:"
            r"|[ ])[ ]?[^\s,;]{4,64})",
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
        "password_below",
        re.compile(
            rf"(?<![A-Za-z]){_PHRASE}(?:[ ][^\W\d]{{1,12}}){{0,3}}[ ]?:[ \t]*\r?\n(?:[ \t>]*\r?\n)?[ \t>]{{0,8}}"
            rf"(?P<value>\S{{4,64}})[ \t]*(?=\r?\n|\Z)",
            re.IGNORECASE,
        ),
        _is_lone_password,
    ),
    Pattern(
        "PASSWORD",
        "password_introduced",
        re.compile(
            rf"(?<![A-Za-z]){_PHRASE}(?:[ ][^\W\d]{{1,14}}){{1,4}}[ ]?[:=][ ]{{0,2}}[\"'„“«`]?"
            rf"(?P<value>[^\s\"'“”»;<>`]{{3,}}[^\s\"'“”»;<>.,)`])",
            re.IGNORECASE,
        ),
        _is_lone_password,
    ),
    Pattern(
        "PASSWORD",
        "password_quoted",
        re.compile(
            rf"(?<![A-Za-z]){_PHRASE}[ ](?P<quote>[\"'„“«`])(?P<value>[^\s\"'“”»`<>]{{4,64}})[\"'“”»`]", re.IGNORECASE
        ),
        _is_lone_password,
    ),
    Pattern(
        "PASSWORD",
        "password_beside",
        re.compile(
            rf"\b{_PHRASE}[ ](?P<value>(?=[^\s]{{0,40}}\d)"
            rf"(?=[^\s]{{0,40}}[^\W\d])[^\s\"'“”»`<>()\[\]/]{{5,40}}[^\s\"'“”»`<>()\[\].,;:!?/])",
            re.IGNORECASE,
        ),
        _is_lone_password,
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


_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: ?[0-9a-f]+")
_KEY_BODY = re.compile(r"(?:\s{0,8}[>|]{0,8}\s{0,8}(?:\\n)?[A-Za-z0-9+/=:, -]{16,}+)+")


def find_private_keys(text: str) -> Iterator[Entity]:
    """Whole blocks; of one that is cut off everything that looks like a part of it. Linear."""
    done = 0
    ends = [match.end() for match in _KEY_END.finditer(text)]
    for begin in _KEY_BEGIN.finditer(text):
        if begin.start() < done:
            continue
        at = bisect_right(ends, begin.end())
        if at < len(ends) and ends[at] - begin.end() <= _LONGEST_KEY_BLOCK_CHARS:
            done = ends[at]
        else:
            body = _KEY_BODY.match(text, begin.end())
            done = body.end() if body else begin.end()
        yield Entity("SECRET", Span(begin.start(), done), 1.0, "pattern:private_key")
