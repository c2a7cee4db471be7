"""Words as drafting compares them: normalised texts, identifiers, links, placeholders, negations.

Deliberately lighter than the analysis that indexes use: what is compared here is shown to people, so it must
be possible to say in one sentence why two texts count as the same.
"""

from __future__ import annotations

import re
import unicodedata

URL = re.compile(r"(?:https?://|ftp://|www\.)[^\s<>\"”’)\]]+", re.IGNORECASE)
_TOKEN = re.compile(r"[^\s,;!?()\[\]{}\"“”«»<>|`*]+")
_IDENTIFIER = re.compile(r"\d|_|[.:/\\@]\w|[a-z][A-Z]")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_NEGATION = re.compile(r"\b(?:not|no|never|none|nor|neither|without|cannot|nicht|kein\w*|jamais|nunca)\b|n't\b")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})
_ENDING = re.compile(r"(?<=\w{3})(?:ings?|ed|es|s)$")
_LIGATURES = {"e.g", "i.e", "a.m", "p.m", "u.s"}

STOP = frozenset(
    _WORD.findall(
        """a about above after again all also am an and any are as at be because been before being both but by can could
    did do does doing don't down each even ever every few for from further get gets getting give go goes going got had
    has have having he help her here hi hello hey him his how i i'm i've if in into is isn't it it's its just know let
    like made make many may me might more most much must my myself need no nor not now of off on once one only or other
    our out over own please problem really same see she should so some something still such than thank thanks that
    that's the their them then there these they thing things think this those through to too try tried trying under
    until up us use used using very want was wasn't way we well went were what when where which while who why will with
    won't work working works would yes you your"""
    )
)
"""Words that say nothing about a topic."""


def squeeze(text: str) -> str:
    """White space collapsed to single blanks.

    >>> squeeze(" Open  the\\n menu. ")
    'Open the menu.'
    """
    return " ".join(text.split())


def normalise(text: str) -> str:
    """NFKC, straight quotes, lower case, single blanks: two texts that only look different become equal.

    >>> normalise("Don’t  PANIC")
    "don't panic"
    """
    return squeeze(unicodedata.normalize("NFKC", text.translate(_QUOTES)).casefold())


def words_of(text: str) -> list[str]:
    """Normalised words in order.

    >>> words_of("Don’t open file_2.txt!")
    ["don't", 'open', 'file', '2', 'txt']
    """
    return _WORD.findall(normalise(text))


def stem(word: str) -> str:
    """The word without the commonest English endings; only for telling that two forms are one word.

    >>> stem("bookmarks"), stem("syncing"), stem("is")
    ('bookmark', 'sync', 'is')
    """
    return _ENDING.sub("", word)


def content_stems(text: str) -> set[str]:
    """Stems of the words that say something.

    >>> sorted(content_stems("How do I sync my bookmarks?"))
    ['bookmark', 'sync']
    """
    return {stem(word) for word in words_of(text) if word not in STOP and len(word) > 1}


def identifiers_of(text: str) -> list[str]:
    """Numbers, versions, error codes, file names, addresses and the like, whole, as written, in order.

    >>> identifiers_of("Since 128.0.3, about:config shows SEC_ERROR_X (see user.js).")
    ['128.0.3', 'about:config', 'SEC_ERROR_X', 'user.js']
    """
    tokens = (token.strip(".:'’…/\\") for token in _TOKEN.findall(text))
    return [token for token in tokens if _IDENTIFIER.search(token) and token.casefold() not in _LIGATURES]


def urls_of(text: str) -> list[str]:
    """Links in order, without the punctuation that follows them.

    >>> urls_of("See https://example.org/a. Or www.example.org")
    ['https://example.org/a', 'www.example.org']
    """
    return [url.rstrip(".,;:!?") for url in URL.findall(text)]


def negations_of(text: str) -> int:
    """How many words turn a statement into its opposite.

    >>> negations_of("Don’t do it, never.")
    2
    """
    return len(_NEGATION.findall(normalise(text)))


def shorten(text: str, chars: int) -> str:
    """At most `chars` characters, cut between words and marked with an ellipsis.

    >>> shorten("one two three", 9)
    'one two…'
    """
    text = squeeze(text)
    if len(text) <= chars:
        return text
    head = text[: chars - 1]
    return (head.rsplit(" ", 1)[0] if text[chars - 1] != " " else head).rstrip() + "…"
