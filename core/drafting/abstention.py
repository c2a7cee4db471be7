"""Decides whether the passages answer the ticket at all, and if not, says what is missing and what to ask back."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from core.domain.draft import Abstention, Evidence
from core.domain.passage import Passage
from core.domain.redaction import PLACEHOLDER
from core.domain.retrieval import Inquiry, Retrieval
from core.drafting.words import (
    STOP,
    content_stems,
    identifiers_of,
    normalise,
    shorten,
    stem,
    urls_of,
    words_of,
)

EVEN_COSINE = 0.46
"""Signal at which confidence is 0.5: the 95th percentile of off-topic tickets, measured with all-MiniLM-L6-v2."""

COSINE_SCALE = 0.08
"""Change of the signal that changes the odds by e."""

SEARCHED_CHARS = 200
MISSING_TERMS = 6
NEAREST = 3
LONGEST_TERM_CHARS = 30
SHORT_TICKET_STEMS = 6

_WORDS = re.compile(r"[^\W\d_][\w'’-]+")
_STARTS = ("", ".", "!", "?", ":", "-")
_NO_NOUN = re.compile(
    r"(?:ly|ing|ed|n't|ould|ever|ful|ive|ous|thing|body|where)$|^(?:already|instead|anymore|again|another|without|since|"
    r"first|second|maybe|hope|different|kind|regards|course|right|wrong|better|great|sorry|found|think|thought|stuff)$"
)
_VERSION = re.compile(
    r"\bv?\d+(?:\.\d+)+\b|\b(?:version|release|build|windows|macos|android|ios|ubuntu)\s*\d", re.IGNORECASE
)
_MESSAGE = re.compile(r"[\"“«][^\"”»]{4,}[\"”»]|\b[A-Z]+_[A-Z_]+\b|Traceback|\w+(?:Error|Exception)\b|\berror:")
_STEPS = re.compile(
    r"\b(?:when|after|click\w*|open\w*|press\w*|start\w*|tried|steps?|run|typed?|select\w*|go to)\b", re.IGNORECASE
)


def confidence(
    inquiry: Inquiry, retrieval: Retrieval, unit_cosines: Sequence[float]
) -> tuple[float, tuple[tuple[str, float], ...]]:
    """How likely the passages answer the ticket, 0..1, and the signals it was made of.

    Compared are the cosines between each sentence (or list) and the newest message or the subject. The signal is the
    average of the best one and of the mean of the three best, mapped by `likelihood`: on a large documentation the mean
    separates as well alone, on a small one a single sentence may be all there is. The others are kept for the record.

    >>> from core.domain.passage import Run
    >>> nothing = Retrieval((), (), Run("fusion", "docs", (), 10))
    >>> [round(confidence(Inquiry("x"), nothing, [best, 0.3, 0.3])[0], 2) for best in (0.36, 0.54, 0.72)]
    [0.18, 0.5, 0.82]
    """
    best = sorted(unit_cosines, reverse=True)[:3]
    mean = sum(best) / len(best) if best else 0.0
    value = likelihood((best[0] + mean) / 2) if best else 0.0
    signals = (
        ("mean of the three best cosines", mean),
        ("best cosine", best[0] if best else 0.0),
        ("sentences compared", float(len(unit_cosines))),
        ("passages found", float(len(retrieval.fused.items))),
        ("content words of the ticket", float(len(content_stems(inquiry.newest)))),
    )
    return value, tuple((name, round(number, 4)) for name, number in signals)


def likelihood(cosine: float) -> float:
    """The logistic 1 / (1 + exp((EVEN_COSINE - cosine) / COSINE_SCALE)).

    It is monotonic: it changes no ranking, it only makes the number readable.
    """
    return 1 / (1 + math.exp((EVEN_COSINE - cosine) / COSINE_SCALE))


def abstain(inquiry: Inquiry, retrieval: Retrieval) -> Abstention:
    """What an agent reads instead of a draft. `nearest` are the best passages of different documents, at most three."""
    missing = missing_terms(inquiry, retrieval)
    searched = retrieval.queries[0].text if retrieval.queries else f"{inquiry.subject} {inquiry.newest}"
    return Abstention(shorten(searched, SEARCHED_CHARS), missing, question_back(inquiry, missing), _nearest(retrieval))


def missing_terms(inquiry: Inquiry, retrieval: Retrieval) -> tuple[str, ...]:
    """Terms of the ticket that no found passage has, as written: names, identifiers, then the longest words."""
    text = PLACEHOLDER.sub(" ", f"{inquiry.subject}.\n{inquiry.newest}")
    for url in urls_of(text):
        text = text.replace(url, " ")
    found = "\n".join(f"{p.title}\n{' '.join(p.heading_path)}\n{p.text}" for p, _score in retrieval.ranked)
    plain, stems = normalise(found), {stem(word) for word in words_of(found)}
    candidates: dict[str, str] = {}
    for term in (*_names(text), *_identifiers(text), *_nouns(text)):
        candidates.setdefault(normalise(term), term)
    absent = [term for key, term in candidates.items() if key not in plain and stem(key) not in stems]
    return tuple(absent[:MISSING_TERMS])


def question_back(inquiry: Inquiry, missing: Sequence[str]) -> str:
    """A polite question to the customer: the facts that short tickets lack, else about what was not understood.

    >>> question_back(Inquiry("It does not work"), ())  # doctest: +ELLIPSIS
    'Could you please tell us which version you use, the exact wording of any message you see, and the steps ...?'
    """
    text = f"{inquiry.subject} {inquiry.newest}"
    short = len(content_stems(text)) < SHORT_TICKET_STEMS
    asks = _lacking(text)
    if asks and (short or not missing):
        return f"Could you please tell us {_enumerate(asks)}?"
    if missing:
        named = _enumerate([f"“{term}”" for term in missing[:2]])
        return f"Could you please tell us a little more about {named}: what exactly would you like to do or see there?"
    return "Could you please describe in other words what you would like to do, and what happens instead?"


def _lacking(text: str) -> list[str]:
    facts = (
        (_VERSION, "which version you use"),
        (_MESSAGE, "the exact wording of any message you see"),
        (_STEPS, "the steps that lead to the problem"),
    )
    return [ask for pattern, ask in facts if not pattern.search(text)]


def _enumerate(parts: Sequence[str]) -> str:
    """A list as one says it.

    >>> _enumerate(["a"]), _enumerate(["a", "b"]), _enumerate(["a", "b", "c"])
    ('a', 'a and b', 'a, b, and c')
    """
    if len(parts) < 3:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _identifiers(text: str) -> list[str]:
    return [term for term in identifiers_of(text) if not term.isdigit() and 2 < len(term) <= LONGEST_TERM_CHARS]


def _names(text: str) -> list[str]:
    """Capitalised words that start neither a line nor a sentence."""
    lines = [line.strip() for line in text.splitlines()]
    found = [(line[: match.start()].rstrip()[-1:], match.group()) for line in lines for match in _WORDS.finditer(line)]
    return [
        word for before, word in found if before not in _STARTS and word[0].isupper() and normalise(word) not in STOP
    ]


def _nouns(text: str) -> list[str]:
    """Lower-case words that may carry the topic, the longest first: no adverbs, no verb forms."""
    words = [word for word in _WORDS.findall(text) if word.islower() and len(word) > 4 and word not in STOP]
    return sorted((word for word in words if not _NO_NOUN.search(word)), key=len, reverse=True)


def _nearest(retrieval: Retrieval) -> tuple[Evidence, ...]:
    best: dict[str, tuple[Passage, float]] = {}
    for passage, score in retrieval.ranked:
        best.setdefault(passage.doc_id, (passage, score))
    return tuple(Evidence(at, passage, score) for at, (passage, score) in enumerate(list(best.values())[:NEAREST], 1))
