"""The earlier mails in quoted lines, one by one: who wrote them, when, and what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.mail.intros import MARKS, Intro, bare, intro_at

_MOST_MESSAGES = 200


@dataclass(frozen=True, slots=True)
class QuotedMessage:
    """An earlier mail, marks of quotation taken off. Author and date are as the mail program wrote them, empty when "
    "it
    did not; `depth` counts from 1, the mail that was answered."""

    author: str
    sent: str
    text: str
    depth: int


@dataclass(slots=True)
class _Growing:
    author: str = ""
    sent: str = ""
    depth: int = 1
    lines: list[str] = field(default_factory=list)


def quoted_messages(lines: Sequence[str]) -> tuple[QuotedMessage, ...]:
    """The mails that quoted lines repeat, in the order in which they begin.

    >>> [(m.author, m.depth, m.text) for m in quoted_messages(["On 3 Jun 2024, Bo <b@x.org> wrote:", "> Hi", ">> Yo"])]
    [('Bo', 1, 'Hi'), ('', 2, 'Yo')]
    """
    messages: list[_Growing] = []
    open_at: dict[int, _Growing] = {}
    unmarked = 0
    index = 0
    while index < len(lines):
        marks = marks_of(lines[index])
        intro = intro_at(lines, index) if bare(lines[index]).strip() else None
        if intro is None or len(messages) >= _MOST_MESSAGES:
            _line_of(messages, open_at, max(marks + unmarked, 1)).lines.append(bare(lines[index]))
            index += 1
            continue
        marked = _marked_below(lines, index + intro.height, marks)
        unmarked += not marked
        _begin(messages, open_at, intro, marks + unmarked + marked)
        index += intro.height
    told = [message for message in messages if any(line.strip() for line in message.lines)]
    shallowest = min((message.depth for message in told), default=1)
    return tuple(_finished(message, shallowest - 1) for message in told)


def marks_of(line: str) -> int:
    """How many marks of quotation the line starts with."""
    found = MARKS.match(line)
    return found.group().count(">") if found else 0


def _marked_below(lines: Sequence[str], index: int, marks: int) -> bool:
    """Whether the next line that is not blank has more marks than the introduction; True when there is none."""
    return next((marks_of(lines[n]) > marks for n in range(index, len(lines)) if bare(lines[n]).strip()), True)


def _begin(messages: list[_Growing], open_at: dict[int, _Growing], intro: Intro, depth: int) -> None:
    message = _Growing(intro.author, intro.sent, depth)
    messages.append(message)
    for deeper in [level for level in open_at if level >= depth]:
        del open_at[deeper]
    open_at[depth] = message


def _line_of(messages: list[_Growing], open_at: dict[int, _Growing], depth: int) -> _Growing:
    """The mail that a line at this depth belongs to; one of an unknown author when none has begun."""
    if depth not in open_at:
        open_at[depth] = _Growing(depth=depth)
        messages.append(open_at[depth])
    return open_at[depth]


def _finished(message: _Growing, above: int) -> QuotedMessage:
    return QuotedMessage(message.author, message.sent, "\n".join(message.lines).strip("\n"), message.depth - above)
