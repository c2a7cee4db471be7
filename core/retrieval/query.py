"""What to search with: a redacted thread boiled down to an inquiry, an inquiry to weighted queries."""

from __future__ import annotations

import re

from core.domain.retrieval import Inquiry, WeightedQuery
from core.domain.thread import RedactedThread
from core.domain.ticket import Author

NEWEST_WEIGHT = 0.25
REPLY_WEIGHT = 0.35

_PLACEHOLDER = re.compile(r"<[A-Z][A-Z_]*_\d+>")
_QUOTE_MARK = re.compile(r"^(?:[ \t]*>)+[ \t]?", re.MULTILINE)
_REPLY_MARK = re.compile(r"^(?:\s*(?:re|fwd?|aw|wg|tr|rv|sv)\s*:)+\s*", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]{2,}")


def inquiry_of(thread: RedactedThread) -> Inquiry:
    """The customer's messages by their place in the thread, and the agents' replies.

    Where the helpdesk holds a single message and that message quotes an earlier exchange, what it quotes stands
    for the opening message: without it the question itself would often be lost.
    """
    texts = [message.text for message in thread.customer_messages]
    replies = tuple(message.text for message in thread.messages if message.author is Author.AGENT)
    if not texts:
        return Inquiry("", thread.subject, replies=replies)
    first = texts[0] if len(texts) > 1 else thread.customer_messages[0].quoted
    return Inquiry(texts[-1], thread.subject, first, tuple(texts[1:-1]), replies)


def queries_for(inquiry: Inquiry) -> tuple[WeightedQuery, ...]:
    """One query for a single message; in a conversation also the newest message and our last reply by themselves.

    Mail threads want the opening question most (nDCG@10 .61 with subject, first and newest message; giving the
    newest message alone the same weight: .53), chats the newest turn: these weights lose on neither. The customer's
    messages in between are not searched with: they gained nothing. Empty for an empty inquiry.
    """
    queries = [WeightedQuery(_joined(_subject(inquiry.subject), inquiry.first, inquiry.newest))]
    if inquiry.between or inquiry.replies:
        queries.append(WeightedQuery(_joined(inquiry.newest), NEWEST_WEIGHT))
        queries.append(WeightedQuery(_joined(*inquiry.replies[-1:]), REPLY_WEIGHT))
    return tuple(query for query in queries if query.text)


def _subject(subject: str) -> str:
    return _REPLY_MARK.sub("", subject)


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(None, map(_cleaned, texts)))


def _cleaned(text: str) -> str:
    """Without placeholders of personal data and marks of quotation."""
    return _BLANKS.sub(" ", _PLACEHOLDER.sub(" ", _QUOTE_MARK.sub("", text))).strip()
