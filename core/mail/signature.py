"""Which of an author's own lines are a signature, not a message.

A signature starts at its delimiter, at a closing phrase with a name below, at what a telephone adds ("Sent from my
..."), or at a name with two lines of contact data at the very end; or its mail program marked it in HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from core.mail.html_marks import Hint
from core.mail.phrases import CLOSING_PHRASES, FULL_NAME, NAME
from core.mail.runs import paragraphs, runs

_MOST_LOOKED_AT = 60
_MOST_AFTER_DELIMITER = 15
_MOST_AFTER_CLOSING = 10
_MOST_AFTER_SENT_FROM = 2
_MOST_CONTACT_PARAGRAPHS = 3
_SIGNATURE_WIDTH = 80
_CONTACTS_NEEDED = 2

_JOINER = r"\s*(?:,|/|&|\b(?:und|and|et|y|e|i|och|en|og|a)\b)\s*"
_CLOSINGS = rf"(?:{CLOSING_PHRASES})(?:{_JOINER}(?:{CLOSING_PHRASES}))?(?: (?:aus|from|de|da) [\w .-]{{2,30}})?"
_CLOSING = re.compile(rf"\s*{_CLOSINGS}\s*[,.!。–-]*\s*$", re.IGNORECASE)
_CLOSING_WITH_NAME = re.compile(rf"\s*(?i:{_CLOSINGS})\s*[,.!–-]+\s*{NAME}\.?\s*$")
_CJK_NAME = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af][\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af ・　()]{1,30}"
_NAME_LINE = re.compile(
    rf"\s*(?:(?:[A-Za-z]{{1,5}}\.\s*){{0,3}}(?:{NAME}|[a-zà-ÿ]{{2,20}})\.?(?:\s*[,|—–·(/-].*)?|{_CJK_NAME})\s*$"
)
_FULL_NAME_LINE = re.compile(rf"\s*(?:(?:[A-Za-z]{{1,5}}\.\s*){{0,3}}{FULL_NAME}(?:\s*[,|—–·(/-].*)?|{_CJK_NAME})\s*$")
_DASHED_NAME = re.compile(rf"[-–—/~]{NAME}\s*$")
_DELIMITER = re.compile(r"--\s*$")
_LIST_FOOTER = re.compile(r"mailing[- ]list|unsubscribe|/listinfo/", re.IGNORECASE)
_LOOSE_DELIMITER = re.compile(r"(?:—|–|_{2,79}|-{3,79}|\*{3,79}|={3,79})\s*$")
_POSTSCRIPT = re.compile(r"\s*(?:p\.?\s?s\b\.?|edit)\s*[:.]?", re.IGNORECASE)
_SENT = re.compile(
    r"\s*(?:sent (?:from|with|via|using)|get outlook|von mein|gesendet (?:mit|von|über|aus)|von .{1,30} gesendet$"
    r"|diese nachricht wurde von|holen sie sich|laden sie|envoyé |télécharg|enviado |obtener |obter |descarga"
    r"|inviato [dc]|scarica |ottieni |verstuurd |verzonden |outlook (?:for|für|voor) |wysłan|pobierz |skickat |skaffa "
    r"|hämta |sendt "
    r"|odesláno |odoslané "
    r"|získejte |lähetetty |hanki |отправлено |надіслано |.{1,40}(?:から送信|版.{1,20}から送信|を入手)$|yahoo mail)",
    re.IGNORECASE,
)
_DEVICE = re.compile(
    r"phone|iphon|ipad|ios|android|samsung|galaxy|blackberry|huawei|xiaomi|pixel|outlook|mail|mobil|handy|téléphone"
    r"|telefon|teléfono"
    r"|telefone|tablet|proton|gmx|web\.de|yahoo|k-9|windows|device|gerät|móvil|cellulare|celular|komórk",
    re.IGNORECASE,
)
_CONTACTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\+?\(?\d[\d ()./–-]{6,}\d",
        r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,64}",
        r"(?:https?://|www\.)\S|^\s*[\w-]{2,40}\.(?:com|org|net|de|fr|es|it|pt|nl|pl|se|cz|jp|eu|co|io)\s*$",
        r"\b(?:gmbh|ag|ltd|limited|inc|llc|s\.?a\.?r\.?l|s\.?l\.?|s\.?r\.?l\.?|lda|b\.?v\.?|sp\. z o\.o|a\.?b"
        r"|s\.r\.o|e\.v)\b|株式会社",
        r"\b(?:tel|phone|mobile|mob|fax|cell|office|tél|port|móvil|cel|telemóvel|mobiel|kom|telefon|ext"
        r"|durchwahl)\b\.?[:. ]",
        r"\b(?:manager|director|engineer|head of|professor|dept|department|universit\w+|institut\w*|abteilung"
        r"|leiter\w*|responsable"
        r"|director\w*|responsabile|diret\w+|afdeling|dział|kierownik|avdelning\w*|chef|oddělení|vedoucí|ufficio"
        r"|dpto|service)\b",
        r"\b\d{4,5}(?:[- ]\d{3}|[ ]?[A-Z]{2})?\s+[A-Z]\w|\b[A-Z]{1,2}\d{1,2} ?\d[A-Z]{2}\b|〒\d{3}",
    )
)


def signature_lines(lines: Sequence[str], own: Sequence[bool], hints: Sequence[Hint | None]) -> list[bool]:
    """For each line, whether it belongs to a signature. Only `own` lines (neither quoted, verbatim nor disclaimer) "
    "are
    looked at; a signature ends where they end.

    >>> signature_lines(["Thanks", "Ana Bell"], [True, True], [None, None])
    [True, True]
    """
    marked = [mine and hint is Hint.SIGNATURE for mine, hint in zip(own, hints, strict=True)]
    for start, end in runs(own):
        region = _Region(lines[start:end], marked[start:end])
        first = start + region.signature_start()
        last = start + region.before_postscript(first - start)
        marked[first:last] = [True] * (last - first)
    return marked


class _Region:
    """Consecutive own lines, and which of them the mail program marked as signature."""

    def __init__(self, lines: Sequence[str], marked: Sequence[bool]) -> None:
        self.lines = lines
        self.marked = marked

    def signature_start(self) -> int:
        """Index of the first signature line; len(lines) when there is none."""
        starts = (n for n in range(len(self.lines)) if self._opens(n))
        return next(starts, self._contact_block())

    def before_postscript(self, first: int) -> int:
        """Index of the postscript after the signature; len(lines) when there is none."""
        return next((n for n in range(first, len(self.lines)) if _POSTSCRIPT.match(self.lines[n])), len(self.lines))

    def _opens(self, index: int) -> bool:
        line = self.lines[index]
        if not line.strip() or len(line) > _SIGNATURE_WIDTH:
            return False
        if _DELIMITER.match(line):
            rest = self._rest(index)
            return len(rest) <= _MOST_AFTER_DELIMITER and not any(_asks(self.lines[n]) for n in rest)
        if _LOOSE_DELIMITER.match(line):
            return self._is_card(index)
        if _SENT.match(line) and _DEVICE.search(line) and not line.rstrip().endswith((".", "?", ":")):
            return self._is_tail(index, _MOST_AFTER_SENT_FROM)
        if _DASHED_NAME.match(line):
            rest = self._rest(index)
            ends = not rest or bool(_LOOSE_DELIMITER.match(self.lines[rest[0]]))
            return ends and index > 0 and not self.lines[index - 1].strip()
        if _CLOSING_WITH_NAME.match(line):
            return self._is_tail(index, _MOST_AFTER_CLOSING)
        return bool(_CLOSING.match(line)) and self._is_named(index) and self._is_tail(index, _MOST_AFTER_CLOSING)

    def _rest(self, index: int) -> list[int]:
        """The lines after `index` that are not blank; of many, only so many that they are too many for a "
        "signature."""
        later = (n for n in range(index + 1, len(self.lines)) if self.lines[n].strip())
        return list(islice(later, _MOST_LOOKED_AT))

    def _is_named(self, index: int) -> bool:
        """Whether a name, a marked signature or a telephone's line follows; courtesy above a delimiter is text."""
        rest = self._rest(index)
        if not rest:
            return False
        below = self.lines[rest[0]]
        return self.marked[rest[0]] or (
            len(below) <= _SIGNATURE_WIDTH and bool(_NAME_LINE.match(below) or _SENT.match(below))
        )

    def _is_tail(self, index: int, most: int) -> bool:
        """Whether these lines can be what follows a closing phrase: few, short, asking nothing."""
        rest = [n for n in self._rest(index) if not self.marked[n]]
        until = next((n for n, at in enumerate(rest) if _POSTSCRIPT.match(self.lines[at])), len(rest))
        return until <= most and all(_is_short(self.lines[n]) for n in rest[:until])

    def _is_card(self, index: int) -> bool:
        """Whether a name and contact data follow, or the footer of a mailing list, and nothing else."""
        rest = [self.lines[n] for n in self._rest(index)]
        if any(_LIST_FOOTER.search(line[:_SIGNATURE_WIDTH]) for line in rest):
            return self._is_tail(index, _MOST_AFTER_CLOSING)
        named = bool(rest) and len(rest[0]) <= _SIGNATURE_WIDTH and bool(_NAME_LINE.match(rest[0]))
        return named and self._is_tail(index, _MOST_AFTER_CLOSING) and _contacts(rest) >= _CONTACTS_NEEDED

    def _contact_block(self) -> int:
        """Start of the paragraphs at the end that are a full name over contact data; len(lines) when there are "
        "none."""
        best = len(self.lines)
        for first, _ in reversed(paragraphs(self.lines, 0, len(self.lines))[1:][-_MOST_CONTACT_PARAGRAPHS:]):
            line = self.lines[first]
            rest = [self.lines[n] for n in self._rest(first)]
            if not (_is_short(line) and self._is_tail(first, _MOST_AFTER_CLOSING)):
                break
            if _FULL_NAME_LINE.match(line) and _contacts([line, *rest]) >= _CONTACTS_NEEDED:
                best = first
        return best


def _is_short(line: str) -> bool:
    return len(line) <= _SIGNATURE_WIDTH and not _asks(line)


def _asks(line: str) -> bool:
    return line.rstrip().endswith(("?", ":", "？", "："))


def _contacts(lines: Sequence[str]) -> int:
    """How many kinds of contact data the lines hold: telephone number, address, firm, title, ..."""
    return sum(any(pattern.search(line[:_SIGNATURE_WIDTH]) for line in lines) for pattern in _CONTACTS)
