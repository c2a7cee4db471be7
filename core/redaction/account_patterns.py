"""User names: beside words that announce them, in folders, shell prompts and web addresses."""

from __future__ import annotations

import re

from core.redaction.pattern import Pattern
from core.redaction.technical import ALLOWED, is_everyday
from core.redaction.words import NO_LOGINS, NOBODY, PAGES, STATES

_LOGIN = r"[\w][\w.@+-]{1,62}\w"
_FOLDER = r"(?P<value>[^\\/:*?\"<>|%$\n{}\[\]]{1,40}?)(?=[\\/\"'\n)]|\Z)"
_FOLDER_POSIX = r"(?P<value>[A-Za-z0-9][\w.-]{0,38}\w|[A-Za-z0-9])(?=[/\"'\s):,;]|\Z)"


def is_state(word: str) -> bool:
    """Whether the word tells how something is ("wrong", "expired") rather than what it is."""
    return word.casefold() in STATES or is_everyday(word)


def _names_somebody(match: re.Match[str]) -> bool:
    value = match.group("value").strip().casefold()
    return value not in NOBODY and value not in ALLOWED and not is_state(value)


def _is_made_up(match: re.Match[str]) -> bool:
    """A token with letters and a digit or a mark inside: no word of any language, no bare number."""
    value = match.group("value")
    return _names_somebody(match) and bool(re.search(r"[\d_.@]", value) and re.search(r"[^\W\d_]", value))


def _names_page_owner(match: re.Match[str]) -> bool:
    """Not a page or an action that many sites have below `/user/` and the like."""
    return _names_somebody(match) and match.group("value").casefold() not in PAGES


def _names_login(match: re.Match[str]) -> bool:
    return _names_page_owner(match) and match.group("value").casefold() not in NO_LOGINS


SSH = r"\b(?:ssh|sftp|mosh|ssh-copy-id)(?:[ ]-\w{1,4}(?:[ ][\w./~=:-]{1,80})?){0,6}[ ]"
"""A command that logs in on another machine, up to its target."""

_NOUN = (
    r"(?:user[ -]?(?:name|id)?s?|log[ -]?in(?: name)?|account(?: name)?|benutzer(?:name|kennung|konto)?|nutzername"
    r"|anmeldename|kennung|identifiant|nom d['’]utilisateur|utilisateur|compte|nombre de usuario|usuario|cuenta"
    r"|nome utente|utente|nome de (?:usuário|utilizador)|usuário|utilizador|screen name|nick(?:name)?)"
)
_COPULA = r"(?:is|was|ist|lautet|est|es|è|é)"

ACCOUNT_PATTERNS = (
    Pattern(
        "USERNAME",
        "username_stated",
        re.compile(rf"(?<![\w.]){_NOUN}\s*(?:[:=]|\s{_COPULA}\b)[ ]*[\"'„“«]?(?P<value>{_LOGIN})", re.IGNORECASE),
        _names_somebody,
    ),
    Pattern(
        "USERNAME",
        "username_beside",
        re.compile(rf"(?<![\w.]){_NOUN}[ ]+[\"'„“«(]?(?P<value>{_LOGIN})", re.IGNORECASE),
        _is_made_up,
    ),
    Pattern(
        "USERNAME",
        "username_in_log",
        re.compile(
            r"\b(?:(?:log[io]n|logon|auth\w*|access|password|session)\s+(?:failed|failure|denied|succeeded|attempt"
            r"|opened"
            rf"|closed|accepted)\s+(?:for|of|by)\s+(?:(?:invalid\s+)?user\s+)?)[\"']?(?P<value>{_LOGIN})",
            re.IGNORECASE,
        ),
        _names_somebody,
    ),
    Pattern(
        "USERNAME",
        "folder_windows",
        re.compile(
            rf"\b[A-Za-z]:(?:\\\\?|/)(?:Users|Documents and Settings|Benutzer|Utilisateurs|Usuarios|Utenti"
            rf"|Utilizadores)(?:\\\\?|/){_FOLDER}",
            re.I,
        ),
        _names_somebody,
    ),
    Pattern(
        "USERNAME",
        "folder_posix",
        re.compile(rf"(?<![\w.])(?:/[\w.-]{{1,40}}){{0,3}}/(?:home|Users|export/home)/{_FOLDER_POSIX}"),
        _names_somebody,
    ),
    Pattern(
        "USERNAME",
        "shell_prompt",
        re.compile(r"(?<![\w.@-])(?P<value>[a-z][\w.-]{0,31})@[\w-]{1,63}(?=:[~/]|[ ]?[~$#])"),
        _names_somebody,
    ),
    Pattern(
        "USERNAME",
        "url_user",
        re.compile(
            r"\bhttps?://[\w.:-]{1,253}(?:/[\w.%-]{1,60}){0,6}?"
            r"(?:/~|/u/|/users?/|/members?/|/accounts?/|/profiles?/|/people/|/author/|/home/|/@|linkedin\.com/in/)"
            r"(?P<value>[\w.%-]{2,40})"
        ),
        _names_page_owner,
    ),
    Pattern(
        "USERNAME",
        "url_parameter",
        re.compile(
            r"[?&](?:user(?:_?name|_?id)?|login|uid|account|email|owner)=(?P<value>[\w.%+-]{2,60})", re.IGNORECASE
        ),
        _names_somebody,
    ),
    Pattern(
        "USERNAME",
        "url_login",
        re.compile(
            r"\b(?:https?|ftps?|s?ftp|ssh|imaps?|smtps?|rsync|svn\+ssh|git\+ssh)://(?P<value>[^\s/:@\"'<>]{1,100})@"
        ),
        _names_login,
    ),
    Pattern(
        "USERNAME",
        "ssh_target",
        re.compile(rf"{SSH}(?P<value>[A-Za-z_][\w.-]{{0,31}})@(?=\w)"),
        _names_login,
    ),
    Pattern(
        "USERNAME",
        "copy_target",
        re.compile(r"(?<![\w.@+-])(?P<value>[A-Za-z_][\w.-]{0,31})@(?=[\w.-]{1,63}:[\w~/.$*{-])"),
        _names_login,
    ),
    Pattern(
        "USERNAME",
        "ssh_option",
        re.compile(r"\b(?:ssh|scp|sftp|mosh)\b[^\n|;]{0,80}?[ ]-l[ ]?(?P<value>[A-Za-z_][\w.-]{0,31})"),
        _names_login,
    ),
    Pattern(
        "USERNAME",
        "username_field",
        re.compile(
            r"(?<![A-Za-z])(?:USER(?:NAME)?|LOGNAME|PG_?USER|DB_?USER|MYSQL_USER|SMTP_USER|user(?:_?name)?|login|uid)"
            r"[\"']?[ ]?=[ ]?[\"']?(?P<value>[A-Za-z][\w.@-]{1,40})(?![\w(.\[])"
        ),
        _names_login,
    ),
    Pattern(
        "USERNAME",
        "listing",
        re.compile(r"(?m)^[d-][rwxsStT-]{9}[.+@]?[ ]+\d+[ ]+(?P<value>[a-z_][\w.-]{0,31})[ ]"),
        _names_login,
    ),
)
