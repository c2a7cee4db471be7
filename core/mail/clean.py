"""What somebody wrote, apart from what their mail program added to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from core.domain.ticket import ContentType
from core.mail.attachments import attachment_names
from core.mail.disclaimer import disclaimer_lines
from core.mail.history import QuotedMessage, quoted_messages
from core.mail.html_marks import Hint
from core.mail.html_text import VisibleText, read_html
from core.mail.intros import bare, intro_at
from core.mail.quotes import find_quotes
from core.mail.signature import signature_lines
from core.mail.verbatim import verbatim_lines
from core.mail.words import FORWARDING_SUBJECTS

_LINE_END = re.compile(r"\r\n|\r|\n")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad]")


@dataclass(frozen=True, slots=True)
class Forwarded:
    """Who wrote the forwarded mail and when, as its mail program put it; empty where it did not."""

    author: str
    sent: str


@dataclass(frozen=True, slots=True)
class CleanMessage:
    """Every line of the mail that is not blank is, verbatim and in order, in exactly one of the first four.

    `history` are the mails that `quoted` repeats; `forwarded` tells of a mail that was passed on and stands in `text`;
    `attachments` are names that the author's lines mention or that images carry; `dropped` counts what HTML holds and
    no reader sees, by kind.
    """

    text: str
    quoted: str
    signature: str
    disclaimer: str = ""
    history: tuple[QuotedMessage, ...] = ()
    forwarded: Forwarded | None = None
    attachments: tuple[str, ...] = ()
    dropped: tuple[tuple[str, int], ...] = ()


def clean(body: str, content_type: ContentType, *, subject: str = "") -> CleanMessage:
    """Fold quoted history, signature and disclaimer away. When nothing else would be left, `text` is the whole.

    The subject helps with mail programs that do not tell a forwarded mail from an earlier one.

    >>> message = clean("It works, thanks!\\n\\n> Try again.\\n", ContentType.TEXT)
    >>> message.text, message.quoted, message.history
    ('It works, thanks!', '> Try again.', (QuotedMessage(author='', sent='', text='Try again.', depth=1),))
    """
    visible = _visible(body, content_type)
    forwards = subject.strip().casefold().startswith(FORWARDING_SUBJECTS)
    parts = _sorted(visible.lines, visible.hints, forwards)
    if not any(_chosen(visible.lines, parts.text)):
        unmarked = tuple(None if hint is Hint.SIGNATURE else hint for hint in visible.hints)
        parts = _sorted(visible.lines, unmarked, forwards)
    if not any(_chosen(visible.lines, parts.text)):
        parts = _Parts.whole(len(visible.lines))
    quoted = _chosen(visible.lines, parts.quoted)
    return CleanMessage(
        _joined(_chosen(visible.lines, parts.text)),
        _joined(quoted),
        _joined(_chosen(visible.lines, parts.signature)),
        _joined(_chosen(visible.lines, parts.disclaimer)),
        quoted_messages(quoted),
        _forwarded(visible.lines, parts.forward),
        tuple(dict.fromkeys((*attachment_names(_not_quoted(visible.lines, parts)), *visible.images))),
        visible.dropped,
    )


def _visible(body: str, content_type: ContentType) -> VisibleText:
    if content_type is ContentType.HTML:
        seen = read_html(_INVISIBLE.sub("", body))
        pairs = [
            (line, hint)
            for text, hint in zip(seen.lines, seen.hints, strict=True)
            for line in _LINE_END.split(_INVISIBLE.sub("", text))
        ]
        return VisibleText(
            tuple(line for line, _ in pairs), tuple(hint for _, hint in pairs), seen.images, seen.dropped
        )
    lines = tuple(_LINE_END.split(_INVISIBLE.sub("", body)))
    return VisibleText(lines, (None,) * len(lines))


class _Parts(NamedTuple):
    """For each line, whether it is in that part: in exactly one of four. `forward` is where a forwarded mail "
    "starts."""

    text: list[bool]
    quoted: list[bool]
    signature: list[bool]
    disclaimer: list[bool]
    forward: int | None

    @staticmethod
    def whole(size: int) -> _Parts:
        return _Parts([True] * size, [False] * size, [False] * size, [False] * size, None)


def _sorted(lines: tuple[str, ...], hints: tuple[Hint | None, ...], forwards: bool) -> _Parts:
    verbatim = verbatim_lines(lines)
    quotes = find_quotes(lines, verbatim, hints, forwards=forwards)
    until = len(lines) if quotes.forward is None else quotes.forward
    own = [
        n < until and not (is_quoted or (is_code and hint is None))
        for n, (is_quoted, is_code, hint) in enumerate(zip(quotes.quoted, verbatim, hints, strict=True))
    ]
    legal = disclaimer_lines(lines, own)
    signed = signature_lines(lines, _without(own, legal), hints)
    late = disclaimer_lines(lines, _without(own, legal, signed))
    legal = [one or other for one, other in zip(legal, late, strict=True)]
    text = _without([True] * len(lines), quotes.quoted, signed, legal)
    return _Parts(text, list(quotes.quoted), signed, legal, quotes.forward)


def _without(chosen: list[bool], *taken: list[bool] | tuple[bool, ...]) -> list[bool]:
    return [wanted and not any(others) for wanted, *others in zip(chosen, *taken, strict=True)]


def _chosen(lines: tuple[str, ...], wanted: list[bool]) -> list[str]:
    """The chosen lines, without blank lines at either end."""
    kept = [line for line, chosen in zip(lines, wanted, strict=True) if chosen]
    first = next((n for n, line in enumerate(kept) if line.strip()), len(kept))
    last = next((n for n in range(len(kept), first, -1) if kept[n - 1].strip()), first)
    return kept[first:last]


def _joined(lines: list[str]) -> str:
    return "\n".join(lines).rstrip()


def _not_quoted(lines: tuple[str, ...], parts: _Parts) -> list[str]:
    return [line for line, quoted in zip(lines, parts.quoted, strict=True) if not quoted]


def _forwarded(lines: tuple[str, ...], forward: int | None) -> Forwarded | None:
    """Author and date from the block of headers where the forwarded mail starts."""
    if forward is None:
        return None
    intro = intro_at([bare(line) for line in lines[forward : forward + 30]], 0)
    return Forwarded(intro.author, intro.sent) if intro else Forwarded("", "")
