"""Technical words that must survive: without them a ticket is unreadable and nothing is found for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from core.domain.passage import Span
from core.domain.redaction import Entity
from core.mail.verbatim import verbatim_lines
from core.redaction.words import ALSO_NAMES, EVERYDAY, NEVER_NAMES, NOT_IN_NAMES

ALLOWED = NEVER_NAMES | ALSO_NAMES
"""Case-folded words that are no names here. An installation adds its own products."""

_FENCED = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_ADDRESS = re.compile(r"\b(?:https?|ftp|file|s3)://\S+|\bwww\.\S+")
_LINE = re.compile(r".*\n?")
_CODE_IN_NAME = re.compile(r"[\d_@#=<>(){}\[\]/\\:*|;\"]|\.\w|[a-zà-ÿ][A-ZÀ-Þ]{2}|^[A-Z0-9]{2,}$")
_EPONYM = re.compile(
    r"[ ](?:functions?|profiles?|filters?|distributions?|constants?|numbers?|equations?|theorem|law|limit|radius"
    r"|effect|sequence"
    r"|transforms?|algorithm|diagram|criterion|index|magnitudes?|kernel|smoothing|sampling|catalog(?:ue)?|survey"
    r"|archive|mission"
    r"|telescope|satellite|spacecraft|observatory|array|crater|belt|gap)\b"
    r"|['’]s (?:star|comet|nebula|galaxy|cluster|law|constant|cloud|loop|telescope)\b|[ ](?:comet|nebula|galaxy"
    r"|cluster)\b",
)
_EPONYM_BEFORE = re.compile(
    r"\b(?:comet|asteroid|crater|nebula|galaxy|star|telescope|mission|satellite)[ ]\Z", re.IGNORECASE
)
_LOG_LINE = re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


def is_everyday(word: str) -> bool:
    return word.casefold() in NOT_IN_NAMES


def is_allowed(name: str, allow: frozenset[str] = frozenset()) -> bool:
    """Whether every word of `name` is a technical or everyday word, or the whole is in `allow` (case-folded)."""
    if name.casefold() in allow:
        return True
    words = [word.casefold() for word in re.findall(r"[^\s,.;:!?()]+", name)]
    return all(word in ALLOWED or word in allow or word in NOT_IN_NAMES for word in words)


_ELISION = re.compile(r"(?:[JjNnCcSsTtMm]|[Qq]u)['’][a-zà-ÿ]+")
"""French words that begin with a shortened one ("J'habite")."""


def drop_technical(text: str, entities: Iterable[Entity], *, allow: frozenset[str] = frozenset()) -> list[Entity]:
    """Without the persons a model saw in technical words, code, tracebacks and web addresses.

    Other kinds pass. `allow` adds words and whole names, case-folded. Names beside an everyday word lose it:
    "Hi Maria" becomes "Maria".
    """
    code = code_spans(text)
    kept: list[Entity] = []
    for entity in entities:
        if entity.kind != "PERSON":
            kept.append(entity)
        elif not any(entity.span.overlaps(span) for span in code):
            spans = _names(text, entity.span, allow)
            kept += [Entity(entity.kind, span, entity.score, entity.reason) for span in spans]
    return kept


def code_spans(text: str) -> list[Span]:
    """Fenced and inline code, web addresses, and lines that are code, traceback or console; a log's lines are not
    meant: they name people."""
    spans = [Span(*match.span()) for regex in (_FENCED, _ADDRESS) for match in regex.finditer(text)]
    lines = [match for match in _LINE.finditer(text) if match.group()]
    bare = [match.group().rstrip("\n") for match in lines]
    spans += [
        Span(*match.span())
        for match, line, verbatim in zip(lines, bare, verbatim_lines(bare), strict=True)
        if verbatim and not _LOG_LINE.match(line)
    ]
    return spans


def _names(text: str, span: Span, allow: frozenset[str]) -> Iterator[Span]:
    """What is left of the span, line by line, without everyday and technical words at the ends and technical names.

    One word that is left beside a technical one is no name ("Linux Mint"), two are ("Jessica Miller Phone").
    """
    for line in re.finditer(r"[^\r\n]+", text[span.slice]):
        whole = Span(span.start + line.start(), span.start + line.end())
        plain = _trim_words(text, whole, NOT_IN_NAMES)
        name = _trim_words(text, plain, NEVER_NAMES)
        is_rest = name != plain and " " not in text[name.slice]
        is_known = line.group().strip().casefold() in allow or _is_technical(text[name.slice], allow)
        if not (is_known or is_rest or _is_eponym(text, name) or _ELISION.fullmatch(text[name.slice])):
            yield name


def _is_eponym(text: str, span: Span) -> bool:
    """One word that names a thing, with the word for the thing beside it: "Voigt profile", "comet Halley"."""
    is_word = bool(re.fullmatch(r"[^\W\d_]+(?:-[^\W\d_]+)?", text[span.slice]))
    before = text[max(0, span.start - 20) : span.start]
    return is_word and bool(_EPONYM.match(text, span.end) or _EPONYM_BEFORE.search(before))


def _trim_words(text: str, span: Span, unwanted: frozenset[str]) -> Span:
    words: Sequence[re.Match[str]] = list(re.finditer(r"[^\s,;:!?]+", text[span.slice]))
    while words and words[0].group().casefold() in unwanted:
        words = words[1:]
    while (
        words and words[-1].group().casefold() in unwanted and not (len(words) > 1 and _is_surname(words[-1].group()))
    ):
        words = words[:-1]
    return Span(span.start + words[0].start(), span.start + words[-1].end()) if words else Span(span.start, span.start)


def _is_surname(word: str) -> bool:
    """A capitalised word that is a surname too: "Ronnie Best"."""
    return word[:1].isupper() and word.casefold() in EVERYDAY


def _is_technical(name: str, allow: frozenset[str]) -> bool:
    """Code, or no word at all, or only allowed words."""
    return bool(_CODE_IN_NAME.search(name)) or not re.search(r"[^\W\d_]{2}", name) or is_allowed(name, allow)
