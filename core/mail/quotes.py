"""Which lines of a mail repeat an earlier mail.

Three habits: lines that start with `>`; an attribution ("On ... wrote:") with the earlier mail below it; Outlook's
block of header lines or separator, with the earlier mail below. A forwarded mail is no quote: it is what the mail is
about. Answers written between quoted lines are the author's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_MOST_WRAPPED = 3
_LONGEST_ATTRIBUTION_CHARS = 400
_HEADERS_NEEDED = 3
_HEADER_WINDOW = 8

_ATTRIBUTION = re.compile(
    r"[ *_]*("
    r"on\b.*\bwrote|.*<[^<> ]+@[^<> ]+>.*\bwrote"
    r"|am\b.*\bschrieb\b.*|.*<[^<> ]+@[^<> ]+>.*\bschrieb"
    r"|le\b.*\ba [ée]crit"
    r"|el\b.*\bescribi[óo]\b.*"
    r"|il\b.*\bha scritto"
    r"|em\b.*\bescreveu\b.*"
    r")[ *_]*[:：][ *_]*$",
    re.IGNORECASE | re.DOTALL,
)
_OPENING = re.compile(r"[ *_]*(on|am|le|el|il|em)\b|.*<[^<> ]+@", re.IGNORECASE)
_DATED = re.compile(r"\d")
_SEPARATOR = re.compile(
    r"\s*-{2,}\s*(original message|original appointment|ursprüngliche nachricht|originalnachricht|message d'origine"
    r"|message original|mensaje original|messaggio originale|mensagem original)\s*-{2,}\s*$",
    re.IGNORECASE,
)
_FIRST_HEADER = re.compile(r"[ *_]*(from|von|de|da|di)[ *_]*:[ *_]*\S", re.IGNORECASE)
_HEADER = re.compile(
    r"[ *_]*(from|von|de|da|di|sent|date|gesendet|datum|envoy[ée]|enviado|enviada|inviato|data|fecha"
    r"|to|an|[àa]|para|cc|kopie|subject|betreff|objet|asunto|oggetto|assunto)[ *_]*:",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*_{8,}\s*$")
_FORWARD = re.compile(
    r"[\s>]*(-{2,}\s*(forwarded|weitergeleitete|message transf|mensaje reenviado|messaggio inoltrato"
    r"|mensagem encaminhada)|begin forwarded message|anfang der weitergeleiteten)",
    re.IGNORECASE,
)


def quoted_lines(lines: Sequence[str], verbatim: Sequence[bool]) -> list[bool]:
    """For each line, whether it is quoted. `verbatim` lines are never read as the start of a quote."""
    quoted = [line.startswith(">") and not code for line, code in zip(lines, verbatim, strict=True)]
    index = 0
    while index < len(lines):
        if verbatim[index] or quoted[index]:
            index += 1
            continue
        if _FORWARD.match(lines[index]):
            return quoted
        if _starts_block(lines, index):
            return quoted[:index] + [True] * (len(lines) - index)
        height = _attribution_height(lines, index)
        quoted[index : index + height] = [True] * height
        index += height or 1
        if height and not _next_is(quoted, lines, index):
            return quoted[:index] + [True] * (len(lines) - index)
    return quoted


def _starts_block(lines: Sequence[str], index: int) -> bool:
    """Whether Outlook's copy of the earlier mail starts here, with a separator or with its headers."""
    if _SEPARATOR.match(lines[index]):
        return True
    first = index + 1 if _RULE.match(lines[index]) and index + 1 < len(lines) else index
    if not _FIRST_HEADER.match(lines[first]):
        return False
    window = [line for line in lines[first : first + _HEADER_WINDOW] if line.strip()]
    headers = next((n for n, line in enumerate(window) if not _HEADER.match(line)), len(window))
    return headers >= _HEADERS_NEEDED


def _attribution_height(lines: Sequence[str], index: int) -> int:
    """How many lines the attribution that starts here has (mail programs wrap it); 0 when none does."""
    if not _OPENING.match(lines[index]):
        return 0
    for height in range(1, _MOST_WRAPPED + 1):
        piece = lines[index : index + height]
        if len(piece) < height or not piece[-1].strip():
            return 0
        joined = " ".join(piece)
        if len(joined) > _LONGEST_ATTRIBUTION_CHARS:
            return 0
        if _ATTRIBUTION.match(joined) and _DATED.search(joined):
            return height
    return 0


def _next_is(quoted: Sequence[bool], lines: Sequence[str], index: int) -> bool:
    """Whether the next line that is not blank starts with `>`; also True when there is none."""
    return next((quoted[n] for n in range(index, len(lines)) if lines[n].strip()), True)
