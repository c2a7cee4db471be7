"""Which of an author's own lines are a signature or a disclaimer, not a message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from core.mail.phrases import CLOSING_PHRASES, NAME

_MOST_LOOKED_AT = 60
_MOST_AFTER_DELIMITER = 15
_MOST_AFTER_CLOSING = 8
_SIGNATURE_WIDTH = 80
_CUES_NEEDED = 2

_CLOSING = re.compile(rf"\s*(?:{CLOSING_PHRASES})\s*[,.!–-]*\s*$", re.IGNORECASE)
_CLOSING_WITH_NAME = re.compile(rf"\s*(?i:{CLOSING_PHRASES})\s*[,.!–-]+\s*{NAME}\.?\s*$")
_NAME_LINE = re.compile(rf"\s*(?:[A-Za-z]{{1,5}}\.\s*){{0,3}}(?:{NAME}|[a-zà-ÿ]{{2,20}})\.?(?:\s*[,|—–·(-].*)?\s*$")
_DELIMITER = re.compile(r"--\s*$")
_POSTSCRIPT = re.compile(r"\s*(?:p\.?\s?s\b\.?|edit)\s*[:.]?", re.IGNORECASE)
_SENT_FROM = re.compile(
    r"\s*(?:sent from (?:my|the)|get outlook for|von meinem .* gesendet|gesendet (?:mit|von)|envoyé de(?:puis)? mon"
    r"|enviado desde mi|enviado do meu|inviato da(?:l mio)?|yahoo mail)\b.{0,60}$",
    re.IGNORECASE,
)
_CUES = re.compile(
    r"confidential|intended recipient|intended solely|addressee|privileged|if you have received this|delete (?:it|this)"
    r"|vertraulich|nicht der (?:richtige|beabsichtigte)|irrtümlich erhalten|confidentiel|destinataire|par erreur"
    r"|confidencial|destinatari[oa]|por error|por engano|riservat[oi]|per errore|consider the environment"
    r"|before printing|virus[- ]free|scanned for viruses",
    re.IGNORECASE,
)


def signature_lines(lines: Sequence[str], own: Sequence[bool]) -> list[bool]:
    """For each line, whether it belongs to a signature or disclaimer. Only `own` lines (neither quoted nor verbatim)
    are looked at; a signature ends where they end."""
    marked = [False] * len(lines)
    for start, end in _runs(own):
        first = _signature_start(lines[start:end])
        last = start + _before_postscript(lines[start:end], first)
        marked[start + first : last] = [True] * (last - start - first)
        for index in _disclaimers(lines, start, start + first):
            marked[index] = True
    return marked


def _runs(own: Sequence[bool]) -> list[tuple[int, int]]:
    """Half-open ranges of consecutive own lines."""
    edges = [
        index for index in range(len(own) + 1) if (index < len(own) and own[index]) != (index > 0 and own[index - 1])
    ]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _signature_start(lines: Sequence[str]) -> int:
    """Index of the first signature line; len(lines) when there is none."""
    starts = [n for n in range(len(lines)) if _opens_signature(lines, n)]
    return min(starts, default=len(lines))


def _opens_signature(lines: Sequence[str], index: int) -> bool:
    line = lines[index]
    if _DELIMITER.match(line):
        return len(_rest(lines, index)) <= _MOST_AFTER_DELIMITER
    if _SENT_FROM.match(line):
        return not _rest(lines, index)
    if _CLOSING_WITH_NAME.match(line):
        return _is_tail(_rest(lines, index))
    if not _CLOSING.match(line):
        return False
    rest = _rest(lines, index)
    return bool(rest and _NAME_LINE.match(rest[0])) and _is_tail(rest)


def _rest(lines: Sequence[str], index: int) -> list[str]:
    """The lines after `index` that are not blank; of many, only so many that they are too many for a signature."""
    return list(islice((lines[n] for n in range(index + 1, len(lines)) if lines[n].strip()), _MOST_LOOKED_AT))


def _is_tail(rest: Sequence[str]) -> bool:
    """Whether these lines can be what follows a closing phrase: few, short, asking nothing; a disclaimer may follow."""
    own = [line for line in rest if not _CUES.search(line)]
    until = next((n for n, line in enumerate(own) if _POSTSCRIPT.match(line)), len(own))
    return until <= _MOST_AFTER_CLOSING and all(
        len(line) <= _SIGNATURE_WIDTH and not line.rstrip().endswith(("?", ":")) for line in own[:until]
    )


def _before_postscript(lines: Sequence[str], first: int) -> int:
    """Index of the postscript after the signature; len(lines) when there is none."""
    return next((n for n in range(first, len(lines)) if _POSTSCRIPT.match(lines[n])), len(lines))


def _disclaimers(lines: Sequence[str], start: int, end: int) -> list[int]:
    """Lines of the last paragraph before `end` when it has two cues of a legal disclaimer."""
    while end > start and not lines[end - 1].strip():
        end -= 1
    begin = end
    while begin > start and lines[begin - 1].strip():
        begin -= 1
    cues = {match.group().lower() for line in lines[begin:end] for match in _CUES.finditer(line)}
    return list(range(begin, end)) if len(cues) >= _CUES_NEEDED else []
