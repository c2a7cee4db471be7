"""What somebody wrote, apart from what their mail program added to it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.domain.ticket import ContentType
from core.mail.html_text import html_to_text
from core.mail.quotes import quoted_lines
from core.mail.signature import signature_lines
from core.mail.verbatim import verbatim_lines

_LINE_END = re.compile(r"\r\n|\r|\n")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad]")


@dataclass(frozen=True, slots=True)
class CleanMessage:
    """Every line of the mail that is not blank is, verbatim and in order, in exactly one of the three."""

    text: str
    quoted: str
    signature: str


def clean(body: str, content_type: ContentType) -> CleanMessage:
    """Fold quoted history, signature and disclaimer away. When nothing else would be left, `text` is the whole.

    >>> clean("It works, thanks!\\n\\n> Try again.\\n", ContentType.TEXT)
    CleanMessage(text='It works, thanks!', quoted='> Try again.', signature='')
    """
    visible = html_to_text(body) if content_type is ContentType.HTML else body
    lines = _LINE_END.split(_INVISIBLE.sub("", visible))
    verbatim = verbatim_lines(lines)
    quoted = quoted_lines(lines, verbatim)
    own = [not (is_quoted or is_code) for is_quoted, is_code in zip(quoted, verbatim, strict=True)]
    signature = signature_lines(lines, own)
    text = _pick(lines, [not (q or s) for q, s in zip(quoted, signature, strict=True)])
    if not text:
        return CleanMessage(_pick(lines, [True] * len(lines)), "", "")
    return CleanMessage(text, _pick(lines, quoted), _pick(lines, signature))


def _pick(lines: list[str], chosen: list[bool]) -> str:
    """The chosen lines, without blank lines at either end."""
    kept = [line for line, wanted in zip(lines, chosen, strict=True) if wanted]
    first = next((n for n, line in enumerate(kept) if line.strip()), len(kept))
    return "\n".join(kept[first:]).rstrip()
