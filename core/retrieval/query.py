"""What to search with: a redacted thread boiled down to an inquiry, an inquiry to weighted queries."""

from __future__ import annotations

import re
from dataclasses import replace

from core.domain.redaction import PLACEHOLDER
from core.domain.retrieval import Inquiry, WeightedQuery
from core.domain.thread import RedactedThread
from core.domain.ticket import Author
from core.mail.history import quoted_messages
from core.retrieval.condense import condensed

NEWEST_WEIGHT = 0.25
SUBJECT_WEIGHT = 0.3
REPLY_WEIGHT = 0.35
CHAT_WEIGHT = 0.5
"""Of the opening and the newest message together, beside the newest turn of a chat, which weighs 1."""

_QUOTE_MARK = re.compile(r"^(?:[ \t]*>)+[ \t]?", re.MULTILINE)
_REPLY_MARK = re.compile(r"^(?:\s*(?:re|fwd?|aw|wg|tr|rv|sv)\s*:)+\s*", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]{2,}")


def inquiry_of(thread: RedactedThread) -> Inquiry:
    """The customer's messages by their place in the thread, and the agents' replies.

    Where the helpdesk holds a single message and that message quotes an earlier exchange, the earliest mail it
    quotes is the opening message: without it the question itself would often be lost, and our own replies in
    between would drown it (nDCG@10 .69 against .66 with all that is quoted).
    """
    texts = [message.text for message in thread.customer_messages]
    replies = tuple(message.text for message in thread.messages if message.author is Author.AGENT)
    if not texts:
        return Inquiry("", thread.subject, replies=replies)
    first = texts[0] if len(texts) > 1 else earliest(thread.customer_messages[0].quoted)
    return Inquiry(texts[-1], thread.subject, first, tuple(texts[1:-1]), replies)


def without_noise(inquiry: Inquiry) -> Inquiry:
    """The inquiry with logs and tracebacks of its messages reduced to what tells (`core.retrieval.condense`)."""
    return replace(inquiry, newest=condensed(inquiry.newest), first=condensed(inquiry.first))


def earliest(quoted: str) -> str:
    """The oldest of the mails in a quoted history: the one that is quoted most deeply, the last of several.

    >>> earliest("On 3 Jun 2024, Bo <b@x.org> wrote:\\n> Try this.\\n>> It fails.")
    'It fails.'
    """
    messages = [message for message in quoted_messages(quoted.splitlines()) if message.text.strip()]
    if not messages:
        return quoted
    deepest = max(message.depth for message in messages)
    return next(message.text for message in reversed(messages) if message.depth == deepest)


def queries_for(inquiry: Inquiry) -> tuple[WeightedQuery, ...]:
    """One query for a single message; for a thread also some of its parts by themselves. Empty for an empty inquiry.

    A thread with a subject is mail: its opening question counts most, the newest message ("that did not help") often
    says nothing by itself. One without is a chat: the newest turn counts most (nDCG@10 .95 against .89 with the
    weights of mail; with a chat's weights mail threads fall from .70 to .53). The customer's messages in between are
    not searched with: they gained nothing. Nor are the questions of a message that asks several searched with one by
    one: they are parts of one matter (nDCG@10 of such tickets fell from .63 to .59).
    """
    whole = WeightedQuery(_joined(_subject(inquiry.subject), inquiry.first, inquiry.newest))
    reply = WeightedQuery(_joined(*inquiry.replies[-1:]), REPLY_WEIGHT)
    if not (inquiry.first or inquiry.between or inquiry.replies):
        queries = [whole]
    elif inquiry.subject.strip():
        subject = WeightedQuery(_joined(_subject(inquiry.subject)), SUBJECT_WEIGHT)
        newest = WeightedQuery(_joined(inquiry.newest), NEWEST_WEIGHT)
        held = bool(inquiry.between or inquiry.replies)
        queries = [whole, newest, reply] if held else [whole, subject]
    else:
        queries = [WeightedQuery(_joined(inquiry.newest)), WeightedQuery(whole.text, CHAT_WEIGHT), reply]
    return tuple(query for query in queries if query.text)


def _subject(subject: str) -> str:
    return _REPLY_MARK.sub("", subject)


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(None, map(_cleaned, texts)))


def _cleaned(text: str) -> str:
    """Without placeholders of personal data and marks of quotation."""
    return _BLANKS.sub(" ", PLACEHOLDER.sub(" ", _QUOTE_MARK.sub("", text))).strip()
