"""Which language an inquiry is written in, and how it is put into English when that is another one.

The index holds English documentation; a German ticket finds nothing in it by its own words, and little by its vector.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import get_ident
from typing import Any

from core.domain.redaction import PLACEHOLDER
from core.domain.retrieval import Inquiry, Retrieval, WeightedQuery
from core.errors import Unavailable
from core.mail.verbatim import verbatim_lines
from core.ports import LanguageDetector, Translator
from core.retrieval.analysis import lexical_query
from core.retrieval.query import queries_for

ENGLISH = "en"

SNOWBALL = {"de": "german", "es": "spanish", "fr": "french", "it": "italian", "pt": "portuguese"}
"""The languages with stems, by ISO 639-1 code, and what Snowball calls them."""

TIMES = 4
"""How finely a word's expected count is kept: in quarters."""

_NO_PROSE = re.compile(r"https?://\S+|\S+@\S+|\S*[\w-][._/\\:=][\w-]\S*")


@dataclass(frozen=True, slots=True)
class Understood:
    """An inquiry with its queries, in English if it could be put into it.

    `language` is what it was written in. `failure` says why it was not translated although it should have been.
    """

    inquiry: Inquiry
    queries: tuple[WeightedQuery, ...]
    language: str
    translated: bool = False
    failure: str = ""


def understand(inquiry: Inquiry, *, detector: LanguageDetector, translator: Translator | None) -> Understood:
    """The inquiry as it is when it is English or in a language that the translator does not know.

    English costs the detection only. A translator that raises `Unavailable` leaves the original, and a `failure`.
    """
    language = language_of(inquiry, detector)
    if translator is None or language == ENGLISH or language not in translator.languages:
        return Understood(inquiry, queries_for(inquiry), language)
    try:
        english, queries = _in_english(inquiry, language, translator)
    except Unavailable as error:
        return Understood(inquiry, queries_for(inquiry), language, failure=error.message)
    return Understood(english, queries, language, translated=True)


def search_in_english(
    inquiry: Inquiry,
    search: Callable[[Sequence[WeightedQuery]], Retrieval],
    *,
    detector: LanguageDetector,
    translator: Translator | None,
) -> Retrieval:
    """What `search` finds for the queries of the inquiry, with its language and the inquiry that was searched for."""
    understood = understand(inquiry, detector=detector, translator=translator)
    retrieval = search(understood.queries)
    reduced = ("not translated",) if understood.failure else ()
    return replace(
        retrieval,
        reduced=(*retrieval.reduced, *reduced),
        language=understood.language,
        translated=understood.inquiry if understood.translated else None,
    )


def language_of(inquiry: Inquiry, detector: LanguageDetector) -> str:
    """Of what the customer wrote: code, logs, addresses and placeholders of personal data do not count."""
    written = "\n".join(prose(text) for text in (inquiry.subject, inquiry.first, inquiry.newest))
    return detector.detect(written) if written.strip() else ENGLISH


def prose(text: str) -> str:
    """The text without lines of code and logs, addresses, names of files and placeholders.

    >>> prose("Hallo <PERSON_1>, was ist das?\\nOSError: no space left on device")
    'Hallo  , was ist das?'
    """
    lines = text.splitlines()
    kept = [line for line, code in zip(lines, verbatim_lines(lines), strict=True) if not code]
    return _NO_PROSE.sub(" ", PLACEHOLDER.sub(" ", "\n".join(kept)))


def lexical_terms(query: WeightedQuery) -> tuple[dict[str, list[str]], float]:
    """What the lexical search looks for, and the weight of its scores.

    A term counts as often as it stands there, so a word meant .75 times is put in three times, for a fourth of the
    weight. Words meant less than an eighth of a time are left out.

    >>> terms, weight = lexical_terms(WeightedQuery("delete", words=(("delete", 0.75), ("remove", 0.25))))
    >>> terms["body"], weight
    (['delet', 'delet', 'delet', 'remov'], 0.25)
    """
    if not query.words:
        return lexical_query(query.text), query.weight
    repeated = " ".join(" ".join([word] * round(TIMES * count)) for word, count in query.words)
    return lexical_query(repeated), query.weight / TIMES


def foreign_words(text: str) -> list[str]:
    """Runs of letters and digits, folded.

    >>> foreign_words("L'écran s’est figé")
    ['l', 'écran', 's', 'est', 'figé']
    """
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def stems(words: Iterable[str], lang: str) -> list[str]:
    """Snowball stems of folded words.

    >>> stems(["lesezeichen", "gelöscht"], "de")
    ['lesezeich', 'geloscht']
    """
    stemmed: list[str] = _stemmer(lang, get_ident()).stemWords(list(words))
    return stemmed


def _in_english(inquiry: Inquiry, language: str, translator: Translator) -> tuple[Inquiry, tuple[WeightedQuery, ...]]:
    """The messages in between are left as they are: nothing is searched with them."""
    texts = [inquiry.newest, inquiry.subject, inquiry.first, *inquiry.replies[-1:]]
    newest, subject, first, *reply = translator.translate(texts, language)
    english = replace(
        inquiry,
        newest=newest.text,
        subject=subject.text,
        first=first.text,
        replies=(*inquiry.replies[:-1], *(translation.text for translation in reply)),
    )
    queries = queries_for(english)
    if any(translation.words for translation in (newest, subject, first)):
        queries = _with_words(queries, queries_for(inquiry), language, translator)
    return english, queries


def _with_words(
    queries: tuple[WeightedQuery, ...], originals: tuple[WeightedQuery, ...], language: str, translator: Translator
) -> tuple[WeightedQuery, ...]:
    translations = translator.translate([query.text for query in originals], language)
    return tuple(replace(query, words=told.words) for query, told in zip(queries, translations, strict=True))


@lru_cache(maxsize=128)
def _stemmer(lang: str, _thread_id: int) -> Any:
    """Must not be shared between threads."""
    import Stemmer

    return Stemmer.Stemmer(SNOWBALL[lang])
