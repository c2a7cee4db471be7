"""Which units of a passage may stand in a reply to a customer."""

from __future__ import annotations

import re

from core.domain.access import holds_tickets
from core.domain.passage import Passage
from core.domain.redaction import PLACEHOLDER
from core.drafting.sentences import UnitKind
from core.drafting.words import normalise, urls_of

MIN_WORDS = 4

_NAVIGATION = re.compile(
    r"(?:note: )?(?:see (?:also|the|this|our|how|here|below|above|figure|table|section)\b|see [\"'A-Z]|"
    r"learn (?:more|how|why|what|about|to)\b|read more|click here|tap here|table of contents|contents$|"
    r"related (?:articles|content|links|topics)|further reading|more (?:information|details|help)\b|"
    r"for (?:more|further|additional|other|detailed) (?:information|details|help|instructions|ways|options)|"
    r"for (?:information|details|instructions|help)\b|to (?:learn|find out|read) more|back to (?:the )?top|"
    r"(?:on|in) this (?:article|section|chapter|page)|"
    r"th(?:is|e following) (?:article|page|section|chapter|tutorial|guide|document)s? (?:\w+ )?(?:\w+s|will|cover)\b|"
    r"the steps below|was this|share this|next:|previous:|if you need \w+ help|ask (?:a question|the com))",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"\b(?:see|read|follow|visit|check(?: out)?) (?:the |this |our |these )?[^.]{0,60}"
    r"\b(?:articles?|page below|link below|links? above)\b|\bclick (?:here|this link)\b|"
    r"\bin (?:these|the following) (?:articles|pages|sections)\b|"
    r"\b(?:screenshot|image|picture|figure|video|table|list) (?:below|above)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"(?:hi|hello|hey|dear|thanks?|thank you|cheers|regards|(?:kind|best|warm) regards|best|sincerely|yours|"
    r"good (?:morning|afternoon|evening|luck|day)|welcome|greetings|you're welcome|sorry|glad|great|ok|okay)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'll|i'd|me|my|mine|we|we're|we've|we'll|us|our)\b", re.IGNORECASE)
_QUESTION = re.compile(r"[?？][\"'”’)\]*_]*(?:\s|$)")
_MARKDOWN_LINK = re.compile(r"!?\[[^\]]*\]\([^)]*\)")


def why_not(text: str, kind: UnitKind, passage: Passage) -> str:
    """Why a unit must not be quoted, in a word or two; empty when it may."""
    return why_never(text, passage) or why_not_alone(text, kind)


def why_never(text: str, passage: Passage) -> str:
    """What forbids a unit anywhere, in a list of steps too."""
    if _QUESTION.search(text):
        return "question"
    if PLACEHOLDER.search(text):
        return "placeholder"
    if any(url != passage.url for url in urls_of(text)) or not _MARKDOWN_LINK.sub("", text).strip(" .,;:!*_"):
        return "link"
    if holds_tickets(passage.collection) and _is_letter(text):
        return "letter"
    return ""


def why_not_alone(text: str, kind: UnitKind) -> str:
    """What forbids a unit outside a list."""
    if kind is UnitKind.CODE:
        return "code"
    if is_navigation(text):
        return "navigation"
    if kind is not UnitKind.STEP and len(text.split()) < MIN_WORDS:
        return "fragment"
    return ""


def is_navigation(text: str) -> bool:
    """Whether the text points somewhere else, or speaks about the page it stands on, instead of saying something."""
    return bool(_NAVIGATION.match(text.lstrip("*_[(“\"' ")) or _POINTER.search(text))


def _is_letter(text: str) -> bool:
    plain = normalise(text)
    return bool(_LETTER.match(plain) or _FIRST_PERSON.search(plain))
