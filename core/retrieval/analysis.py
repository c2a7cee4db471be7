"""Text to terms: one analysis for every lexical engine, so that all of them rank alike.

Language analysers differ between engines and between builds of one engine; therefore the engines index our terms
and split them at white space only. No term contains white space.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from threading import get_ident
from typing import cast

from core.domain.passage import Document, Passage
from core.ports import LexicalEntry

FIELD_BOOSTS: Mapping[str, float] = {"title": 1.0, "headings": 1.0, "body": 1.0, "identifiers": 0.3}
"""The fields of an entry, and the factor of each field's BM25 score.

A title of weight 2 or more measured worse on two of three sets: titles are short, BM25 favours them already.
"""

MAX_QUERY_TERMS = 200
MAX_TERM_CHARS = 100

STOP_WORDS = frozenset(
    re.findall(
        r"\S+",
        """a about above after again against all am an and any are aren't as at be because been before being below
        between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few
        for from further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him
        himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself just let's me more most mustn't
        my myself no nor not now of off on once only or other ought our ours ourselves out over own same shan't she
        she'd she'll she's should shouldn't so some such than that that's the their theirs them themselves then there
        there's these they they'd they'll they're they've this those through to too under until up very was wasn't we
        we'd we'll we're we've were weren't what what's when when's where where's which while who who's whom why why's
        will with won't would wouldn't you you'd you'll you're you've your yours yourself yourselves""",
    )
)

_URL = re.compile(r"https?://([^\s/?#<>\"'()]+)([^\s<>\"'()]*)", re.IGNORECASE)
_CHUNK = re.compile(r"\w+(?:(?:::?|[.'\-])\w+)*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_HUMP = re.compile(r"[a-z][A-Z]")


def analyse(text: str) -> list[str]:
    """Terms in text order, repeated as they occur: stems of words, and identifiers both whole and split.

    Case and compatibility forms are folded (NFKC), English stop words and single letters left out. Terms longer
    than 100 characters (hashes, encoded blobs) are left out too.

    >>> analyse("The certificates expired: SEC_ERROR_UNKNOWN_ISSUER")
    ['certif', 'expir', 'sec_error_unknown_issuer', 'sec', 'error', 'unknown', 'issuer']
    >>> analyse("Remove the add-on in about:config")
    ['remov', 'addon', 'add', 'about:config', 'config']
    """
    return list(chain.from_iterable(_terms(chunk) for chunk in _chunks(text)))


def identifiers(text: str) -> list[str]:
    """Error codes, versions, file names, dotted names, hosts of addresses ...: whole, folded, in text order.

    >>> identifiers("Firefox 128.0.3 shows https://mast.stsci.edu/portal?x=1 and prefs.js")
    ['128.0.3', 'mast.stsci.edu', 'prefs.js']
    """
    return [_fold(chunk) for chunk in _chunks(text) if _is_identifier(chunk) and len(chunk) <= MAX_TERM_CHARS]


def lexical_entry(passage: Passage) -> LexicalEntry:
    """A passage as the lexical index takes it; a heading that repeats the title counts as title only."""
    headings = " ".join(heading for heading in passage.heading_path if heading != passage.title)
    return LexicalEntry(
        passage.passage_id,
        passage.doc_id,
        {
            "title": analyse(passage.title),
            "headings": analyse(headings),
            "body": analyse(passage.text),
            "identifiers": identifiers("\n".join((passage.title, headings, passage.text))),
        },
    )


def document_entry(document: Document) -> LexicalEntry:
    """A whole document as one entry, named by its doc_id: title and text together in the body."""
    everything = "\n".join((document.title, document.text))
    fields = {"title": [], "headings": [], "body": analyse(everything), "identifiers": identifiers(everything)}
    return LexicalEntry(document.doc_id, document.doc_id, fields)


def lexical_query(text: str) -> dict[str, list[str]]:
    """What to look for in each field. A term that the text repeats is repeated, and so counts as often.

    Of a long text only the 200 most frequent terms are kept (earlier ones first among equals): terms past that
    number hardly move the ranking and each costs time.

    >>> lexical_query("profile of a profile")["body"]
    ['profil', 'profil']
    """
    terms, whole = _frequent(analyse(text)), _frequent(identifiers(text))
    return {"title": terms, "headings": terms, "body": terms, "identifiers": whole}


def _frequent(terms: list[str]) -> list[str]:
    return [term for term, count in Counter(terms).most_common(MAX_QUERY_TERMS) for _ in range(count)]


def _chunks(text: str) -> Iterator[str]:
    """Words and identifiers as written. An address gives its host and then the words of its path."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    start = 0
    for url in _URL.finditer(plain):
        yield from _CHUNK.findall(plain[start : url.start()])
        yield url[1].removeprefix("www.")
        yield from re.findall(r"[^\W_]+", url[2])
        start = url.end()
    yield from _CHUNK.findall(plain[start:])


def _terms(chunk: str) -> Iterator[str]:
    if len(chunk) > MAX_TERM_CHARS:
        return
    if _is_identifier(chunk):
        yield _fold(chunk)
        yield from _stems(_PARTS.findall(chunk))
    elif "-" in chunk or "." in chunk or ":" in chunk:
        yield from _stems(re.split(r"[.:]+", chunk.replace("-", "")))
        yield from _stems(re.split(r"[.:\-]+", chunk) if "-" in chunk else [])
    else:
        yield from _stems([chunk])


def _is_identifier(chunk: str) -> bool:
    """Whether it has an inner underscore, dot, colon or capital, or mixes letters with digits.

    Abbreviations such as "e.g" and times such as "10:30" are not identifiers.
    """
    pieces = re.split(r"[_.:]+", chunk.strip("_"))
    if len(pieces) > 1:
        numeric = all(piece.isdigit() for piece in pieces)
        return "." in chunk if numeric else any(len(piece) > 1 for piece in pieces)
    mixed = len(chunk) > 2 and any(map(str.isdigit, chunk)) and any(map(str.isalpha, chunk))
    return mixed or bool(_HUMP.search(chunk))


def _stems(words: list[str]) -> Iterator[str]:
    stem = _stemmer(get_ident())
    for word in map(_fold, words):
        if word not in STOP_WORDS and (len(word) > 1 or word.isdigit()):
            yield stem(word)


def _fold(word: str) -> str:
    return word.casefold().strip("_")


@lru_cache(maxsize=128)
def _stemmer(_thread_id: int) -> Callable[[str], str]:
    """Snowball's English stemmer (Porter 2). One for each thread: it must not be shared."""
    import Stemmer

    return cast("Callable[[str], str]", Stemmer.Stemmer("english").stemWord)
